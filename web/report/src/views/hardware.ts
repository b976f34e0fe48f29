// An architecture from its outermost memory to its array: what each level holds of each tensor and
// how full that makes it, and how many of the lanes below it work.
import {drawing, legend} from "../chart";
import {svg, type Child} from "../dom";
import {figure} from "../figure";
import {brief, bytes, grouped, percent, plural, significant} from "../format";
import {list, parseLine} from "../nest";
import type {LevelResult, Mapped, ShownArchitecture, ShownLevel} from "../types";
import {tensorColour} from "./nest";

const BOX = 66; // height of a level
const PLAIN_BOX = 32; // where it is not known how full it is
const BAR = 22;
const LINK = 74; // from a level to the next one, past an array
const PLAIN = 26; // the same past none
const CELL = {most: 8, width: 150, height: LINK - 22};

const KINDS: Record<ShownLevel["kind"], string> = {dram: "DRAM", sram: "SRAM", register: "registers"};

// One tensor in a level. Its room is a part of the level's: its partition, or all of it.
interface Held {
  tensor: string;
  words: number;
  bits: number;
  colour: string;
  room: number; // share of the level
  share: number | null; // of its room that is filled; unbounded: null
}

const capacityBits = (level: ShownLevel): number | null => {
  const parts = Object.values(level.partitions ?? {});
  if (parts.length === 0) return level.capacity_words == null ? null : level.capacity_words * level.word_bits;
  return parts.some((part) => part.capacity_words === null)
    ? null
    : parts.reduce((sum, part) => sum + part.capacity_words! * part.word_bits, 0);
};

export function capacityText(level: ShownLevel): string {
  const bits = capacityBits(level);
  if (bits === null) return "unbounded";
  return `${bytes(bits / 8)}${level.instances > 1 ? ` × ${grouped(level.instances)}` : ""}`;
}

function heldBy(level: ShownLevel, cost: LevelResult | undefined): Held[] {
  const bits = capacityBits(level);
  return Object.entries(cost?.tensors ?? {}).flatMap(([tensor, own], i) => {
    if (!own.kept) return [];
    const part = level.partitions?.[tensor];
    const width = part?.word_bits ?? level.tensor_bits?.[tensor] ?? level.word_bits;
    const room = bits && part?.capacity_words != null ? (part.capacity_words * part.word_bits) / bits : 1;
    return [
      {
        tensor,
        words: own.tile_words,
        bits: width,
        colour: tensorColour(i),
        room,
        share: bits ? (own.tile_words * width * (level.buffering ?? 1)) / (bits * room) : null,
      },
    ];
  });
}

// What is as full as is said of a level: its fullest part, or "" where tensors share the level.
function fullestPart(held: Held[]): string {
  const parts = held.filter((one) => one.share !== null && one.room < 1);
  return parts.length ? parts.reduce((a, b) => (b.share! > a.share! ? b : a)).tensor : "";
}

// Lanes of the array below a level that the mapping's parallel loops use, along x and y.
function lanesUsed(level: ShownLevel, mapping: string[]): {x: number; y: number} {
  const used = {x: 1, y: 1};
  for (const text of mapping) {
    const line = parseLine(text);
    if (line.kind !== "for" && line.kind !== "parallel") continue;
    if (line.axis === `${level.fanout.name}.x`) used.x *= line.trips;
    if (line.axis === `${level.fanout.name}.y`) used.y *= line.trips;
  }
  return used;
}

// What the lines of a mapping say that each level keeps: "all", "" or names.
function keepsOf(mapping: string[]): Map<string, string> {
  const keeps = new Map<string, string>();
  for (const text of mapping) {
    const line = parseLine(text);
    if (line.kind !== "level") continue;
    const these = line.keeps === "none" ? "" : line.keeps === "all" ? "all" : list(line.keeps);
    const before = line.also ? keeps.get(line.level) : "";
    keeps.set(line.level, [before, these].filter((names) => names).join(", "));
  }
  return keeps;
}

// Lanes as squares, those in use full; a long row is broken into several; of very many only the
// outline and the share in use.
function lanesGrid(
  x: number,
  y: number,
  usedX: number,
  usedY: number,
): {width: number; height: number; parts: SVGElement[]} {
  const lanes = x * y;
  const flat = (x === 1 || y === 1) && lanes > 18;
  const columns = flat ? Math.ceil(Math.sqrt(2.5 * lanes)) : x;
  const rows = flat ? Math.ceil(lanes / columns) : y;
  const cell = Math.min(CELL.most, CELL.width / columns, CELL.height / rows);
  const [width, height] = [cell * columns, cell * rows];
  if (cell < 3 || lanes > 2000) {
    const part = flat ? {width, height: (height * usedX * usedY) / lanes} : {width: cell * usedX, height: cell * usedY};
    return {
      width,
      height,
      parts: [svg("rect", {class: "lane", width, height}), svg("rect", {class: "lane used", ...part})],
    };
  }
  const inUse = (lane: number): boolean =>
    flat ? lane < usedX * usedY : lane % x < usedX && Math.floor(lane / x) < usedY;
  const parts = Array.from({length: lanes}, (_, lane) =>
    svg("rect", {
      class: inUse(lane) ? "lane used" : "lane",
      x: (lane % columns) * cell,
      y: Math.floor(lane / columns) * cell,
      width: cell - 1,
      height: cell - 1,
    }),
  );
  return {width, height, parts};
}

// Widths of a letter.
const BOLD = 7.4;
const SMALL = 6.3;
const cut = (text: string, room: number, letter: number): string => {
  const most = Math.floor(room / letter);
  return text.length <= most ? text : most < 4 ? "" : `${text.slice(0, most - 1)}…`;
};

class ArchitectureDrawing {
  private readonly parts: SVGElement[] = [];
  private readonly keeps: Map<string, string>;
  private y = 4;

  constructor(
    private readonly hardware: ShownArchitecture,
    private readonly mapped: Mapped,
    private readonly width: number,
  ) {
    this.keeps = keepsOf(mapped.mapping);
  }

  draw(): SVGSVGElement {
    this.hardware.levels.forEach((level, l) => {
      const cost = this.mapped.levels?.[l];
      this.level(level, cost, heldBy(level, cost));
      this.below(level);
    });
    this.compute();
    return svg(
      "svg",
      {
        class: "hardware picture",
        width: this.width,
        height: this.y + 4,
        viewBox: `0 0 ${this.width} ${this.y + 4}`,
      },
      ...this.parts,
    );
  }

  private text(x: number, y: number, text: string, kind: string): void {
    this.parts.push(svg("text", {x, y, class: kind}, text));
  }

  // What there is no room for is in the tip.
  private heading(y: number, name: string, more: string, room = this.width - 32): void {
    const short = cut(name, room, BOLD);
    const rest = cut(more, room - BOLD * short.length - 8, SMALL);
    const whole = short === name && rest === more;
    this.parts.push(
      svg(
        "text",
        {x: 12, y, "data-tip": whole ? null : `${name}: ${more}`, tabindex: whole ? null : 0},
        svg("tspan", {class: "name"}, short),
        svg("tspan", {class: "small", dx: 8}, rest),
      ),
    );
  }

  private level(level: ShownLevel, cost: LevelResult | undefined, held: Held[]): void {
    const {width} = this;
    const height = cost && held.length > 0 ? BOX : PLAIN_BOX;
    const many = level.instances > 1;
    // Several instances lie behind the first.
    for (const back of many ? [6, 3] : [])
      this.parts.push(
        svg("rect", {
          class: "box",
          x: back,
          y: this.y - back,
          width: width - 7,
          height,
          rx: 4,
        }),
      );
    this.parts.push(svg("rect", {class: "box", x: 0.5, y: this.y, width: width - 7, height, rx: 4}));
    const kind = level.name.toLowerCase() === KINDS[level.kind].toLowerCase() ? "" : KINDS[level.kind];
    const keeps = cost ? (held.length > 0 ? undefined : "") : this.keeps.get(level.name);
    const holds = keeps === undefined ? "" : `holds ${keeps === "all" ? "all tensors" : keeps || "nothing"}`;
    // A level without a limit that holds nothing is a place for loops only.
    const what = keeps === "" && capacityBits(level) === null ? "" : [kind, capacityText(level)].filter(Boolean).join(", ");
    const part = fullestPart(held);
    const full = cost?.filled === undefined ? "" : `${part ? `${part} ` : ""}${percent(cost.filled)} full`;
    this.heading(this.y + 20, level.name, [what, holds].filter(Boolean).join("; "), width - 40 - BOLD * full.length);
    if (full) this.text(width - 20, this.y + 20, full, "end name");
    if (cost && held.length > 0) this.bar(level, held, 12, this.y + 32, width - 32);
    this.y += height;
  }

  // The room of one instance from left to right, and what lies in it; partitions beside each other.
  private bar(level: ShownLevel, held: Held[], left: number, top: number, width: number): void {
    const bounded = held.some((one) => one.share !== null);
    const parted = bounded && held.some((one) => one.room < 1);
    if (!parted) this.parts.push(svg("rect", {class: "room", x: left, y: top, width, height: BAR, rx: 2}));
    let x = left;
    for (const one of held) {
      const room = parted ? width * one.room : left + width - x;
      if (parted)
        this.parts.push(svg("rect", {class: "room", x, y: top, width: Math.max(1, room - 2), height: BAR, rx: 2}));
      const own = bounded
        ? Math.max(2, (parted ? room - 2 : width) * Math.min(1, one.share ?? 0))
        : width / held.length;
      const tip =
        `${level.name} holds ${one.tensor}` +
        (one.words > 0
          ? `: tiles of ${grouped(one.words)} words (${bytes((one.words * one.bits) / 8)})` +
            (one.share === null
              ? ""
              : `, ${percent(one.share)} of ${parted ? "its part of " : ""}${level.instances > 1 ? "each" : "it"}`)
          : "");
      const group = svg("g", {class: "held", tabindex: 0, "data-tip": tip});
      group.append(
        svg("rect", {
          x,
          y: top,
          width: Math.min(own, room),
          height: BAR,
          rx: 2,
          fill: one.colour,
          "fill-opacity": 0.55,
        }),
      );
      const texts = one.words > 0 ? [`${one.tensor} ${brief(one.words)}`, brief(one.words)] : [one.tensor];
      const fits = texts.find((text) => 6.6 * text.length + 8 < own);
      if (fits) group.append(svg("text", {x: x + 5, y: top + 15}, fits));
      this.parts.push(group);
      if (parted && room - own > 44) this.text(x + own + 6, top + 15, "free", "small");
      x += parted ? room : own;
    }
    if (bounded && !parted && left + width - x > 44) this.text(x + 6, top + 15, "free", "small");
  }

  // What lies between a level and the next: one child, or an array of them.
  private below(level: ShownLevel): void {
    const {x, y} = level.fanout;
    const middle = 40;
    if (x * y === 1) {
      this.parts.push(
        svg("path", {class: "link", d: `M${middle} ${this.y}V${this.y + PLAIN}`}),
      );
      this.y += PLAIN;
      return;
    }
    const used = this.mapped.mapping.length ? lanesUsed(level, this.mapped.mapping) : {x: 0, y: 0};
    const grid = lanesGrid(x, y, Math.min(x, used.x), Math.min(y, used.y));
    const top = this.y + (LINK - grid.height) / 2;
    const left = Math.max(20, middle - grid.width / 2);
    this.parts.push(
      svg("path", {
        class: "link",
        d: `M${middle} ${this.y}V${top}M${middle} ${top + grid.height}V${this.y + LINK}`,
      }),
      svg(
        "g",
        {
          class: "held",
          tabindex: 0,
          "data-tip":
            `${level.fanout.name || "The array"}: ${grouped(x)} × ${grouped(y)} below each ${level.name}` +
            (this.mapped.mapping.length
              ? `; the loops use ${grouped(Math.min(x, used.x))} × ${grouped(Math.min(y, used.y))} of them`
              : ""),
          transform: `translate(${left} ${top})`,
        },
        ...grid.parts,
      ),
    );
    const said = left + Math.max(grid.width, 40) + 14;
    const share = (Math.min(x, used.x) * Math.min(y, used.y)) / (x * y);
    const array = `${grouped(x)} × ${grouped(y)} ${level.fanout.name}`.trim();
    this.text(said, this.y + LINK / 2 - 8, cut(array, this.width - said - 10, BOLD), "name");
    this.text(
      said,
      this.y + LINK / 2 + 8,
      this.mapped.mapping.length
        ? `${grouped(Math.min(x, used.x))} × ${grouped(Math.min(y, used.y))} in use, ${percent(share, 0)}`
        : plural(x * y, "lane"),
      "small",
    );
    const how =
      level.fanout.multicast === "none" ? "one read per lane" : "one read serves all that need the tile";
    const room = this.width - said - 20;
    if (room > 6 * how.length) this.text(said, this.y + LINK / 2 + 23, how, "small");
    this.y += LINK;
  }

  private compute(): void {
    const {compute} = this.hardware;
    const cost = this.mapped.compute;
    this.parts.push(
      svg("rect", {class: "box array", x: 0.5, y: this.y, width: this.width - 7, height: 32, rx: 4}),
    );
    const lanes = cost
      ? `${grouped(cost.instances)} of ${grouped(cost.lanes)} lanes, ${significant(cost.operations / Math.max(1, cost.cycles), 3)} operations per cycle`
      : plural(compute.instances, "lane");
    this.heading(this.y + 21, compute.name, lanes);
    this.y += 32;
  }
}

function finding(hardware: ShownArchitecture, mapped: Mapped): string {
  const on_chip = (mapped.levels ?? []).filter((level) => level.filled !== undefined);
  const fullest = on_chip.reduce<LevelResult | null>(
    (a, b) => (a && a.filled! >= b.filled! ? a : b),
    null,
  );
  // Levels that hold nothing are places for loops.
  const passed = (mapped.levels ?? []).flatMap((level) => {
    const past = Object.entries(level.tensors).flatMap(([tensor, cost]) => (cost.kept ? [] : [tensor]));
    return past.length && past.length < Object.keys(level.tensors).length
      ? [`${list(past)} ${past.length > 1 ? "pass" : "passes"} ${level.name} by`]
      : [];
  });
  const passes = passed.length > 2 ? [`${passed.length} levels hold only some of the tensors`] : passed;
  const shown = hardware.levels.find((level) => level.name === fullest?.name);
  const part = shown && fullest ? fullestPart(heldBy(shown, fullest)) : "";
  const what = fullest
    ? `${part ? `In ${fullest.name}, the part of ${part}` : fullest.name} is ${percent(fullest.filled!, 0)} full`
    : `${hardware.name}: ${plural(hardware.levels.length, "level")}, ${plural(hardware.compute.instances, "lane")}`;
  return [what, ...passes].join("; ");
}

export function hardwareView(hardware: ShownArchitecture | undefined, mapped: Mapped): Child {
  if (!hardware) return null;
  const tensors = Object.keys(mapped.levels?.[0]?.tensors ?? {});
  const largest = (tensor: string): string => {
    const own = (mapped.levels ?? []).slice(1).filter((level) => level.tensors[tensor]?.kept);
    return own.length ? `in ${own.map((level) => level.name).join(", ")}` : "off chip only";
  };
  return figure(
    "hardware",
    finding(hardware, mapped),
    `Memories from the outermost to the array.${mapped.levels ? " A bar is the room of one instance, its coloured parts the tiles of the tensors that lie there (in words)." : ""} Squares are the lanes below a level${mapped.mapping.length ? ", full where the mapping uses them" : ""}.`,
    tensors.length > 0 &&
      legend(
        tensors.map((label, i) => ({
          label,
          colour: tensorColour(i),
          value: largest(label),
        })),
      ),
    drawing("The memories, what lies in them, and the array", (width) =>
      new ArchitectureDrawing(hardware, mapped, width).draw(),
    ),
  );
}

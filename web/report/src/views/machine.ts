// The machine of a plan: what moves between off chip, the memories and the units, and what fills each
// memory when it is fullest.
import {drawing, legend} from "../chart";
import {svg, type Child} from "../dom";
import {figure} from "../figure";
import {bytes, grouped, percent, plural, si} from "../format";
import {TENSORS} from "../kinds";
import {runsOf, timeOf} from "../plan_steps";
import {colour} from "../theme";
import type {PlanResult, ShownMachine} from "../types";
import {entriesOf} from "./memories";

const OFF_CHIP = "offchip";
const LEAST_WIDTH = 270; // of a box
const GAP = 18;
const LINK = 40;
const MEMORY = {height: 112, bar: 22};
const UNIT = 66;

interface Filling {
  kind: string;
  colour: number;
  bytes: number;
}

// What a memory holds in its fullest step; what shares an address in place counts once.
export function fillings(plan: PlanResult): Map<string, Filling[]> {
  const entries = entriesOf(plan);
  return new Map(
    plan.memories.map((memory) => {
      const places = new Set<string>();
      const held = new Map<string, Filling>();
      for (const {residency: r, kind} of entries.get(memory.name) ?? []) {
        const place = `${r.address} ${r.bytes}`;
        if (r.from > memory.peak_step || r.to <= memory.peak_step || places.has(place)) continue;
        places.add(place);
        const own = held.get(kind.key) ?? {kind: kind.key, colour: kind.colour, bytes: 0};
        own.bytes += r.bytes;
        held.set(kind.key, own);
      }
      return [memory.name, TENSORS.flatMap((kind) => held.get(kind.key) ?? [])];
    }),
  );
}

// Bytes from one place to another, all steps together.
function traffic(plan: PlanResult): (from: string, to: string) => number {
  const sums = new Map<string, number>();
  for (const one of plan.transfers) {
    const key = `${one.from}\n${one.to}`;
    sums.set(key, (sums.get(key) ?? 0) + one.bytes);
  }
  return (from, to) => sums.get(`${from}\n${to}`) ?? 0;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

class MachineDrawing {
  private readonly parts: SVGElement[] = [];
  private readonly links: SVGElement[] = [];
  private readonly moved: (from: string, to: string) => number;
  private readonly filled: Map<string, Filling[]>;

  constructor(
    private readonly plan: PlanResult,
    private readonly hardware: ShownMachine,
    private readonly width: number,
  ) {
    this.moved = traffic(plan);
    this.filled = fillings(plan);
  }

  private readonly speed = (rate: number | null | undefined): string =>
    rate === null || rate === undefined ? "unlimited" : `${si(rate, "B/s")}`;

  private box(at: Box, name: string, more: string, lines: string[], tip: string): SVGGElement {
    const group = svg(
      "g",
      {class: "held", tabindex: 0, "data-tip": tip},
      svg("rect", {...at, x: at.x, class: "box", rx: 4}),
      svg(
        "text",
        {x: at.x + 12, y: at.y + 20},
        svg("tspan", {class: "name"}, name),
        svg("tspan", {class: "small", dx: 8}, more),
      ),
      ...lines.filter(Boolean).map((line, i, all) =>
        svg("text", {x: at.x + 12, y: at.y + at.height - 10 - 15 * (all.length - 1 - i), class: "small"}, line),
      ),
    );
    this.parts.push(group);
    return group;
  }

  // Boxes in rows as wide as there is room for.
  private rows(count: number, top: number, height: number, left: number): Box[] {
    const room = this.width - left - 1;
    const per = Math.max(1, Math.min(count, Math.floor((room + GAP) / (LEAST_WIDTH + GAP))));
    const width = (room - (per - 1) * GAP) / per;
    return Array.from({length: count}, (_, i) => ({
      x: left + (i % per) * (width + GAP),
      y: top + Math.floor(i / per) * (height + GAP),
      width,
      height,
    }));
  }

  draw(): SVGSVGElement {
    const {hardware} = this;
    const memories = Object.entries(hardware.memories);
    const units = Object.entries(hardware.units);
    // Where boxes stand in several rows, a line at the left leads past them.
    const per = Math.floor((this.width + GAP) / (LEAST_WIDTH + GAP));
    const stacked = memories.length > per || units.length > per;
    const left = stacked ? 26 : 0.5;
    const sum = (from: (name: string) => [string, string]): number =>
      [...memories, ...units].reduce((total, [name]) => total + this.moved(...from(name)), 0);
    const read = sum((name) => [OFF_CHIP, name]);
    const written = sum((name) => [name, OFF_CHIP]);
    const off: Box = {x: 0.5, y: 1, width: this.width - 1, height: 44};
    this.box(
      off,
      "off chip",
      this.speed(hardware.offchip.bytes_per_second),
      [`${bytes(read)} read, ${bytes(written)} written in one inference`],
      `The memory off chip holds everything: ${bytes(read)} are read from it and ${bytes(written)} written to it in one inference`,
    );
    const top = off.y + off.height + LINK;
    const pads = this.rows(memories.length, top, MEMORY.height, left);
    memories.forEach(([name, memory], i) => this.memory(name, memory, pads[i]!));
    const below = (pads.at(-1)?.y ?? top) + (pads.length ? MEMORY.height + LINK : 0);
    const cores = this.rows(units.length, below, UNIT, left);
    units.forEach(([name], i) => this.unit(name, cores[i]!));
    const bottom = (cores.at(-1)?.y ?? below) + UNIT;
    if (stacked) this.bus(off, [...pads, ...cores]);
    else this.wires(off, pads, cores, memories, units);
    return svg(
      "svg",
      {
        class: "hardware picture",
        width: this.width,
        height: bottom + 4,
        viewBox: `0 0 ${this.width} ${bottom + 4}`,
      },
      ...this.links,
      ...this.parts,
    );
  }

  private memory(name: string, memory: ShownMachine["memories"][string], at: Box): void {
    const {plan} = this;
    const use = plan.memories.find((one) => one.name === name);
    const inside = this.moved(OFF_CHIP, name);
    const outside = this.moved(name, OFF_CHIP);
    const others = plan.memories.map((one) => one.name).filter((other) => other !== name);
    const moved = others.reduce((sum, other) => sum + this.moved(other, name), 0);
    const flows = [
      `in: ${bytes(inside)} fetched${moved > 0 ? `, ${bytes(moved)} moved` : ""}`,
      `out: ${bytes(outside)} written back`,
    ];
    const group = this.box(
      at,
      name,
      `${bytes(memory.bytes)}, ${this.speed(memory.bytes_per_second)}`,
      [
        use
          ? `${percent(use.peak_bytes / use.bytes, 0)} full at step ${grouped(use.peak_step)}, ${percent(use.mean_bytes / use.bytes, 0)} on average`
          : "",
        ...flows,
      ],
      `${name}: ${bytes(memory.bytes)}; ${flows.join("; ")}; reached by ${(memory.reached_by ?? []).join(", ")}`,
    );
    const bar = {x: at.x + 12, y: at.y + 28, width: at.width - 24, height: MEMORY.bar};
    group.append(svg("rect", {...bar, class: "room", rx: 2}));
    let x = bar.x;
    for (const part of this.filled.get(name) ?? []) {
      const width = (bar.width * part.bytes) / memory.bytes;
      group.append(
        svg("rect", {x, y: bar.y, width, height: bar.height, rx: 2, fill: colour(part.colour), "fill-opacity": 0.6}),
      );
      const text = bytes(part.bytes);
      if (6.6 * text.length + 8 < width) group.append(svg("text", {x: x + 5, y: bar.y + 15}, text));
      x += width;
    }
    if (use) {
      const mean = bar.x + (bar.width * use.mean_bytes) / memory.bytes;
      group.append(svg("path", {class: "mean", d: `M${mean} ${bar.y + bar.height - 1}l-5 8h10z`}));
    }
  }

  private unit(name: string, at: Box): void {
    const {plan, hardware} = this;
    const unit = hardware.units[name]!;
    const own = runsOf(plan).filter((run) => run.unit === name);
    const busy = timeOf(own) / (plan.latency_us || 1);
    const direct = this.moved(OFF_CHIP, name) + this.moved(name, OFF_CHIP);
    const speed = unit.arch ?? (unit.macs_per_second ? `${si(unit.macs_per_second, "MAC/s")}` : "");
    this.box(
      at,
      name,
      speed,
      [
        own.length === 0
          ? "no node runs here"
          : `${plural(own.length, "node")}, ${percent(busy, 0)} of the time`,
        direct > 0 ? `${bytes(direct)} straight to and from off chip` : "",
      ],
      `${name} runs ${grouped(own.length)} of ${plural(runsOf(plan).length, "node")}; ${bytes(direct)} go between it and off chip without lying in a memory`,
    );
  }

  private wire(d: string, amount: number): void {
    const width = amount > 0 ? 1 + Math.log10(1 + amount) / 2 : 1;
    this.links.push(svg("path", {class: amount > 0 ? "link" : "link idle", d, "stroke-width": width}));
  }

  private bus(off: Box, boxes: Box[]): void {
    const x = 12;
    const last = boxes.at(-1);
    if (!last) return;
    this.links.push(
      svg("path", {class: "link", d: `M${x} ${off.y + off.height}V${last.y + last.height / 2}`}),
      ...boxes
        .filter((box) => box.x < 40)
        .map((box) => svg("path", {class: "link", d: `M${x} ${box.y + box.height / 2}H${box.x}`})),
    );
  }

  private wires(
    off: Box,
    pads: Box[],
    cores: Box[],
    memories: [string, ShownMachine["memories"][string]][],
    units: [string, unknown][],
  ): void {
    const down = off.y + off.height;
    memories.forEach(([name, memory], m) => {
      const pad = pads[m]!;
      const x = pad.x + pad.width / 2;
      this.wire(`M${x} ${down}V${pad.y}`, this.moved(OFF_CHIP, name) + this.moved(name, OFF_CHIP));
      units.forEach(([unit], u) => {
        if (!(memory.reached_by ?? []).includes(unit)) return;
        const core = cores[u]!;
        const to = core.x + (core.width * (m + 1)) / (memories.length + 1);
        const from = pad.x + (pad.width * (u + 1)) / (units.length + 1);
        this.wire(`M${from} ${pad.y + pad.height}C${from} ${core.y - LINK / 2} ${to} ${core.y - LINK / 2} ${to} ${core.y}`, 1);
      });
    });
  }
}

export function machineView(plan: PlanResult): Child {
  const {hardware} = plan;
  if (!hardware || plan.memories.length === 0) return null;
  const filled = [...fillings(plan).values()].flat();
  const kinds = TENSORS.filter((kind) => filled.some((part) => part.kind === kind.key));
  const sum = (key: string): number =>
    filled.reduce((total, part) => total + (part.kind === key ? part.bytes : 0), 0);
  const largest = kinds.reduce((a, b) => (sum(b.key) > sum(a.key) ? b : a), kinds[0]!);
  return figure(
    "machine",
    kinds.length
      ? `Where memories are fullest, ${percent(sum(largest.key) / filled.reduce((total, part) => total + part.bytes, 0), 0)} of what they hold are ${largest.label}`
      : "Nothing is kept on chip",
    "The machine, and what moves in it in one inference. A bar is the room of a memory with what lies there in its fullest step; the mark below it is the average over time.",
    legend(kinds.map((kind) => ({label: kind.label, colour: colour(kind.colour), value: bytes(sum(kind.key))}))),
    drawing("The machine: off chip, memories, units", (width) =>
      new MachineDrawing(plan, hardware, width).draw(),
    ),
  );
}

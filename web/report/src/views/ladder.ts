// What each level holds of each tensor, and what moves between the levels: levels from top to
// bottom, a column for each tensor.
import {drawing} from "../chart";
import {svg} from "../dom";
import {brief, energy, grouped, si, significant} from "../format";
import type {ComputeResult, LevelResult, Mapped} from "../types";
import {explainCount, explainTile, holder, reuse, type CountName} from "./explain";
import {tensorColour} from "./nest";

const COLUMN = 168;
const LEAST_COLUMN = 112; // below it, numbers of neighbours would meet
const NAMES = {least: 78, most: 150, letter: 7.4}; // beside the boxes; where there is no room for that, above them
const BOX = {width: 132, height: 42};
const ROW = 106;
const ABOVE = 20;
const TOP = 26;

const roomForNames = (levels: LevelResult[]): number =>
  Math.min(
    NAMES.most,
    Math.max(NAMES.least, ...levels.map((level) => NAMES.letter * level.name.length + 10)),
  );

class Drawing {
  readonly parts: SVGElement[] = [];
  constructor(
    readonly levels: LevelResult[],
    readonly compute: ComputeResult,
    readonly tensors: string[],
    room: number,
  ) {
    const names = roomForNames(levels);
    this.narrow = room < names + COLUMN * tensors.length;
    this.names = this.narrow ? 0 : names;
    this.columnWidth = this.narrow ? Math.max(LEAST_COLUMN, room / tensors.length) : COLUMN;
    this.box = {width: Math.min(BOX.width, this.columnWidth - 8), height: BOX.height};
  }
  private readonly narrow: boolean;
  private readonly names: number;
  private readonly columnWidth: number;
  private readonly box: {width: number; height: number};

  x(tensor: number): number {
    return this.names + this.columnWidth * tensor + this.columnWidth / 2;
  }
  y(level: number): number {
    return TOP + (this.narrow ? (ROW + ABOVE) * level + ABOVE : ROW * level);
  }

  draw(): SVGSVGElement {
    const {levels, tensors} = this;
    const width = this.names + this.columnWidth * tensors.length;
    const height = this.y(levels.length) + 30;
    tensors.forEach((tensor, t) => {
      this.parts.push(svg("text", {x: this.x(t), y: 12, class: "column", fill: tensorColour(t)}, tensor));
      this.column(tensor, t);
    });
    // After the arrows, which they lie on where there is no room beside them.
    levels.forEach((level, l) => this.label(level.name, this.y(l) + this.box.height / 2, energy(level.energy_pj)));
    this.label("compute", this.y(levels.length) + 12, "");
    this.parts.push(
      svg("rect", {
        x: this.names + 12,
        y: this.y(levels.length),
        width: width - this.names - 24,
        height: 24,
        rx: 3,
        class: "array",
      }),
    );
    this.parts.push(
      svg(
        "text",
        {x: this.names + (width - this.names) / 2, y: this.y(levels.length) + 16, class: "middle"},
        `${brief(this.compute.operations)} operations on ${grouped(this.compute.instances)} of ${grouped(this.compute.lanes)} lanes`,
      ),
    );
    return svg(
      "svg",
      {
        class: this.narrow ? "ladder narrow picture" : "ladder picture",
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: "group",
        "aria-label": "What each level holds of each tensor, and the words that move",
      },
      ...this.parts,
    );
  }

  label(name: string, y: number, below: string): void {
    if (this.narrow) {
      const at = y - (below ? this.box.height / 2 + 6 : 18);
      this.parts.push(
        svg("text", {x: 0, y: at, class: "name"}, `${name} `, svg("tspan", {class: "small"}, below)),
      );
      return;
    }
    const most = Math.floor((this.names - 8) / NAMES.letter);
    const short = name.length > most ? `${name.slice(0, most - 1)}…` : name;
    const tip = short === name ? {} : {"data-tip": name, tabindex: 0};
    this.parts.push(svg("text", {x: 0, y: below ? y : y + 4, class: "name", ...tip}, short));
    if (below) this.parts.push(svg("text", {x: 0, y: y + 14, class: "small"}, below));
  }

  column(tensor: string, t: number): void {
    const fill = tensorColour(t);
    this.levels.forEach((level, l) => {
      const cost = level.tensors[tensor]!;
      const x = this.x(t) - this.box.width / 2;
      const y = this.y(l);
      const group = svg("g", {
        tabindex: 0,
        class: "held",
        "data-tip": explainTile(level, tensor, cost) + this.reuseText(level, tensor),
      });
      if (cost.kept) {
        group.append(
          svg("rect", {x, y, width: this.box.width, height: this.box.height, rx: 3, fill, class: "box", stroke: fill}),
          svg(
            "text",
            {x: this.x(t), y: y + (this.reuseLabel(level, tensor) ? 17 : 25), class: "middle"},
            `${brief(cost.tile_words)} word${cost.tile_words === 1 ? "" : "s"}${cost.instances > 1 ? ` × ${grouped(cost.instances)}` : ""}`,
          ),
          svg("text", {x: this.x(t), y: y + 33, class: "middle small"}, this.reuseLabel(level, tensor)),
        );
      } else {
        group.append(
          svg("line", {
            x1: this.x(t),
            x2: this.x(t),
            y1: y - 2,
            y2: y + this.box.height + 2,
            stroke: fill,
            class: "past",
          }),
          svg("text", {x: this.x(t) + 8, y: y + this.box.height / 2 + 4, class: "small passes"}, "passes"),
        );
      }
      this.parts.push(group);
      if (cost.kept) this.edge(l, tensor, t);
    });
  }

  reuseLabel(level: LevelResult, tensor: string): string {
    const found = reuse(level.tensors[tensor]!);
    return found ? `reused ×${significant(found.factor, 3)}` : "";
  }
  reuseText(level: LevelResult, tensor: string): string {
    const found = reuse(level.tensors[tensor]!);
    return found ? `\n${found.text[0]!.toUpperCase()}${found.text.slice(1)}.` : "";
  }

  // From a level to the next one inward that holds the tensor, or to the array.
  edge(l: number, tensor: string, t: number): void {
    const inner = holder(this.levels, l, 1, tensor);
    const end = inner ? this.levels.indexOf(inner) : this.levels.length;
    const cost = this.levels[l]!.tensors[tensor]!;
    const top = this.y(l) + this.box.height;
    const bottom = this.y(end);
    const both = cost.total.reads > 0 && cost.total.updates > 0;
    const apart = this.narrow ? 14 : 18;
    const down = both ? -apart : 0;
    const up = both ? apart : 0;
    if (cost.total.reads > 0) this.arrow(t, down, top, bottom, cost.total.reads);
    if (cost.total.updates > 0) this.arrow(t, up, bottom, top, cost.total.updates);
    this.amount(l, tensor, t, "reads", down, top + 14);
    this.amount(l, tensor, t, "updates", up, top + 14);
    if (inner) {
      const above = this.narrow ? ABOVE + 4 : 7; // the level's name is there
      this.amount(end, tensor, t, "fills", down, bottom - above);
      this.amount(end, tensor, t, "drains", up, bottom - above);
    }
  }

  arrow(t: number, shift: number, from: number, to: number, words: number): void {
    const x = this.x(t) + shift;
    const width = 1 + Math.log10(1 + words) / 2;
    const tip = Math.sign(to - from) * 6;
    this.parts.push(
      svg("path", {
        d: `M${x} ${from}V${to - tip}`,
        stroke: tensorColour(t),
        "stroke-width": width,
        class: "flow",
      }),
    );
    this.parts.push(svg("path", {d: `M${x} ${to}l-4.5 ${-tip * 1.4}h9z`, fill: tensorColour(t)}));
  }

  amount(l: number, tensor: string, t: number, count: CountName, shift: number, y: number): void {
    const value = this.levels[l]!.tensors[tensor]!.total[count];
    if (value === 0) return;
    const left = shift < 0;
    const x = this.x(t) + shift + (left ? -7 : 7);
    this.parts.push(
      svg(
        "text",
        {
          x,
          y,
          class: left ? "amount end" : "amount",
          tabindex: 0,
          "data-tip": explainCount(this.levels, l, tensor, this.compute, count),
        },
        this.narrow ? si(value, "", 3).trim() : brief(value),
      ),
    );
  }
}

export function ladder(mapped: Mapped): HTMLElement {
  const levels = mapped.levels!;
  const tensors = Object.keys(levels[0]!.tensors);
  const holder = drawing("What each level holds of each tensor, and the words that move", (width) =>
    new Drawing(levels, mapped.compute!, tensors, width).draw(),
  );
  holder.style.width = `${roomForNames(levels) + COLUMN * tensors.length}px`;
  return holder;
}

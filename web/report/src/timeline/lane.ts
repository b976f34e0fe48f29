// One lane of a timeline: a canvas with its axes, its own window in height, and the box that is picked.
import {h, svg} from "../dom";
import {Boxes, type Box} from "./model";
import {contrast, hexOf, Painter, type Area, type Ink, type Range} from "./paint";

export interface LaneSpec {
  name: string;
  boxes: Box[];
  height: number; // of the space, from 0
  pixels: number;
  tick: ((y: number) => string) | null; // null: no axis
  tip: (index: number) => string; // of the box at that place of the list
  pick?: (index: number) => void; // a click on it, or Enter where it is picked
}

const LEFT = 76;
const AXIS = 20;
const TITLE = 18;

// Round values between two ends, `room` of them at most; of bytes, powers of two.
export function ticks(from: number, to: number, room: number, binary = false): number[] {
  if (!(to > from) || room < 1) return [];
  const rough = (to - from) / room;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = binary
    ? 2 ** Math.ceil(Math.log2(rough))
    : ([1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough);
  const values: number[] = [];
  for (let value = Math.ceil(from / step) * step; value <= to; value += step) values.push(value);
  return values;
}

const MOST_SHAPES = 5000; // of a picture in vectors; more are saved as pixels
const lanes = new WeakMap<HTMLCanvasElement, Lane>();

// What a canvas shows now, as shapes for a file, from the canvas' left upper corner; null: too many.
export function shapesOf(canvas: HTMLCanvasElement): SVGElement[] | null {
  return lanes.get(canvas)?.shapes() ?? null;
}

export class Lane {
  readonly canvas: HTMLCanvasElement;
  private shown: {x: Range; ink: Ink; tick: (x: number) => string} | null = null;
  picked = -1;
  private boxes: Boxes;
  private painter: Painter;
  private y: Range;

  constructor(
    public spec: LaneSpec,
    describe: string,
    private readonly last: boolean,
  ) {
    this.canvas = h("canvas", {tabindex: 0, role: "application", "aria-label": describe});
    lanes.set(this.canvas, this);
    this.canvas.style.height = `${spec.pixels + TITLE + (last ? AXIS : 4)}px`;
    this.y = {from: 0, to: spec.height};
    this.boxes = new Boxes(spec.boxes);
    this.painter = new Painter(this.canvas.getContext("2d")!, this.boxes);
  }

  use(spec: LaneSpec): void {
    this.spec = spec;
    this.boxes = new Boxes(spec.boxes);
    this.painter = new Painter(this.canvas.getContext("2d")!, this.boxes);
  }

  get plotWidth(): number {
    return this.canvas.clientWidth - LEFT;
  }
  get plotHeight(): number {
    return this.spec.pixels;
  }
  timeAt(offsetX: number, x: Range): number {
    return x.from + ((offsetX - LEFT) / this.plotWidth) * (x.to - x.from);
  }
  private heightAt(offsetY: number): number {
    return this.y.to - ((offsetY - TITLE) / this.plotHeight) * (this.y.to - this.y.from);
  }

  wholeHeight(): void {
    this.y = {from: 0, to: this.spec.height};
  }
  zoomHeight(factor: number, offsetY: number): void {
    if (!this.spec.tick) return;
    const around = this.heightAt(offsetY);
    this.setHeight(around - (around - this.y.from) * factor, around + (this.y.to - around) * factor);
  }
  panHeight(share: number): void {
    const by = share * (this.y.to - this.y.from);
    this.setHeight(this.y.from + by, this.y.to + by);
  }
  private setHeight(from: number, to: number): void {
    const size = Math.min(this.spec.height, Math.max(this.spec.height / 1e6, to - from));
    const start = Math.min(Math.max(0, from), this.spec.height - size);
    this.y = {from: start, to: start + size};
  }

  // The place in the list of the box at a point; −1: there is none.
  indexAt(offsetX: number, offsetY: number, x: Range): number {
    if (offsetX < LEFT || offsetY < TITLE || offsetY > TITLE + this.plotHeight) return -1;
    const found = this.boxes.at(
      this.timeAt(offsetX, x),
      this.heightAt(offsetY),
      (x.to - x.from) / this.plotWidth,
      (this.y.to - this.y.from) / this.plotHeight / 2,
    );
    return found < 0 ? -1 : this.boxes.source[found]!;
  }

  // The next or previous box in the order of time.
  step(by: 1 | -1): Box | null {
    if (this.boxes.count === 0) return null;
    const at = this.picked < 0 ? (by > 0 ? -1 : this.boxes.count) : this.boxes.source.indexOf(this.picked);
    const next = Math.min(this.boxes.count - 1, Math.max(0, at + by));
    this.picked = this.boxes.source[next]!;
    return this.spec.boxes[this.picked]!;
  }

  // Where a box is in the window.
  place(box: Box, x: Range): {x: number; y: number} {
    const frame = this.canvas.getBoundingClientRect();
    const share = (Math.max(box.x0, x.from) - x.from) / (x.to - x.from);
    const up = (this.y.to - box.y0) / (this.y.to - this.y.from);
    return {
      x: frame.left + LEFT + share * this.plotWidth,
      y: frame.top + TITLE + Math.min(1, up) * this.plotHeight,
    };
  }

  draw(x: Range, ink: Ink, tick: (x: number) => string): void {
    const width = this.canvas.clientWidth;
    if (width < LEFT + 40) return;
    this.shown = {x, ink, tick};
    const scale = Math.min(2, devicePixelRatio || 1);
    const context = this.canvas.getContext("2d")!;
    const size = {width: Math.round(width * scale), height: Math.round(this.canvas.clientHeight * scale)};
    if (this.canvas.width !== size.width || this.canvas.height !== size.height)
      Object.assign(this.canvas, size);
    else context.clearRect(0, 0, size.width, size.height);
    const area: Area = {
      left: LEFT * scale,
      top: TITLE * scale,
      width: Math.floor((width - LEFT) * scale),
      height: Math.floor(this.plotHeight * scale),
    };
    const font = `${11 * scale}px system-ui, "DejaVu Sans", sans-serif`;
    this.painter.draw(area, x, this.y, {...ink, font}, scale);
    context.font = font;
    context.fillStyle = ink.text;
    this.axes(context, area, x, tick, scale);
    this.outline(context, area, x, scale);
  }

  // The same as draw() paints, in pixels of the page.
  shapes(): SVGElement[] | null {
    if (!this.shown) return null;
    const {x, ink, tick} = this.shown;
    const {y, plotWidth: width, plotHeight: height} = this;
    const px = (value: number): number => LEFT + (width * (value - x.from)) / (x.to - x.from);
    const py = (value: number): number => TITLE + height * (1 - (value - y.from) / (y.to - y.from));
    const text = (at: Partial<Record<"x" | "y" | "text-anchor" | "fill", string | number>>, what: string): SVGElement =>
      svg("text", {"font-family": "system-ui, sans-serif", "font-size": "11px", fill: ink.text, ...at}, what);
    const parts: SVGElement[] = [
      svg("rect", {x: LEFT, y: TITLE, width, height, fill: hexOf(ink.paper)}),
      text({x: LEFT, y: TITLE - 5}, this.spec.name),
    ];
    let count = 0;
    this.boxes.within(x.from, x.to, (i) => {
      if (++count > MOST_SHAPES) return;
      const [left, right] = [Math.max(LEFT, px(this.boxes.x0[i]!)), Math.min(LEFT + width, px(this.boxes.x1[i]!))];
      const [top, bottom] = [
        Math.max(TITLE, py(this.boxes.y1[i]!)),
        Math.min(TITLE + height, py(this.boxes.y0[i]!)),
      ];
      if (bottom <= top) return;
      const packed = ink.colours[this.boxes.colour[i]!]!;
      const gap = right - left > 3 ? 1 : 0;
      parts.push(
        svg("rect", {x: left, y: top, width: Math.max(0.5, right - left - gap), height: bottom - top, fill: hexOf(packed)}),
      );
      const label = this.spec.boxes[this.boxes.source[i]!]!.label;
      const fits = Math.floor((right - left - 8) / 6.2);
      if (fits < 4 || bottom - top < 12) return;
      const shown = label.length > fits ? `…${label.slice(label.length - fits + 1)}` : label;
      parts.push(text({x: left + 4, y: (top + bottom) / 2 + 4, fill: contrast(packed)}, shown));
    });
    if (count > MOST_SHAPES) return null;
    if (this.spec.tick)
      for (const value of ticks(y.from, y.to, height / 34, true))
        parts.push(text({x: LEFT - 8, y: py(value) + 4, "text-anchor": "end"}, this.spec.tick(value)));
    if (this.last)
      for (const value of ticks(x.from, x.to, width / 90)) {
        const anchor = px(value) > LEFT + width - 30 ? "end" : "middle";
        parts.push(text({x: px(value), y: TITLE + height + 15, "text-anchor": anchor}, tick(value)));
      }
    return parts;
  }

  private axes(
    context: CanvasRenderingContext2D,
    area: Area,
    x: Range,
    tick: (x: number) => string,
    scale: number,
  ): void {
    context.textBaseline = "top";
    context.textAlign = "left";
    // Beside the axis where there is room for all of it, else from the edge.
    const room = area.left + area.width;
    const from = context.measureText(this.spec.name).width > area.width ? 0 : area.left;
    context.fillText(begun(context, this.spec.name, room - from), from, 3 * scale);
    context.textAlign = "right";
    context.textBaseline = "middle";
    if (this.spec.tick) {
      for (const value of ticks(this.y.from, this.y.to, this.plotHeight / 34, true)) {
        const at = area.top + area.height * (1 - (value - this.y.from) / (this.y.to - this.y.from));
        context.fillText(this.spec.tick(value), area.left - 8 * scale, at);
        context.fillRect(area.left - 5 * scale, Math.round(at), 4 * scale, 1);
      }
    }
    if (!this.last) return;
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const value of ticks(x.from, x.to, this.plotWidth / 90)) {
      const at = area.left + (area.width * (value - x.from)) / (x.to - x.from);
      context.fillRect(Math.round(at), area.top + area.height, 1, 4 * scale);
      context.textAlign = at > area.left + area.width - 30 * scale ? "right" : "center";
      context.fillText(tick(value), at, area.top + area.height + 6 * scale);
    }
  }

  private outline(context: CanvasRenderingContext2D, area: Area, x: Range, scale: number): void {
    const box = this.spec.boxes[this.picked];
    if (!box) return;
    const px = (value: number): number => area.left + (area.width * (value - x.from)) / (x.to - x.from);
    const py = (value: number): number =>
      area.top + area.height * (1 - (value - this.y.from) / (this.y.to - this.y.from));
    context.strokeStyle = ink(context);
    context.lineWidth = 2 * scale;
    context.strokeRect(
      px(box.x0),
      py(box.y1),
      Math.max(2, px(box.x1) - px(box.x0)),
      Math.max(2, py(box.y0) - py(box.y1)),
    );
  }
}

// The beginning of a text, as much as there is room for.
function begun(context: CanvasRenderingContext2D, text: string, width: number): string {
  let part = text;
  while (part.length > 4 && context.measureText(part).width > width) part = `${part.slice(0, -2)}…`;
  return part;
}

const ink = (context: CanvasRenderingContext2D): string => getComputedStyle(context.canvas).color;

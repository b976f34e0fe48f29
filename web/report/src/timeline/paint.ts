// Draws the boxes of one lane. The rectangles are set pixel by pixel into an image: that takes the
// same few milliseconds for a hundred thousand of them with a graphics card and without.
import type {Boxes} from "./model";

export interface Range {
  from: number;
  to: number;
}
export interface Area {
  left: number; // all in device pixels
  top: number;
  width: number;
  height: number;
}
export interface Ink {
  colours: number[]; // 0xAABBGGRR, by series
  paper: number;
  text: string;
  font: string;
}

// "#rrggbb" as it lies in an image's memory.
export function packed(hex: string): number {
  const value = parseInt(hex.slice(1), 16);
  return ((255 << 24) | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

export const hexOf = (colour: number): string =>
  `#${[colour & 255, (colour >> 8) & 255, (colour >> 16) & 255].map((part) => part.toString(16).padStart(2, "0")).join("")}`;

// Text on a box: black or white, whichever is read better.
export function contrast(colour: number): string {
  const luminance = 0.299 * (colour & 255) + 0.587 * ((colour >> 8) & 255) + 0.114 * ((colour >> 16) & 255);
  return luminance > 140 ? "#000000" : "#ffffff";
}

// Most boxes of a crowded picture are a few pixels wide, where a call takes longer than a loop.
function setPixels(
  pixels: Uint32Array,
  colour: number,
  width: number,
  left: number,
  right: number,
  top: number,
  bottom: number,
): void {
  const narrow = right - left < 24;
  for (let row = top; row < bottom; ++row) {
    const end = row * width + right;
    if (!narrow) pixels.fill(colour, row * width + left, end);
    else for (let at = row * width + left; at < end; ++at) pixels[at] = colour;
  }
}

interface Label {
  text: string;
  x: number;
  y: number;
  width: number;
  ink: string;
}

export class Painter {
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly boxes: Boxes,
  ) {}

  draw(area: Area, x: Range, y: Range, ink: Ink, scale: number): void {
    const {width, height} = area;
    if (width <= 0 || height <= 0) return;
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = this.context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(ink.paper);
    const labels = this.fill(area, x, y, ink, scale);
    this.context.putImageData(this.image, area.left, area.top);
    this.write(area, labels, ink);
  }

  private fill(area: Area, x: Range, y: Range, ink: Ink, scale: number): Label[] {
    const {width, height} = area;
    const {boxes, pixels} = this;
    const perX = width / (x.to - x.from);
    const perY = height / (y.to - y.from);
    const labels: Label[] = [];
    boxes.within(x.from, x.to, (i) => {
      const fromY = height - (boxes.y1[i]! - y.from) * perY;
      const toY = height - (boxes.y0[i]! - y.from) * perY;
      if (toY <= 0 || fromY >= height) return;
      let left = Math.max(0, Math.round((boxes.x0[i]! - x.from) * perX));
      let right = Math.min(width, Math.round((boxes.x1[i]! - x.from) * perX));
      let top = Math.max(0, Math.round(fromY));
      let bottom = Math.min(height, Math.round(toY));
      if (right - left > 3) --right; // a gap between neighbours, where there is room for it
      if (bottom - top > 3) ++top;
      if (right <= left) {
        left = Math.min(left, width - 1);
        right = left + 1;
      }
      if (bottom <= top) {
        top = Math.min(top, height - 1);
        bottom = top + 1;
      }
      const colour = ink.colours[boxes.colour[i]!]!;
      setPixels(pixels, colour, width, left, right, top, bottom);
      if (right - left > 44 * scale && bottom - top > 12 * scale) {
        labels.push({
          text: boxes.list[boxes.source[i]!]!.label,
          x: left + 4 * scale,
          y: (top + bottom) / 2,
          width: right - left - 6 * scale,
          ink: contrast(colour),
        });
      }
    });
    return labels;
  }

  private write(area: Area, labels: Label[], ink: Ink): void {
    const context = this.context;
    context.font = ink.font;
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const label of labels) {
      context.fillStyle = label.ink;
      context.fillText(fitted(context, label.text, label.width), area.left + label.x, area.top + label.y);
    }
  }
}

// As much of a text as there is room for; its end says more than its beginning, as in a path.
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  const whole = context.measureText(text).width;
  if (whole <= width) return text;
  for (let keep = Math.floor((text.length * width) / whole); keep >= 3; --keep) {
    const part = `…${text.slice(text.length - keep)}`;
    if (context.measureText(part).width <= width) return part;
  }
  return "";
}

// Boxes in time and space (residencies in a memory, work on an array), by the hundred thousand.

export interface Box {
  x0: number; // half-open in both directions
  x1: number;
  y0: number;
  y1: number;
  colour: number; // index of the series
  label: string;
}

const BLOCK = 256;

// Sorted by x0, with the largest x1 of every block, so that what lies outside a view is skipped.
export class Boxes {
  readonly count: number;
  readonly x0: Float64Array;
  readonly x1: Float64Array;
  readonly y0: Float64Array;
  readonly y1: Float64Array;
  readonly colour: Uint8Array;
  readonly source: Uint32Array; // position in the list that was given
  readonly list: readonly Box[];
  private readonly ends: Float64Array;

  constructor(list: readonly Box[]) {
    this.list = list;
    this.count = list.length;
    this.source = Uint32Array.from(list, (_, i) => i).sort((a, b) => list[a]!.x0 - list[b]!.x0 || a - b);
    const column = (value: (box: Box) => number): Float64Array =>
      Float64Array.from(this.source, (i) => value(list[i]!));
    this.x0 = column((box) => box.x0);
    this.x1 = column((box) => box.x1);
    this.y0 = column((box) => box.y0);
    this.y1 = column((box) => box.y1);
    this.colour = Uint8Array.from(this.source, (i) => list[i]!.colour);
    this.ends = new Float64Array(Math.ceil(this.count / BLOCK)).fill(-Infinity);
    for (let i = 0; i < this.count; ++i) {
      const block = Math.floor(i / BLOCK);
      this.ends[block] = Math.max(this.ends[block]!, this.x1[i]!);
    }
  }

  get end(): number {
    return this.ends.reduce((a, b) => Math.max(a, b), 0);
  }

  // Calls `visit` for every box that overlaps [from, to), in the order of x0.
  within(from: number, to: number, visit: (index: number) => void): void {
    for (let block = 0; block * BLOCK < this.count; ++block) {
      const start = block * BLOCK;
      if (this.x0[start]! >= to) return;
      if (this.ends[block]! <= from) continue;
      const stop = Math.min(this.count, start + BLOCK);
      for (let i = start; i < stop; ++i) {
        if (this.x0[i]! < to && this.x1[i]! > from) visit(i);
      }
    }
  }

  // The box at a point, the last one drawn if there are several; −1 if there is none.
  at(x: number, y: number, slackX: number, slackY: number): number {
    let found = -1;
    this.within(x - slackX, x + slackX || x + Number.MIN_VALUE, (i) => {
      if (this.y0[i]! <= y + slackY && this.y1[i]! > y - slackY) found = i;
    });
    return found;
  }
}

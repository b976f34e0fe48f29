// Where the items of a layered graph lie: every rank a row, each item as near as possible to what it
// is linked to. Long rows of ranks are broken into columns, as text is.
import type {Layered} from "./layers";

export interface Size {
  width: number; // of a node
  height: number;
  gap: number; // between neighbours of a rank
  line: number; // width of the place of a line
  pitch: number; // from rank to rank
  gutter: number; // between columns
}
export interface Point {
  x: number;
  y: number;
}
export interface Placed {
  items: Point[]; // middles
  columnOf: number[]; // of every item
  columns: {left: number; right: number; top: number; bottom: number}[];
  width: number;
  height: number;
}

// The values nearest to `wanted` (least sum of squares, by weight) that lie apart by at least `apart`
// from one to the next: pools of values that touch move together.
export function spread(wanted: number[], weight: number[], apart: number[]): number[] {
  // Without the distances between them, values only must not decrease.
  const shift = [0];
  for (let i = 1; i < wanted.length; ++i) shift.push(shift[i - 1]! + apart[i - 1]!);
  const pools: {sum: number; weight: number; count: number}[] = [];
  wanted.forEach((value, i) => {
    let pool = {sum: (value - shift[i]!) * weight[i]!, weight: weight[i]!, count: 1};
    for (
      let last = pools.at(-1);
      last && last.sum / last.weight >= pool.sum / pool.weight;
      last = pools.at(-1)
    ) {
      pools.pop();
      pool = {sum: last.sum + pool.sum, weight: last.weight + pool.weight, count: last.count + pool.count};
    }
    pools.push(pool);
  });
  const values: number[] = [];
  for (const pool of pools)
    for (let i = 0; i < pool.count; ++i) values.push(pool.sum / pool.weight + shift[values.length]!);
  return values;
}

// How far lines between columns go below and above them, in spaces between ranks: a Bézier curve goes
// so far towards the two points that it is bent by.
const LOOP = 0.75;
const ROUNDS = 8;
const PATH = 12; // how much more a node wants to be below a node than below a line that leads past
const STRAIGHT = 6; // how much more a path or a line wants to be straight than to meet the other

function across(graph: Layered, size: Size): number[] {
  const items = graph.rankOf.length;
  const above: number[][] = Array.from({length: items}, () => []);
  const below: number[][] = Array.from({length: items}, () => []);
  for (const [upper, lower] of graph.links) {
    above[lower]!.push(upper);
    below[upper]!.push(lower);
  }
  const half = (item: number): number => (item < graph.count ? size.width : size.line) / 2;
  const x = new Array<number>(items).fill(0);
  for (const rank of graph.ranks) {
    let at = 0;
    for (const item of rank) {
      x[item] = at + half(item);
      at += 2 * half(item) + size.gap;
    }
    for (const item of rank) x[item]! -= (at - size.gap) / 2;
  }
  const settle = (rank: number[], beside: number[][]): void => {
    const wanted = rank.map((item) => {
      let sum = 0;
      let weight = 0;
      for (const other of beside[item]!) {
        const own = item < graph.count && other < graph.count ? PATH : 1;
        sum += own * x[other]!;
        weight += own;
      }
      return weight > 0 ? sum / weight : x[item]!;
    });
    const weight = rank.map((item) => {
      if (beside[item]!.length === 0) return 0.1;
      const path = item < graph.count && beside[item]!.some((other) => other < graph.count);
      const line = item >= graph.count && beside[item]!.every((other) => other >= graph.count);
      return path || line ? STRAIGHT : 1;
    });
    const apart = rank.slice(1).map((item, i) => half(rank[i]!) + half(item) + size.gap);
    spread(wanted, weight, apart).forEach((value, i) => void (x[rank[i]!] = value));
  };
  for (let round = 0; round < ROUNDS; ++round) {
    for (const rank of graph.ranks) settle(rank, above);
    for (const rank of graph.ranks.slice().reverse()) settle(rank, below);
  }
  return x;
}

// Where to break `count` ranks into so many columns: near equal heights, where fewest lines cross.
export function breaks(crossing: number[], columns: number): number[] {
  const count = crossing.length; // crossing[r]: lines from rank r − 1 to rank r
  const starts = [0];
  for (let c = 1; c < columns; ++c) {
    const middle = (c * count) / columns;
    const slack = count / columns / 4;
    let best = -1;
    for (let r = Math.ceil(middle - slack); r <= middle + slack; ++r) {
      if (r <= starts.at(-1)! || r >= count) continue;
      const better =
        best < 0 ||
        crossing[r]! < crossing[best]! ||
        (crossing[r] === crossing[best] && Math.abs(r - middle) < Math.abs(best - middle));
      if (better) best = r;
    }
    if (best > 0) starts.push(best);
  }
  return starts;
}

// In so many columns that the whole is about as wide against its height as `aspect`.
export function placed(graph: Layered, size: Size, aspect: number): Placed {
  const x = across(graph, size);
  const crossing = graph.ranks.map(() => 0);
  for (const [, lower] of graph.links) ++crossing[graph.rankOf[lower]!]!;
  let best: Placed | null = null;
  const fit = (one: Placed): number => Math.max(one.width / aspect, one.height); // less is larger
  for (let columns = 1; columns <= Math.min(16, graph.ranks.length); ++columns) {
    const tried = inColumns(graph, size, x, breaks(crossing, columns));
    if (!best || fit(tried) < fit(best)) best = tried;
  }
  return best ?? {items: [], columnOf: [], columns: [], width: 1, height: 1};
}

function inColumns(graph: Layered, size: Size, x: number[], starts: number[]): Placed {
  const items: Point[] = new Array(graph.rankOf.length);
  const columnOf = new Array<number>(graph.rankOf.length).fill(0);
  const columns: Placed["columns"] = [];
  const loop = starts.length > 1 ? LOOP * (size.pitch - size.height) : 0;
  let left = 0;
  let height = 0;
  starts.forEach((start, c) => {
    const ranks = graph.ranks.slice(start, starts[c + 1] ?? graph.ranks.length);
    const own = ranks.flat();
    const half = (item: number): number => (item < graph.count ? size.width : size.line) / 2;
    const least = own.reduce((min, item) => Math.min(min, x[item]! - half(item)), Infinity);
    const most = own.reduce((max, item) => Math.max(max, x[item]! + half(item)), -Infinity);
    ranks.forEach((rank, r) =>
      rank.forEach((item) => {
        items[item] = {x: left + x[item]! - least, y: loop + size.height / 2 + r * size.pitch};
        columnOf[item] = c;
      }),
    );
    const bottom = loop + (ranks.length - 1) * size.pitch + size.height;
    columns.push({left, right: left + most - least, top: loop, bottom});
    left += most - least + size.gutter;
    height = Math.max(height, bottom + loop);
  });
  return {items, columnOf, columns, width: left - size.gutter, height};
}

// The line of an edge through its items, from the bottom of the first to the top of the last. Between
// columns it goes down, through the gutter, and in from above.
export function lineOf(route: number[], where: Placed, size: Size): string {
  const bend = size.pitch - size.height;
  const at = (item: number): Point => where.items[item]!;
  let path = "";
  for (let i = 1; i < route.length; ++i) {
    const [a, b] = [route[i - 1]!, route[i]!];
    const first = i === 1 ? size.height / 2 : 0; // lines pass through the middles of their places
    const last = i === route.length - 1 ? size.height / 2 : 0;
    const from = {x: at(a).x, y: at(a).y + first};
    const to = {x: at(b).x, y: at(b).y - last};
    if (i === 1) path = `M${from.x} ${from.y}`;
    if (where.columnOf[a] === where.columnOf[b]) {
      const middle = (from.y + to.y) / 2;
      path += from.x === to.x ? `V${to.y}` : `C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
      continue;
    }
    const gutter = where.columns[where.columnOf[a]!]!.right + size.gutter / 2;
    const low = from.y + bend;
    const high = to.y - bend;
    path +=
      `C${from.x} ${low} ${gutter} ${low} ${gutter} ${from.y}V${Math.min(to.y, from.y)}` +
      `C${gutter} ${high} ${to.x} ${high} ${to.x} ${to.y}`;
  }
  return path;
}

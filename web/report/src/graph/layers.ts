// A directed acyclic graph in layers: every node on a rank below those it reads from, nodes of a rank
// in an order with few crossings. What leads past a rank takes a place of its own there, so that
// lines do not run through nodes; lines of one source share these places.

export interface Digraph {
  count: number; // nodes 0 … count − 1, in an order in which every edge leads to a later one
  edges: [from: number, to: number][];
}

export interface Layered {
  ranks: number[][]; // items by rank, from left to right: nodes, then places of lines
  rankOf: number[]; // of every item
  count: number; // of nodes; items from there on are places of lines
  links: [upper: number, lower: number][]; // between items of neighbouring ranks
  routes: number[][]; // of every edge: its items, from node to node
}

const SWEEPS = 12;

// As far up as possible; then whatever feeds others and could lie lower lies just above the first of
// them.
function ranksOf(graph: Digraph): number[] {
  const rank = new Array<number>(graph.count).fill(0);
  const sorted = graph.edges.slice().sort((a, b) => a[0] - b[0]);
  for (const [from, to] of sorted) rank[to] = Math.max(rank[to]!, rank[from]! + 1);
  const reads = new Array<number>(graph.count).fill(0);
  const nearest = new Array<number>(graph.count).fill(Infinity);
  for (const [, to] of graph.edges) ++reads[to]!;
  for (const [from, to] of graph.edges) nearest[from] = Math.min(nearest[from]!, rank[to]!);
  return rank.map((own, i) => (reads[i] === 0 && nearest[i] !== Infinity ? nearest[i]! - 1 : own));
}

// Crossings of the links between two neighbouring ranks, by a tree of counts (Barth, Jünger, Mutzel).
export function crossings(links: [upper: number, lower: number][], place: number[]): number {
  const ends = links
    .map(([upper, lower]) => [place[upper]!, place[lower]!] as const)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const size = ends.reduce((most, [, lower]) => Math.max(most, lower), 0) + 1;
  const tree = new Uint32Array(size + 1);
  let seen = 0;
  let sum = 0;
  for (const [, lower] of ends) {
    let before = 0;
    for (let i = lower + 1; i > 0; i -= i & -i) before += tree[i]!;
    sum += seen - before;
    ++seen;
    for (let i = lower + 1; i <= size; i += i & -i) ++tree[i]!;
  }
  return sum;
}

export function layered(graph: Digraph): Layered {
  const rankOf = ranksOf(graph);
  const links: [number, number][] = [];
  const known = new Set<string>();
  const link = (upper: number, lower: number): void => {
    const key = `${upper} ${lower}`;
    if (!known.has(key)) links.push([upper, lower]);
    known.add(key);
  };
  const lines = new Map<number, number[]>(); // of a source: its places, from the rank below it on
  const routes = graph.edges.map(([from, to]) => {
    const places = lines.get(from) ?? [];
    lines.set(from, places);
    const route = [from];
    for (let rank = rankOf[from]! + 1; rank < rankOf[to]!; ++rank) {
      const at = rank - rankOf[from]! - 1;
      if (at === places.length) places.push(rankOf.push(rank) - 1);
      route.push(places[at]!);
    }
    route.push(to);
    for (let i = 1; i < route.length; ++i) link(route[i - 1]!, route[i]!);
    return route;
  });
  const ranks: number[][] = Array.from({length: Math.max(0, ...rankOf) + 1}, () => []);
  rankOf.forEach((rank, item) => ranks[rank]!.push(item));
  const result = {ranks, rankOf, count: graph.count, links, routes};
  order(result);
  return result;
}

// Sweeps down and up, each rank by the mean place of what its items are linked to; the best order
// that was met stays.
function order(graph: Layered): void {
  const items = graph.rankOf.length;
  const above: number[][] = Array.from({length: items}, () => []);
  const below: number[][] = Array.from({length: items}, () => []);
  const between: [number, number][][] = graph.ranks.map(() => []);
  for (const [upper, lower] of graph.links) {
    above[lower]!.push(upper);
    below[upper]!.push(lower);
    between[graph.rankOf[upper]!]!.push([upper, lower]);
  }
  const place = new Array<number>(items).fill(0);
  const number = (rank: number[]): void => rank.forEach((item, i) => void (place[item] = i));
  graph.ranks.forEach(number);
  const total = (): number => between.reduce((sum, links) => sum + crossings(links, place), 0);
  let best = graph.ranks.map((rank) => rank.slice());
  let least = total();
  for (let sweep = 0; sweep < SWEEPS && least > 0; ++sweep) {
    const down = sweep % 2 === 0;
    const beside = down ? above : below;
    const ranks = down ? graph.ranks : graph.ranks.slice().reverse();
    for (const rank of ranks) {
      const mean = new Map(
        rank.map((item) => {
          const near = beside[item]!;
          const sum = near.reduce((total, other) => total + place[other]!, 0);
          return [item, near.length ? sum / near.length : place[item]!] as const;
        }),
      );
      rank.sort((a, b) => mean.get(a)! - mean.get(b)! || place[a]! - place[b]!);
      number(rank);
    }
    const now = total();
    if (now >= least) continue;
    least = now;
    best = graph.ranks.map((rank) => rank.slice());
  }
  graph.ranks = best;
}

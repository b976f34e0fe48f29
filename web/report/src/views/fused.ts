// The result of `eval` of a fused mapping: several nodes in one tree of loops, with the tiles between
// them in the pad only.
import {drawing, legend} from "../chart";
import {h, svg, type Child} from "../dom";
import {figure} from "../figure";
import {brief, edp, energy, grouped, percent, significant} from "../format";
import {table, type Column} from "../table";
import {colour} from "../theme";
import type {Counts, FusedEvalResult, FusedHold, FusedLevel, FusedNode} from "../types";
import {levelColour} from "./layers";
import {tiles} from "./tiles";

const words = (count: number): string => `${brief(count)} ${count === 1 ? "word" : "words"}`;

export const fusedTitle = (result: FusedEvalResult): string =>
  `${result.problem}, fused on ${result.architecture}, takes ${energy(result.energy_pj)} and ${grouped(result.cycles)} cycles`;

// What of a result the tree is drawn from.
export type FusedTree = Pick<FusedEvalResult, "tree" | "holds" | "nodes" | "room_words">;

// A line of the tree: "  - hold Q" → depth 1, "hold Q".
interface TreeLine {
  depth: number;
  text: string;
  hold: FusedHold | null;
}
const HOLD = /^(?:hold|retain) (\S+)/;
function linesOf(result: FusedTree): TreeLine[] {
  const left = result.holds.slice();
  const next = (tensor: string | undefined): FusedHold | null => {
    const at = left.findIndex((hold) => hold.tensor === tensor);
    return at < 0 ? null : left.splice(at, 1)[0]!;
  };
  return result.tree.map((line) => {
    const text = line.trimStart().replace(/^- /, "").replace(/:$/, "");
    const depth = (line.length - line.trimStart().length) / 2;
    return {depth, text, hold: next(HOLD.exec(text)?.[1])};
  });
}

const WORDS = /^(for|parallel|hold|retain|branch)\b/;

function treeLine(line: TreeLine, nodes: Map<string, FusedNode>): HTMLElement {
  const word = WORDS.exec(line.text)?.[0] ?? "";
  const rest = line.text.slice(word.length);
  const node = nodes.get(line.text.split(" ")[0]!);
  if (line.hold)
    return h(
      "div",
      {
        class: "line",
        tabindex: 0,
        "data-tip": `A tile of ${line.hold.tensor} takes at most ${grouped(line.hold.tile_words)} words of the pad; ${grouped(line.hold.entered_words)} words enter it in all.`,
      },
      h("span", {class: "loop"}, h("span", {class: "word"}, word), h("b", null, rest)),
      h("span", {class: "trips"}, words(line.hold.tile_words)),
    );
  if (word) return h("div", {class: "line"}, h("span", {class: "loop"}, h("span", {class: "word"}, word), rest));
  return h(
    "div",
    {class: "line level"},
    h("b", null, line.text),
    node ? h("span", {class: "keeps"}, ` executed ${grouped(node.executions)} times`) : null,
  );
}

// Each line; one that others are inside of is a box around them.
function treeItems(lines: TreeLine[], nodes: Map<string, FusedNode>): HTMLElement[] {
  const items: HTMLElement[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const next = lines.findIndex((other, i) => i > at && other.depth <= line.depth);
    const end = next < 0 ? lines.length : next;
    const inside = treeItems(lines.slice(at + 1, end), nodes);
    const box = inside.length > 0;
    items.push(h("li", {class: box ? "box" : null}, treeLine(line, nodes), box ? h("ol", null, ...inside) : null));
    at = end;
  }
  return items;
}

// The room of the pad, by the tiles that the tree holds.
function roomBar(result: FusedTree): HTMLElement {
  const all = result.holds.reduce((sum, hold) => sum + hold.tile_words, 0) || 1;
  return drawing("The tiles of the tree", (width) => {
    let x = 0;
    const parts = result.holds.map((hold, i) => {
      const own = ((width - 2) * hold.tile_words) / all;
      const text = [`${hold.tensor} ${brief(hold.tile_words)}`, hold.tensor].find((t) => 6.8 * t.length + 8 < own);
      const group = svg(
        "g",
        {
          class: "held",
          tabindex: 0,
          "data-tip": `${hold.tensor}: ${grouped(hold.tile_words)} words, ${percent(hold.tile_words / all)} of the tiles`,
        },
        svg("rect", {x, y: 2, width: Math.max(1, own - 1), height: 24, rx: 2, fill: colour(i % 7), "fill-opacity": 0.55}),
        text ? svg("text", {x: x + 5, y: 18}, text) : null,
      );
      x += own;
      return group;
    });
    return svg("svg", {class: "hardware picture", width, height: 30, viewBox: `0 0 ${width} 30`}, ...parts);
  });
}

const inWords = (result: FusedTree): string =>
  `The tiles between the nodes take ${grouped(result.room_words)} words on chip`;

export function treeView(result: FusedTree, finding = inWords(result)): HTMLElement {
  const nodes = new Map(result.nodes.map((node) => [node.name, node]));
  return figure(
    "tree",
    finding,
    "The tree, outer to inner: a box is what a loop repeats, with what is held from there inward and the nodes. Tiles of different branches may lie in the same place, so that their sum can be more than the room.",
    legend(
      result.holds.map((hold, i) => ({
        label: hold.tensor,
        colour: colour(i % 7),
        value: `tiles of ${brief(hold.tile_words)}, ${brief(hold.entered_words)} words in all`,
      })),
    ),
    roomBar(result),
    h("ol", {class: "nest boxes"}, ...treeItems(linesOf(result), nodes)),
  );
}

export function nodeTable(nodes: FusedNode[]): HTMLElement {
  const count = (label: string, tip: string, value: (node: FusedNode) => number): Column<FusedNode> => ({
    label,
    tip,
    value,
    show: (node) => (value(node) === 0 ? "·" : grouped(value(node))),
  });
  const columns: Column<FusedNode>[] = [
    {label: "node", text: true, value: (node) => node.name},
    count("executions", "How often its leaf is executed", (node) => node.executions),
    count("operations", "Of all executions", (node) => node.operations),
    count("recomputed", "Operations beyond what the node needs once", (node) => node.recomputed_operations),
    count("scalings", "Of its result, for an online softmax", (node) => node.scaling_operations),
  ];
  return h("div", {"data-view": "nodes"}, table(nodes, columns, {caption: "Nodes"}));
}

interface Moved {
  level: FusedLevel;
  tensor: string;
  counts: Counts;
}

function energyView(result: FusedEvalResult): HTMLElement {
  const parts = [
    ...result.levels.map((level) => ({name: level.name, pj: level.energy_pj})),
    {name: "compute", pj: result.compute_energy_pj},
  ];
  const total = result.energy_pj || 1;
  const most = parts.reduce((a, b) => (b.pj > a.pj ? b : a));
  return figure(
    "energy",
    `${percent(most.pj / total, 0)} of the energy is spent ${most.name === "compute" ? "on computing" : `in ${most.name}`}`,
    "Energy by the level where it is spent.",
    legend(
      parts.map((part, i) => ({
        label: part.name,
        colour: levelColour(i, parts.length),
        value: `${energy(part.pj)}, ${percent(part.pj / total, 0)}`,
      })),
    ),
    drawing("Energy by level", (width) => {
      let x = 0;
      const boxes = parts.map((part, i) => {
        const own = (width * part.pj) / total;
        const box = svg("rect", {
          x,
          y: 2,
          width: own,
          height: 24,
          fill: levelColour(i, parts.length),
          "data-tip": `${part.name}: ${energy(part.pj)}`,
        });
        x += own;
        return box;
      });
      return svg("svg", {class: "hardware picture", width, height: 30, viewBox: `0 0 ${width} 30`}, ...boxes);
    }),
  );
}

function movedTable(result: FusedEvalResult): HTMLElement {
  const rows: Moved[] = result.levels.flatMap((level) =>
    Object.entries(level.tensors)
      .filter(([, counts]) => counts.reads + counts.fills + counts.updates + counts.drains > 0)
      .map(([tensor, counts]) => ({level, tensor, counts})),
  );
  const count = (key: keyof Counts): Column<Moved> => ({
    label: key,
    value: (row) => row.counts[key],
    show: (row) => (row.counts[key] === 0 ? "·" : grouped(row.counts[key])),
  });
  const columns: Column<Moved>[] = [
    {label: "tensor", text: true, value: (row) => row.tensor},
    {label: "level", text: true, value: (row) => row.level.name},
    count("reads"),
    count("fills"),
    count("updates"),
    count("drains"),
  ];
  return h("div", {"data-view": "table"}, table(rows, columns, {caption: "Words moved at each level"}));
}

export function fusedView(result: FusedEvalResult): Child[] {
  return [
    tiles([
      {
        label: "energy",
        value: energy(result.energy_pj),
        below: `${significant(result.energy_pj / Math.max(1, result.operations))} pJ per operation`,
      },
      {
        label: "cycles",
        value: grouped(result.cycles),
        below: `${grouped(result.sequential_cycles)} one after the other, ${grouped(result.overlapped_cycles)} overlapped`,
      },
      {label: "EDP", value: edp(result.edp), tip: "Energy-delay product: the energy times the cycles."},
      {
        label: "off-chip words",
        value: grouped(result.offchip_words),
        below: `${significant(result.operations / Math.max(1, result.offchip_words))} operations per word`,
      },
      {
        label: "operations",
        value: grouped(result.operations),
        below: `${grouped(result.recomputed_operations)} recomputed, ${grouped(result.scaling_operations)} of scaling`,
      },
    ]),
    ...fusedParts(result),
  ];
}

// Whichever command the tree comes from.
export function fusedParts(result: FusedEvalResult): Child[] {
  return [treeView(result), nodeTable(result.nodes), energyView(result), movedTable(result)];
}

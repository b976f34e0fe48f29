// The network of mapped layers as a graph, coloured by what was found for its nodes.
import {type Child} from "../dom";
import {bytes, energy, grouped, percent, plural, si} from "../format";
import {colour, MUTED} from "../theme";
import type {GraphNode, Layer, MapResult} from "../types";
import {certificateText} from "./certificate";
import {answered, type Answered} from "./layers";
import {commonWays, networkView, type Way} from "./network";

// What a node costs: as layers, each with its repeats, or on vector units, which nothing has to prove.
interface Part {
  energy: number;
  cycles: number;
  limitedBy: string;
  layer: Answered | null;
}

const partOf = (layer: Answered): Part => ({
  energy: layer.cost.energy_pj * layer.repeat,
  cycles: layer.cost.cycles * layer.repeat,
  limitedBy: layer.cost.limited_by,
  layer,
});

// A layer is of the node of its name, or one of its parts, "lstm.recurrence".
function partsOf(result: MapResult): Map<string, Part[]> {
  const nodes = new Set(result.graph?.nodes.map((node) => node.name));
  const found = new Map<string, Part[]>();
  const add = (node: string, part: Part): void => void found.set(node, [...(found.get(node) ?? []), part]);
  for (const layer of answered(result.layers)) {
    const whole = layer.name.slice(0, Math.max(0, layer.name.lastIndexOf(".")));
    const node = nodes.has(layer.name) ? layer.name : nodes.has(whole) ? whole : null;
    if (node !== null) add(node, partOf(layer));
  }
  for (const node of result.vector_nodes ?? []) {
    add(node.name, {energy: node.energy_pj, cycles: node.cycles, limitedBy: node.limited_by, layer: null});
  }
  return found;
}

const energyOf = (parts: Part[]): number => parts.reduce((total, part) => total + part.energy, 0);
const cyclesOf = (parts: Part[]): number => parts.reduce((total, part) => total + part.cycles, 0);
const cycleText = (cycles: number): string => si(cycles, "").trim();
const longest = (parts: Part[]): Part => parts.reduce((a, b) => (b.cycles > a.cycles ? b : a));
const statusOf = (part: Part): string => (part.layer === null ? "vector" : (part.layer.certificate?.status ?? "heuristic"));
const proofText = (part: Part): string =>
  part.layer === null ? "on vector units" : certificateText(part.layer.certificate);

export function mapNetwork(result: MapResult, pick: (layer: Layer) => void): Child {
  const {graph} = result;
  if (!graph || graph.nodes.length === 0) return null;
  const none = result.vector_nodes?.length ? "not counted" : "not mapped";
  const found = partsOf(result);
  const of = (node: number): Part[] => found.get(graph.nodes[node]!.name) ?? [];
  const all = [...found.values()].flat();
  if (all.length === 0) return null;
  const limits = [...new Set(all.map((part) => part.limitedBy))];
  const memories = limits.filter((by) => by !== "compute");
  const share = (nodes: number[], value: (parts: Part[]) => number): string =>
    percent(nodes.reduce((total, node) => total + value(of(node)), 0) / (value(all) || 1), 0);
  const ways: Way[] = [
    {
      label: "energy",
      value: (node) => (of(node).length ? energyOf(of(node)) : null),
      show: energy,
      none,
      text: (node) => (of(node).length ? energy(energyOf(of(node))) : none),
    },
    {
      label: "cycles",
      value: (node) => (of(node).length ? cyclesOf(of(node)) : null),
      show: cycleText,
      none,
      text: (node) => (of(node).length ? `${cycleText(cyclesOf(of(node)))} cycles` : none),
    },
    {
      label: "what limits it",
      categories: [
        ...limits.map((by) => ({
          key: by,
          label: by === "compute" ? "limited by compute" : `limited by ${by}`,
          colour: by === "compute" ? MUTED : colour([3, 0, 2, 5, 4, 1][memories.indexOf(by) % 6]!),
        })),
        {key: "", label: none, colour: "var(--line)"},
      ],
      of: (node) => (of(node).length ? longest(of(node)).limitedBy : ""),
      text: (node) => (of(node).length ? `${cycleText(cyclesOf(of(node)))} cycles` : none),
      amount: (nodes) => (nodes.some((node) => of(node).length) ? `${share(nodes, cyclesOf)} of the cycles` : ""),
    },
    {
      label: "what is proven",
      categories: [
        {key: "optimal", label: "optimal", colour: colour(2)},
        {key: "bounded", label: "within a gap", colour: colour(1)},
        {key: "heuristic", label: "nothing proven", colour: colour(3)},
        ...(result.vector_nodes?.length ? [{key: "vector", label: "on vector units", colour: MUTED}] : []),
        {key: "", label: none, colour: "var(--line)"},
      ],
      of: (node) => (of(node).length ? statusOf(longest(of(node))) : ""),
      text: (node) => (of(node).length ? proofText(longest(of(node))) : none),
      amount: (nodes) => (nodes.some((node) => of(node).length) ? `${share(nodes, energyOf)} of the energy` : ""),
    },
    ...commonWays(graph),
  ];
  const sizes = new Map(graph.tensors.map((tensor) => [tensor.name, tensor.bytes]));
  const size = (name: string): string => bytes(sizes.get(name) ?? 0);
  const tip = (node: GraphNode, at: number): string =>
    [
      node.name,
      `${node.op}${node.operations ? `, ${si(node.operations, "")} operations` : ""}`,
      of(at).length
        ? `${energy(energyOf(of(at)))}, ${cycleText(cyclesOf(of(at)))} cycles, limited by ${longest(of(at)).limitedBy}; ${proofText(longest(of(at)))}`
        : `${none}: no time or energy in the total`,
      ...node.inputs.slice(0, 6).map((name) => `reads ${name} (${size(name)})`),
      ...node.outputs.slice(0, 4).map((name) => `writes ${name} (${size(name)})`),
    ].join("\n");
  const nodes = graph.nodes.map((_, i) => i).filter((i) => of(i).length > 0);
  const heavy = nodes.reduce((a, b) => (energyOf(of(b)) > energyOf(of(a)) ? b : a));
  return networkView({
    graph,
    finding: `${grouped(nodes.length)} of ${plural(graph.nodes.length, "node")} ${result.vector_nodes?.length ? "are counted" : "are mapped"}; ${graph.nodes[heavy]!.name} takes most energy, ${share([heavy], energyOf)}`,
    reading:
      "A box is a node, a line a tensor that goes from one node to another. Long networks are broken into columns, as text is. Point at a node, or go from node to node with N and P; a click shows its mapping below.",
    ways,
    tip: (node) => tip(graph.nodes[node]!, node),
    pick: (node) => {
      const own = of(node);
      const layer = own.length ? longest(own).layer : null;
      if (layer !== null) pick(layer);
    },
  });
}

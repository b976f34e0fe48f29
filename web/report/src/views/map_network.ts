// The network of mapped layers as a graph, coloured by what was found for its nodes.
import {type Child} from "../dom";
import {bytes, energy, grouped, percent, plural, si} from "../format";
import {colour, MUTED} from "../theme";
import type {GraphNode, Layer, MapResult} from "../types";
import {certificateText} from "./certificate";
import {answered, type Answered} from "./layers";
import {commonWays, networkView, type Way} from "./network";

// The layers that a node became: one of its name, or its parts, "lstm.recurrence".
function layersOf(result: MapResult): Map<string, Answered[]> {
  const nodes = new Set(result.graph?.nodes.map((node) => node.name));
  const found = new Map<string, Answered[]>();
  for (const layer of answered(result.layers)) {
    const whole = layer.name.slice(0, Math.max(0, layer.name.lastIndexOf(".")));
    const node = nodes.has(layer.name) ? layer.name : nodes.has(whole) ? whole : null;
    if (node !== null) found.set(node, [...(found.get(node) ?? []), layer]);
  }
  return found;
}

const sum = (layers: Answered[], value: (layer: Answered) => number): number =>
  layers.reduce((total, layer) => total + value(layer) * layer.repeat, 0);
const energyOf = (layers: Answered[]): number => sum(layers, (layer) => layer.cost.energy_pj);
const cyclesOf = (layers: Answered[]): number => sum(layers, (layer) => layer.cost.cycles);
const cycleText = (cycles: number): string => si(cycles, "").trim();
const costliest = (layers: Answered[]): Answered =>
  layers.reduce((a, b) => (b.cost.cycles * b.repeat > a.cost.cycles * a.repeat ? b : a));

export function mapNetwork(result: MapResult, pick: (layer: Layer) => void): Child {
  const {graph} = result;
  if (!graph || graph.nodes.length === 0) return null;
  const found = layersOf(result);
  const of = (node: number): Answered[] => found.get(graph.nodes[node]!.name) ?? [];
  const all = [...found.values()].flat();
  if (all.length === 0) return null;
  const limits = [...new Set(all.map((layer) => layer.cost.limited_by))];
  const memories = limits.filter((by) => by !== "compute");
  const share = (nodes: number[], value: (layers: Answered[]) => number): string =>
    percent(nodes.reduce((total, node) => total + value(of(node)), 0) / (value(all) || 1), 0);
  const ways: Way[] = [
    {
      label: "energy",
      value: (node) => (of(node).length ? energyOf(of(node)) : null),
      show: energy,
      none: "not mapped",
      text: (node) => (of(node).length ? energy(energyOf(of(node))) : "not mapped"),
    },
    {
      label: "cycles",
      value: (node) => (of(node).length ? cyclesOf(of(node)) : null),
      show: cycleText,
      none: "not mapped",
      text: (node) => (of(node).length ? `${cycleText(cyclesOf(of(node)))} cycles` : "not mapped"),
    },
    {
      label: "what limits it",
      categories: [
        ...limits.map((by) => ({
          key: by,
          label: by === "compute" ? "limited by compute" : `limited by ${by}`,
          colour: by === "compute" ? MUTED : colour([3, 0, 2, 5, 4, 1][memories.indexOf(by) % 6]!),
        })),
        {key: "", label: "not mapped", colour: "var(--line)"},
      ],
      of: (node) => (of(node).length ? costliest(of(node)).cost.limited_by : ""),
      text: (node) => (of(node).length ? `${cycleText(cyclesOf(of(node)))} cycles` : "not mapped"),
      amount: (nodes) => (nodes.some((node) => of(node).length) ? `${share(nodes, cyclesOf)} of the cycles` : ""),
    },
    {
      label: "what is proven",
      categories: [
        {key: "optimal", label: "optimal", colour: colour(2)},
        {key: "bounded", label: "within a gap", colour: colour(1)},
        {key: "heuristic", label: "nothing proven", colour: colour(3)},
        {key: "", label: "not mapped", colour: "var(--line)"},
      ],
      of: (node) => (of(node).length ? (costliest(of(node)).certificate?.status ?? "heuristic") : ""),
      text: (node) => (of(node).length ? certificateText(costliest(of(node)).certificate) : "not mapped"),
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
        ? `${energy(energyOf(of(at)))}, ${cycleText(cyclesOf(of(at)))} cycles, limited by ${costliest(of(at)).cost.limited_by}; ${certificateText(costliest(of(at)).certificate)}`
        : "not mapped: no time or energy in the total",
      ...node.inputs.slice(0, 6).map((name) => `reads ${name} (${size(name)})`),
      ...node.outputs.slice(0, 4).map((name) => `writes ${name} (${size(name)})`),
    ].join("\n");
  const nodes = graph.nodes.map((_, i) => i).filter((i) => of(i).length > 0);
  const heavy = nodes.reduce((a, b) => (energyOf(of(b)) > energyOf(of(a)) ? b : a));
  return networkView({
    graph,
    finding: `${grouped(nodes.length)} of ${plural(graph.nodes.length, "node")} are mapped; ${graph.nodes[heavy]!.name} takes most energy, ${share([heavy], energyOf)}`,
    reading:
      "A box is a node, a line a tensor that goes from one node to another. Long networks are broken into columns, as text is. Point at a node, or go from node to node with N and P; a click shows its mapping below.",
    ways,
    tip: (node) => tip(graph.nodes[node]!, node),
    pick: (node) => {
      const own = of(node);
      if (own.length) pick(costliest(own));
    },
  });
}

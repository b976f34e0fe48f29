// The network of a plan, coloured by what was decided: where results lie, where weights come from,
// what runs each node, what it takes.
import {type Child} from "../dom";
import {bytes, grouped, percent, plural, seconds, si} from "../format";
import {FUSED, indexOf} from "../kinds";
import {besideText, isFused, runsOf, timeOf, type Run} from "../plan_steps";
import {colour, MUTED} from "../theme";
import type {GraphNode, NetworkGraph, PlanResult, PlanStep, Residency, Transfer} from "../types";
import {commonWays, networkView, type ByCategory, type Way} from "./network";

const time = (us: number): string => seconds(us * 1e-6);
const MEMORIES = [2, 4, 0, 5, 6];

const grouping = <T>(list: T[], key: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const own = groups.get(key(one));
    if (own) own.push(one);
    else groups.set(key(one), [one]);
  }
  return groups;
};

class Decisions {
  private readonly runs: Map<string, Run>;
  private readonly stays: Map<string, Residency[]>;
  private readonly moves: Map<string, Transfer[]>;
  readonly index;

  constructor(
    readonly plan: PlanResult,
    readonly graph: NetworkGraph,
  ) {
    this.runs = new Map(runsOf(plan).map((run) => [run.node, run]));
    this.stays = grouping(plan.residencies, (one) => one.tensor);
    this.moves = grouping(plan.transfers, (one) => one.tensor);
    this.index = indexOf(graph);
  }

  run(node: GraphNode): Run | null {
    return this.runs.get(node.name) ?? null;
  }
  size(tensor: string): number {
    return this.index.tensor.get(tensor)?.bytes ?? 0;
  }
  // The memory that holds a tensor during a step.
  memoryAt(tensor: string, at: number): string | null {
    return this.stays.get(tensor)?.find((one) => one.from <= at && at < one.to)?.memory ?? null;
  }
  isWritten(tensor: string): boolean {
    return this.moves.get(tensor)?.some((one) => one.kind === "write-back") ?? false;
  }

  // Made and read by the nodes of one fused step only.
  isInTiles(tensor: string, {step}: Run): boolean {
    return isFused(step) && !this.stays.has(tensor) && !this.moves.has(tensor);
  }

  // Where a node's largest result goes.
  result(node: GraphNode): string | null {
    const own = this.run(node);
    const tensor = node.outputs.reduce((a, b) => (this.size(b) > this.size(a) ? b : a), node.outputs[0] ?? "");
    if (!own || !tensor) return null;
    if (this.isInTiles(tensor, own)) return "tiles";
    const memory = this.memoryAt(tensor, own.at);
    if (memory === null) return "off chip";
    return this.isWritten(tensor) ? "both" : memory;
  }

  weights(node: GraphNode): string[] {
    return node.inputs.filter((name) => this.index.tensor.get(name)?.role === "weight");
  }
  // How a weight comes to the step that reads it.
  arrival(tensor: string, at: number): string {
    const came = (this.moves.get(tensor) ?? []).filter((one) => one.start <= at && one.kind !== "write-back");
    const last = came.at(-1);
    if (!last) return "stays";
    if (last.start === at) return last.kind === "move" ? "moved" : "fetched";
    return last.kind === "prefetch" ? "prefetched" : "kept";
  }
  arrivalOf(node: GraphNode): string | null {
    const own = this.run(node);
    const weights = this.weights(node);
    if (!own || weights.length === 0) return null;
    const largest = weights.reduce((a, b) => (this.size(b) > this.size(a) ? b : a));
    return this.arrival(largest, own.at);
  }

  tip(node: GraphNode): string {
    const own = this.run(node);
    const lines = [node.name, `${node.op}${node.operations ? `, ${si(node.operations, "")} operations` : ""}`];
    if (!own) return [...lines, "takes no step"].join("\n");
    const {step, at} = own;
    lines.push(
      `step ${at} on ${own.unit}${besideText(own)}` +
        (step.latency_us === undefined
          ? ""
          : `: ${time(step.latency_us)}, limited by ${step.limited_by}, ${bytes(step.offchip_bytes ?? 0)} off chip`),
    );
    const place = (tensor: string): string =>
      this.isInTiles(tensor, own) ? "tiles on chip" : (this.memoryAt(tensor, at) ?? "off chip");
    for (const name of node.inputs.slice(0, 6)) lines.push(`reads ${name} (${bytes(this.size(name))}) from ${place(name)}`);
    for (const name of node.outputs.slice(0, 4))
      lines.push(
        `writes ${name} (${bytes(this.size(name))}) to ${place(name)}` +
          (this.memoryAt(name, at) && this.isWritten(name) ? ", and later off chip" : ""),
      );
    return lines.join("\n");
  }
}

function resultWay(known: Decisions): ByCategory {
  const {plan, graph} = known;
  const size = (node: number): number =>
    graph.nodes[node]!.outputs.reduce((sum, name) => sum + known.size(name), 0);
  return {
    label: "where the result lies",
    categories: [
      ...plan.memories.map((memory, i) => ({
        key: memory.name,
        label: `only in ${memory.name}`,
        colour: colour(MEMORIES[i % MEMORIES.length]!),
      })),
      {key: "tiles", label: "in tiles of a fused step", colour: colour(FUSED.colour)},
      {key: "both", label: "on chip, and written off chip", colour: colour(1)},
      {key: "off chip", label: "only off chip", colour: colour(3)},
    ],
    of: (node) => known.result(graph.nodes[node]!),
    text: (node) => `writes ${bytes(size(node))}`,
    amount: (nodes) => bytes(nodes.reduce((sum, node) => sum + size(node), 0)),
  };
}

function weightWay(known: Decisions): ByCategory {
  const {graph} = known;
  const size = (node: number): number =>
    known.weights(graph.nodes[node]!).reduce((sum, name) => sum + known.size(name), 0);
  return {
    label: "where weights come from",
    categories: [
      {key: "fetched", label: "fetched in the step", colour: colour(3)},
      {key: "prefetched", label: "prefetched", colour: colour(0)},
      {key: "kept", label: "kept from an earlier step", colour: colour(2)},
      {key: "moved", label: "moved from another memory", colour: colour(5)},
      {key: "stays", label: "on chip all the time", colour: colour(4)},
    ],
    of: (node) => known.arrivalOf(graph.nodes[node]!),
    text: (node) => (size(node) ? `weights ${bytes(size(node))}` : "no weights"),
    amount: (nodes) => bytes(nodes.reduce((sum, node) => sum + size(node), 0)),
  };
}

function stepWays(known: Decisions): Way[] {
  const {plan, graph} = known;
  const run = (node: number): Run | null => known.run(graph.nodes[node]!);
  const step = (node: number): PlanStep | undefined => run(node)?.step;
  const latency = (nodes: number[]): string =>
    percent(timeOf(nodes.flatMap((node) => run(node) ?? [])) / (plan.latency_us || 1), 0) + " of the time";
  const told = (node: number): string => {
    const own = step(node);
    return own?.latency_us === undefined ? "" : `${time(own.latency_us)}, ${own.limited_by}`;
  };
  const limits = [...new Set(plan.steps.map((one) => one.limited_by ?? ""))].filter(Boolean);
  const units = [...new Set(runsOf(plan).map((one) => one.unit))];
  return [
    {
      label: "what limits it",
      categories: limits.map((by) => ({
        key: by,
        label: by === "offchip" ? "off-chip traffic" : by === "compute" ? "computing" : `traffic of ${by}`,
        colour: by === "compute" ? MUTED : colour([3, 0, 2, 5, 4, 1][limits.filter((l) => l !== "compute").indexOf(by) % 6]!),
      })),
      of: (node) => step(node)?.limited_by ?? null,
      text: told,
      amount: latency,
    },
    ...(units.length > 1
      ? [
          {
            label: "unit",
            categories: units.map((unit, i) => ({key: unit, label: unit, colour: colour(i)})),
            of: (node: number) => run(node)?.unit ?? null,
            text: told,
            amount: latency,
          },
        ]
      : []),
    {
      label: "time",
      value: (node) => step(node)?.latency_us ?? null,
      show: time,
      text: told,
    },
    {
      label: "off-chip bytes",
      value: (node) => step(node)?.offchip_bytes ?? null,
      show: bytes,
      text: (node) => `${bytes(step(node)?.offchip_bytes ?? 0)} off chip`,
    },
  ];
}

export function planNetwork(plan: PlanResult): Child {
  const {graph} = plan;
  if (!graph || graph.nodes.length === 0) return null;
  const known = new Decisions(plan, graph);
  const stays = graph.nodes.filter((node) => {
    const result = known.result(node);
    return result !== null && result !== "off chip" && result !== "both";
  }).length;
  return networkView({
    graph,
    finding: `The results of ${grouped(stays)} of ${plural(graph.nodes.length, "node")} never leave the chip`,
    reading:
      "A box is a node, a line a tensor that goes from one node to another; weights are named where one points. Long networks are broken into columns, as text is. Point at a node, or go from node to node with N and P, for all that was decided.",
    ways: [resultWay(known), weightWay(known), ...stepWays(known), ...commonWays(graph)],
    tip: (node) => known.tip(graph.nodes[node]!),
  });
}

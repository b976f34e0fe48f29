// What results of each command are compared by: their totals, and rows that have the same name in both.
import {bytes, edp, energy, grouped, quantity, seconds, significant} from "../format";
import {nodesText} from "../plan_steps";
import type {
  AllocResult,
  BatchResult,
  CodesignResult,
  EvalResult,
  Header,
  Item,
  MapResult,
  PlanResult,
  StudyResult,
} from "../types";
import {distinct} from "./layers";

export interface Metric {
  name: string;
  show: (value: number) => string;
  more?: boolean; // more is better
}
export interface Comparable {
  metrics: Metric[];
  total: number[]; // by metric
  totalName: string;
  noun: string; // what the rows are
  rows: Map<string, number[]>;
}

const ENERGY: Metric = {name: "energy", show: energy};
const CYCLES: Metric = {name: "cycles", show: grouped};
const EDP: Metric = {name: "EDP", show: edp};
const WORDS: Metric = {name: "off-chip words", show: grouped};

function ofMap(result: MapResult): Comparable | null {
  const {total} = result;
  if (!total) return null;
  const rows = new Map<string, number[]>();
  let words = 0;
  const names = distinct(result.layers.map((layer) => layer.name));
  for (const [i, layer] of result.layers.entries()) {
    if (!layer.cost) return null;
    words += layer.cost.offchip_words * layer.repeat;
    rows.set(names[i]!, [
      layer.cost.energy_pj,
      layer.cost.cycles,
      layer.cost.edp,
      layer.cost.offchip_words,
    ]);
  }
  return {
    metrics: [ENERGY, CYCLES, EDP, WORDS],
    total: [total.energy_pj, total.cycles, total.edp, words],
    totalName: "total",
    noun: "layer",
    rows,
  };
}

function ofEval(result: EvalResult): Comparable {
  return {
    metrics: [ENERGY, CYCLES, WORDS],
    total: [result.energy_pj, result.cycles, result.offchip_words],
    totalName: "total",
    noun: "level",
    rows: new Map([
      ...result.levels.map((level): [string, number[]] => [
        level.name,
        [
          level.energy_pj,
          level.cycles,
          Object.values(level.tensors).reduce(
            (sum, t) => sum + t.total.reads + t.total.fills + t.total.updates + t.total.drains,
            0,
          ),
        ],
      ]),
      ["compute", [result.compute.energy_pj, result.compute.cycles, 0]],
    ]),
  };
}

function ofPlan(result: PlanResult): Comparable {
  const metrics: Metric[] = [
    {name: "latency", show: (us) => seconds(us * 1e-6)},
    {name: "off-chip traffic", show: bytes},
  ];
  return {
    metrics,
    total: [result.latency_us, result.offchip_bytes],
    totalName: "total",
    noun: "step",
    rows: new Map(result.steps.map((step) => [nodesText(step), [step.latency_us ?? 0, step.offchip_bytes ?? 0]])),
  };
}

function ofBatch(result: BatchResult): Comparable | null {
  const best = result.policies
    .filter((p) => !p.deadlocked)
    .reduce<
      BatchResult["policies"][number] | null
    >((a, b) => (a && a.makespan_cycles <= b.makespan_cycles ? a : b), null);
  if (!best) return null;
  return {
    metrics: [CYCLES, {name: "inferences/s", show: significant, more: true}],
    total: [best.makespan_cycles, best.throughput_per_s],
    totalName: "best",
    noun: "policy",
    rows: new Map(result.policies.map((p) => [p.name, [p.makespan_cycles, p.throughput_per_s]])),
  };
}

function ofCodesign(result: CodesignResult): Comparable | null {
  if (result.architectures.length === 0) return null;
  const rows = new Map<string, number[]>();
  const total = [0, 0];
  for (const architecture of result.architectures) {
    for (const layer of architecture.layers) {
      if (!layer.cost || rows.has(layer.name)) continue;
      rows.set(layer.name, [layer.cost.energy_pj, layer.cost.cycles]);
      total[0]! += layer.cost.energy_pj * layer.repeat;
      total[1]! += layer.cost.cycles * layer.repeat;
    }
  }
  return {metrics: [ENERGY, CYCLES], total, totalName: "total", noun: "layer", rows};
}

function ofAlloc(result: AllocResult): Comparable | null {
  return result.height === null
    ? null
    : {
        metrics: [{name: "height", show: bytes}],
        total: [result.height],
        totalName: "total",
        noun: "buffer",
        rows: new Map(),
      };
}

// Of points there is no total.
export const MEAN = "geometric mean";
export const mean = (values: number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

// The figures that one looks at first, as far as a study has them.
const FIGURES = ["energy_pj", "cycles", "edp", "latency_us", "offchip_bytes", "offchip_words", "size"];

function ofStudy(result: StudyResult): Comparable | null {
  const done = result.points.filter((point) => point.figures);
  const keys = FIGURES.filter(
    (key) => done.length > 0 && done.every((point) => Number(point.figures![key]) > 0),
  ).slice(0, 3);
  if (keys.length === 0) return null;
  const rows = new Map(
    done.map((point): [string, number[]] => [
      Object.values(point.settings).join(", "),
      keys.map((key) => Number(point.figures![key])),
    ]),
  );
  const metrics = keys.map((key) => ({name: quantity(key).label, show: quantity(key).show}));
  const total = keys.map((_, m) => mean([...rows.values()].map((values) => values[m]!)));
  return {metrics, total, totalName: MEAN, noun: "point", rows};
}

export function comparableOf(item: Item): Comparable | null {
  if (Array.isArray(item.result)) return null;
  const result: Header = item.result;
  switch (result.command) {
    case "map":
      return ofMap(result as MapResult);
    case "eval":
    case "walk":
      return ofEval(result as EvalResult);
    case "plan":
      return ofPlan(result as PlanResult);
    case "batch":
      return ofBatch(result as BatchResult);
    case "codesign":
      return ofCodesign(result as CodesignResult);
    case "study":
      return ofStudy(result as StudyResult);
    case "alloc":
      return ofAlloc(result as AllocResult);
    default:
      return null;
  }
}

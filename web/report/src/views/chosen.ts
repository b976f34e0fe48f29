// Which of the architectures of a co-design is looked at, and by what.
import {edp, energy, grouped, si} from "../format";
import type {CodesignArchitecture, CodesignResult, Totals} from "../types";

export type Metric = "energy" | "delay" | "edp";
export const METRICS: Record<Metric, {value: (total: Totals) => number; show: (value: number) => string}> = {
  energy: {value: (t) => t.energy_pj, show: energy},
  delay: {value: (t) => t.cycles, show: (n) => `${si(n, "")} cycles`.replace("  ", " ")},
  edp: {value: (t) => t.edp, show: edp},
};
export function metricOf(result: CodesignResult): Metric {
  const first = Array.isArray(result.options["objective"])
    ? String(result.options["objective"][0])
    : "energy";
  return first in METRICS ? (first as Metric) : "energy";
}

// Of each layer its own where every layer has one, else of the whole.
export const perLayer = (result: CodesignResult): boolean =>
  result.scope === "layer" && result.architectures.length > 1;
export function chosenOf(result: CodesignResult): CodesignArchitecture | null {
  const {value} = METRICS[metricOf(result)];
  const sign = perLayer(result) ? -1 : 1; // of layers the one that takes most is looked at first
  return result.architectures.reduce<CodesignArchitecture | null>(
    (a, b) => (a && sign * value(a.total) <= sign * value(b.total) ? a : b),
    null,
  );
}

export const numbers = (a: CodesignArchitecture): string =>
  Object.entries(a.attributes)
    .map(([key, value]) => `${key} ${grouped(value)}`)
    .join(" · ");

// Results of `eval` and `walk`: one mapping, under one semantics or several.
import {h, type Child} from "../dom";
import {energy, grouped, percent, significant} from "../format";
import {table, type Column} from "../table";
import type {EvalResult} from "../types";
import {hardwareView} from "./hardware";
import {nestView} from "./nest";
import {tiles} from "./tiles";

export function evalTitle(results: EvalResult[]): string {
  const first = results[0]!;
  const what = `${first.problem} on ${first.architecture}`;
  return results.length > 1
    ? `${what} under ${results.length} semantics`
    : `${what} takes ${energy(first.energy_pj)} and ${grouped(first.cycles)} cycles`;
}

function one(result: EvalResult): Child[] {
  const mapped = {mapping: result.mapping, levels: result.levels, compute: result.compute};
  return [
    tiles([
      {
        label: "energy",
        value: energy(result.energy_pj),
        below: `${significant(result.energy_pj / result.operations)} pJ per operation`,
      },
      {
        label: "cycles",
        value: grouped(result.cycles),
        below: `${significant(result.operations / result.cycles)} operations per cycle`,
      },
      {
        label: "array used",
        value: percent(result.utilization),
        below: `${grouped(result.compute.instances)} of ${grouped(result.compute.lanes)} lanes`,
      },
      {
        label: "off-chip words",
        value: grouped(result.offchip_words),
        below: `${significant(result.operations / Math.max(1, result.offchip_words))} operations per word`,
      },
      {
        label: "semantics",
        value: result.semantics,
        below: `${result.mapspace} mapping${result.numeric_check ? ", computation checked" : ""}`,
      },
    ]),
    hardwareView(result.hardware, mapped),
    nestView(result.problem, mapped),
  ];
}

export function evalView(results: EvalResult[]): Child[] {
  if (results.length === 1) return one(results[0]!);
  const columns: Column<EvalResult>[] = [
    {label: "semantics", text: true, value: (r) => r.semantics},
    {label: "energy", value: (r) => r.energy_pj, show: (r) => energy(r.energy_pj)},
    {label: "cycles", value: (r) => r.cycles, show: (r) => grouped(r.cycles)},
    {label: "used", value: (r) => r.utilization, show: (r) => percent(r.utilization)},
    {label: "off-chip words", value: (r) => r.offchip_words, show: (r) => grouped(r.offchip_words)},
  ];
  return [
    h(
      "div",
      {"data-view": "table"},
      table(results, columns, {caption: "One mapping under several semantics"}),
    ),
    ...results.flatMap((result) => [
      h("h3", {class: "part"}, `${result.semantics} semantics`),
      ...one(result),
    ]),
  ];
}

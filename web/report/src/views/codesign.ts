// The result of `codesign`: the architectures, against each other and against the baseline.
import {h, type Child} from "../dom";
import {area, change, edp, energy, grouped, nameOfWorkload, percent, plural} from "../format";
import {table, type Column} from "../table";
import type {CodesignArchitecture, CodesignResult, Totals} from "../types";
import {architecturesView, partsView} from "./architectures";
import {chosenOf, METRICS, metricOf, perLayer} from "./chosen";
import {certificateText, certificateTip} from "./certificate";
import {hardwareView} from "./hardware";
import {nestList} from "./nest";
import {progressView} from "./progress";
import {tiles, type Tile} from "./tiles";

export function codesignTitle(result: CodesignResult): string {
  const metric = METRICS[metricOf(result)];
  const chosen = chosenOf(result);
  if (!chosen) return `${nameOfWorkload(result.workload)}: no architecture was found`;
  if (perLayer(result))
    return `${nameOfWorkload(result.workload)}: an architecture for each of ${plural(result.architectures.length, "layer")}`;
  if (result.architectures.length > 1)
    return `${nameOfWorkload(result.workload)}: ${result.architectures.length} architectures, the best takes ${metric.show(metric.value(chosen.total))}`;
  return `${nameOfWorkload(result.workload)} takes ${metric.show(metric.value(chosen.total))} on an architecture of its own`;
}

// Pairs that a bound rules out need no search.
const searchedTile = (result: CodesignResult): Tile =>
  result.measured
    ? {
        label: "searched",
        value: grouped(result.measured.searches),
        below: `of ${grouped(result.measured.pairs)} pairs of a layer and one of ${grouped(result.architectures_in_space)} architectures`,
      }
    : {label: "family", value: grouped(result.architectures_in_space), below: "architectures"};

// An exact search that was cut short has no bound, or a bound; it is never a heuristic.
const certificateWord = (result: CodesignResult): string =>
  result.method === "exact" && result.certificate?.status === "heuristic"
    ? "no bound yet"
    : certificateText(result.certificate);

function layerTiles(result: CodesignResult): HTMLElement {
  const sum = (value: (t: Totals) => number): number =>
    result.architectures.reduce((total, a) => total + value(a.total), 0);
  return tiles([
    {label: "energy", value: energy(sum((t) => t.energy_pj)), below: "all layers together"},
    {label: "cycles", value: grouped(sum((t) => t.cycles)), below: "all layers together"},
    searchedTile(result),
    {
      label: "certificate",
      value: certificateWord(result),
      below: `${result.method}, ${result.scope}${result.interrupted ? ", interrupted" : ""}`,
      tip: certificateTip(result.certificate),
    },
  ]);
}

function tilesOf(result: CodesignResult): Child {
  const chosen = chosenOf(result);
  if (!chosen) return null;
  if (perLayer(result)) return layerTiles(result);
  const base = result.baseline;
  const against = (value: (t: Totals) => number): string =>
    base ? `${change(value(base.total), value(chosen.total))} against ${base.name}` : "";
  return tiles([
    {label: "energy", value: energy(chosen.total.energy_pj), below: against((t) => t.energy_pj)},
    {label: "cycles", value: grouped(chosen.total.cycles), below: against((t) => t.cycles)},
    {
      label: "area",
      value: chosen.area_um2 === null ? "·" : area(chosen.area_um2),
      below: base?.area_um2 ? `${base.name} ${area(base.area_um2)}` : "",
    },
    searchedTile(result),
    {
      label: "certificate",
      value: certificateWord(result),
      below: `${result.method}, ${result.scope}${result.interrupted ? ", interrupted" : ""}`,
      tip: certificateTip(result.certificate),
    },
  ]);
}

function architectureTable(result: CodesignResult, pick: (a: CodesignArchitecture) => void): HTMLElement {
  const keys = [...new Set(result.architectures.flatMap((a) => Object.keys(a.attributes)))];
  const all = result.architectures;
  const nameOf = (a: CodesignArchitecture): string =>
    perLayer(result)
      ? (a.layers[0]?.name ?? a.name)
      : all.length > 1
        ? `${a.name} ${all.indexOf(a) + 1}`
        : a.name;
  const columns: Column<CodesignArchitecture>[] = [
    {label: perLayer(result) ? "layer" : "architecture", text: true, value: nameOf},
    ...keys.map(
      (key): Column<CodesignArchitecture> => ({
        label: key,
        value: (a) => a.attributes[key] ?? null,
        show: (a) => grouped(a.attributes[key] ?? 0),
      }),
    ),
    {label: "area", value: (a) => a.area_um2, show: (a) => (a.area_um2 === null ? "·" : area(a.area_um2))},
    {label: "energy", value: (a) => a.total.energy_pj, show: (a) => energy(a.total.energy_pj)},
    {label: "cycles", value: (a) => a.total.cycles, show: (a) => grouped(a.total.cycles)},
    {label: "EDP", value: (a) => a.total.edp, show: (a) => edp(a.total.edp)},
  ];
  return h(
    "div",
    {"data-view": "table"},
    table(all, columns, {caption: "Architectures", onPick: pick, limit: 20}),
  );
}

function layersOf(a: CodesignArchitecture): Child {
  if (a.layers.length === 0) return null;
  const nest = h("div");
  type Row = CodesignArchitecture["layers"][number];
  const show = (layer: Row): void =>
    nest.replaceChildren(
      h("p", {class: "chosen"}, `Mapping of ${layer.name}`),
      nestList({mapping: layer.mapping ?? []}),
    );
  show(a.layers[0]!);
  const columns: Column<Row>[] = [
    {label: "layer", text: true, value: (l) => l.name},
    {label: "energy", value: (l) => l.cost?.energy_pj ?? null, show: (l) => energy(l.cost?.energy_pj ?? 0)},
    {label: "cycles", value: (l) => l.cost?.cycles ?? null, show: (l) => grouped(l.cost?.cycles ?? 0)},
    {
      label: "used",
      value: (l) => l.cost?.utilization ?? null,
      show: (l) => percent(l.cost?.utilization ?? 0),
    },
    {label: "most in", text: true, value: (l) => l.cost?.most_energy_in ?? null},
  ];
  return h(
    "div",
    {class: "two", "data-view": "layers"},
    table(a.layers, columns, {caption: "Its layers", onPick: show, limit: 40}),
    nest,
  );
}

function codesignProgress(result: CodesignResult): HTMLElement | null {
  const effort = result.measured;
  if (!effort?.progress) return null;
  const metric = metricOf(result);
  return progressView({
    name: nameOfWorkload(result.workload),
    answer: "architecture",
    label: metric === "edp" ? "EDP" : metric,
    show: METRICS[metric].show,
    certificate: result.certificate,
    seconds: effort.search_seconds,
    progress: effort.progress,
    work: `${grouped(effort.searches)} of ${grouped(effort.pairs)} pairs of a layer and an architecture searched.`,
  });
}

export function codesignView(result: CodesignResult): Child[] {
  const chosen = chosenOf(result);
  const detail = h("div", {class: "detail"});
  const show = (a: CodesignArchitecture): void =>
    detail.replaceChildren(
      ...[partsView(a), hardwareView(a.hardware, {mapping: a.layers.length === 1 ? a.layers[0]!.mapping : []}), layersOf(a)].filter((child): child is HTMLElement => child instanceof HTMLElement),
    );
  if (chosen) show(chosen);
  return [tilesOf(result), architecturesView(result), chosen && architectureTable(result, show), detail, codesignProgress(result)];
}

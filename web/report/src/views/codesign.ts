// The result of `codesign`: the architectures, against each other and against the baseline.
import * as Plot from "@observablehq/plot";
import {chart, legend, logTicks} from "../chart";
import {figure, h, type Child} from "../dom";
import {area, brief, change, edp, energy, grouped, percent, plural, si, significant} from "../format";
import {table, type Column} from "../table";
import {colour} from "../theme";
import type {CodesignArchitecture, CodesignResult, Totals} from "../types";
import {certificateText, certificateTip} from "./certificate";
import {levelColour} from "./layers";
import {nestList} from "./nest";
import {tiles} from "./tiles";

type Metric = "energy" | "delay" | "edp";
const METRICS: Record<Metric, {value: (total: Totals) => number; show: (value: number) => string}> = {
  energy: {value: (t) => t.energy_pj, show: energy},
  delay: {value: (t) => t.cycles, show: (n) => `${si(n, "")} cycles`.replace("  ", " ")},
  edp: {value: (t) => t.edp, show: edp},
};
function metricOf(result: CodesignResult): Metric {
  const first = Array.isArray(result.options["objective"]) ? String(result.options["objective"][0]) : "energy";
  return first in METRICS ? (first as Metric) : "energy";
}

// Of each layer its own where every layer has one, else of the whole.
const perLayer = (result: CodesignResult): boolean => result.scope === "layer" && result.architectures.length > 1;
export function chosenOf(result: CodesignResult): CodesignArchitecture | null {
  const {value} = METRICS[metricOf(result)];
  const sign = perLayer(result) ? -1 : 1;  // of layers the one that takes most is looked at first
  return result.architectures.reduce<CodesignArchitecture | null>((a, b) => (a && sign * value(a.total) <= sign * value(b.total) ? a : b), null);
}

const numbers = (a: CodesignArchitecture): string => Object.entries(a.attributes).map(([key, value]) => `${key} ${grouped(value)}`).join(" · ");

export function codesignTitle(result: CodesignResult): string {
  const metric = METRICS[metricOf(result)];
  const chosen = chosenOf(result);
  if (!chosen) return `${result.workload}: no architecture was found`;
  if (perLayer(result)) return `${result.workload}: an architecture for each of ${plural(result.architectures.length, "layer")}`;
  if (result.architectures.length > 1) return `${result.workload}: ${result.architectures.length} architectures, the best takes ${metric.show(metric.value(chosen.total))}`;
  return `${result.workload} takes ${metric.show(metric.value(chosen.total))} on an architecture of its own`;
}

function layerTiles(result: CodesignResult): HTMLElement {
  const sum = (value: (t: Totals) => number): number => result.architectures.reduce((total, a) => total + value(a.total), 0);
  return tiles([
    {label: "energy", value: energy(sum((t) => t.energy_pj)), below: "all layers together"},
    {label: "cycles", value: grouped(sum((t) => t.cycles)), below: "all layers together"},
    {label: "searched", value: grouped(result.searched), below: "architectures in the family"},
    {label: "certificate", value: certificateText(result.certificate), below: `${result.method}, ${result.scope}`, tip: certificateTip(result.certificate)},
  ]);
}

// What an operation costs in each layer on its own architecture, by level.
function layerBars(result: CodesignResult): Child {
  const parts = result.architectures.flatMap((a) => {
    const layer = a.layers[0];
    return layer ? Object.entries(a.energy_parts_pj ?? {}).map(([part, pj]) => ({layer: layer.name, part, per: pj / layer.operations, a})) : [];
  });
  if (parts.length === 0) return null;
  const levels = [...new Set(parts.map((p) => p.part))];
  const layers = [...new Set(parts.map((p) => p.layer))];
  const per = new Map(layers.map((name) => [name, parts.filter((p) => p.layer === name).reduce((sum, p) => sum + p.per, 0)]));
  const most = layers.reduce((a, b) => (per.get(b)! > per.get(a)! ? b : a));
  const least = layers.reduce((a, b) => (per.get(b)! < per.get(a)! ? b : a));
  return figure("pareto", `An operation takes from ${significant(per.get(least)!, 3)} pJ (${least}) to ${significant(per.get(most)!, 3)} pJ (${most})`,
    "Energy per operation of every layer on an architecture of its own, by the level where it is spent.",
    legend(levels.map((label, i) => ({label, colour: levelColour(i, levels.length)}))),
    chart("Energy per operation of every layer", (width) => ({
      height: 50 + 19 * layers.length, marginLeft: 14 + 6.8 * Math.max(...layers.map((name) => name.length)), marginTop: 4, marginBottom: 38, marginRight: 20,
      x: {label: "pJ per operation →", grid: true, ticks: width / 90}, y: {domain: layers, label: null, tickSize: 0, padding: 0.25},
      color: {domain: levels, range: levels.map((_, i) => levelColour(i, levels.length))},
      marks: [Plot.barX(parts, {x: "per", y: "layer", fill: "part", tip: true,
        title: (p: (typeof parts)[number]) => `${p.layer}: ${p.part} ${significant(p.per, 3)} pJ\n${Object.entries(p.a.attributes).map(([k, v]) => `${k} ${grouped(v)}`).join("\n")}`})],
    })));
}

function tilesOf(result: CodesignResult): Child {
  const chosen = chosenOf(result);
  if (!chosen) return null;
  if (perLayer(result)) return layerTiles(result);
  const base = result.baseline;
  const against = (value: (t: Totals) => number): string => (base ? `${change(value(base.total), value(chosen.total))} against ${base.name}` : "");
  return tiles([
    {label: "energy", value: energy(chosen.total.energy_pj), below: against((t) => t.energy_pj)},
    {label: "cycles", value: grouped(chosen.total.cycles), below: against((t) => t.cycles)},
    {label: "area", value: chosen.area_um2 === null ? "·" : area(chosen.area_um2), below: base?.area_um2 ? `${base.name} ${area(base.area_um2)}` : ""},
    {label: "searched", value: grouped(result.searched), below: "architectures in the family"},
    {label: "certificate", value: certificateText(result.certificate), below: `${result.method}, ${result.scope}`, tip: certificateTip(result.certificate)},
  ]);
}

function scatter(result: CodesignResult): Child {
  const all = result.architectures;
  if (all.length < 2) return null;
  if (perLayer(result)) return layerBars(result);
  const chosen = chosenOf(result)!;
  const base = result.baseline;
  const title = (a: CodesignArchitecture): string => `${Object.entries(a.attributes).map(([k, v]) => `${k} ${grouped(v)}`).join("\n")}\n` +
    `${energy(a.total.energy_pj)}, ${grouped(a.total.cycles)} cycles${a.area_um2 === null ? "" : `, ${area(a.area_um2)}`}`;
  const fastest = all.reduce((a, b) => (b.total.cycles < a.total.cycles ? b : a));
  const least = all.reduce((a, b) => (b.total.energy_pj < a.total.energy_pj ? b : a));
  const finding = `The fastest takes ${percent(fastest.total.energy_pj / least.total.energy_pj - 1)} more energy than the one of least energy, which is ${significant(least.total.cycles / fastest.total.cycles, 3)}× as slow`;
  const points = all.map((a) => ({a, pj: a.total.energy_pj, cycles: a.total.cycles}));
  // In these two alone; the others are better in another figure, such as area.
  const front = points.filter((p) => !points.some((q) => q !== p && q.pj <= p.pj && q.cycles <= p.cycles && (q.pj < p.pj || q.cycles < p.cycles)))
    .sort((p, q) => p.cycles - q.cycles);
  const scale = (values: number[], show: (n: number) => string, room: number): Plot.ScaleOptions => {
    const [low, high] = [Math.min(...values) / 1.15, Math.max(...values) * 1.15];
    return high / low > 20 ? {type: "log", domain: [low, high], ticks: logTicks(low, high), tickFormat: show} : {nice: true, ticks: room, tickFormat: show};
  };
  const cycles = points.map((p) => p.cycles).concat(base ? [base.total.cycles] : []);
  const energies = points.map((p) => p.pj).concat(base ? [base.total.energy_pj] : []);
  return figure("pareto", finding,
    `A dot is an architecture, full where none is better in both energy and cycles; the ring is the one of least ${metricOf(result)}, which is shown below.`,
    legend([{label: "architecture", colour: colour(0)}, {label: `chosen: least ${metricOf(result)}`, colour: colour(3)}, ...(base ? [{label: base.name, colour: colour(7)}] : [])]),
    chart("Energy against cycles of every architecture", (width) => ({
      height: 330, marginLeft: 84, marginBottom: 42, marginTop: 24, marginRight: 24,
      x: {label: "cycles →", ...scale(cycles, brief, width / 110)},
      y: {label: "↑ energy", grid: true, ...scale(energies, energy, 6)},
      marks: [
        Plot.line(front, {x: "cycles", y: "pj", stroke: colour(0), curve: "step-after"}),
        Plot.dot(points, {x: "cycles", y: "pj", stroke: colour(0), fill: (p: (typeof points)[number]) => (front.includes(p) ? colour(0) : "var(--paper)"), r: 4}),
        base ? Plot.dot([base.total], {x: "cycles", y: "energy_pj", fill: colour(7), r: 5, symbol: "square"}) : null,
        Plot.dot([chosen.total], {x: "cycles", y: "energy_pj", stroke: colour(3), strokeWidth: 2.5, r: 9}),
        Plot.tip(points, Plot.pointer({x: "cycles", y: "pj", title: (p: {a: CodesignArchitecture}) => title(p.a)})),
      ],
    })));
}

// Where area and energy go, one bar each.
function partsView(a: CodesignArchitecture): Child {
  const energies = Object.entries(a.energy_parts_pj ?? {});
  const areas = Object.entries(a.area_parts_um2 ?? {}).filter(([, v]) => v > 0);
  if (energies.length === 0) return null;
  const names = energies.map(([name]) => name);
  const sum = (list: [string, number][]): number => list.reduce((total, [, v]) => total + v, 0) || 1;
  const rows = [...energies.map(([part, v]) => ({what: "energy", part, share: v / sum(energies), text: energy(v)})),
    ...areas.map(([part, v]) => ({what: "area", part, share: v / sum(areas), text: area(v)}))];
  const most = rows.filter((r) => r.what === "energy").reduce((x, y) => (y.share > x.share ? y : x));
  const room = rows.filter((r) => r.what === "area").reduce<typeof most | null>((x, y) => (x && x.share >= y.share ? x : y), null);
  return figure("parts", `${most.part} takes ${percent(most.share, 0)} of the energy${room ? `, ${room.part} ${percent(room.share, 0)} of the area` : ""}`,
    `Of the architecture ${numbers(a)}.`,
    legend(names.map((label, i) => ({label, colour: levelColour(i, names.length)}))),
    chart("Shares of energy and area", () => ({
      height: 104, marginLeft: 60, marginBottom: 32, marginTop: 4, marginRight: 20,
      x: {label: null, domain: [0, 1], tickFormat: (s: number) => percent(s, 0), ticks: 5}, y: {label: null, tickSize: 0, domain: areas.length ? ["energy", "area"] : ["energy"]},
      color: {domain: names, range: names.map((_, i) => levelColour(i, names.length))},
      marks: [Plot.barX(rows, {x: "share", y: "what", fill: "part", title: (r: (typeof rows)[number]) => `${r.part}: ${r.text}, ${percent(r.share)}`, tip: true})],
    })));
}

function architectureTable(result: CodesignResult, pick: (a: CodesignArchitecture) => void): HTMLElement {
  const keys = [...new Set(result.architectures.flatMap((a) => Object.keys(a.attributes)))];
  const all = result.architectures;
  const nameOf = (a: CodesignArchitecture): string => (perLayer(result) ? (a.layers[0]?.name ?? a.name) : all.length > 1 ? `${a.name} ${all.indexOf(a) + 1}` : a.name);
  const columns: Column<CodesignArchitecture>[] = [
    {label: perLayer(result) ? "layer" : "architecture", text: true, value: nameOf},
    ...keys.map((key): Column<CodesignArchitecture> => ({label: key, value: (a) => a.attributes[key] ?? null, show: (a) => grouped(a.attributes[key] ?? 0)})),
    {label: "area", value: (a) => a.area_um2, show: (a) => (a.area_um2 === null ? "·" : area(a.area_um2))},
    {label: "energy", value: (a) => a.total.energy_pj, show: (a) => energy(a.total.energy_pj)},
    {label: "cycles", value: (a) => a.total.cycles, show: (a) => grouped(a.total.cycles)},
    {label: "EDP", value: (a) => a.total.edp, show: (a) => edp(a.total.edp)},
  ];
  return h("div", {"data-view": "table"}, table(all, columns, {caption: "Architectures", onPick: pick, limit: 40}));
}

function layersOf(a: CodesignArchitecture): Child {
  if (a.layers.length === 0) return null;
  const nest = h("div");
  type Row = CodesignArchitecture["layers"][number];
  const show = (layer: Row): void => nest.replaceChildren(h("p", {class: "chosen"}, `Mapping of ${layer.name}`), nestList({mapping: layer.mapping ?? []}));
  show(a.layers[0]!);
  const columns: Column<Row>[] = [
    {label: "layer", text: true, value: (l) => l.name},
    {label: "energy", value: (l) => l.cost?.energy_pj ?? null, show: (l) => energy(l.cost?.energy_pj ?? 0)},
    {label: "cycles", value: (l) => l.cost?.cycles ?? null, show: (l) => grouped(l.cost?.cycles ?? 0)},
    {label: "used", value: (l) => l.cost?.utilization ?? null, show: (l) => percent(l.cost?.utilization ?? 0)},
    {label: "most in", text: true, value: (l) => l.cost?.most_energy_in ?? null},
  ];
  return h("div", {class: "two", "data-view": "layers"}, table(a.layers, columns, {caption: "Its layers", onPick: show, limit: 40}), nest);
}

export function codesignView(result: CodesignResult): Child[] {
  const chosen = chosenOf(result);
  const detail = h("div", {class: "detail"});
  const show = (a: CodesignArchitecture): void =>
    detail.replaceChildren(...[partsView(a), layersOf(a)].filter((child): child is HTMLElement => child instanceof HTMLElement));
  if (chosen) show(chosen);
  return [tilesOf(result), scatter(result), chosen && architectureTable(result, show), detail];
}

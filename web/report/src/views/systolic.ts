// The result of `systolic`: how long every layer takes on an array, and how much of the array works.
import * as Plot from "@observablehq/plot";
import {chart, legend} from "../chart";
import {h, type Child} from "../dom";
import {figure} from "../figure";
import {brief, grouped, percent, plural, significant} from "../format";
import {roomFor, shortNames} from "../names";
import {table, type Column} from "../table";
import {colour, MUTED} from "../theme";
import type {SystolicLayer, SystolicResult} from "../types";
import {distinct} from "./layers";
import {tiles} from "./tiles";

const DATAFLOWS = {os: "outputs stay", ws: "weights stay", is: "inputs stay"};

const workloadOf = (result: SystolicResult): string =>
  Object.values(result.inputs)
    .flat()
    .map((file) => file.name)
    .join(", ");

export function systolicTitle(result: SystolicResult): string {
  const {rows, columns} = result.array;
  return `${workloadOf(result)} takes ${brief(result.total.cycles)} cycles on ${rows} × ${columns} elements`;
}

// What an array does in the time: useful work, filling and draining, elements without work.
function partsOf(layer: SystolicLayer): {part: string; cycles: number}[] {
  const cycles = layer.cycles * layer.repeat;
  const used = cycles * layer.utilization;
  const held = layer.mapping_efficiency > 0 ? Math.min(1, used / cycles / layer.mapping_efficiency) : 0;
  return [
    {part: "used", cycles: used},
    {part: "unmapped", cycles: cycles * held - used},
    {part: "filling", cycles: cycles * (1 - held)},
  ];
}
const PARTS = [
  {key: "used", label: "multiply-accumulates", colour: colour(2)},
  {key: "unmapped", label: "elements that the layer leaves empty", colour: colour(1)},
  {key: "filling", label: "filling and draining", colour: MUTED},
];

function timeView(result: SystolicResult): HTMLElement | null {
  if (result.layers.length === 0) return null;
  const names = distinct(result.layers.map((layer) => layer.name));
  const rows = result.layers.flatMap((layer, i) =>
    partsOf(layer).map((part) => ({...part, layer: names[i]!, share: part.cycles / (layer.cycles * layer.repeat)})),
  );
  const total = rows.reduce((sum, row) => sum + row.cycles, 0) || 1;
  const share = (key: string): number =>
    rows.reduce((sum, row) => sum + (row.part === key ? row.cycles : 0), 0) / total;
  const least = result.layers.reduce((a, b) => (b.utilization < a.utilization ? b : a));
  return figure(
    "time",
    `${percent(share("used"), 0)} of what the array could multiply is used; least by ${least.name}, ${percent(least.utilization)}`,
    "Cycles of every layer, all repeats counted. An element is lost while the array fills and drains, and where a layer is too small to give it work.",
    legend(PARTS.map((part) => ({label: part.label, colour: part.colour, value: percent(share(part.key), 0)}))),
    chart("Cycles of every layer", (width) => ({
      height: 50 + 19 * names.length,
      marginLeft: roomFor(names),
      marginTop: 4,
      marginBottom: 38,
      marginRight: 20,
      x: {label: "cycles →", grid: true, ticks: width / 100, tickFormat: brief},
      y: {domain: names, label: null, tickSize: 0, padding: 0.25, tickFormat: shortNames(names)},
      color: {domain: PARTS.map((p) => p.key), range: PARTS.map((p) => p.colour)},
      marks: [
        Plot.barX(rows, {
          x: "cycles",
          y: "layer",
          fill: "part",
          tip: true,
          title: (row: (typeof rows)[number]) =>
            `${row.layer}\n${PARTS.find((p) => p.key === row.part)!.label}: ${percent(row.share)}`,
        }),
      ],
    })),
  );
}

function layerTable(result: SystolicResult): HTMLElement {
  const count = (label: string, value: (l: SystolicLayer) => number, tip?: string): Column<SystolicLayer> => ({
    label,
    value,
    show: (l) => grouped(value(l)),
    ...(tip && {tip}),
  });
  const columns: Column<SystolicLayer>[] = [
    {label: "layer", text: true, value: (l) => l.name},
    {
      label: "×",
      tip: "How often the network has the layer",
      value: (l) => l.repeat,
      show: (l) => (l.repeat > 1 ? grouped(l.repeat) : "·"),
    },
    count("operations", (l) => l.operations, "Multiply-accumulates of one run"),
    count("folds", (l) => l.folds, "How often the array is filled"),
    count("cycles per fold", (l) => l.cycles_per_fold),
    count("cycles", (l) => l.cycles),
    {
      label: "used",
      tip: "Operations as a share of what the array could do in these cycles",
      value: (l) => l.utilization,
      show: (l) => percent(l.utilization),
    },
    {
      label: "mapped",
      tip: "Elements that hold work, averaged over folds",
      value: (l) => l.mapping_efficiency,
      show: (l) => percent(l.mapping_efficiency),
    },
    count("input reads", (l) => l.sram.input_reads, "Words that the SRAM of the inputs delivers"),
    count("weight reads", (l) => l.sram.weight_reads),
    count("output writes", (l) => l.sram.output_writes),
  ];
  return h("div", {"data-view": "table"}, table(result.layers, columns, {caption: "Layers, each run once", limit: 200}));
}

export function systolicView(result: SystolicResult): Child[] {
  const {rows, columns, dataflow} = result.array;
  const {total} = result;
  return [
    tiles([
      {label: "cycles", value: grouped(total.cycles), below: plural(result.layers.length, "layer")},
      {
        label: "array",
        value: `${rows} × ${columns}`,
        below: DATAFLOWS[dataflow],
      },
      {
        label: "array used",
        value: percent(total.utilization),
        below: `${significant(total.operations / Math.max(1, total.cycles), 3)} operations per cycle`,
        tip: `Of all multiply-accumulates that ${grouped(rows * columns)} elements could do in ${grouped(total.cycles)} cycles, so many are done.`,
      },
      {label: "operations", value: grouped(total.operations), below: "multiply-accumulates"},
    ]),
    timeView(result),
    layerTable(result),
  ];
}

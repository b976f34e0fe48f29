// Where the energy and the time of a network go, layer by layer.
import * as Plot from "@observablehq/plot";
import {chart, legend} from "../chart";
import {h} from "../dom";
import {figure} from "../figure";
import {energy, grouped, percent, si} from "../format";
import {roomFor, shortNames} from "../names";
import {colour, MUTED} from "../theme";
import type {Layer} from "../types";

export type Answered = Layer & {cost: NonNullable<Layer["cost"]>};
export const answered = (layers: Layer[]): Answered[] =>
  layers.filter((layer): layer is Answered => layer.cost !== null && layer.cost !== undefined);

const MOST_ROWS = 60;
const ROW = 17;

// Names occur twice in some networks; a scale needs each once.
export function distinct(names: string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

interface Part {
  layer: string;
  part: string;
  pj: number;
  text: string;
}

export const levelNames = (layers: Layer[]): string[] => {
  const names = layers.find((layer) => layer.levels)?.levels?.map((level) => level.name) ?? [];
  return names.length ? [...names, "compute"] : ["energy"];
};

// Outermost first: DRAM stands out, computing is quiet.
export function levelColour(index: number, count: number): string {
  return index === count - 1 ? "var(--c7)" : colour([3, 0, 4, 2, 5, 1][index % 6]!);
}

function partsOf(layer: Answered, name: string): Part[] {
  const times = layer.repeat;
  if (!layer.levels || !layer.compute) {
    return [
      {
        layer: name,
        part: "energy",
        pj: layer.cost.energy_pj * times,
        text: energy(layer.cost.energy_pj * times),
      },
    ];
  }
  const total = layer.cost.energy_pj || 1;
  const part = (what: string, pj: number): Part => ({
    layer: name,
    part: what,
    pj: pj * times,
    text: `${what}: ${energy(pj * times)}, ${percent(pj / total)} of the layer`,
  });
  return [
    ...layer.levels.map((level) => part(level.name, level.energy_pj)),
    part("compute", layer.compute.energy_pj),
  ];
}

// "3 of 24 layers take half of the energy".
function half(layers: Answered[], value: (layer: Answered) => number, what: string): string {
  const values = layers.map(value).sort((a, b) => b - a);
  const total = values.reduce((a, b) => a + b, 0);
  let sum = 0;
  let count = 0;
  while (count < values.length && sum < total / 2) sum += values[count++]!;
  return `${count} of ${layers.length} layers ${count === 1 ? "takes" : "take"} half of the ${what}`;
}

// Where there is no room for two side by side, each needs its own names.
export const isStacked = (width: number): boolean =>
  width > 0.6 * (document.querySelector("main")?.clientWidth ?? Infinity);

// How many labels of an axis have room beside each other.
const ticksIn = (room: number, each: number): number => Math.max(2, Math.floor(room / each));

export function layersView(all: Layer[]): HTMLElement | null {
  let layers = answered(all);
  if (layers.length < 2) return null;
  const finding =
    `${half(layers, (l) => l.cost.energy_pj * l.repeat, "energy")}; ` +
    `${half(layers, (l) => l.cost.cycles * l.repeat, "time")}`;
  let left = "";
  if (layers.length > MOST_ROWS) {
    const most = new Set(
      layers
        .slice()
        .sort((a, b) => b.cost.energy_pj * b.repeat - a.cost.energy_pj * a.repeat)
        .slice(0, MOST_ROWS),
    );
    left = ` The ${MOST_ROWS} layers of most energy are drawn; all are in the table.`;
    layers = layers.filter((layer) => most.has(layer));
  }
  const names = distinct(
    layers.map((layer) => (layer.repeat > 1 ? `${layer.name} ×${layer.repeat}` : layer.name)),
  );
  const levels = levelNames(layers);
  const parts = layers.flatMap((layer, i) => partsOf(layer, names[i]!));
  const cycles = layers.map((layer, i) => ({
    layer: names[i]!,
    cycles: layer.cost.cycles * layer.repeat,
    by: layer.cost.limited_by,
    text: `${grouped(layer.cost.cycles * layer.repeat)} cycles, limited by ${layer.cost.limited_by}`,
  }));
  const all_pj = parts.reduce((sum, part) => sum + part.pj, 0) || 1;
  const spent = (level: string): number =>
    parts.reduce((sum, part) => sum + (part.part === level ? part.pj : 0), 0);
  const all_cycles = cycles.reduce((sum, layer) => sum + layer.cycles, 0) || 1;
  const taken = (by: string): number =>
    cycles.reduce((sum, layer) => sum + (layer.by === by ? layer.cycles : 0), 0);
  const limits = [...new Set(cycles.map((c) => c.by))].sort(
    (a, b) => Number(b === "compute") - Number(a === "compute"),
  );
  const limitColours = limits.map((by, i) => (by === "compute" ? MUTED : colour(i)));
  const height = names.length * ROW + 46;
  const y = {domain: names, label: null, padding: 0.25, tickFormat: shortNames(names)};
  const energies = chart("Energy of every layer by level, as stacked bars", (width) => ({
    height,
    marginLeft: roomFor(names),
    marginTop: 6,
    marginBottom: 40,
    x: {
      label: "energy, all repeats",
      tickFormat: (pj: number) => energy(pj),
      ticks: ticksIn(width - roomFor(names), 90),
      grid: true,
    },
    y: {...y, tickSize: 0},
    color: {domain: levels, range: levels.map((_, i) => levelColour(i, levels.length))},
    marks: [
      Plot.barX(parts, {
        x: "pj",
        y: "layer",
        fill: "part",
        title: (d: Part) => `${d.layer}\n${d.text}`,
        tip: true,
      }),
      Plot.ruleX([0], {stroke: MUTED}),
    ],
  }));
  const times = chart("Cycles of every layer, as bars", (width) => ({
    height,
    marginLeft: isStacked(width) ? roomFor(names) : 6,
    marginTop: 6,
    marginBottom: 40,
    x: {
      label: "cycles, all repeats",
      tickFormat: (n: number) => si(n, ""),
      ticks: ticksIn(width - (isStacked(width) ? roomFor(names) : 6), 70),
      grid: true,
    },
    y: {...y, axis: isStacked(width) ? "left" : null, tickSize: 0},
    color: {domain: limits, range: limitColours},
    marks: [
      Plot.barX(cycles, {
        x: "cycles",
        y: "layer",
        fill: "by",
        title: (d: {layer: string; text: string}) => `${d.layer}\n${d.text}`,
        tip: true,
      }),
      Plot.ruleX([0], {stroke: MUTED}),
    ],
  }));
  return figure(
    "layers",
    finding,
    `Energy by the level where it is spent, and cycles by what limits them, in the order of the network; every repeat is counted.${left}`,
    h(
      "div",
      {class: "legends"},
      legend(
        levels.map((label, i) => ({
          label,
          colour: levelColour(i, levels.length),
          value: `${energy(spent(label))}, ${percent(spent(label) / all_pj, 0)}`,
        })),
      ),
      legend(
        limits.map((by, i) => ({
          label: `limited by ${by}`,
          colour: limitColours[i]!,
          value: percent(taken(by) / all_cycles, 0),
        })),
      ),
    ),
    h("div", {class: "two wide-first"}, energies, times),
  );
}

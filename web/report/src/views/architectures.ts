// Pictures of architectures: energy against cycles, what an operation costs, where energy and area go.
import * as Plot from "@observablehq/plot";
import {chart, legend, logTicks} from "../chart";
import {type Child} from "../dom";
import {figure} from "../figure";
import {area, brief, energy, grouped, percent, significant} from "../format";
import {roomFor, shortNames} from "../names";
import {colour} from "../theme";
import type {CodesignArchitecture, CodesignResult} from "../types";
import {chosenOf, metricOf, numbers, perLayer} from "./chosen";
import {levelColour} from "./layers";

// What an operation costs in each layer on its own architecture, by level.
function layerBars(result: CodesignResult): Child {
  const parts = result.architectures.flatMap((a) => {
    const layer = a.layers[0];
    return layer
      ? Object.entries(a.energy_parts_pj ?? {}).map(([part, pj]) => ({
          layer: layer.name,
          part,
          per: pj / layer.operations,
          a,
        }))
      : [];
  });
  if (parts.length === 0) return null;
  const levels = [...new Set(parts.map((p) => p.part))];
  const layers = [...new Set(parts.map((p) => p.layer))];
  const per = new Map(
    layers.map((name) => [name, parts.filter((p) => p.layer === name).reduce((sum, p) => sum + p.per, 0)]),
  );
  const meanOf = (level: string): number =>
    parts.reduce((sum, p) => sum + (p.part === level ? p.per : 0), 0) / layers.length;
  const most = layers.reduce((a, b) => (per.get(b)! > per.get(a)! ? b : a));
  const least = layers.reduce((a, b) => (per.get(b)! < per.get(a)! ? b : a));
  return figure(
    "pareto",
    `An operation takes from ${significant(per.get(least)!, 3)} pJ (${least}) to ${significant(per.get(most)!, 3)} pJ (${most})`,
    "Energy per operation of every layer on an architecture of its own, by the level where it is spent.",
    legend(
      levels.map((label, i) => ({
        label,
        colour: levelColour(i, levels.length),
        value: `${significant(meanOf(label), 3)} pJ on average`,
      })),
    ),
    chart("Energy per operation of every layer", (width) => ({
      height: 50 + 19 * layers.length,
      marginLeft: roomFor(layers),
      marginTop: 4,
      marginBottom: 38,
      marginRight: 20,
      x: {label: "pJ per operation →", grid: true, ticks: width / 90},
      y: {domain: layers, label: null, tickSize: 0, padding: 0.25, tickFormat: shortNames(layers)},
      color: {domain: levels, range: levels.map((_, i) => levelColour(i, levels.length))},
      marks: [
        Plot.barX(parts, {
          x: "per",
          y: "layer",
          fill: "part",
          tip: true,
          title: (p: (typeof parts)[number]) =>
            `${p.layer}: ${p.part} ${significant(p.per, 3)} pJ\n${Object.entries(p.a.attributes)
              .map(([k, v]) => `${k} ${grouped(v)}`)
              .join("\n")}`,
        }),
      ],
    })),
  );
}

export function architecturesView(result: CodesignResult): Child {
  const all = result.architectures;
  if (all.length < 2) return null;
  if (perLayer(result)) return layerBars(result);
  const chosen = chosenOf(result)!;
  const base = result.baseline;
  const title = (a: CodesignArchitecture): string =>
    `${Object.entries(a.attributes)
      .map(([k, v]) => `${k} ${grouped(v)}`)
      .join("\n")}\n` +
    `${energy(a.total.energy_pj)}, ${grouped(a.total.cycles)} cycles${a.area_um2 === null ? "" : `, ${area(a.area_um2)}`}`;
  const fastest = all.reduce((a, b) => (b.total.cycles < a.total.cycles ? b : a));
  const least = all.reduce((a, b) => (b.total.energy_pj < a.total.energy_pj ? b : a));
  const finding = `The fastest takes ${percent(fastest.total.energy_pj / least.total.energy_pj - 1)} more energy than the one of least energy, which is ${significant(least.total.cycles / fastest.total.cycles, 3)}× as slow`;
  const points = all.map((a) => ({a, pj: a.total.energy_pj, cycles: a.total.cycles}));
  // In these two alone; the others are better in another figure, such as area.
  const front = points
    .filter(
      (p) =>
        !points.some(
          (q) => q !== p && q.pj <= p.pj && q.cycles <= p.cycles && (q.pj < p.pj || q.cycles < p.cycles),
        ),
    )
    .sort((p, q) => p.cycles - q.cycles);
  const scale = (values: number[], show: (n: number) => string, room: number): Plot.ScaleOptions => {
    const [low, high] = [Math.min(...values) / 1.15, Math.max(...values) * 1.15];
    return high / low > 20
      ? {type: "log", domain: [low, high], ticks: logTicks(low, high), tickFormat: show}
      : {nice: true, ticks: room, tickFormat: show};
  };
  const cycles = points.map((p) => p.cycles).concat(base ? [base.total.cycles] : []);
  const energies = points.map((p) => p.pj).concat(base ? [base.total.energy_pj] : []);
  return figure(
    "pareto",
    finding,
    `A dot is an architecture, full where none is better in both energy and cycles; the ring is the one of least ${metricOf(result)}, which is shown below.`,
    legend([
      {label: "architectures", colour: colour(0), value: `${points.length}, ${front.length} full`},
      {
        label: `chosen: least ${metricOf(result)}`,
        colour: colour(3),
        value: `${energy(chosen.total.energy_pj)}, ${brief(chosen.total.cycles)} cycles`,
      },
      ...(base
        ? [
            {
              label: base.name,
              colour: colour(7),
              value: `${energy(base.total.energy_pj)}, ${brief(base.total.cycles)} cycles`,
            },
          ]
        : []),
    ]),
    chart("Energy against cycles of every architecture", (width) => ({
      height: 330,
      marginLeft: 84,
      marginBottom: 42,
      marginTop: 24,
      marginRight: 24,
      x: {label: "cycles →", ...scale(cycles, brief, width / 110)},
      y: {label: "↑ energy", grid: true, ...scale(energies, energy, 6)},
      marks: [
        Plot.line(front, {x: "cycles", y: "pj", stroke: colour(0), curve: "step-after"}),
        Plot.dot(points, {
          x: "cycles",
          y: "pj",
          stroke: colour(0),
          fill: (p: (typeof points)[number]) => (front.includes(p) ? colour(0) : "var(--paper)"),
          r: 4,
        }),
        base
          ? Plot.dot([base.total], {x: "cycles", y: "energy_pj", fill: colour(7), r: 5, symbol: "square"})
          : null,
        Plot.dot([chosen.total], {x: "cycles", y: "energy_pj", stroke: colour(3), strokeWidth: 2.5, r: 9}),
        Plot.tip(
          points,
          Plot.pointer({x: "cycles", y: "pj", title: (p: {a: CodesignArchitecture}) => title(p.a)}),
        ),
      ],
    })),
  );
}

// Where area and energy go, one bar each.
export function partsView(a: CodesignArchitecture): Child {
  const energies = Object.entries(a.energy_parts_pj ?? {});
  const areas = Object.entries(a.area_parts_um2 ?? {}).filter(([, v]) => v > 0);
  if (energies.length === 0) return null;
  const names = energies.map(([name]) => name);
  const sum = (list: [string, number][]): number => list.reduce((total, [, v]) => total + v, 0) || 1;
  const rows = [
    ...energies.map(([part, v]) => ({what: "energy", part, share: v / sum(energies), text: energy(v)})),
    ...areas.map(([part, v]) => ({what: "area", part, share: v / sum(areas), text: area(v)})),
  ];
  const most = rows.filter((r) => r.what === "energy").reduce((x, y) => (y.share > x.share ? y : x));
  const room = rows
    .filter((r) => r.what === "area")
    .reduce<typeof most | null>((x, y) => (x && x.share >= y.share ? x : y), null);
  return figure(
    "parts",
    `${most.part} takes ${percent(most.share, 0)} of the energy${room ? `, ${room.part} ${percent(room.share, 0)} of the area` : ""}`,
    `Of the architecture ${numbers(a)}.`,
    legend(
      names.map((label, i) => ({
        label,
        colour: levelColour(i, names.length),
        value: rows
          .filter((r) => r.part === label)
          .map((r) => r.text)
          .join(", "),
      })),
    ),
    chart("Shares of energy and area", () => ({
      height: 104,
      marginLeft: 60,
      marginBottom: 32,
      marginTop: 4,
      marginRight: 20,
      x: {label: null, domain: [0, 1], tickFormat: (s: number) => percent(s, 0), ticks: 5},
      y: {label: null, tickSize: 0, domain: areas.length ? ["energy", "area"] : ["energy"]},
      color: {domain: names, range: names.map((_, i) => levelColour(i, names.length))},
      marks: [
        Plot.barX(rows, {
          x: "share",
          y: "what",
          fill: "part",
          title: (r: (typeof rows)[number]) => `${r.part}: ${r.text}, ${percent(r.share)}`,
          tip: true,
        }),
      ],
    })),
  );
}

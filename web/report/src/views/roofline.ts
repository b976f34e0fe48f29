// Operations per cycle against operations per off-chip word: how close each layer is to what the
// array can do at most.
import * as Plot from "@observablehq/plot";
import {chart, legend, logTicks} from "../chart";
import {figure} from "../figure";
import {brief, grouped, percent, plural, significant} from "../format";
import {shortNames} from "../names";
import {colour} from "../theme";
import type {Layer} from "../types";
import {answered, type Answered} from "./layers";

interface Point {
  name: string;
  intensity: number;
  speed: number;
  compute: boolean;
  share: number;
  text: string;
}

function lanesOf(layer: Answered): number {
  if (layer.compute) return layer.compute.lanes;
  return Math.round(layer.operations / (layer.cost.cycles * (layer.cost.utilization || 1)));
}

// Words per cycle of the outermost level, from a layer that keeps it busy; null where it has no limit.
function bandwidthOf(layers: Answered[]): number | null {
  for (const layer of layers) {
    const outer = layer.levels?.[0];
    if (!outer || outer.cycles === 0 || outer.limit === "none") continue;
    let words = 0;
    for (const tensor of Object.values(outer.tensors)) {
      if (outer.limit !== "write") words += tensor.total.reads;
      if (outer.limit !== "read") words += tensor.total.updates + tensor.total.fills;
    }
    if (words > 0) return words / outer.cycles;
  }
  return null;
}

// The few layers worth a name: the extremes, which lie apart from the crowd.
function extremes(points: Point[]): Point[] {
  const by = (key: (p: Point) => number): Point[] => points.slice().sort((a, b) => key(a) - key(b));
  const speed = by((p) => p.speed);
  const intensity = by((p) => p.intensity);
  return [...new Set([speed[0]!, intensity[0]!, intensity.at(-1)!])];
}

// A name below its dot, moved into the picture; not where another one is already.
interface Label {
  name: string;
  point: Point;
  shift: number; // pixels to the right
}
function labels(points: Point[], across: (p: Point) => number, up: (p: Point) => number, right: number): Label[] {
  const short = shortNames(points.map((point) => point.name));
  const placed: (Label & {from: number; to: number})[] = [];
  for (const point of extremes(points)) {
    const name = short(point.name);
    const half = 3.4 * name.length + 4;
    const middle = Math.min(Math.max(across(point), half), right - half);
    const meets = placed.some(
      (other) =>
        middle - half < other.to && other.from < middle + half && Math.abs(up(point) - up(other.point)) < 16,
    );
    if (!meets)
      placed.push({name, point, shift: middle - across(point), from: middle - half, to: middle + half});
  }
  return placed;
}

export function rooflineView(all: Layer[]): HTMLElement | null {
  const layers = answered(all).filter((layer) => layer.cost.cycles > 0 && layer.cost.offchip_words > 0);
  if (layers.length === 0) return null;
  const peak = lanesOf(layers[0]!);
  const bandwidth = bandwidthOf(layers);
  const time = layers.reduce((sum, layer) => sum + layer.cost.cycles * layer.repeat, 0);
  const points: Point[] = layers.map((layer) => {
    const intensity = layer.operations / layer.cost.offchip_words;
    const speed = layer.operations / layer.cost.cycles;
    return {
      name: layer.name,
      intensity,
      speed,
      compute: layer.cost.limited_by === "compute",
      share: (layer.cost.cycles * layer.repeat) / time,
      text:
        `${layer.name}\n${significant(speed)} operations per cycle, ${percent(layer.cost.utilization)} of the array\n` +
        `${significant(intensity)} operations per off-chip word\nlimited by ${layer.cost.limited_by}`,
    };
  });
  const used = layers.reduce((sum, l) => sum + l.operations * l.repeat, 0) / (time * peak);
  const bound = points.filter((point) => !point.compute).length;
  const told = (compute: boolean): string => {
    const own = points.filter((point) => point.compute === compute);
    const share = own.reduce((sum, point) => sum + point.share, 0);
    return `${plural(own.length, "layer")}, ${percent(share, 0)} of the time`;
  };
  const finding =
    `The array does ${percent(used)} of the operations that it could; ` +
    (bound === 0 ? "no layer waits for memory" : `${bound} of ${points.length} layers wait for memory`);
  const low = Math.min(...points.map((p) => p.intensity)) / 2;
  const high = Math.max(...points.map((p) => p.intensity)) * 2;
  const floor = Math.min(Math.min(...points.map((p) => p.speed)) / 1.6, peak / 2);
  const ridge = bandwidth ? peak / bandwidth : low;
  const roof =
    bandwidth && ridge > low
      ? [
          {x: Math.max(low, floor / bandwidth), y: Math.max(floor, low * bandwidth)},
          {x: Math.min(ridge, high), y: Math.min(peak, high * bandwidth)},
          ...(ridge < high ? [{x: high, y: peak}] : []),
        ]
      : [
          {x: low, y: peak},
          {x: high, y: peak},
        ];
  const height = layers.length > 3 ? 280 : 190;
  const margin = {marginLeft: 62, marginBottom: 44, marginTop: 26, marginRight: 20};
  const along = (value: number, from: number, to: number): number => Math.log(value / from) / Math.log(to / from);
  const labelsIn = (width: number): Label[] => {
    const room = width - margin.marginLeft - margin.marginRight;
    return labels(
      points,
      (p) => room * along(p.intensity, low, high),
      (p) => (height - margin.marginTop - margin.marginBottom) * along(p.speed, floor, peak * 1.3),
      room,
    );
  };
  const picture = chart("Operations per cycle of every layer against operations per off-chip word", (width) => ({
    height,
    ...margin,
    clip: false,
    x: {
      type: "log",
      domain: [low, high],
      label: "operations per off-chip word →",
      tickFormat: (n: number) => brief(n),
      ticks: logTicks(low, high),
    },
    y: {
      type: "log",
      domain: [floor, peak * 1.3],
      label: "↑ operations per cycle",
      tickFormat: (n: number) => brief(n),
      ticks: logTicks(floor, peak * 1.3),
      grid: true,
    },
    r: {range: [3, 13], domain: [0, Math.max(...points.map((p) => p.share))]},
    marks: [
      Plot.line(roof, {x: "x", y: "y", stroke: "currentColor", strokeWidth: 1.5}),
      Plot.text([{x: high, y: peak}], {
        x: "x",
        y: "y",
        text: [`${grouped(peak)} lanes`],
        dy: -20, // above the dots
        textAnchor: "end",
      }),
      Plot.dot(points, {
        x: "intensity",
        y: "speed",
        r: "share",
        fill: (d: Point) => (d.compute ? colour(0) : colour(3)),
        fillOpacity: 0.55,
        stroke: (d: Point) => (d.compute ? colour(0) : colour(3)),
      }),
      ...labelsIn(width).map((label) =>
        Plot.text([label.point], {
          x: "intensity",
          y: "speed",
          text: [label.name],
          dx: label.shift,
          dy: 20,
          textAnchor: "middle",
          fill: "currentColor",
          stroke: "var(--paper)",
          strokeWidth: 4,
        }),
      ),
      Plot.tip(points, Plot.pointer({x: "intensity", y: "speed", title: "text"})),
    ],
  }));
  const memory = bandwidth
    ? `The slope is the ${significant(bandwidth)} word${bandwidth === 1 ? "" : "s"} per cycle of ${layers[0]!.levels?.[0]?.name ?? "the outermost level"}.`
    : "The outermost level has no limit of bandwidth, so that the roof is flat.";
  return figure(
    "roofline",
    finding,
    `A dot is a layer, its size the share of the time; the line is what the architecture can do at most. ${memory}`,
    legend([
      {label: "limited by compute", colour: colour(0), value: told(true)},
      ...(bound ? [{label: "limited by memory", colour: colour(3), value: told(false)}] : []),
    ]),
    picture,
  );
}

// One run of a mix over time: arrays, memory channel, on-chip memory, and the sub-batches of every
// workload.
import {legend} from "../chart";
import {note} from "../dom";
import {figure} from "../figure";
import {bytes, percent, seconds} from "../format";
import {colour} from "../theme";
import type {LaneSpec} from "../timeline/lane";
import type {Box} from "../timeline/model";
import {Timeline} from "../timeline/view";
import {distinct} from "./layers";
import type {BatchResult, Trace, TraceEvent} from "../types";

const ACCELERATOR = 1;
const TRACKS = [
  {tid: 1, name: "PE arrays"},
  {tid: 2, name: "memory channel"},
];
const us = (t: number): string => seconds(t * 1e-6);
const SERIES = [0, 1, 2, 3, 5, 4, 6];
const seriesOf = (index: number): number => SERIES[index % SERIES.length]!;

function track(events: TraceEvent[], tid: number, name: string, workloads: string[]): LaneSpec {
  const own = events.filter((e) => e.ph === "X" && e.pid === ACCELERATOR && e.tid === tid);
  const boxes: Box[] = own.map((e) => ({
    x0: e.ts!,
    x1: e.ts! + e.dur!,
    y0: 0,
    y1: 1,
    colour: seriesOf(workloads.indexOf(e.cat ?? "")),
    label: e.name,
  }));
  const end = boxes.reduce((last, b) => Math.max(last, b.x1), 1e-9);
  const busy = boxes.reduce((sum, b) => sum + b.x1 - b.x0, 0) / end;
  return {
    name: `${name}, busy ${percent(Math.min(1, busy), 0)}`,
    boxes,
    height: 1,
    pixels: 34,
    tick: null,
    tip: (i) => {
      const e = own[i]!;
      const amounts = Object.entries(e.args ?? {}).map(([key, value]) =>
        key === "bytes" ? bytes(Number(value)) : `${String(value)} ${key}`,
      );
      return `${e.name}\n${us(e.dur!)} from ${us(e.ts!)}\n${amounts.join(", ")}`;
    },
  };
}

// Feature maps at the bottom, weights above: samples hold until the next one.
function occupancy(events: TraceEvent[], end: number, memory: number): LaneSpec {
  const samples = events.filter((e) => e.ph === "C");
  const boxes: Box[] = [];
  const tips: string[] = [];
  samples.forEach((e, i) => {
    const until = samples[i + 1]?.ts ?? end;
    const maps = Number(e.args?.["feature maps"] ?? 0);
    const weights = Number(e.args?.["weights"] ?? 0);
    if (until <= e.ts!) return;
    const text = `${bytes(maps)} of feature maps, ${bytes(weights)} of weights\nfrom ${us(e.ts!)} to ${us(until)}`;
    if (maps > 0) {
      boxes.push({x0: e.ts!, x1: until, y0: 0, y1: maps, colour: 4, label: ""});
      tips.push(text);
    }
    if (weights > 0) {
      boxes.push({x0: e.ts!, x1: until, y0: maps, y1: maps + weights, colour: 7, label: ""});
      tips.push(text);
    }
  });
  return {
    name: `on-chip memory, ${bytes(memory)}: feature maps below, weights above`,
    boxes,
    height: memory,
    pixels: 90,
    tick: bytes,
    tip: (i) => tips[i]!,
  };
}

// Asynchronous begin and end nest, which gives the depth.
function subBatches(
  events: TraceEvent[],
  name: string,
  pid: number,
  index: number,
  end: number,
): LaneSpec | null {
  const boxes: Box[] = [];
  const open: {ts: number; name: string}[] = [];
  for (const e of events) {
    if (e.pid !== pid) continue;
    if (e.ph === "b") open.push({ts: e.ts!, name: e.name});
    const begun = e.ph === "e" ? open.pop() : undefined;
    if (begun)
      boxes.push({
        x0: begun.ts,
        x1: e.ts!,
        y0: open.length,
        y1: open.length + 1,
        colour: begun.name.includes("batch of") ? seriesOf(index) : 7,
        label: begun.name,
      });
  }
  open.forEach((begun, depth) =>
    boxes.push({x0: begun.ts, x1: end, y0: depth, y1: depth + 1, colour: seriesOf(index), label: begun.name}),
  );
  if (boxes.length === 0) return null;
  const depth = boxes.reduce((most, b) => Math.max(most, b.y1), 0);
  const flipped = boxes.map((b) => ({...b, y0: depth - b.y1, y1: depth - b.y0}));
  return {
    name: `${name}: batches, and parts that were set aside below them`,
    boxes: flipped,
    height: depth,
    pixels: Math.min(90, 16 + 14 * depth),
    tick: null,
    tip: (i) => `${name}: ${boxes[i]!.label}\nfrom ${us(boxes[i]!.x0)} to ${us(boxes[i]!.x1)}`,
  };
}

export function traceView(result: BatchResult, trace: Trace | undefined): HTMLElement {
  if (!trace)
    return note(
      "The run over time is drawn where trace.json lies beside result.json: give the folder that 'inlay batch -o' wrote.",
    );
  const events = trace.traceEvents;
  const processes = events
    .filter((e) => e.ph === "M" && e.name === "process_name" && e.pid > ACCELERATOR)
    .map((e) => ({pid: e.pid, name: String(e.args?.["name"] ?? "")}));
  const written = distinct(processes.map((process) => process.name));
  const names = processes.map((process, i) => ({...process, written: written[i]!}));
  const workloads = [...new Set(names.map((n) => n.name))];
  const end = events.reduce((latest, e) => Math.max(latest, (e.ts ?? 0) + (e.dur ?? 0)), 0) || 1;
  const lanes = [
    ...TRACKS.map((t) => track(events, t.tid, t.name, workloads)),
    occupancy(events, end, result.accelerator.memory_bytes),
    ...names
      .map((n) => subBatches(events, n.written, n.pid, workloads.indexOf(n.name), end))
      .filter((lane): lane is LaneSpec => lane !== null),
  ];
  const timeline = new Timeline({describe: "The run over time", end, lanes, tick: us, least: end / 1e6});
  const busyWith = (workload: string): number =>
    events.reduce(
      (sum, e) =>
        sum + (e.ph === "X" && e.pid === ACCELERATOR && e.tid === 1 && e.cat === workload ? e.dur! : 0),
      0,
    );
  const samples = events.filter((e) => e.ph === "C");
  const most = samples.reduce(
    (max, e) => Math.max(max, Number(e.args?.["feature maps"] ?? 0) + Number(e.args?.["weights"] ?? 0)),
    0,
  );
  return figure(
    "trace",
    `${result.traced ?? "The run"} over time: the on-chip memory is filled to ${percent(most / result.accelerator.memory_bytes, 0)} at most`,
    "Time to the right. A box on the arrays is a layer that is computed, on the channel weights that are fetched.",
    legend(
      workloads.map((label, i) => ({
        label,
        colour: colour(seriesOf(i)),
        value: `${percent(busyWith(label) / end, 0)} of the arrays' time`,
      })),
    ),
    timeline.element,
  );
}

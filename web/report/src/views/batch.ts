// The result of `batch`: the policies against each other and against what is possible, then one run
// over time.
import * as Plot from "@observablehq/plot";
import {chart, legend} from "../chart";
import {h, type Child} from "../dom";
import {figure} from "../figure";
import {bytes, grouped, percent, plural, seconds, si, significant} from "../format";
import {table, type Column} from "../table";
import {colour, MUTED} from "../theme";
import type {BatchPolicy, BatchResult, Trace} from "../types";
import {isStacked} from "./layers";
import {traceView} from "./trace";
import {tiles} from "./tiles";

const IDLE = [
  {key: "busy", label: "busy", colour: "var(--c2)"},
  {key: "capacity", label: "idle: no room on chip", colour: "var(--c3)"},
  {key: "bandwidth", label: "idle: waits for the channel", colour: "var(--c0)"},
  {key: "dependency", label: "idle: waits for a layer", colour: "var(--c7)"},
] as const;

const BEST = colour(4);
const CONTROLS: Record<string, string> = {
  LB: "no waiting at all, a lower bound",
  PU: "unlimited memory and window",
  PW: "unlimited room for feature maps",
};

const ended = (result: BatchResult): BatchPolicy[] => result.policies.filter((policy) => !policy.deadlocked);

function bestOf(result: BatchResult): BatchPolicy | null {
  const named = result.policies.find((policy) => policy.name === result.best);
  return (
    named ??
    ended(result).reduce<BatchPolicy | null>(
      (a, b) => (a && a.makespan_cycles <= b.makespan_cycles ? a : b),
      null,
    )
  );
}

export function batchTitle(result: BatchResult): string {
  const best = bestOf(result);
  if (!best) return `${result.mix} on ${result.accelerator.name}: every policy came to a deadlock`;
  const others = ended(result);
  const worst = others.reduce((a, b) => (b.makespan_cycles > a.makespan_cycles ? b : a), best);
  const gain = worst.makespan_cycles / best.makespan_cycles;
  return (
    `${result.mix} on ${result.accelerator.name}: ${best.name} ends after ${seconds(best.makespan_cycles / result.accelerator.clock_hz)}` +
    (gain > 1.005 ? `, ${significant(gain, 3)}× as fast as ${worst.name}` : "")
  );
}

function policiesView(result: BatchResult): HTMLElement {
  const clock = result.accelerator.clock_hz;
  const names = result.policies.map((policy) => policy.name);
  const best = bestOf(result);
  const bars = ended(result).map((p) => ({...p, s: p.makespan_cycles / clock}));
  const controls = Object.entries(result.control)
    .filter(([, c]) => c.makespan_cycles > 0)
    .map(([name, c]) => ({name, s: c.makespan_cycles / clock}))
    .sort((a, b) => a.s - b.s);
  const top = 20 + 13 * controls.length;
  const margin = 14 + 6.6 * Math.max(...names.map((name) => name.length));
  const height = names.length * 24 + 40 + top;
  const spans = chart("Time of each policy, with bounds", (width) => ({
    height,
    marginLeft: margin,
    marginTop: top,
    marginBottom: 38,
    marginRight: 24,
    x: {
      label: "time until all is done →",
      tickFormat: (s: number) => seconds(s),
      ticks: width / 100,
      grid: true,
    },
    y: {domain: names, label: null, tickSize: 0, padding: 0.3},
    marks: [
      Plot.barX(bars, {
        x: "s",
        y: "name",
        fill: (d: BatchPolicy) => (d.name === best?.name ? BEST : MUTED),
        title: (d: BatchPolicy & {s: number}) =>
          `${d.name}\n${grouped(d.makespan_cycles)} cycles, ${seconds(d.s)}\n${significant(d.throughput_per_s)} inferences per second`,
        tip: true,
      }),
      Plot.ruleX(controls, {x: "s", stroke: "currentColor", strokeDasharray: "3 3"}),
      ...controls.map((control, i) =>
        Plot.text([control], {
          x: "s",
          text: "name",
          frameAnchor: "top",
          dy: -8 - 13 * (controls.length - 1 - i),
          textAnchor: "end",
          dx: -3,
        }),
      ),
      Plot.ruleX([0], {stroke: MUTED}),
    ],
  }));
  const parts = ended(result).flatMap((p) => {
    const idle = p.idle.capacity + p.idle.bandwidth + p.idle.dependency;
    const rest = idle > 0 ? (1 - p.pe_busy) / idle : 0;
    return [
      {policy: p.name, part: "busy", share: p.pe_busy},
      ...(["capacity", "bandwidth", "dependency"] as const).map((key) => ({
        policy: p.name,
        part: key as string,
        share: p.idle[key] * rest,
      })),
    ];
  });
  const busy = chart("What the arrays do under each policy", (width) => ({
    height,
    marginLeft: isStacked(width) ? margin : 6,
    marginTop: top,
    marginBottom: 38,
    marginRight: 20,
    x: {
      label: "share of the time →",
      domain: [0, 1],
      tickFormat: (s: number) => percent(s, 0),
      ticks: width / 80,
    },
    y: {domain: names, label: null, axis: isStacked(width) ? "left" : null, tickSize: 0, padding: 0.3},
    color: {domain: IDLE.map((i) => i.key), range: IDLE.map((i) => i.colour)},
    marks: [
      Plot.barX(parts, {
        x: "share",
        y: "policy",
        fill: "part",
        title: (d: {policy: string; part: string; share: number}) =>
          `${d.policy}\n${IDLE.find((i) => i.key === d.part)!.label}: ${percent(d.share)}`,
        tip: true,
      }),
    ],
  }));
  const bound = result.control["LB"]?.makespan_cycles ?? 0;
  const finding =
    best && bound > 0
      ? `${best.name} is ${percent(best.makespan_cycles / bound - 1)} above the lower bound`
      : "The policies compared";
  return figure(
    "policies",
    finding,
    `How long each policy takes, and what the arrays do meanwhile${best ? `; the figures beside the colours are those of ${best.name}` : ""}. ${controls.map((c) => `${c.name}: ${CONTROLS[c.name] ?? ""}`).join("; ")}.`,
    h(
      "div",
      {class: "legends"},
      best &&
        legend([
          {label: best.name, colour: BEST, value: `the best, ${seconds(best.makespan_cycles / clock)}`},
          {label: "other policies", colour: MUTED},
        ]),
      best &&
      legend(
        IDLE.map((i) => ({
          label: i.label,
          colour: i.colour,
          value: percent(parts.find((p) => p.policy === best.name && p.part === i.key)?.share ?? 0),
          tip: `Of the arrays under ${best.name}`,
        })),
      ),
    ),
    h("div", {class: "two"}, spans, busy),
  );
}

function policyTable(result: BatchResult): HTMLElement {
  const columns: Column<BatchPolicy>[] = [
    {
      label: "policy",
      text: true,
      value: (p) => p.name,
      show: (p) => (p.deadlocked ? `${p.name} (deadlock)` : p.name),
    },
    {label: "cycles", value: (p) => p.makespan_cycles, show: (p) => grouped(p.makespan_cycles)},
    {label: "inferences/s", value: (p) => p.throughput_per_s, show: (p) => significant(p.throughput_per_s)},
    {
      label: "busy",
      tip: "Share of the time that the arrays work",
      value: (p) => p.pe_busy,
      show: (p) => percent(p.pe_busy),
    },
    {
      label: "used",
      tip: "Operations as a share of what the arrays could do",
      value: (p) => p.utilization,
      show: (p) => percent(p.utilization),
    },
    {
      label: "fetched",
      value: (p) => p.fetched_bytes ?? null,
      show: (p) => (p.fetched_bytes === undefined ? "·" : bytes(p.fetched_bytes)),
    },
    {
      label: "again",
      tip: "Weights that were fetched once more",
      value: (p) => p.refetched_bytes ?? null,
      show: (p) => (p.refetched_bytes ? bytes(p.refetched_bytes) : "·"),
    },
    {
      label: "most on chip",
      value: (p) => p.peak_bytes ?? null,
      show: (p) => (p.peak_bytes === undefined ? "·" : bytes(p.peak_bytes)),
    },
    {label: "splits", value: (p) => p.splits, show: (p) => grouped(p.splits)},
    {label: "merges", value: (p) => p.merges, show: (p) => grouped(p.merges)},
    {label: "deadlocks", value: (p) => p.deadlocks, show: (p) => grouped(p.deadlocks)},
  ];
  if (result.policies.some((p) => p.latency)) {
    columns.push(
      {
        label: "p50",
        value: (p) => p.latency?.p50_ms ?? null,
        show: (p) => (p.latency ? seconds(p.latency.p50_ms / 1e3) : "·"),
      },
      {
        label: "p99",
        tip: "99 of 100 requests are answered within",
        value: (p) => p.latency?.p99_ms ?? null,
        show: (p) => (p.latency ? seconds(p.latency.p99_ms / 1e3) : "·"),
      },
    );
  }
  return h("div", {"data-view": "table"}, table(result.policies, columns, {caption: "Policies"}));
}

export function batchView(result: BatchResult, trace: Trace | undefined): Child[] {
  const best = bestOf(result);
  const {rows, columns, arrays} = result.accelerator;
  const elements = rows * columns * arrays;
  return [
    best &&
      tiles([
        {
          label: "best policy",
          value: best.name,
          below: `of ${plural(result.policies.length, "policy")}`,
        },
        {
          label: "makespan",
          value: seconds(best.makespan_cycles / result.accelerator.clock_hz),
          below: `${grouped(best.makespan_cycles)} cycles`,
        },
        {label: "throughput", value: `${significant(best.throughput_per_s)}/s`, below: "inferences"},
        {
          label: "arrays busy",
          value: percent(best.pe_busy),
          below: `${percent(best.utilization)} of their peak operations`,
          tip:
            `Busy: the share of the time in which the arrays work at all. While they work, not every element has something to do. ` +
            `Of all multiply-accumulates that ${grouped(elements)} elements could do in ${grouped(best.makespan_cycles)} cycles, ${percent(best.utilization)} are done.`,
        },
        {
          label: "on-chip memory",
          value: bytes(result.accelerator.memory_bytes),
          below: best.peak_bytes === undefined ? "" : `${bytes(best.peak_bytes)} used at most`,
        },
        {
          label: "workloads",
          value: String(result.workloads.length),
          below: result.workloads
            .map((w) => `${w.batches > 1 ? `${si(w.batches, "")} × ` : ""}${w.batch} ${w.network}`)
            .join(", "),
        },
      ]),
    policiesView(result),
    traceView(result, trace),
    policyTable(result),
  ];
}

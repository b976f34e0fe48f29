// Where the time of a plan goes, step by step.
import * as Plot from "@observablehq/plot";
import {chart, legend} from "../chart";
import {figure} from "../figure";
import {bytes, percent, seconds} from "../format";
import {nodesText} from "../plan_steps";
import {colour, MUTED} from "../theme";
import type {PlanResult} from "../types";

const time = (us: number): string => seconds(us * 1e-6);

// A bar: one step, or as many neighbours as share a pixel or two.
interface Bar {
  from: number; // half-open
  to: number;
  us: number;
  by: string;
  bytes: number;
}
const MOST_BARS = 800;

export function barsOf(plan: PlanResult, most = MOST_BARS): Bar[] {
  const per = Math.ceil(plan.steps.length / most);
  const bars = new Map<string, Bar>();
  plan.steps.forEach((step, index) => {
    if (!step.limited_by) return;
    const from = Math.floor(index / per) * per;
    const key = `${from} ${step.limited_by}`;
    const bar = bars.get(key) ?? {
      from,
      to: Math.min(from + per, plan.steps.length),
      us: 0,
      by: step.limited_by,
      bytes: 0,
    };
    bar.us += step.latency_us ?? 0;
    bar.bytes += step.offchip_bytes ?? 0;
    bars.set(key, bar);
  });
  return [...bars.values()];
}

const goesTo = (by: string): string =>
  by === "compute" ? "computing" : by === "offchip" ? "off-chip traffic" : `traffic of ${by}`;

export function stepsView(plan: PlanResult): HTMLElement | null {
  const bars = barsOf(plan);
  if (bars.length === 0) return null;
  const limits = [...new Set(bars.map((bar) => bar.by))].sort(
    (a, b) => Number(b === "compute") - Number(a === "compute") || a.localeCompare(b),
  );
  const total = bars.reduce((sum, bar) => sum + bar.us, 0) || 1;
  const share = (by: string): number =>
    bars.reduce((sum, bar) => sum + (bar.by === by ? bar.us : 0), 0) / total;
  const first = limits.reduce((a, b) => (share(b) > share(a) ? b : a));
  const others = limits.filter((by) => by !== "compute");
  const colourOf = (by: string): string =>
    by === "compute" ? MUTED : colour([3, 0, 2, 5, 4, 1][others.indexOf(by) % 6]!);
  const single = bars.every((bar) => bar.to - bar.from === 1);
  const title = (bar: Bar): string =>
    (single ? `${bar.from}: ${nodesText(plan.steps[bar.from]!)}` : `steps ${bar.from} to ${bar.to - 1}`) +
    `\n${time(bar.us)}, limited by ${bar.by}\n${bytes(bar.bytes)} off chip`;
  const picture = chart("Latency of every step", (width) => ({
    height: 210,
    marginLeft: 66,
    marginBottom: 38,
    marginTop: 22,
    x: {label: "step →", ticks: Math.min(width / 80, plan.steps.length), domain: [0, plan.steps.length]},
    y: {label: "↑ latency of the step", tickFormat: (us: number) => time(us), grid: true, ticks: 5},
    color: {domain: limits, range: limits.map(colourOf)},
    marks: [
      Plot.rectY(bars, {
        x1: "from",
        x2: "to",
        y: "us",
        fill: "by",
        inset: bars.length > 300 ? 0 : 0.5,
        title,
        tip: true,
      }),
      Plot.ruleY([0], {stroke: MUTED}),
    ],
  }));
  return figure(
    "steps",
    `${percent(share(first), 0)} of the time goes to ${goesTo(first)}`,
    `The latency of ${single ? "each step" : `every ${bars[0]!.to - bars[0]!.from} steps`} in the order of the schedule, coloured by what limits it.`,
    legend(
      limits.map((by) => ({
        label: by === "offchip" ? "limited by off-chip traffic" : `limited by ${by}`,
        colour: colourOf(by),
        value: `${time(total * share(by))}, ${percent(share(by), 0)}`,
      })),
    ),
    picture,
  );
}

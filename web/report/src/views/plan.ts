// The result of `plan`: what it wins, the memories over time, and every step.
import * as Plot from "@observablehq/plot";
import {chart, legend} from "../chart";
import {figure, h, note, type Child} from "../dom";
import {bytes, change, energy, percent, plural, seconds, significant} from "../format";
import {table, type Column} from "../table";
import {colour, MUTED} from "../theme";
import type {PlanResult, PlanStep} from "../types";
import {certificateText, certificateTip} from "./certificate";
import {memoriesView} from "./memories";
import {tiles} from "./tiles";

const time = (us: number): string => seconds(us * 1e-6);

export function planTitle(plan: PlanResult): string {
  const won = plan.baseline.latency_us / plan.latency_us;
  return (
    `${plan.network} on ${plan.machine} takes ${time(plan.latency_us)}` +
    (won > 1.005 ? `, ${significant(won, 3)}× as fast as without a plan` : "")
  );
}

function planTiles(plan: PlanResult): HTMLElement {
  const against = (before: number, after: number): string => `${change(before, after)} against nothing kept`;
  return tiles([
    {
      label: "latency",
      value: time(plan.latency_us),
      below: against(plan.baseline.latency_us, plan.latency_us),
    },
    {
      label: "off-chip traffic",
      value: bytes(plan.offchip_bytes),
      below: against(plan.baseline.offchip_bytes, plan.offchip_bytes),
    },
    {label: "energy", value: energy(plan.energy_pj), below: against(plan.baseline.energy_pj, plan.energy_pj)},
    {
      label: "kept on chip",
      value: plural(plan.residencies.length, "residency"),
      below: `${plural(plan.transfers.length, "transfer")}, ${plural(plan.steps.length, "step")}`,
    },
    {
      label: "certificate",
      value: certificateText(plan.certificate),
      below: "",
      tip: certificateTip(plan.certificate),
    },
  ]);
}

function stepsView(plan: PlanResult): HTMLElement | null {
  const steps = plan.steps
    .map((step, index) => ({
      ...step,
      index,
      us: step.latency_us ?? 0,
      by: step.limited_by ?? "",
      bytes: step.offchip_bytes ?? 0,
    }))
    .filter((step) => step.by !== "");
  if (steps.length === 0) return null;
  const limits = [...new Set(steps.map((step) => step.by))].sort(
    (a, b) => Number(b === "compute") - Number(a === "compute") || a.localeCompare(b),
  );
  const total = plan.latency_us || 1;
  const shares = limits
    .map((by) => ({by, share: steps.filter((s) => s.by === by).reduce((sum, s) => sum + s.us, 0) / total}))
    .sort((a, b) => b.share - a.share);
  const first = shares[0]!;
  const range = limits.map((by, i) =>
    by === "compute" ? MUTED : colour([3, 0, 2, 5, 4, 1][(i + (limits[0] === "compute" ? 5 : 0)) % 6]!),
  );
  const picture = chart("Latency of every step", (width) => ({
    height: 210,
    marginLeft: 66,
    marginBottom: 38,
    marginTop: 22,
    x: {label: "step →", ticks: width / 80, domain: [0, plan.steps.length]},
    y: {label: "↑ latency of the step", tickFormat: (us: number) => time(us), grid: true, ticks: 5},
    color: {domain: limits, range},
    marks: [
      Plot.rectY(steps, {
        x1: (d: {index: number}) => d.index,
        x2: (d: {index: number}) => d.index + 1,
        y: "us",
        fill: "by",
        inset: steps.length > 300 ? 0 : 0.5,
        title: (d: PlanStep & {index: number; us: number; bytes: number}) =>
          `${d.index}: ${d.node}\n${time(d.us)}, limited by ${d.limited_by}\n${bytes(d.bytes)} off chip`,
        tip: true,
      }),
      Plot.ruleY([0], {stroke: MUTED}),
    ],
  }));
  return figure(
    "steps",
    `${percent(first.share, 0)} of the time goes to ${first.by === "compute" ? "computing" : first.by === "offchip" ? "off-chip traffic" : `traffic of ${first.by}`}`,
    "The latency of each step in the order of the schedule, coloured by what limits it.",
    legend(
      limits.map((by, i) => ({
        label: by === "offchip" ? "limited by off-chip traffic" : `limited by ${by}`,
        colour: range[i]!,
      })),
    ),
    picture,
  );
}

function stepTable(plan: PlanResult): HTMLElement {
  const rows = plan.steps.map((step, index) => ({...step, index}));
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    {label: "node", text: true, value: (s) => s.node},
    {label: "step", value: (s) => s.index},
    {label: "unit", text: true, value: (s) => s.unit},
    {
      label: "latency",
      value: (s) => s.latency_us ?? null,
      show: (s) => (s.latency_us === undefined ? "·" : time(s.latency_us)),
    },
    {label: "limited by", text: true, value: (s) => s.limited_by ?? null},
    {
      label: "off chip",
      value: (s) => s.offchip_bytes ?? null,
      show: (s) => (s.offchip_bytes ? bytes(s.offchip_bytes) : "·"),
    },
    {
      label: "workspace",
      value: (s) => s.workspace?.bytes ?? null,
      show: (s) => (s.workspace ? `${bytes(s.workspace.bytes)} in ${s.workspace.memory}` : "·"),
    },
  ];
  return h("div", {"data-view": "table"}, table(rows, columns, {caption: "Steps", limit: 30}));
}

export function planView(plan: PlanResult): Child[] {
  return [
    planTiles(plan),
    memoriesView(plan),
    stepsView(plan),
    stepTable(plan),
    note("A step is one node of the network; times are half-open."),
  ];
}

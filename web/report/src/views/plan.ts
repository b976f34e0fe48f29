// The result of `plan`: what it wins, the memories over time, and every step.
import {h, note, type Child} from "../dom";
import {bytes, change, energy, grouped, plural, seconds, significant} from "../format";
import {isFused, nodesText, unitsText} from "../plan_steps";
import {table, type Column} from "../table";
import type {PlanResult} from "../types";
import {certificateText, certificateTip} from "./certificate";
import {coverageView} from "./coverage";
import {machineView} from "./machine";
import {memoriesView} from "./memories";
import {edgesView} from "./plan_edges";
import {FusedSteps} from "./plan_fused";
import {planNetwork} from "./plan_network";
import {progressView} from "./progress";
import {stepsView} from "./steps";
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
  const against = (before: number, after: number): string =>
    before === after ? "as with nothing kept" : `${change(before, after)} against nothing kept`;
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
      value: grouped(plan.residencies.length),
      below: `residencies, ${plural(plan.transfers.length, "transfer")}`,
    },
    {
      label: "certificate",
      value: certificateText(plan.certificate),
      below: "",
      tip: certificateTip(plan.certificate),
    },
  ]);
}

function stepTable(plan: PlanResult): HTMLElement {
  const rows = plan.steps.map((step, index) => ({...step, index}));
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    {label: "node", text: true, wrap: plan.steps.some(isFused), value: (s) => nodesText(s)},
    {label: "step", value: (s) => s.index},
    {label: "unit", text: true, value: (s) => unitsText(s)},
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

// The objective is one of the three; a latency is in microseconds.
function planProgress(plan: PlanResult): HTMLElement | null {
  const effort = plan.measured;
  if (!effort?.progress) return null;
  const objective = String(plan.options["objective"] ?? "latency");
  const shows: Record<string, (value: number) => string> = {latency: time, bytes, energy};
  return progressView({
    name: plan.network,
    answer: "plan",
    label: objective,
    show: shows[objective] ?? time,
    certificate: plan.certificate ?? null,
    seconds: effort.seconds,
    progress: effort.progress,
    work: effort.nodes > 0 ? `${plural(effort.nodes, "round")} of search.` : "",
  });
}

export function planView(plan: PlanResult): Child[] {
  const fused = new FusedSteps(plan);
  return [
    planTiles(plan),
    machineView(plan),
    memoriesView(plan, (step) => fused.show(step)),
    fused.element,
    edgesView(plan),
    planNetwork(plan),
    stepsView(plan),
    stepTable(plan),
    planProgress(plan),
    coverageView(plan.coverage, "take the time of their bytes only, none for their operations"),
    plan.unused_units && note(`No node runs on ${plan.unused_units.join(", ")}.`),
    note("A step is one node of the network, several side by side on equal units, or several fused. What stays from step 2 to step 5 is gone when step 5 begins."),
  ];
}

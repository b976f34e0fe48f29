// The tensors that nodes pass on: which stay in tiles of a fused step, and what the others cost.
import {h} from "../dom";
import {bytes, change, grouped, plural, seconds} from "../format";
import {table, type Column} from "../table";
import type {PlanEdge, PlanResult, PlanStep} from "../types";

const time = (us: number): string => seconds(us * 1e-6);

// Why a tensor does not stay in tiles, in the words of the page.
const STATES: Record<PlanEdge["state"], (edge: PlanEdge) => string> = {
  fused: (edge) => `in tiles of step ${edge.first_step}`,
  fits: () => "could be one step",
  "no-room": (edge) => `lacks ${bytes(edge.joined?.missing_bytes ?? 0)} of room`,
  "no-tree": () => "no tree that fits was found",
  "no-gain": () => "saves next to nothing",
  apart: () => "cannot be one step",
};

// What the steps from the writer to the last reader take in the plan.
function apart(plan: PlanResult, edge: PlanEdge, figure: (step: PlanStep) => number): number {
  return plan.steps.slice(edge.first_step, edge.last_step + 1).reduce((sum, step) => sum + figure(step), 0);
}

export function edgesView(plan: PlanResult): HTMLElement | null {
  const edges = plan.fusion?.edges ?? [];
  if (edges.length === 0) return null;
  const open = edges.filter((edge) => edge.state !== "fused");
  const cost = open.reduce((sum, edge) => sum + edge.offchip_bytes, 0);
  const rows = edges.slice().sort((a, b) => b.offchip_bytes - a.offchip_bytes);
  const bytesApart = (edge: PlanEdge): number => apart(plan, edge, (step) => step.offchip_bytes ?? 0);
  const timeApart = (edge: PlanEdge): number => apart(plan, edge, (step) => step.latency_us ?? 0);
  const joined: Column<PlanEdge>[] = [
    {
      label: "as one: room",
      tip: "Room of the tiles, if the steps from its writer to its last reader were one",
      value: (edge) => edge.joined?.room_bytes ?? null,
      show: (edge) => (edge.joined ? bytes(edge.joined.room_bytes) : "·"),
    },
    {
      label: "as one: off chip",
      tip: "Bytes off chip of that one step, with everything else as it is, against those steps in this plan",
      value: (edge) => edge.joined?.offchip_bytes ?? null,
      show: (edge) =>
        edge.joined ? `${bytes(edge.joined.offchip_bytes)} (${change(bytesApart(edge), edge.joined.offchip_bytes)})` : "·",
    },
    {
      label: "as one: latency",
      tip: "Time of that one step, with everything else as it is, against those steps in this plan",
      value: (edge) => edge.joined?.latency_us ?? null,
      show: (edge) =>
        edge.joined ? `${time(edge.joined.latency_us)} (${change(timeApart(edge), edge.joined.latency_us)})` : "·",
    },
  ];
  const columns: Column<PlanEdge>[] = [
    {label: "tensor", text: true, value: (edge) => edge.tensor},
    {label: "from → to", text: true, wrap: true, value: (edge) => `${edge.from} → ${edge.to.join(", ")}`},
    {label: "bytes", value: (edge) => edge.bytes, show: (edge) => bytes(edge.bytes)},
    {
      label: "off chip",
      tip: "What of the tensor goes to and comes from off chip in this plan",
      value: (edge) => edge.offchip_bytes,
      show: (edge) => (edge.offchip_bytes ? bytes(edge.offchip_bytes) : "·"),
    },
    {label: "fused?", text: true, wrap: true, value: (edge) => STATES[edge.state](edge)},
    ...(edges.some((edge) => edge.joined) ? joined : []),
  ];
  const caption =
    `${grouped(edges.length - open.length)} of ${plural(edges.length, "tensor")} that nodes pass on stay in tiles` +
    (open.length ? `; of the others ${cost > 0 ? bytes(cost) : "nothing"} goes off chip or comes back` : "");
  return h("div", {"data-view": "edges"}, table(rows, columns, {caption, limit: 15}));
}

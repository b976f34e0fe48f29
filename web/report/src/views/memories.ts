// Scratchpads over time: what lies at which address during which steps.
import {legend} from "../chart";
import {figure, h} from "../dom";
import {bytes, grouped, percent, seconds} from "../format";
import {colour} from "../theme";
import type {LaneSpec} from "../timeline/lane";
import type {Box} from "../timeline/model";
import {Timeline} from "../timeline/view";
import type {PlanResult, Residency, Transfer} from "../types";

// How a tensor came to be there.
const ORIGINS = [
  {key: "made", label: "made on chip", colour: 2},
  {key: "fetch", label: "fetched when needed", colour: 1},
  {key: "prefetch", label: "prefetched", colour: 0},
  {key: "move", label: "moved from another memory", colour: 5},
  {key: "workspace", label: "workspace of a tiling", colour: 7},
] as const;
type Origin = (typeof ORIGINS)[number]["key"];

function origins(plan: PlanResult): (residency: Residency) => Origin {
  const arrivals = new Map<string, Transfer[]>();
  for (const transfer of plan.transfers) {
    const key = `${transfer.to}\n${transfer.tensor}`;
    arrivals.set(key, [...(arrivals.get(key) ?? []), transfer]);
  }
  return (r) => {
    const came = arrivals.get(`${r.memory}\n${r.tensor}`)?.find((t) => t.start >= r.from && t.start < r.to);
    return came && came.kind !== "write-back" ? (came.kind as Origin) : "made";
  };
}

const colourOf = (origin: Origin): number => ORIGINS.find((o) => o.key === origin)!.colour;

interface Entry {
  residency: Residency;
  origin: Origin;
}

function entriesOf(plan: PlanResult): Map<string, Entry[]> {
  const origin = origins(plan);
  const entries = new Map<string, Entry[]>(plan.memories.map((memory) => [memory.name, []]));
  for (const residency of plan.residencies)
    entries.get(residency.memory)?.push({residency, origin: origin(residency)});
  plan.steps.forEach((step, index) => {
    if (!step.workspace) return;
    entries.get(step.workspace.memory)?.push({
      origin: "workspace",
      residency: {
        tensor: `workspace of ${step.node}`,
        memory: step.workspace.memory,
        address: step.workspace.address,
        bytes: step.workspace.bytes,
        from: index,
        to: index + 1,
      },
    });
  });
  return entries;
}

function tipOf(plan: PlanResult, entry: Entry): string {
  const r = entry.residency;
  const nodes =
    r.to - r.from > 1
      ? `${plan.order[r.from] ?? ""} … ${plan.order[r.to - 1] ?? ""}`
      : (plan.order[r.from] ?? "");
  return (
    `${r.tensor}\n${bytes(r.bytes)} at ${grouped(r.address)}, ${ORIGINS.find((o) => o.key === entry.origin)!.label}\n` +
    `steps ${r.from} to ${r.to - 1}: ${nodes}`
  );
}

// Where a step begins, in steps or in microseconds.
function clock(plan: PlanResult, inTime: boolean): number[] {
  const starts = [0];
  for (const step of plan.steps) starts.push(starts.at(-1)! + (inTime ? (step.latency_us ?? 0) : 1));
  return starts;
}

function lanes(plan: PlanResult, entries: Map<string, Entry[]>, starts: number[]): LaneSpec[] {
  return plan.memories.map((memory) => {
    const own = entries.get(memory.name)!;
    const boxes: Box[] = own.map(({residency: r, origin}) => ({
      x0: starts[r.from] ?? 0,
      x1: starts[r.to] ?? starts.at(-1)!,
      y0: r.address,
      y1: r.address + r.bytes,
      colour: colourOf(origin),
      label: r.tensor,
    }));
    return {
      name: `${memory.name}: ${bytes(memory.bytes)}, at most ${percent(memory.peak_bytes / memory.bytes, 0)} used`,
      boxes,
      height: memory.bytes,
      pixels: plan.memories.length > 2 ? 120 : 190,
      tick: bytes,
      tip: (i) => tipOf(plan, own[i]!),
    };
  });
}

export function memoriesView(plan: PlanResult): HTMLElement | null {
  if (plan.memories.length === 0 || plan.steps.length === 0) return null;
  const entries = entriesOf(plan);
  const steps = clock(plan, false);
  const times = clock(plan, true);
  const stepTick = (x: number): string => (Number.isInteger(x) ? grouped(x) : "");
  const timeTick = (us: number): string => seconds(us * 1e-6);
  const timeline = new Timeline({
    describe: "Scratchpads over time, address upward",
    end: steps.at(-1)!,
    lanes: lanes(plan, entries, steps),
    tick: stepTick,
    least: 2,
  });
  let inTime = false;
  const button = h("button", {type: "button", class: "tool"}, "Show time instead of steps");
  button.addEventListener("click", () => {
    inTime = !inTime;
    button.textContent = inTime ? "Show steps instead of time" : "Show time instead of steps";
    const starts = inTime ? times : steps;
    timeline.retime(
      starts.at(-1)!,
      lanes(plan, entries, starts),
      inTime ? timeTick : stepTick,
      inTime ? times.at(-1)! / 1e5 : 2,
    );
  });
  if (times.at(-1)! > 0)
    timeline.element.firstElementChild!.insertBefore(
      button,
      timeline.element.firstElementChild!.children[3] ?? null,
    );
  const used = new Set([...entries.values()].flat().map((entry) => entry.origin));
  const peak = plan.memories.reduce((a, b) => (b.peak_bytes / b.bytes > a.peak_bytes / a.bytes ? b : a));
  const mean =
    plan.memories.reduce((sum, m) => sum + m.mean_bytes, 0) /
    plan.memories.reduce((sum, m) => sum + m.bytes, 0);
  return figure(
    "memories",
    `${peak.name} is filled to ${percent(peak.peak_bytes / peak.bytes, 0)} at step ${peak.peak_step}; on average ${percent(mean, 0)} of the room on chip is used`,
    "Address upward, schedule to the right: a box is a tensor that stays at its address from one step to another. Steps are the nodes of the network in their order.",
    legend(ORIGINS.filter((o) => used.has(o.key)).map((o) => ({label: o.label, colour: colour(o.colour)}))),
    timeline.element,
  );
}

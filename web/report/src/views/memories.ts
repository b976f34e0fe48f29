// Scratchpads over time: what lies at which address during which steps.
import {legend} from "../chart";
import {h} from "../dom";
import {figure} from "../figure";
import {bytes, grouped, percent, plural, seconds} from "../format";
import {FUSED, indexOf, operatorOf, OPERATORS, tensorKind, type Kind} from "../kinds";
import {besideText, isFused, nodesText, runsIn, runsOf, timeOf, type Run} from "../plan_steps";
import {colour} from "../theme";
import type {LaneSpec} from "../timeline/lane";
import type {Box} from "../timeline/model";
import {Timeline} from "../timeline/view";
import type {PlanResult, Residency, Transfer} from "../types";

// How a tensor came to be there.
const ORIGINS: Kind[] = [
  {key: "made", label: "made on chip", colour: 2},
  {key: "fetch", label: "fetched when needed", colour: 1},
  {key: "prefetch", label: "prefetched", colour: 0},
  {key: "move", label: "moved from another memory", colour: 5},
  {key: "workspace", label: "workspace of a tiling", colour: 7},
];

interface Entry {
  residency: Residency;
  kind: Kind; // of tensor
  origin: Kind;
}

function origins(plan: PlanResult): (residency: Residency) => Kind {
  const arrivals = new Map<string, Transfer[]>();
  for (const transfer of plan.transfers) {
    const key = `${transfer.to}\n${transfer.tensor}`;
    const list = arrivals.get(key);
    if (list) list.push(transfer);
    else arrivals.set(key, [transfer]);
  }
  return (r) => {
    const came = arrivals.get(`${r.memory}\n${r.tensor}`)?.find((t) => t.start >= r.from && t.start < r.to);
    const key = came && came.kind !== "write-back" ? came.kind : "made";
    return ORIGINS.find((origin) => origin.key === key)!;
  };
}

// What lies in each memory, workspaces too.
export function entriesOf(plan: PlanResult): Map<string, Entry[]> {
  const origin = origins(plan);
  const {tensor} = indexOf(plan.graph);
  const entries = new Map<string, Entry[]>(plan.memories.map((memory) => [memory.name, []]));
  for (const residency of plan.residencies)
    entries.get(residency.memory)?.push({
      residency,
      kind: tensorKind(tensor.get(residency.tensor)?.role ?? "tensor"),
      origin: origin(residency),
    });
  plan.steps.forEach((step, index) => {
    if (!step.workspace) return;
    const {memory, address, bytes} = step.workspace;
    entries.get(memory)?.push({
      kind: tensorKind("workspace"),
      origin: ORIGINS.at(-1)!,
      residency: {tensor: isFused(step) ? `tiles of step ${index}` : `workspace of ${nodesText(step)}`, memory, address, bytes, from: index, to: index + 1},
    });
  });
  return entries;
}

function tipOf(plan: PlanResult, entry: Entry): string {
  const r = entry.residency;
  const nodesAt = (step: number): string => nodesText(plan.steps[step]!);
  const nodes =
    r.to - r.from > 1
      ? `${nodesAt(r.from)} … ${nodesAt(r.to - 1)}`
      : nodesAt(r.from);
  const what = entry.kind.key === "workspace" ? [] : [entry.kind.label, entry.origin.label];
  return (
    `${r.tensor}\n${[`${bytes(r.bytes)} at ${grouped(r.address)}`, ...what].join(", ")}\n` +
    `${r.to - r.from > 1 ? `steps ${r.from} to ${r.to - 1}` : `step ${r.from}`}: ${nodes}`
  );
}

// Where a step begins, in steps or in microseconds.
function clock(plan: PlanResult, inTime: boolean): number[] {
  const starts = [0];
  for (const step of plan.steps) starts.push(starts.at(-1)! + (inTime ? (step.latency_us ?? 0) : 1));
  return starts;
}

type Shade = (entry: Entry) => Kind;

function memoryLanes(
  plan: PlanResult,
  entries: Map<string, Entry[]>,
  starts: number[],
  shade: Shade,
  show: (step: number) => void,
): LaneSpec[] {
  return plan.memories.map((memory) => {
    const own = entries.get(memory.name)!;
    const boxes: Box[] = own.map((entry) => ({
      x0: starts[entry.residency.from] ?? 0,
      x1: starts[entry.residency.to] ?? starts.at(-1)!,
      y0: entry.residency.address,
      y1: entry.residency.address + entry.residency.bytes,
      colour: shade(entry).colour,
      label: entry.residency.tensor,
    }));
    return {
      name: `${memory.name}: ${bytes(memory.bytes)}, at most ${percent(memory.peak_bytes / memory.bytes, 0)} used`,
      boxes,
      height: memory.bytes,
      pixels: plan.memories.length > 2 ? 120 : 190,
      tick: bytes,
      tip: (i) => tipOf(plan, own[i]!),
      pick: (i) => {
        if (own[i]!.kind.key === "workspace") show(own[i]!.residency.from);
      },
    };
  });
}

// A node in the lane of its unit; of a fused step a part of its time, below a band over all of them.
interface UnitBox {
  run: Run;
  band: boolean;
  box: Box;
}

function unitBoxes(run: Run, starts: number[], op: (node: string) => string): UnitBox[] {
  const [from, to] = [starts[run.at]!, starts[run.at + 1]!];
  const box = {x0: from, x1: to, y0: 0, y1: 1, colour: operatorOf(op(run.node)).colour, label: run.node};
  if (!isFused(run.step)) return [{run, band: false, box}];
  const together = runsIn(run.step, run.at);
  const place = together.findIndex((one) => one.node === run.node);
  const begin = (i: number): number => from + ((to - from) * i) / together.length;
  const part = {run, band: false, box: {...box, x0: begin(place), x1: begin(place + 1), y1: 0.6}};
  if (place > 0) return [part];
  const label = `${together.length} fused`;
  return [{run, band: true, box: {...box, y0: 0.6, colour: FUSED.colour, label}}, part];
}

// Plans that were only replayed say less of their trees.
const hasTrees = (plan: PlanResult): boolean => (plan.fusion?.fused ?? []).length > 0;

// What every unit runs when.
function unitLanes(plan: PlanResult, starts: number[], show: (step: number) => void): LaneSpec[] {
  const {node} = indexOf(plan.graph);
  const runs = runsOf(plan);
  const op = (name: string): string => node.get(name)?.op ?? "";
  const cost = ({step}: Run): string =>
    step.latency_us === undefined ? "" : `\n${seconds(step.latency_us * 1e-6)}, limited by ${step.limited_by}`;
  return [...new Set(runs.map((run) => run.unit))].map((unit) => {
    const own = runs.filter((run) => run.unit === unit);
    const shown = own.flatMap((run) => unitBoxes(run, starts, op));
    return {
      name: `${unit}: ${plural(own.length, "node")}`,
      boxes: shown.map(({box}) => box),
      height: 1,
      pixels: own.some((run) => isFused(run.step)) ? 46 : 30,
      tick: null,
      tip: (n) => {
        const {run, band} = shown[n]!;
        return band
          ? `fused step ${run.at}: ${plural(runsIn(run.step, run.at).length, "node")} under one tree of loops\n${nodesText(run.step)}${cost(run)}${hasTrees(plan) ? "\nclick for its tree" : ""}`
          : `${run.node}\nstep ${run.at}, ${op(run.node) || "node"}${besideText(run)}${cost(run)}`;
      },
      pick: (n) => show(shown[n]!.run.at),
    };
  });
}

// Of each kind: how many there are, and the bytes that they take on average over time.
function tensorKey(plan: PlanResult, entries: Map<string, Entry[]>, times: number[], shade: Shade): HTMLElement {
  const all = [...entries.values()].flat();
  const whole = times.at(-1)! || 1;
  const kinds = [...new Set(all.map(shade))];
  return legend(
    kinds.map((kind) => {
      const own = all.filter((entry) => shade(entry) === kind);
      const mean =
        own.reduce((sum, {residency: r}) => sum + r.bytes * (times[r.to]! - times[r.from]!), 0) / whole;
      return {
        label: kind.label,
        colour: colour(kind.colour),
        value: `${grouped(own.length)}, ${bytes(mean)} on average`,
        tip: `${plural(own.length, "residency")} of ${plural(plan.memories.length, "memory")}; bytes are averaged over the time of the plan`,
      };
    }),
  );
}

function operatorKey(plan: PlanResult): HTMLElement | null {
  const {node} = indexOf(plan.graph);
  if (node.size === 0) return null;
  const total = plan.latency_us || 1;
  const runs = runsOf(plan);
  const fused = runs.filter((run) => isFused(run.step));
  const share = (own: Run[]): string => `${percent(timeOf(own) / total, 0)} of the time`;
  const kinds = OPERATORS.flatMap((kind) => {
    const own = runs.filter((run) => operatorOf(node.get(run.node)?.op ?? "").key === kind.key);
    if (own.length === 0) return [];
    // How the time of a fused step is shared by its nodes is not known.
    const alone = own.filter((run) => !isFused(run.step));
    const time = alone.length ? [share(alone)] : [];
    const inside = own.length > alone.length ? [`${grouped(own.length - alone.length)} fused`] : [];
    return [{label: kind.label, colour: colour(kind.colour), value: [grouped(own.length), ...inside, ...time].join(", ")}];
  });
  const steps = new Set(fused.map((run) => run.step)).size;
  const bands = {label: FUSED.label, colour: colour(FUSED.colour), value: `${grouped(steps)}, ${share(fused)}`};
  return legend(steps ? [...kinds, bands] : kinds);
}

// `show` is called with the step of a node or a workspace that is clicked.
export function memoriesView(plan: PlanResult, show: (step: number) => void): HTMLElement | null {
  if (plan.memories.length === 0 || plan.steps.length === 0) return null;
  const entries = entriesOf(plan);
  const steps = clock(plan, false);
  const times = clock(plan, true);
  const stepTick = (x: number): string => (Number.isInteger(x) ? grouped(x) : "");
  const timeTick = (us: number): string => seconds(us * 1e-6);
  const hasKinds = plan.graph !== undefined;
  const shades: {label: string; shade: Shade}[] = [
    ...(hasKinds ? [{label: "kind of tensor", shade: (entry: Entry) => entry.kind}] : []),
    {label: "how it came there", shade: (entry: Entry) => entry.origin},
  ];
  let {shade} = shades[0]!;
  let inTime = false;
  const lanesAt = (starts: number[]): LaneSpec[] => [
    ...(hasKinds ? unitLanes(plan, starts, show) : []),
    ...memoryLanes(plan, entries, starts, shade, show),
  ];
  const timeline = new Timeline({
    describe: "Units and scratchpads over time, address upward",
    end: steps.at(-1)!,
    lanes: lanesAt(steps),
    tick: stepTick,
    least: 2,
  });
  const key = h("div", {class: "key"});
  const redraw = (): void => {
    const starts = inTime ? times : steps;
    const tick = inTime ? timeTick : stepTick;
    timeline.retime(starts.at(-1)!, lanesAt(starts), tick, inTime ? times.at(-1)! / 1e5 : 2);
  };
  const rekey = (): void =>
    key.replaceChildren(...[operatorKey(plan), tensorKey(plan, entries, times, shade)].filter((one) => one !== null));
  rekey();
  const button = h("button", {type: "button", class: "tool"}, "Show time instead of steps");
  button.addEventListener("click", () => {
    inTime = !inTime;
    button.textContent = inTime ? "Show steps instead of time" : "Show time instead of steps";
    redraw();
  });
  const select = h("select", null, ...shades.map(({label}, i) => h("option", {value: i}, label)));
  select.addEventListener("change", () => {
    ({shade} = shades[Number(select.value)]!);
    rekey();
    redraw();
  });
  if (times.at(-1)! > 0) timeline.addTool(button);
  if (shades.length > 1) timeline.addTool(h("label", {class: "by"}, "colours: ", select));
  const peak = plan.memories.reduce((a, b) => (b.peak_bytes / b.bytes > a.peak_bytes / a.bytes ? b : a));
  const mean =
    plan.memories.reduce((sum, m) => sum + m.mean_bytes, 0) /
    plan.memories.reduce((sum, m) => sum + m.bytes, 0);
  return figure(
    "memories",
    `${peak.name} is filled to ${percent(peak.peak_bytes / peak.bytes, 0)} at step ${peak.peak_step}; on average ${percent(mean, 0)} of the room on chip is used`,
    `Schedule to the right${hasKinds ? "; above what the units run, below" : ":"} the memories, address upward: a box is a tensor that stays at its address from one step to another. A step is a node of the network, or several side by side on equal units${plan.steps.some(isFused) ? ", or several fused, under a band: they run in turns, a tile at a time" : ""}.${hasTrees(plan) ? " A click on one shows its tree." : ""}`,
    key,
    timeline.element,
  );
}

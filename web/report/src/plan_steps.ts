// What runs in the steps of a plan: a node; several side by side, each on a unit of its own; or
// several fused, in turns on one unit.
import type {PlanResult, PlanStep} from "./types";

export interface Run {
  node: string;
  unit: string;
  step: PlanStep;
  at: number; // the place of the step
}

export const isFused = (step: PlanStep): boolean => (step.fused ?? []).length > 0;

export const runsIn = (step: PlanStep, at: number): Run[] => [
  ...[step, ...(step.beside ?? [])].map(({node, unit}) => ({node, unit, step, at})),
  ...(step.fused ?? []).map((node) => ({node, unit: step.unit, step, at})),
];
export const runsOf = (plan: PlanResult): Run[] => plan.steps.flatMap(runsIn);

// "left | right" side by side, "first → second" fused: the nodes of a step; and their units.
export const nodesText = (step: PlanStep): string =>
  runsIn(step, 0)
    .map((run) => run.node)
    .join(isFused(step) ? " → " : " | ");
export const unitsText = (step: PlanStep): string => [step, ...(step.beside ?? [])].map(({unit}) => unit).join(" | ");

// ", side by side with right": figures are known of steps, not of single nodes. "" where it is alone.
export function besideText(run: Run): string {
  const others = runsIn(run.step, run.at).filter((one) => one.node !== run.node);
  const how = isFused(run.step) ? "fused" : "side by side";
  return others.length ? `, ${how} with ${others.map((one) => one.node).join(", ")}` : "";
}

// A figure of the steps in which some nodes run, each step once.
export const sumOfSteps = (runs: Run[], figure: (step: PlanStep) => number): number =>
  [...new Set(runs.map((run) => run.step))].reduce((sum, step) => sum + figure(step), 0);
export const timeOf = (runs: Run[]): number => sumOfSteps(runs, (step) => step.latency_us ?? 0);

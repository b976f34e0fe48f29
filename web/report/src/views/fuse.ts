// The result of `fuse`: the best tree of several nodes beside the best without fusing, and the
// fewest off-chip words by the size of the pad.
import * as Plot from "@observablehq/plot";
import {chart, legend} from "../chart";
import {h, type Child} from "../dom";
import {figure} from "../figure";
import {edp, energy, grouped, percent, seconds, si} from "../format";
import {table, type Column} from "../table";
import {colour} from "../theme";
import type {Certificate, FuseCost, FuseResult, FuseRun} from "../types";
import {certificateText, certificateTip} from "./certificate";
import {fusedParts} from "./fused";
import {tiles} from "./tiles";

// What fusing saves of the off-chip words, as a share.
const saved = (fused: number, unfused: number): number => (unfused > 0 ? 1 - fused / unfused : 0);

export function fuseTitle(result: FuseResult): string {
  const words = result.total.offchip_words;
  const less = result.unfused ? saved(words, result.unfused.offchip_words) : 0;
  const what = `${result.problem} on ${result.architecture}`;
  if (less <= 0) return `${what} moves ${grouped(words)} words off chip, and fusing saves none`;
  return `${what} moves ${grouped(words)} words off chip, ${percent(less)} fewer than unfused`;
}

interface Choice {
  name: string;
  cost: FuseCost;
  room: number;
  certificate: Certificate;
}

function choiceTable(result: FuseResult): HTMLElement {
  const choices: Choice[] = [
    {name: "fused", cost: result.total, room: result.room_words, certificate: result.certificate},
  ];
  const unfused = result.unfused;
  if (unfused)
    choices.push({name: "unfused", cost: unfused, room: unfused.room_words, certificate: unfused.certificate});
  const columns: Column<Choice>[] = [
    {label: "mapping", text: true, value: (row) => row.name},
    {label: "off-chip words", value: (row) => row.cost.offchip_words, show: (row) => grouped(row.cost.offchip_words)},
    {label: "energy", value: (row) => row.cost.energy_pj, show: (row) => energy(row.cost.energy_pj)},
    {label: "cycles", value: (row) => row.cost.cycles, show: (row) => grouped(row.cost.cycles)},
    {label: "operations", value: (row) => row.cost.operations, show: (row) => grouped(row.cost.operations)},
    {label: "room", tip: "Words of the pad", value: (row) => row.room, show: (row) => grouped(row.room)},
    {label: "certificate", text: true, value: (row) => certificateText(row.certificate)},
  ];
  return h("div", {"data-view": "choices"}, table(choices, columns, {caption: "Fused and unfused"}));
}

function runTable(result: FuseResult): HTMLElement {
  const columns: Column<FuseRun>[] = [
    {label: "nodes", text: true, value: (run) => run.nodes.join(" → ")},
    {label: "off-chip words", value: (run) => run.cost.offchip_words, show: (run) => grouped(run.cost.offchip_words)},
    {label: "room", tip: "Words of the pad", value: (run) => run.room_words, show: (run) => grouped(run.room_words)},
    {label: "certificate", text: true, value: (run) => certificateText(run.certificate)},
  ];
  return h(
    "div",
    {"data-view": "runs"},
    table(result.runs, columns, {caption: "Runs: nodes under one tree, one after the other"}),
  );
}

interface Step {
  pad: number;
  words: number;
}

// The staircase, up to the largest pad of either.
function staircase(result: FuseResult): HTMLElement | null {
  const steps = (pairs: number[][] | undefined): Step[] =>
    (pairs ?? []).map((pair) => ({pad: pair[0]!, words: pair[1]!}));
  const fused = steps(result.front);
  const unfused = steps(result.unfused_front);
  const last = fused.at(-1);
  if (!last) return null;
  const most = Math.max(last.pad, unfused.at(-1)?.pad ?? 0);
  const upTo = (list: Step[]): Step[] => (list.length ? [...list, {pad: most, words: list.at(-1)!.words}] : []);
  const all = [...fused, ...unfused];
  const compulsory = result.compulsory_words;
  const low = Math.min(compulsory, ...all.map((step) => step.words));
  const high = Math.max(...all.map((step) => step.words));
  const line = (list: Step[], c: number): Plot.Markish =>
    Plot.lineY(upTo(list), {x: "pad", y: "words", curve: "step-after", stroke: colour(c), strokeWidth: 2});
  const open = (result.front_trees ?? []).filter((step) => !step.proven).length;
  const ends = unfused.at(-1);
  return figure(
    "staircase",
    ends
      ? `In ${grouped(most)} words, fusing saves ${percent(saved(last.words, ends.words))} of the off-chip words`
      : `In ${grouped(most)} words, ${grouped(last.words)} words move off chip`,
    `The fewest off-chip words by the size of the pad. ${open === 0 ? "Every step is proven." : `${open} of ${fused.length} steps are not proven.`} Compulsory are those that any mapping moves.`,
    legend([
      {label: "fused", colour: colour(0), value: `${si(last.words, "")} in the end`},
      ...(ends ? [{label: "unfused", colour: colour(1), value: `${si(ends.words, "")} in the end`}] : []),
      {label: "compulsory", colour: colour(2), value: si(compulsory, "")},
    ]),
    chart("Off-chip words by the size of the pad", (width) => ({
      height: 260,
      marginLeft: 72,
      marginBottom: 40,
      marginTop: 24,
      x: {label: "words of the pad →", ticks: width / 110, tickFormat: (words: number) => si(words, "")},
      y: {
        label: "↑ off-chip words",
        domain: [Math.max(0, low - (high - low) * 0.08), high + (high - low) * 0.05 || low + 1],
        tickFormat: (words: number) => si(words, ""),
        ticks: 5,
        grid: true,
      },
      marks: [
        Plot.ruleY([compulsory], {stroke: colour(2), strokeDasharray: "4 3"}),
        line(unfused, 1),
        line(fused, 0),
        Plot.tip(
          fused,
          Plot.pointerX({
            x: "pad",
            y: "words",
            title: (step: Step) => `pad ${grouped(step.pad)} words\n${grouped(step.words)} words off chip`,
          }),
        ),
      ],
    })),
  );
}

export function fuseView(result: FuseResult): Child[] {
  const total = result.total;
  return [
    tiles([
      {
        label: "off-chip words",
        value: grouped(total.offchip_words),
        below: `compulsory ${grouped(result.compulsory_words)}`,
      },
      {label: "certificate", value: certificateText(result.certificate), tip: certificateTip(result.certificate)},
      {label: "energy", value: energy(total.energy_pj)},
      {label: "cycles", value: grouped(total.cycles)},
      {label: "EDP", value: edp(total.edp), tip: "Energy-delay product: the energy times the cycles."},
      {
        label: "operations",
        value: grouped(total.operations),
        below: `${grouped(total.recomputed_operations)} recomputed, ${grouped(total.scaling_operations)} of scaling`,
      },
      {label: "search", value: seconds(result.measured.seconds)},
    ]),
    choiceTable(result),
    result.runs.length > 1 ? runTable(result) : null,
    staircase(result),
    ...fusedParts({...result, ...total}),
  ];
}

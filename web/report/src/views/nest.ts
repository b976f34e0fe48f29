// A mapping: its loop nest beside what every level holds and moves.
import {h, type Child} from "../dom";
import {figure} from "../figure";
import {grouped, percent} from "../format";
import {accesses, explainLoop, parseLine, type Access, type Line} from "../nest";
import {colour} from "../theme";
import type {Mapped} from "../types";
import {countsTable} from "./counts";
import {ladder} from "./ladder";

export const tensorColour = (index: number): string => colour([4, 1, 2, 5, 3, 0, 6, 7][index % 8]!);

// Dots that show which tensors a loop moves on in; hollow where the trips reuse.
function dots(dim: string, tensors: Access[]): Child {
  return h(
    "span",
    {class: "dots", "aria-hidden": "true"},
    ...tensors.map((tensor, index) =>
      h("span", {class: tensor.dims.has(dim) ? "dot" : "dot hollow", style: `--dot:${tensorColour(index)}`}),
    ),
  );
}

function lineItem(line: Line, depth: number, tensors: Access[]): HTMLElement {
  const indent = `--depth:${depth}`;
  if (line.kind === "level") {
    const keeps = typeof line.keeps === "string" ? line.keeps : line.keeps.join(", ");
    return h(
      "li",
      {class: "level", style: indent},
      h("b", null, line.level),
      h("span", {class: "keeps"}, keeps === "none" ? " holds nothing" : ` ${line.also ? "also " : ""}holds ${keeps}`),
    );
  }
  if (line.kind === "other") return h("li", {style: indent}, line.text);
  const item = h(
    "li",
    {class: line.kind, style: indent, tabindex: 0, "data-tip": explainLoop(line, tensors)},
    h(
      "span",
      {class: "loop"},
      h("span", {class: "word"}, line.kind),
      ` ${line.dim} in ${grouped(line.bound)}`,
      line.step === 1 ? "" : ` step ${grouped(line.step)}`,
      line.axis ? h("span", {class: "axis"}, ` on ${line.axis}`) : "",
    ),
    h("span", {class: "trips"}, `×${grouped(line.trips)}${line.last === line.step ? "" : " short"}`),
    dots(line.dim, tensors),
  );
  return item;
}

export function nestList(mapped: Mapped): HTMLElement {
  const tensors = accesses(mapped);
  let depth = 0;
  const items = mapped.mapping.map((text) => {
    const line = parseLine(text);
    const item = lineItem(line, depth, tensors);
    if (line.kind === "for" || line.kind === "parallel") ++depth;
    return item;
  });
  items.push(h("li", {class: "level", style: `--depth:${depth}`}, h("b", null, "compute")));
  return h("ol", {class: "nest"}, ...items);
}

// "Outputs[K, P] += Inputs[C, P] × Weights[C, K]", each tensor in its colour.
export function equation(mapped: Mapped): HTMLElement | null {
  const tensors = accesses(mapped);
  if (tensors.length === 0) return null;
  const name = (tensor: Access): Child => {
    const index = tensors.indexOf(tensor);
    return h(
      "span",
      {class: "tensor", style: `--dot:${tensorColour(index)}`},
      tensor.text.replace(/\s*\+=$/, ""),
    );
  };
  const output = tensors.find((tensor) => tensor.output);
  const parts: Child[] = output ? [name(output), " += "] : [];
  tensors
    .filter((tensor) => tensor !== output)
    .forEach((tensor, index) => {
      parts.push(index ? " × " : "", name(tensor));
    });
  const dims = Object.entries(mapped.problem?.dims ?? {}).map(([dim, bound]) => `${dim} ${grouped(bound)}`);
  return h("p", {class: "equation"}, ...parts, h("span", {class: "dims"}, dims.join(" · ")));
}

function finding(what: string, mapped: Mapped): string {
  const levels = mapped.levels;
  const compute = mapped.compute;
  if (!levels || !compute) return `${what}: the loop nest`;
  const total = levels.reduce((sum, level) => sum + level.energy_pj, compute.energy_pj);
  const largest = levels.reduce((a, b) => (b.energy_pj > a.energy_pj ? b : a));
  const where = largest.energy_pj > compute.energy_pj ? `in ${largest.name}` : "on computing";
  const share = Math.max(largest.energy_pj, compute.energy_pj) / (total || 1);
  const perWord =
    compute.operations /
    Math.max(
      1,
      Object.values(levels[0]!.tensors).reduce((sum, t) => sum + t.total.reads + t.total.updates, 0),
    );
  return (
    `${what}: ${percent(share, 0)} of the energy is spent ${where}; ` +
    `${grouped(Math.round(perWord * 10) / 10)} operations per word of ${levels[0]!.name}`
  );
}

// Whether there is room for the picture beside the loops.
const beside = (mapped: Mapped): boolean => Object.keys(mapped.levels?.[0]?.tensors ?? {}).length <= 4;

export function nestView(what: string, mapped: Mapped): HTMLElement {
  const counted = mapped.levels && mapped.levels.length > 0;
  return figure(
    "nest",
    finding(what, mapped),
    "Left: the loops, outer to inner; a full dot is a tensor that the loop moves on in, a hollow one a " +
      "tensor that its trips reuse. Right: what each level holds, and the words that move. Point at a loop " +
      "or a number, or tab to it, for what it means.",
    equation(mapped),
    h(
      "div",
      {class: counted ? (beside(mapped) ? "nest-grid" : "nest-grid stacked") : null},
      nestList(mapped),
      counted && ladder(mapped),
    ),
    counted && countsTable(mapped),
  );
}

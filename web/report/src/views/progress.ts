// How a search went: the best answer so far and the bound, over time.
import * as Plot from "@observablehq/plot";
import {chart, legend} from "../chart";
import {note} from "../dom";
import {figure} from "../figure";
import {edp, energy, grouped, seconds, si, withArticle} from "../format";
import {colour} from "../theme";
import {gapText} from "./certificate";
import type {AnyCertificate, Layer, ProgressPoint} from "../types";

// A search and what it came to; values in the unit of the certificate.
export interface Search {
  name: string;  // what was searched
  answer: string;  // "mapping", "plan", …
  label: string;  // of the axis
  show: (value: number) => string;
  certificate: AnyCertificate | null;
  seconds: number;
  progress: ProgressPoint[];
  work: string;  // a sentence: what was looked at
}

function formatter(metric: string): (value: number) => string {
  if (metric === "energy") return energy;
  if (metric === "edp") return edp;
  return (value) => si(value, "");
}

export function layerProgress(layer: Layer, objective: string): HTMLElement | null {
  const effort = layer.measured;
  if (!effort || layer.same_as) return null;
  return progressView({
    name: layer.name,
    answer: "mapping",
    label: objective === "edp" ? "EDP" : objective,
    show: formatter(objective),
    certificate: layer.certificate ?? null,
    seconds: effort.seconds,
    progress: effort.progress ?? [],
    work: `${grouped(effort.nodes)} partial mappings looked at, ${grouped(effort.evaluations)} evaluated.`,
  });
}

export function progressView(search: Search): HTMLElement | null {
  const end = search.certificate;
  if (!end || end.objective === null) return null;
  const last: ProgressPoint = {
    seconds: search.seconds,
    incumbent: end.objective,
    bound: end.status === "heuristic" ? null : end.lower_bound,
  };
  const all = [...search.progress.filter((point) => point.seconds <= last.seconds), last];
  const found = all.filter((point) => point.incumbent !== null);
  const bounded = all.filter((point) => point.bound !== null && point.bound > 0);
  const close = found.find((point) => point.incumbent! <= 1.01 * last.incumbent!)!;
  // A first answer may cost thousands of times the last; what is of interest is near the end.
  const most = Math.max(...found.map((point) => point.incumbent!));
  const within = found.map((point) => point.incumbent!).filter((value) => value <= 2 * last.incumbent!);
  const high = Math.min(most, Math.max(1.1 * end.objective, ...within));
  const low = Math.min(end.objective, ...bounded.map((point) => point.bound!));
  const done =
    end.status === "optimal"
      ? `proven optimal after ${seconds(last.seconds)}`
      : end.status === "bounded"
        ? `within ${gapText(end.gap)} after ${seconds(last.seconds)}`
        : `stopped after ${seconds(last.seconds)}`;
  const near = found.filter((point) => point.incumbent! <= high);
  const told = new Set([...near.map((point) => point.incumbent), ...bounded.map((point) => point.bound)]);
  if (near.length < 2 || told.size < 3) return note(`Search of ${search.name}: ${done}; ${search.work}`);
  const early = close.seconds < 0.9 * last.seconds;
  const finding = `${search.name}: ${done}${early ? `; ${withArticle(search.answer)} within 1 % of it was there after ${seconds(close.seconds)}` : ""}`;
  const show = search.show;
  const picture = chart("Best answer and bound over time", (width) => ({
    height: 240,
    marginLeft: 92,
    marginBottom: 40,
    marginTop: 24,
    x: {
      label: "time →",
      ticks: width / 130,
      domain: [0, Math.max(1.01 * last.seconds, 1e-6)],
      tickFormat: (s: number) => seconds(s),
    },
    y: {
      label: `↑ ${search.label}`,
      domain: [low - (high - low) * 0.05, high + (high - low) * 0.05],
      tickFormat: show,
      ticks: 5,
      grid: true,
    },
    marks: [
      bounded.length
        ? Plot.lineY(bounded, {
            x: "seconds",
            y: "bound",
            curve: "step-after",
            stroke: colour(1),
            strokeWidth: 2,
            clip: true,
          })
        : null,
      Plot.lineY(found, {
        x: "seconds",
        y: "incumbent",
        curve: "step-after",
        stroke: colour(0),
        strokeWidth: 2,
        clip: true,
      }),
      Plot.dot(found, {x: "seconds", y: "incumbent", fill: colour(0), r: 2.5, clip: true}),
      Plot.tip(
        near,
        Plot.pointerX({
          x: "seconds",
          y: "incumbent",
          title: (d: ProgressPoint) =>
            `after ${seconds(d.seconds)}\nbest ${show(d.incumbent!)}${d.bound ? `\nbound ${show(d.bound)}` : ""}`,
        }),
      ),
    ],
  }));
  return figure(
    "progress",
    finding,
    `The best ${search.answer} so far and the bound below which there is none; they meet where it is proven. ` +
      (most > high
        ? `The first ${search.answer} costs ${grouped(Math.round(most / end.objective))} times as much and is cut off. `
        : "") +
      search.work,
    legend([
      {label: "best so far", colour: colour(0), value: `${show(last.incumbent!)} in the end`},
      ...(bounded.length
        ? [{label: "bound", colour: colour(1), value: `${show(bounded.at(-1)!.bound!)} in the end`}]
        : []),
    ]),
    picture,
  );
}

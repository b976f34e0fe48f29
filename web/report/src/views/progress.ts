// How a search went: the best answer so far and the bound, over time.
import * as Plot from "@observablehq/plot";
import {chart, legend} from "../chart";
import {figure, note} from "../dom";
import {edp, energy, grouped, percent, seconds, si} from "../format";
import {colour} from "../theme";
import type {Layer, ProgressPoint} from "../types";

function formatter(metric: string): (value: number) => string {
  if (metric === "energy") return energy;
  if (metric === "edp") return edp;
  return (value) => si(value, "");
}

export function progressView(layer: Layer, objective: string): HTMLElement | null {
  const points = layer.measured?.progress ?? [];
  const end = layer.certificate;
  if (!end || end.objective === null || !layer.measured || layer.same_as) return null;
  const last: ProgressPoint = {
    seconds: layer.measured.seconds,
    incumbent: end.objective,
    bound: end.status === "heuristic" ? null : end.lower_bound,
  };
  const all = [...points.filter((point) => point.seconds <= last.seconds), last];
  const found = all.filter((point) => point.incumbent !== null);
  const bounded = all.filter((point) => point.bound !== null && point.bound > 0);
  const away = found[0]!.incumbent! / end.objective - 1;
  const done =
    end.status === "optimal"
      ? `proven optimal after ${seconds(last.seconds)}`
      : end.status === "bounded"
        ? `within ${percent(end.gap)} after ${seconds(last.seconds)}`
        : `stopped after ${seconds(last.seconds)}`;
  const effort = layer.measured;
  const work = `${grouped(effort.nodes)} partial mappings looked at, ${grouped(effort.evaluations)} evaluated.`;
  if (points.length === 0) return note(`Search of ${layer.name}: ${done}; ${work}`);
  const finding = `${layer.name}: ${done}; the first mapping was ${away < 5e-4 ? "as good" : `${percent(away)} worse`}`;
  const show = formatter(objective);
  const picture = chart("Best answer and bound over time", (width) => ({
    height: 240,
    marginLeft: 92,
    marginBottom: 40,
    marginTop: 24,
    x: {
      label: "seconds →",
      ticks: width / 90,
      domain: [0, Math.max(last.seconds, 1e-6)],
      tickFormat: (s: number) => seconds(s),
    },
    y: {label: `↑ ${objective}`, tickFormat: show, ticks: 5, grid: true, nice: true, zero: false},
    marks: [
      bounded.length
        ? Plot.lineY(bounded, {
            x: "seconds",
            y: "bound",
            curve: "step-after",
            stroke: colour(1),
            strokeWidth: 2,
          })
        : null,
      Plot.lineY(found, {
        x: "seconds",
        y: "incumbent",
        curve: "step-after",
        stroke: colour(0),
        strokeWidth: 2,
      }),
      Plot.dot(found, {x: "seconds", y: "incumbent", fill: colour(0), r: 2.5}),
      Plot.tip(
        found,
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
    `The best mapping so far and the bound below which there is none; they meet where it is proven. ` + work,
    legend([
      {label: "best so far", colour: colour(0)},
      ...(bounded.length ? [{label: "bound", colour: colour(1)}] : []),
    ]),
    picture,
  );
}

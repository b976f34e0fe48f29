// The Pareto front of a layer: room on chip against words off chip, coloured by cycles; one point is
// chosen, and its mapping shown.
import * as Plot from "@observablehq/plot";
import {chart, logTicks} from "../chart";
import {h} from "../dom";
import {figure} from "../figure";
import {brief, grouped} from "../format";
import {colour} from "../theme";
import type {FrontPoint, Layer} from "../types";
import {nestList} from "./nest";

// Of the fastest the one of least room: what one would take with memory to spare.
function preferred(front: FrontPoint[]): number {
  let best = 0;
  front.forEach((point, i) => {
    const other = front[best]!;
    if (
      point.cycles < other.cycles ||
      (point.cycles === other.cycles && point.footprint_words < other.footprint_words)
    )
      best = i;
  });
  return best;
}

export function frontView(layer: Layer): HTMLElement | null {
  const front = layer.front;
  if (!front || front.length === 0) return null;
  const start = preferred(front);
  const whole = layer.certificate?.status === "optimal";
  const most = front.reduce((a, b) => (b.offchip_words > a.offchip_words ? b : a));
  const least = front.reduce((a, b) => (b.offchip_words < a.offchip_words ? b : a));
  const finding =
    front.length === 1
      ? `${layer.name}: one mapping beats all others`
      : `${layer.name}: with ${brief(least.footprint_words)} words on chip instead of ${brief(most.footprint_words)}, ` +
        `${(most.offchip_words / least.offchip_words).toFixed(1)}× fewer move off chip`;
  const title = (point: FrontPoint): string =>
    `${grouped(point.footprint_words)} words on chip\n` +
    `${grouped(point.offchip_words)} words off chip\n${grouped(point.cycles)} cycles`;
  const ends = (value: (point: FrontPoint) => number): number[] =>
    logTicks(Math.min(...front.map(value)), Math.max(...front.map(value)));
  const all = ends((p) => p.cycles);
  const cycleTicks = all.filter((_, i) => i % Math.ceil(all.length / 4) === 0) as unknown as number; // Plot takes a list here too
  const chosen = h("p", {class: "chosen", role: "status"});
  const nest = h("div");
  const picture = h("div");
  const slider = h("input", {
    type: "range",
    min: 0,
    max: front.length - 1,
    value: start,
    "aria-label": "Point of the front",
  });
  const update = (): void => {
    const index = Number(slider.value);
    const point = front[index]!;
    chosen.textContent =
      `Point ${index + 1} of ${front.length}: ${title(point).replaceAll("\n", " · ")}` +
      (index === start ? " (fewest cycles in least room)" : "");
    nest.replaceChildren(nestList({mapping: point.mapping}));
    picture.replaceChildren(
      chart("Off-chip words against words on chip", () => ({
        height: 320,
        marginLeft: 66,
        marginBottom: 42,
        marginTop: 24,
        x: {
          type: "log",
          label: "words on chip →",
          tickFormat: (n: number) => brief(n),
          ticks: ends((p) => p.footprint_words),
        },
        y: {
          type: "log",
          label: "↑ words off chip",
          tickFormat: (n: number) => brief(n),
          ticks: ends((p) => p.offchip_words),
          grid: true,
        },
        color: {
          type: "log",
          scheme: "viridis",
          range: [0.15, 0.72] as unknown as string[], // to be seen on light and on dark
          label: "cycles",
          legend: true,
          reverse: true,
          tickFormat: (n: number) => brief(n),
          ticks: cycleTicks,
        },
        marks: [
          Plot.dot(front, {x: "footprint_words", y: "offchip_words", fill: "cycles", r: 4}),
          Plot.dot([point], {
            x: "footprint_words",
            y: "offchip_words",
            stroke: colour(3),
            strokeWidth: 2.5,
            r: 8,
          }),
          Plot.tip(front, Plot.pointer({x: "footprint_words", y: "offchip_words", title})),
        ],
      })),
    );
  };
  slider.addEventListener("input", update);
  update();
  return figure(
    "front",
    finding,
    `${whole ? "Every mapping" : "Mappings found so far"} that no other one beats in room on chip, off-chip words and cycles` +
      `${whole ? "" : "; the search was cut off, and others may beat them"}; ` +
      "the ring is the chosen point, whose loops stand beside it.",
    h("label", {class: "slider"}, "Choose a point ", slider),
    chosen,
    h("div", {class: "two wide-first"}, picture, nest),
  );
}

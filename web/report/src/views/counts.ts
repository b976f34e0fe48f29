// The counts of a mapping as a table; every number explains itself.
import {h, type Child} from "../dom";
import {energy, grouped, percent} from "../format";
import type {LevelCost, Mapped} from "../types";
import {explainCount, explainTile, type CountName} from "./explain";
import {tensorColour} from "./nest";

const COUNTS: CountName[] = ["reads", "fills", "updates", "drains"];

function number(value: number, tip: string): Child {
  return value === 0 ? "·" : h("span", {class: "count", tabindex: 0, "data-tip": tip}, grouped(value));
}

export function countsTable(mapped: Mapped): HTMLElement {
  const levels = mapped.levels!;
  const compute = mapped.compute!;
  const total = levels.reduce((sum, level) => sum + level.energy_pj, compute.energy_pj) || 1;
  const rows: HTMLElement[] = [];
  levels.forEach((level: LevelCost, index) => {
    const tensors = Object.entries(level.tensors);
    tensors.forEach(([tensor, cost], place) => {
      rows.push(
        h(
          "tr",
          {class: place === 0 ? "first" : null},
          place === 0 && h("th", {scope: "rowgroup", rowspan: tensors.length, class: "text"}, level.name),
          h(
            "td",
            {class: "text"},
            h("span", {class: "tensor", style: `--dot:${tensorColour(place)}`}, tensor),
          ),
          h("td", null, cost.kept ? number(cost.tile_words, explainTile(level, tensor, cost)) : "·"),
          h("td", null, cost.kept ? grouped(cost.instances) : "·"),
          ...COUNTS.map((count) =>
            h(
              "td",
              {"data-count": count},
              number(cost.total[count], explainCount(levels, index, tensor, compute, count)),
            ),
          ),
          h("td", null, cost.energy_pj === 0 ? "·" : energy(cost.energy_pj)),
          h("td", null, cost.energy_pj === 0 ? "·" : percent(cost.energy_pj / total)),
        ),
      );
    });
  });
  rows.push(
    h(
      "tr",
      {class: "first"},
      h("th", {scope: "row", class: "text"}, "compute"),
      h("td", {class: "text"}, ""),
      h("td", null, ""),
      h("td", null, `${grouped(compute.instances)} of ${grouped(compute.lanes)}`),
      h("td", {colspan: 4}, `${grouped(compute.operations)} operations`),
      h("td", null, energy(compute.energy_pj)),
      h("td", null, percent(compute.energy_pj / total)),
    ),
  );
  const headings = ["level", "tensor", "tile", "instances", ...COUNTS, "energy", "share"];
  return h(
    "div",
    {class: "table"},
    h(
      "table",
      {class: "counts"},
      h("caption", null, "Words held and moved at each level"),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ...headings.map((text, index) => h("th", {scope: "col", class: index < 2 ? "text" : null}, text)),
        ),
      ),
      h("tbody", null, ...rows),
    ),
    h("p", {class: "note"}, "Tiles and counts in words, counts over all instances."),
  );
}

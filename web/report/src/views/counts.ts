// The counts of a mapping as a table; every number explains itself.
import {h, type Attributes, type Child} from "../dom";
import {energy, grouped, percent} from "../format";
import type {LevelResult, Mapped} from "../types";
import {explainCount, explainTile, type CountName} from "./explain";
import {fitted} from "../table";
import {tensorColour} from "./nest";

const COUNTS: CountName[] = ["reads", "fills", "updates", "drains"];

function number(value: number, tip: string): Child {
  return value === 0 ? "·" : h("span", {class: "count", tabindex: 0, "data-tip": tip}, grouped(value));
}

const cell = (label: string, child: Child, more: Attributes = {}): HTMLElement =>
  h("td", {"data-label": label, "data-none": child === "·" || child === "", ...more}, child);

export function countsTable(mapped: Mapped): HTMLElement {
  const levels = mapped.levels!;
  const compute = mapped.compute!;
  const total = levels.reduce((sum, level) => sum + level.energy_pj, compute.energy_pj) || 1;
  const rows: HTMLElement[] = [];
  levels.forEach((level: LevelResult, index) => {
    const tensors = Object.entries(level.tensors);
    tensors.forEach(([tensor, cost], place) => {
      rows.push(
        h(
          "tr",
          {class: place === 0 ? "first" : null},
          place === 0 && h("th", {scope: "rowgroup", rowspan: tensors.length, class: "text"}, level.name),
          h(
            "td",
            {class: "text title"},
            h("span", {class: "tensor", style: `--dot:${tensorColour(place)}`}, tensor),
          ),
          cell("tile", cost.kept ? number(cost.tile_words, explainTile(level, tensor, cost)) : "·"),
          cell("instances", cost.kept ? grouped(cost.instances) : "·"),
          ...COUNTS.map((count) =>
            cell(
              count,
              number(cost.total[count], explainCount(levels, index, tensor, compute, count)),
              {"data-count": count},
            ),
          ),
          cell("energy", cost.energy_pj === 0 ? "·" : energy(cost.energy_pj)),
          cell("share", cost.energy_pj === 0 ? "·" : percent(cost.energy_pj / total)),
        ),
      );
    });
  });
  rows.push(
    h(
      "tr",
      {class: "first"},
      h("th", {scope: "row", class: "text"}, "compute"),
      cell("", "", {class: "text"}),
      cell("tile", ""),
      cell("instances", `${grouped(compute.instances)} of ${grouped(compute.lanes)}`),
      cell("", `${grouped(compute.operations)} operations`, {colspan: 4}),
      cell("energy", energy(compute.energy_pj)),
      cell("share", percent(compute.energy_pj / total)),
    ),
  );
  const headings = ["level", "tensor", "tile", "instances", ...COUNTS, "energy", "share"];
  const holder = h(
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
  fitted(holder);
  return holder;
}

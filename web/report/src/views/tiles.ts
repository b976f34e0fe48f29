// The few numbers that matter most, in a row.
import {h} from "../dom";

export interface Tile {
  label: string;
  value: string;
  below?: string;
  tip?: string;
}

export function tiles(list: Tile[]): HTMLElement {
  return h(
    "dl",
    {class: "tiles"},
    ...list.map((tile) =>
      h(
        "div",
        {"data-tile": tile.label, "data-tip": tile.tip, tabindex: tile.tip ? 0 : null},
        h("dt", null, tile.label),
        h("dd", null, tile.value),
        tile.below && h("dd", {class: "below"}, tile.below),
      ),
    ),
  );
}

// Observable Plot in this page's clothes, drawn again when the room for it changes.
import * as Plot from "@observablehq/plot";
import {h} from "./dom";

const STYLE = {fontSize: "12px", background: "transparent", color: "currentColor", overflow: "visible"};

// What `draw` makes for a width in pixels, made again when the room for it changes.
function redrawn(holder: HTMLElement, draw: (width: number) => Element): HTMLElement {
  let drawn = 0;
  new ResizeObserver((entries) => {
    const width = Math.floor(entries.at(-1)!.contentRect.width);
    if (Math.abs(width - drawn) < 4 || width < 50) return;
    drawn = width;
    holder.replaceChildren(draw(width));
  }).observe(holder);
  return holder;
}

// `options` for a width in pixels; `describe` says in a sentence what the picture shows.
export function chart(describe: string, options: (width: number) => Plot.PlotOptions): HTMLElement {
  return redrawn(h("div", {class: "chart", role: "img", "aria-label": describe}), (width) => {
    const picture = Plot.plot({...options(width), width, style: STYLE});
    // The sentence above describes it; its many labels would be read one by one.
    picture.setAttribute("aria-hidden", "true");
    return picture;
  });
}

// A drawing of our own, whose parts explain themselves.
export function drawing(describe: string, draw: (width: number) => SVGSVGElement): HTMLElement {
  return redrawn(h("div", {class: "chart drawing", role: "group", "aria-label": describe}), draw);
}

export interface LegendItem {
  label: string;
  colour: string;
  value?: string; // how much of it there is
  tip?: string;
}

export function legend(items: LegendItem[]): HTMLElement {
  return h(
    "ul",
    {class: "legend"},
    ...items.map((item) =>
      h(
        "li",
        {"data-tip": item.tip},
        h("span", {class: "swatch", style: `background:${item.colour}`}),
        h("span", null, item.label),
        item.value !== undefined && h("span", {class: "value"}, item.value),
      ),
    ),
  );
}

// Round values for a logarithmic axis: powers of ten, with 2 and 5 between them where there are few.
export function logTicks(low: number, high: number): number[] {
  const decades = Math.log10(high / low);
  const steps =
    decades > 4
      ? [1]
      : decades > 2
        ? [1, 3]
        : decades > 0.7
          ? [1, 2, 5]
          : [1, 1.2, 1.4, 1.6, 2, 2.5, 3, 4, 5, 6, 8];
  const values: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    for (const step of steps) values.push(Number((step * 10 ** power).toPrecision(3)));
  }
  return values.filter((value) => value >= low && value <= high);
}

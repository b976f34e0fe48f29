import {h, type Child} from "./dom";
import {addSaving} from "./save";

// A figure whose heading says what is to be seen, and below it how to read it; what is drawn in it
// can be saved.
export function figure(view: string, finding: string, reading: string, ...body: Child[]): HTMLElement {
  const element = h(
    "figure",
    {"data-view": view},
    h("figcaption", null, h("h3", null, finding), h("p", null, reading)),
    ...body,
  );
  addSaving(element, `inlay-${view}`);
  return element;
}

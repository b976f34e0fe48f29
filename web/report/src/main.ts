// The page: what the command put into it, a section for each result.
import {h, note, type Child} from "./dom";
import {provenance} from "./provenance";
import {themeButton} from "./theme";
import {startTips} from "./tip";
import type {Header, Item, ReportData} from "./types";
import {comparison} from "./views/compare";
import {viewOf} from "./views/all";

function read(): ReportData {
  const holder = document.getElementById("inlay-data");
  return holder ? (JSON.parse(holder.textContent ?? "") as ReportData) : {version: "", results: []};
}

export const headerOf = (item: Item): Header => (Array.isArray(item.result) ? item.result[0]! : item.result);

// A fault in one view must not take the others with it.
function guarded(make: () => Child[]): Child[] {
  try {
    return make();
  } catch (error) {
    console.error(error);
    return [note(`This result cannot be shown: ${error instanceof Error ? error.message : String(error)}`)];
  }
}

function titleOf(item: Item): string {
  try {
    return viewOf(item).title;
  } catch (error) {
    console.error(error);
    return `A result of inlay ${headerOf(item).command}`;
  }
}

function section(item: Item, index: number, alone: boolean): HTMLElement {
  const header = headerOf(item);
  return h(
    "section",
    {id: `result-${index + 1}`, "data-command": header.command},
    alone ? null : h("h2", null, titleOf(item)),
    ...guarded(() => [provenance(item.name, header)]),
    ...guarded(() => viewOf(item).body()),
  );
}

function page(data: ReportData): void {
  const items = data.results;
  const alone = items.length === 1;
  const compared = guarded(() => comparison(items));
  const title = alone
    ? titleOf(items[0]!)
    : items.length === 0
      ? "No results"
      : compared.length && items.length === 2
        ? `Two results of inlay ${headerOf(items[0]!).command} compared`
        : `${items.length} results`;
  document.title = `${title} · Inlay`;
  document.body.append(
    h("header", null, h("h1", null, title), themeButton()),
    ...(alone || items.length === 0
      ? []
      : [
          h(
            "nav",
            {"aria-label": "Results"},
            h(
              "ol",
              null,
              ...items.map((item, i) =>
                h("li", null, h("a", {href: `#result-${i + 1}`}, titleOf(item))),
              ),
            ),
          ),
        ]),
    h("main", null, ...compared, ...items.map((item, i) => section(item, i, alone))),
    h(
      "footer",
      null,
      `Made by inlay report ${data.version}. This file is complete: nothing is loaded from anywhere.`,
    ),
  );
  startTips();
}

page(read());

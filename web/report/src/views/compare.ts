// Results of the same command side by side: two row by row, more of them by their totals.
import * as Plot from "@observablehq/plot";
import {chart, legend} from "../chart";
import {h, type Child} from "../dom";
import {figure} from "../figure";
import {change, plural, significant} from "../format";
import {roomFor, shortNames} from "../names";
import {differences} from "../provenance";
import {table, type Column} from "../table";
import {colour} from "../theme";
import type {Header, Item} from "../types";
import {viewOf} from "./all";
import {comparableOf, mean, MEAN, type Comparable, type Metric} from "./comparable";

interface Row {
  name: string;
  a: number[];
  b: number[];
}

function judged(metric: Metric, before: number, after: number): HTMLElement {
  const text = change(before, after);
  const better = metric.more ? after > before : after < before;
  return h("span", {class: text === "=" || text === "≈" ? null : better ? "better" : "worse"}, text);
}

function pairTable(rows: Row[], a: Comparable, first: string, second: string, total: Row): HTMLElement {
  const cells = (row: Row): Child[] => [
    row.name,
    ...a.metrics.flatMap((metric, m): Child[] => [
      metric.show(row.a[m]!),
      metric.show(row.b[m]!),
      judged(metric, row.a[m]!, row.b[m]!),
    ]),
  ];
  const columns: Column<Row>[] = [
    {label: a.noun, text: true, value: (row) => row.name},
    ...a.metrics.flatMap((metric, m): Column<Row>[] => [
      {
        label: `${metric.name} A`,
        tip: first,
        value: (row) => row.a[m]!,
        show: (row) => metric.show(row.a[m]!),
      },
      {label: "B", card: `${metric.name} B`, tip: second, value: (row) => row.b[m]!, show: (row) => metric.show(row.b[m]!)},
      {
        label: "change",
        card: `${metric.name} change`,
        tip: `${metric.name}: B against A`,
        value: (row) => (row.a[m] ? row.b[m]! / row.a[m]! : null),
        show: (row) => judged(metric, row.a[m]!, row.b[m]!),
      },
    ]),
  ];
  return h(
    "div",
    {"data-view": "table"},
    table(rows, columns, {caption: `Every ${a.noun}`, footer: cells(total), limit: 80}),
  );
}

const MOST_ROWS = 60;

function pairChart(rows: Row[], a: Comparable): Child {
  if (rows.every((row) => row.a.every((value, m) => value === row.b[m]))) return null;
  const metrics = a.metrics.slice(0, 2);
  const points = metrics.flatMap((metric, m) =>
    rows
      .filter((row) => row.a[m]! > 0 && row.b[m]! > 0)
      .map((row) => ({
        name: row.name,
        metric: metric.name,
        ratio: row.b[m]! / row.a[m]!,
        log: Math.log(row.b[m]! / row.a[m]!),
        text: `${row.name}\n${metric.name}: ${metric.show(row.a[m]!)} → ${metric.show(row.b[m]!)}, ${change(row.a[m]!, row.b[m]!)}`,
      })),
  );
  if (points.length === 0) return null;
  const names = [...new Set(points.map((p) => p.name))].slice(0, MOST_ROWS);
  const shown = points.filter((p) => names.includes(p.name));
  const spread = Math.max(1.05, ...shown.map((p) => Math.max(p.ratio, 1 / p.ratio)));
  const ratioText = (r: number): string =>
    spread > 3 ? `${significant(r, 2)}×` : change(1, r) === "=" ? "same" : change(1, r).replace(".0 %", " %");
  return h(
    "div",
    null,
    legend(metrics.map((metric, m) => ({label: metric.name, colour: colour([0, 1][m]!)}))),
    chart("B against A", (width) => ({
      height: names.length * 17 + 62,
      marginLeft: roomFor(names),
      marginTop: 24,
      marginBottom: 34,
      marginRight: 30,
      // Logarithms on a linear axis: of its own ticks, a logarithmic one leaves labels out.
      x: {
        domain: [-Math.log(spread * 1.03), Math.log(spread * 1.03)],
        label: "B against A: less ←  → more",
        labelAnchor: "center",
        tickFormat: (log: number) => ratioText(Math.exp(log)),
        ticks: (width > 500 ? [-1, -0.5, 0, 0.5, 1] : [-1, 0, 1]).map((part) => part * Math.log(spread)),
        grid: true,
      },
      y: {domain: names, label: null, tickSize: 0, tickFormat: shortNames(names)},
      color: {domain: metrics.map((m) => m.name), range: [colour(0), colour(1)]},
      marks: [
        Plot.ruleX([0], {stroke: "currentColor"}),
        Plot.ruleY(shown, {x1: 0, x2: "log", y: "name", stroke: "metric", strokeOpacity: 0.6}),
        Plot.dot(shown, {x: "log", y: "name", fill: "metric", r: 4}),
        Plot.tip(shown, Plot.pointer({x: "log", y: "name", title: "text"})),
      ],
    })),
  );
}

// What each was given that the others were not: ": mapspace ruby-s"; "" where there is nothing.
function toldApart(items: Item[]): string[] {
  return differences(items.map((item) => item.result as Header)).map((text) => (text ? `: ${text}` : ""));
}

function pair(items: [Item, Item], a: Comparable, b: Comparable): HTMLElement {
  const rows: Row[] = [...a.rows]
    .filter(([name]) => b.rows.has(name))
    .map(([name, values]) => ({name, a: values, b: b.rows.get(name)!}));
  const lacking =
    [...a.rows.keys()].filter((name) => !b.rows.has(name)).length +
    [...b.rows.keys()].filter((name) => !a.rows.has(name)).length;
  const total: Row = {name: a.totalName, a: a.total, b: b.total};
  if (a.totalName === MEAN && rows.length > 0) {
    total.a = a.metrics.map((_, m) => mean(rows.map((row) => row.a[m]!))); // of what both have
    total.b = a.metrics.map((_, m) => mean(rows.map((row) => row.b[m]!)));
  }
  const changed = a.metrics
    .map((metric, m) => ({name: metric.name, text: change(total.a[m]!, total.b[m]!)}))
    .filter((c) => c.text !== "=" && c.text !== "≈");
  const changes = changed.length
    ? changed.map((c) => `${c.name} ${c.text}`).join(", ")
    : `the ${a.totalName} is the same`;
  const differ = rows.filter((row) => row.a.some((value, m) => value !== row.b[m])).length;
  const told = toldApart(items);
  const which = h(
    "dl",
    {class: "facts"},
    h("dt", null, "A"),
    h("dd", null, `${viewOf(items[0]).title} (${items[0].name}${told[0]})`),
    h("dt", null, "B"),
    h("dd", null, `${viewOf(items[1]).title} (${items[1].name}${told[1]})`),
  );
  return h(
    "section",
    {id: "comparison", "data-view": "comparison"},
    h("h2", null, `B against A: ${changes}`),
    which,
    rows.length > 0 &&
      figure(
        "difference",
        `${differ} of ${plural(rows.length, a.noun)} differ`,
        `${differ ? "Left of the line B takes less than A, right of it more." : ""}${lacking ? ` ${lacking} are only in one of the two and left out.` : ""}`,
        pairChart(rows, a),
      ),
    pairTable(rows, a, items[0].name, items[1].name, total),
  );
}

function many(items: Item[], found: Comparable[]): HTMLElement {
  const told = toldApart(items);
  const rows = items.map((item, i) => ({item, told: told[i]!, total: found[i]!.total}));
  type One = (typeof rows)[number];
  const {metrics} = found[0]!;
  const columns: Column<One>[] = [
    {label: "result", text: true, value: (row) => `${row.item.name}${row.told}`},
    ...metrics.flatMap((metric, m): Column<One>[] => [
      {label: metric.name, value: (row) => row.total[m]!, show: (row) => metric.show(row.total[m]!)},
      {
        label: "change",
        card: `${metric.name} change`,
        tip: `${metric.name} against the first`,
        value: (row) => row.total[m]! / found[0]!.total[m]!,
        show: (row) => judged(metric, found[0]!.total[m]!, row.total[m]!),
      },
    ]),
  ];
  return h(
    "section",
    {id: "comparison", "data-view": "comparison"},
    h("h2", null, `${items.length} results compared with the first`),
    table(rows, columns, {caption: "Totals"}),
  );
}

export function comparison(items: Item[]): Child[] {
  if (items.length < 2) return [];
  const commands = new Set(items.map((item) => (Array.isArray(item.result) ? "" : item.result.command)));
  if (commands.size !== 1) return [];
  const found = items.map(comparableOf);
  if (!found.every((one): one is Comparable => one !== null)) return [];
  const metrics = (one: Comparable): string => one.metrics.map((metric) => metric.name).join();
  if (found.some((one) => metrics(one) !== metrics(found[0]!))) return [];
  return [items.length === 2 ? pair([items[0]!, items[1]!], found[0]!, found[1]!) : many(items, found)];
}

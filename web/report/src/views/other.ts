// Results without a picture of their own: their figures as tables.
import {h, type Child} from "../dom";
import {grouped, quantity} from "../format";
import {table, type Column} from "../table";
import type {Header} from "../types";

const HEADER = new Set(["format", "command", "version", "inputs", "options", "measured", "interrupted"]);
const scalar = (value: unknown): value is string | number | boolean | null =>
  value === null || typeof value !== "object";
const text = (value: unknown): string => (typeof value === "number" ? grouped(value) : String(value));

// {"a": {"b": 1}} → {"a b": 1}, for columns.
function flat(value: Record<string, unknown>, stem = ""): Record<string, string | number> {
  const out: Record<string, string | number> = {};
  for (const [key, inner] of Object.entries(value)) {
    const name = (stem + key).replaceAll("_", " ");
    if (typeof inner === "number") out[name] = inner;
    else if (scalar(inner)) out[name] = String(inner);
    else if (!Array.isArray(inner))
      Object.assign(out, flat(inner as Record<string, unknown>, `${stem}${key} `));
  }
  return out;
}

function listTable(name: string, list: unknown[]): HTMLElement {
  const rows = list
    .filter((row): row is Record<string, unknown> => !scalar(row) && !Array.isArray(row))
    .map((row) => flat(row));
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns: Column<Record<string, string | number>>[] = keys.map((key) => ({
    label: key,
    value: (row) => row[key] ?? null,
    text: rows.some((row) => typeof row[key] === "string"),
    show: (row) => {
      const value = row[key];
      if (value === undefined) return "·";
      return typeof value === "number" ? quantity(key.replaceAll(" ", "_")).show(value) : value;
    },
  }));
  return h("div", {"data-view": "table"}, table(rows, columns, {caption: name, limit: 200}));
}

export function otherTitle(result: Header): string {
  const inputs = Object.values(result.inputs)
    .flat()
    .map((file) => file.name)
    .join(", ");
  return `inlay ${result.command} ${inputs}`;
}

export function otherView(result: Header): Child[] {
  const entries = Object.entries(result).filter(([key]) => !HEADER.has(key));
  const facts = entries.filter(([, value]) => scalar(value));
  return [
    facts.length > 0 &&
      h(
        "dl",
        {class: "facts"},
        ...facts.flatMap(([key, value]) => [
          h("dt", null, key.replaceAll("_", " ")),
          h("dd", null, text(value)),
        ]),
      ),
    ...entries
      .filter(([, value]) => Array.isArray(value))
      .map(([key, value]) => listTable(key, value as unknown[])),
  ];
}

// Where a result comes from: enough to make it again.
import {h} from "./dom";
import {seconds} from "./format";
import type {AnyResult} from "./types";

const shown = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : String(value));

const optionFacts = (result: AnyResult): [string, string][] =>
  Object.entries(result.options).map(([key, value]) => [
    key.replaceAll("_", " "),
    key === "time_limit" ? seconds(Number(value) / 1000) : shown(value),
  ]);

const fileFacts = (result: AnyResult, hashes: boolean): [string, string][] =>
  Object.entries(result.inputs).map(([role, files]) => [
    role,
    files.map((file) => (hashes ? `${file.name} (${file.hash})` : file.name)).join(", "),
  ]);

// The inputs and options of each result that not all of them share: "mapspace ruby-s". Files of the
// same name are told apart by what they hold.
export function differences(results: AnyResult[]): string[] {
  const names = new Set(results.map((result) => JSON.stringify(fileFacts(result, false))));
  const facts = results.map((result) => new Map([...fileFacts(result, names.size === 1), ...optionFacts(result)]));
  const keys = [...new Set(facts.flatMap((fact) => [...fact.keys()]))];
  const telling = keys.filter((key) => new Set(facts.map((fact) => fact.get(key))).size > 1);
  return facts.map((fact) => telling.map((key) => `${key} ${fact.get(key) ?? "not given"}`).join(", "));
}

export function provenance(name: string, result: AnyResult): HTMLElement {
  const time = result.measured?.seconds;
  const facts: [string, string][] = [
    ["file", name],
    ["command", `inlay ${result.command}, version ${result.version}`],
    ...fileFacts(result, true),
    ...optionFacts(result),
  ];
  if (typeof time === "number") facts.push(["took", seconds(time)]);
  return h(
    "details",
    {class: "provenance"},
    h(
      "summary",
      null,
      `inlay ${result.command} · ${fileFacts(result, false)
        .map(([role, files]) => `${role} ${files}`)
        .join(" · ")}`,
      result.interrupted ? " · interrupted" : "",
    ),
    h("dl", null, ...facts.flatMap(([term, text]) => [h("dt", null, term), h("dd", null, text)])),
  );
}

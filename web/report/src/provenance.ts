// Where a result comes from: enough to make it again.
import {h} from "./dom";
import {seconds} from "./format";
import type {Header} from "./types";

const shown = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : String(value));

function inputsText(result: Header): string {
  return Object.entries(result.inputs)
    .map(([role, files]) => `${role} ${files.map((file) => file.name).join(", ")}`)
    .join(" · ");
}

// The inputs and options of each result that not all of them share: "mapspace ruby-s".
export function differences(results: Header[]): string[] {
  const facts = results.map((result): Map<string, string> => {
    const inputs = Object.entries(result.inputs).map(([role, files]): [string, string] => [
      role,
      files.map((file) => file.name).join(", "),
    ]);
    const options = Object.entries(result.options).map(([key, value]): [string, string] => [
      key.replaceAll("_", " "),
      shown(value),
    ]);
    return new Map([...inputs, ...options]);
  });
  const keys = [...new Set(facts.flatMap((fact) => [...fact.keys()]))];
  const telling = keys.filter((key) => new Set(facts.map((fact) => fact.get(key))).size > 1);
  return facts.map((fact) => telling.map((key) => `${key} ${fact.get(key) ?? "not given"}`).join(", "));
}

export function provenance(name: string, result: Header): HTMLElement {
  const time = result.measured?.["seconds"];
  const facts: [string, string][] = [
    ["file", name],
    ["command", `inlay ${result.command}, version ${result.version}`],
    ...Object.entries(result.inputs).map(([role, files]): [string, string] => [
      role,
      files.map((file) => `${file.name} (${file.hash})`).join(", "),
    ]),
    ...Object.entries(result.options).map(([key, value]): [string, string] => [
      key.replaceAll("_", " "),
      shown(value),
    ]),
  ];
  if (typeof time === "number") facts.push(["took", seconds(time)]);
  return h(
    "details",
    {class: "provenance"},
    h(
      "summary",
      null,
      `inlay ${result.command} · ${inputsText(result)}`,
      result.interrupted ? " · interrupted" : "",
    ),
    h("dl", null, ...facts.flatMap(([term, text]) => [h("dt", null, term), h("dd", null, text)])),
  );
}

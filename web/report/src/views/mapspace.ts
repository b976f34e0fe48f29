// The result of `mapspace`: how many mappings there are, layer by layer.
import {h, note, type Child} from "../dom";
import {grouped, nameOfWorkload, plural, significant} from "../format";
import {table, type Column} from "../table";
import type {MapspaceLayer, MapspaceResult} from "../types";
import {tiles} from "./tiles";

// Counts are texts, for they may be larger than numbers of the page: "71010712460", or "17/3".
function valueOf(count: string): number {
  const [whole, parts] = count.split("/");
  return Number(whole) / Number(parts ?? 1);
}
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
function countText(count: string): string {
  const value = valueOf(count);
  if (count.includes("/")) return significant(value, 6);
  if (value < 1e15) return grouped(value);
  const digits = count.length - 1;
  const exponent = [...String(digits)].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return `${(Number(count.slice(0, 15)) / 1e14).toFixed(3)} × 10${exponent}`;
}

const namesOf = (result: MapspaceResult, role: string): string =>
  (result.inputs[role] ?? []).map((file) => nameOfWorkload(file.name)).join(", ");

export function mapspaceTitle(result: MapspaceResult): string {
  const where = [namesOf(result, "workload"), namesOf(result, "arch")].filter(Boolean).join(" on ");
  const only = result.layers.length === 1 ? result.layers[0]! : null;
  if (only) return `${where}: ${countText(only.size)} mappings in ${result.mapspace}`;
  return `${where}: the mapspace ${result.mapspace} of ${plural(result.layers.length, "layer")}`;
}

const READING =
  "Mappings are tilings × orders × what is kept where, within the arrays and constraints; whether tiles fit is not looked at. Orders are a mean over the tilings.";

export function mapspaceView(result: MapspaceResult): Child[] {
  const shown = (label: string, count: (layer: MapspaceLayer) => string): Column<MapspaceLayer> => ({
    label,
    value: (layer) => valueOf(count(layer)),
    show: (layer) => h("span", {"data-tip": count(layer)}, countText(count(layer))),
  });
  const columns: Column<MapspaceLayer>[] = [
    {label: "layer", text: true, value: (layer) => layer.name},
    {
      label: "×",
      tip: "How often the network has the layer",
      value: (layer) => layer.repeat,
      show: (layer) => (layer.repeat > 1 ? grouped(layer.repeat) : "·"),
    },
    shown("mappings", (layer) => layer.size),
    shown("tilings", (layer) => layer.tilings),
    shown("orders", (layer) => layer.orders),
    shown("kept where", (layer) => layer.bypass),
  ];
  const only = result.layers.length === 1 ? result.layers[0]! : null;
  if (only)
    return [
      tiles([
        {label: "mappings", value: countText(only.size), below: `in ${result.mapspace}`, tip: only.size},
        {label: "tilings", value: countText(only.tilings), below: "with parallel loops"},
        {label: "orders", value: countText(only.orders), below: "of the loops, on average"},
        {label: "kept where", value: countText(only.bypass), below: "choices of what levels hold"},
      ]),
      note(READING),
    ];
  return [
    h("div", {"data-view": "table"}, table(result.layers, columns, {caption: "Layers", limit: 200}), note(READING)),
  ];
}

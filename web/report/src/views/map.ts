// The result of `map`: the network, then one layer of it.
import {h, note, type Child} from "../dom";
import {edp, energy, grouped, percent, plural, si, significant} from "../format";
import {table, type Column} from "../table";
import type {Layer, MapResult} from "../types";
import {certificateText, certificateTip, provenText} from "./certificate";
import {coverageView} from "./coverage";
import {frontView} from "./front";
import {hardwareView} from "./hardware";
import {answered, distinct, layersView, type Answered} from "./layers";
import {nestView} from "./nest";
import {mapNetwork} from "./map_network";
import {layerProgress} from "./progress";
import {rooflineView} from "./roofline";
import {tiles, type Tile} from "./tiles";
import {vectorNodesView} from "./vector_nodes";

export const objectiveOf = (result: MapResult): string => {
  const objective = result.options["objective"];
  return Array.isArray(objective) ? String(objective[0]) : "edp";
};

export function mapTitle(result: MapResult): string {
  const only = result.layers.length === 1 ? result.layers[0]!.name : "";
  const what = only && only !== result.workload ? `${result.workload}/${only}` : result.workload;
  const total = result.total;
  const where = `${what} on ${result.architecture}`;
  if (total)
    return `${where} takes ${energy(total.energy_pj)} and ${si(total.cycles, "")} cycles`.replace("  ", " ");
  if (result.layers.some((layer) => layer.front))
    return `${where}: ${plural(
      result.layers.reduce((n, l) => n + (l.front?.length ?? 0), 0),
      "point",
    )} on the front`;
  return `${where}: ${answered(result.layers).length} of ${plural(result.layers.length, "layer")} have a mapping`;
}

function tilesOf(result: MapResult): HTMLElement | null {
  const total = result.total;
  if (!total) return null;
  const layers = answered(result.layers);
  const operations = layers.reduce((sum, layer) => sum + layer.operations * layer.repeat, 0);
  const words = layers.reduce(
    (sum, layer) => sum + layer.cost.offchip_words * layer.repeat,
    total.vector?.offchip_words ?? 0,
  );
  const list: Tile[] = [
    {
      label: "energy",
      value: energy(total.energy_pj),
      below: `${significant(total.energy_pj / operations)} pJ per operation`,
    },
    {
      label: "cycles",
      value: grouped(total.cycles),
      below: `${significant(operations / total.cycles)} operations per cycle`,
    },
    {
      label: "EDP",
      value: edp(total.edp),
      below: "of the totals",
      tip: "Energy-delay product: the energy times the cycles.",
    },
    {
      label: "off-chip words",
      value: grouped(words),
      below: `${significant(operations / words)} operations per word`,
    },
    {
      label: "certificate",
      ...(total.certificate
        ? {value: certificateText(total.certificate), below: `of the totals: least ${objectiveOf(result)}`}
        : provenText(layers.map((layer) => layer.certificate))),
      tip: total.certificate
        ? certificateTip(total.certificate)
        : "What is proven of the mappings: optimal means that none in the space searched is better.",
    },
  ];
  return tiles(list);
}

function layerTable(result: MapResult, pick: (layer: Layer) => void): HTMLElement {
  const cost =
    (value: (layer: Answered) => number): ((layer: Layer) => number | null) =>
    (layer) =>
      layer.cost ? value(layer as Answered) : null;
  const shown =
    (value: (layer: Answered) => string): ((layer: Layer) => Child) =>
    (layer) =>
      layer.cost ? value(layer as Answered) : "·";
  const names = distinct(result.layers.map((layer) => layer.name));
  const nameOf = new Map(result.layers.map((layer, i) => [layer, names[i]!]));
  const columns: Column<Layer>[] = [
    {label: "layer", text: true, value: (layer) => nameOf.get(layer)!},
    {
      label: "×",
      tip: "How often the network has the layer",
      value: (layer) => layer.repeat,
      show: (l) => (l.repeat > 1 ? grouped(l.repeat) : "·"),
    },
    {
      label: "operations",
      tip: "Multiply-accumulates of one run",
      value: (layer) => layer.operations,
      show: (l) => grouped(l.operations),
    },
    {label: "energy", value: cost((l) => l.cost.energy_pj), show: shown((l) => energy(l.cost.energy_pj))},
    {
      label: "pJ/op",
      tip: "Energy per operation",
      value: cost((l) => l.cost.pj_per_op),
      show: shown((l) => significant(l.cost.pj_per_op)),
    },
    {
      label: "ops/word",
      tip: "Operations per word moved to or from off chip",
      value: (l) => l.cost?.ops_per_offchip_word ?? null,
      show: shown((l) => (l.cost.ops_per_offchip_word ? significant(l.cost.ops_per_offchip_word) : "")),
    },
    {
      label: "most in",
      text: true,
      tip: "The level that takes the largest share of the energy",
      value: (l) => l.cost?.most_energy_in ?? null,
      show: shown((l) => `${l.cost.most_energy_in} ${percent(l.cost.most_energy_share, 0)}`),
    },
    {label: "cycles", value: cost((l) => l.cost.cycles), show: shown((l) => grouped(l.cost.cycles))},
    {
      label: "used",
      tip: "Operations as a share of what the array could do in these cycles",
      value: cost((l) => l.cost.utilization),
      show: shown((l) => percent(l.cost.utilization)),
    },
    {label: "limited by", text: true, value: (l) => l.cost?.limited_by ?? null},
    {
      label: "off-chip words",
      value: cost((l) => l.cost.offchip_words),
      show: shown((l) => grouped(l.cost.offchip_words)),
    },
    {label: "EDP", value: cost((l) => l.cost.edp), show: shown((l) => edp(l.cost.edp))},
    {
      label: "certificate",
      text: true,
      ...(result.total?.certificate && {
        tip: "How far the layer's own EDP can be from its own least; the totals were to be the least.",
      }),
      value: (l) => l.certificate?.gap ?? null,
      show: (l) =>
        h(
          "span",
          {"data-tip": l.certificate ? certificateTip(l.certificate) : l.reasons?.join("\n")},
          l.certificate ? certificateText(l.certificate) : "no mapping",
        ),
    },
  ];
  return h(
    "div",
    {"data-view": "table"},
    table(result.layers, columns, {caption: "Layers, each run once", onPick: pick}),
    note("Figures of one run of a layer. Choose a layer to see its mapping."),
  );
}

function layerDetail(result: MapResult, layer: Layer): Child[] {
  if (layer.front) return [frontView(layer)];
  if (!layer.cost || !layer.mapping)
    return [note(`${layer.name} has no mapping: ${layer.reasons?.join("; ") ?? "no reason is known"}.`)];
  const mapped = {
    mapping: layer.mapping,
    ...(layer.problem && {problem: layer.problem}),
    ...(layer.levels && {levels: layer.levels}),
    ...(layer.compute && {compute: layer.compute}),
  };
  return [
    hardwareView(result.hardware, mapped),
    nestView(layer.name, mapped),
    layerProgress(layer, objectiveOf(result)),
  ];
}

// The layer that one should look at first: the one that takes most.
function heaviest(result: MapResult): number {
  const weight = (layer: Layer): number => (layer.cost?.energy_pj ?? 0) * layer.repeat;
  return result.layers.reduce(
    (best, layer, i) => (weight(layer) > weight(result.layers[best]!) ? i : best),
    0,
  );
}

export function mapView(result: MapResult): Child[] {
  if (result.layers.length === 0) return [note("The network has no layers.")];
  const detail = h("div", {class: "detail"});
  const names = distinct(result.layers.map((layer) => layer.name));
  const select = h("select", null, ...names.map((name, i) => h("option", {value: i}, name)));
  const show = (index: number): void => {
    select.value = String(index);
    const children = layerDetail(result, result.layers[index]!);
    detail.replaceChildren(...children.filter((child): child is Node => child instanceof Node));
  };
  select.addEventListener("change", () => show(Number(select.value)));
  const one = result.layers.length === 1;
  show(heaviest(result));
  const overview: Child[] = [tilesOf(result), layersView(result.layers), rooflineView(result.layers)];
  const pick = (layer: Layer): void => {
    show(result.layers.indexOf(layer));
    detail.scrollIntoView({
      block: "start",
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
    });
  };
  const vector = vectorNodesView(result.vector_nodes, result.total);
  if (one && !vector) return [tilesOf(result), detail, rooflineView(result.layers)];
  return [
    ...overview,
    layerTable(result, pick),
    vector,
    mapNetwork(result, pick),
    coverageView(
      result.coverage,
      result.total ? "have no time or energy in the total" : "are none of these layers",
    ),
    h("p", {class: "choose"}, h("label", null, "Layer ", select)),
    detail,
  ];
}

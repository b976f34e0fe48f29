// The nodes that run on vector units, each with what it takes.
import {h, note} from "../dom";
import {brief, energy, grouped, percent, plural, seconds} from "../format";
import {table, type Column} from "../table";
import type {Totals, VectorNode} from "../types";

export function vectorNodesView(
  nodes: VectorNode[] | undefined,
  total: Totals | null | undefined,
): HTMLElement | null {
  if (!nodes || nodes.length === 0) return null;
  const columns: Column<VectorNode>[] = [
    {label: "node", text: true, value: (node) => node.name},
    {
      label: "kind",
      text: true,
      tip: "What the node does",
      value: (node) => [node.kind, node.function].filter(Boolean).join(" "),
    },
    {
      label: "operations",
      tip: "Of vector units",
      value: (node) => node.operations,
      show: (node) => (node.operations > 0 ? grouped(node.operations) : "·"),
    },
    {label: "energy", value: (node) => node.energy_pj, show: (node) => energy(node.energy_pj)},
    {label: "cycles", value: (node) => node.cycles, show: (node) => grouped(node.cycles)},
    {
      label: "off-chip words",
      value: (node) => node.offchip_words,
      show: (node) => grouped(node.offchip_words),
    },
    {label: "limited by", text: true, value: (node) => node.limited_by},
    {
      label: "rows in",
      text: true,
      tip: "The level that holds the rows that the node reads several times",
      value: (node) => node.held_in ?? null,
    },
  ];
  if (nodes.some((node) => node.seconds !== undefined)) {
    columns.splice(5, 0, {
      label: "time",
      value: (node) => node.seconds ?? null,
      show: (node) => (node.seconds === undefined ? "" : seconds(node.seconds)),
    });
  }
  const sum = total?.vector;
  const share =
    total && sum
      ? `: ${percent(sum.energy_pj / total.energy_pj)} of the energy and ${percent(sum.cycles / total.cycles)} of the cycles in the totals`
      : "";
  const operations = nodes.reduce((all, node) => all + node.operations, 0);
  return h(
    "div",
    {"data-view": "vector-nodes"},
    note(`${plural(nodes.length, "node")} on vector units, ${brief(operations)} operations${share}.`),
    table(nodes, columns, {caption: "Nodes on vector units", limit: 12}),
  );
}

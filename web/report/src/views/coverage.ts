// The nodes of a network that do not multiply, and the gates of those that do: what the figures of
// a result leave out.
import {h, note} from "../dom";
import {brief, bytes, grouped, plural} from "../format";
import {table, type Column} from "../table";
import type {NodeCoverage, NodeKindTotals} from "../types";

// What takes no time: "12 nodes of the model folded …; 9 nodes that only look at words …".
function withoutTime(coverage: NodeCoverage): string {
  const texts: string[] = [];
  if (coverage.folded_nodes > 0)
    texts.push(
      `${plural(coverage.folded_nodes, "node")} of the model folded: the operands are constants or shapes`,
    );
  if (coverage.views > 0)
    texts.push(`${plural(coverage.views, "node")} that only ${coverage.views === 1 ? "looks" : "look"} at words by another shape`);
  return texts.length > 0 ? `Beside them: ${texts.join("; ")}.` : "";
}

// `what`: "have no time or energy in the total".
export function coverageView(coverage: NodeCoverage | undefined, what: string): HTMLElement | null {
  if (!coverage) return null;
  const {other_nodes, folded_nodes, others, gates} = coverage;
  if (other_nodes === 0 && folded_nodes === 0 && gates.length === 0) return null;
  const columns: Column<NodeKindTotals>[] = [
    {label: "kind", text: true, tip: "What the nodes do", value: (kind) => kind.kind},
    {label: "nodes", value: (kind) => kind.nodes, show: (kind) => grouped(kind.nodes)},
    {
      label: "operations",
      tip: "One per element that they write or, of sums and pools, read; none where words only move",
      value: (kind) => kind.operations,
      show: (kind) => (kind.operations > 0 ? grouped(kind.operations) : "·"),
    },
    {
      label: "bytes",
      tip: "What is read and written",
      value: (kind) => kind.bytes,
      show: (kind) => bytes(kind.bytes),
    },
  ];
  if (others.some((kind) => kind.reason)) {
    columns.push({label: "why", text: true, wrap: true, value: (kind) => kind.reason ?? null});
  }
  const sum = `${brief(coverage.other_operations)} operations and ${bytes(coverage.other_bytes)} together`;
  const left =
    other_nodes > 0
      ? `${grouped(other_nodes)} of ${plural(coverage.nodes, "node")} ${what}: ${sum}.`
      : coverage.vector_nodes
        ? "Every node counts."
        : "Every node multiplies.";
  return h(
    "div",
    {"data-view": "coverage"},
    note(`${left} ${withoutTime(coverage)}`),
    others.length > 0 && table(others, columns, {caption: "Nodes that do not multiply"}),
    gates.length > 0 && note("Of recurrent nodes only the products count, not their gates."),
    gates.length > 0 && table(gates, columns, {caption: "Gates of recurrent nodes"}),
  );
}

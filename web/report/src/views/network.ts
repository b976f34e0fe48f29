// The graph of a network, coloured by what was decided for its nodes: by categories, or by a figure.
import {legend, type LegendItem} from "../chart";
import {h} from "../dom";
import {figure} from "../figure";
import {grouped, plural, si} from "../format";
import {GraphView, type DrawnNode} from "../graph/view";
import {indexOf, operatorOf, OPERATORS} from "../kinds";
import {colour} from "../theme";
import type {NetworkGraph} from "../types";

interface Category {
  key: string;
  label: string;
  colour: string;
}
interface WayBase {
  label: string; // of the choice
  text: (node: number) => string; // what a node says of it
}
export interface ByCategory extends WayBase {
  categories: Category[];
  of: (node: number) => string | null; // the key of a category; null: none
  amount?: (nodes: number[]) => string; // beside their number in the legend
}
export interface ByFigure extends WayBase {
  value: (node: number) => number | null;
  show: (value: number) => string;
  none?: string; // what nodes without a value are
}
export type Way = ByCategory | ByFigure;

const STEPS = 5; // values beside the colours of a figure

// From 0, or by powers where the largest is many times the smallest.
function scaleOf(values: number[]): {at: (value: number) => number; ticks: number[]} {
  const most = Math.max(...values);
  const least = Math.min(...values.filter((value) => value > 0), most);
  if (!(most > 0)) return {at: () => 0, ticks: [0]};
  const log = most / least > 200;
  const floor = most / 10 ** Math.min(4, Math.log10(most / least));
  const share = (i: number): number => i / (STEPS - 1);
  return log
    ? {
        at: (value) =>
          value <= floor ? 0 : Math.min(1, Math.log(value / floor) / Math.log(most / floor)),
        ticks: Array.from({length: STEPS}, (_, i) => floor * (most / floor) ** share(i)),
      }
    : {
        at: (value) => value / most,
        ticks: Array.from({length: STEPS}, (_, i) => most * share(i)),
      };
}

// From pale to strong.
const heat = (share: number): string =>
  `color-mix(in oklab, var(--heat1) ${(100 * share).toFixed(1)}%, var(--heat0))`;

function paintBy(way: Way, count: number, view: GraphView, key: HTMLElement): void {
  const nodes = Array.from({length: count}, (_, i) => i);
  if ("categories" in way) {
    const known = new Map(way.categories.map((category) => [category.key, category]));
    view.paint((node) => {
      const own = node < count ? way.of(node) : null;
      return {
        colour: own === null ? "var(--line)" : (known.get(own)?.colour ?? "var(--line)"),
        text: node < count ? way.text(node) : "",
      };
    });
    const items = way.categories.flatMap((category): LegendItem[] => {
      const own = nodes.filter((node) => way.of(node) === category.key);
      const amount = way.amount?.(own);
      return own.length === 0
        ? []
        : [
            {
              label: category.label,
              colour: category.colour,
              value: plural(own.length, "node") + (amount ? `, ${amount}` : ""),
            },
          ];
    });
    key.replaceChildren(legend(items));
    return;
  }
  const value = new Map(nodes.map((node) => [node, way.value(node)]));
  const scale = scaleOf([...value.values()].filter((one): one is number => one !== null));
  view.paint((node) => {
    const own = value.get(node) ?? null;
    return {
      colour: own === null ? "var(--line)" : heat(scale.at(own)),
      text: node < count ? way.text(node) : "",
    };
  });
  const without = way.none ? nodes.filter((node) => way.text(node) !== "" && value.get(node) === null).length : 0;
  key.replaceChildren(
    legend([
      ...scale.ticks.map((tick) => ({label: way.show(tick), colour: heat(scale.at(tick))})),
      ...(without > 0 ? [{label: way.none!, colour: "var(--line)", value: plural(without, "node")}] : []),
    ]),
  );
}

// Every network has these two.
export function commonWays(graph: NetworkGraph): Way[] {
  const operations = (node: number): number => graph.nodes[node]!.operations ?? 0;
  return [
    {
      label: "operator",
      categories: OPERATORS.map((kind) => ({...kind, colour: colour(kind.colour)})),
      of: (node) => operatorOf(graph.nodes[node]!.op).key,
      text: (node) => graph.nodes[node]!.op,
      amount: (nodes) => {
        const sum = nodes.reduce((total, node) => total + operations(node), 0);
        return sum > 0 ? `${si(sum, "")} operations`.replace("  ", " ") : "";
      },
    },
    {
      label: "operations",
      value: operations,
      show: (count) => si(count, ""),
      text: (node) => (operations(node) ? `${si(operations(node), "")} operations` : graph.nodes[node]!.op),
    },
  ];
}

export function networkView(options: {
  graph: NetworkGraph;
  finding: string;
  reading: string;
  ways: Way[];
  tip: (node: number) => string;
  pick?: (node: number) => void;
}): HTMLElement {
  const {graph, ways} = options;
  const {producer, tensor} = indexOf(graph);
  const count = graph.nodes.length;
  // What comes in and goes out has nodes of its own, before and behind those of the network.
  const inputs = graph.tensors.filter((one) => one.role === "input");
  const outputs = graph.tensors.filter((one) => one.role === "output");
  const drawn: DrawnNode[] = [
    ...inputs.map((one) => ({label: one.name, tip: `${one.name}: an input of ${grouped(one.words)} words`, pill: true})),
    ...graph.nodes.map((node, i) => ({label: node.name, tip: options.tip(i)})),
    ...outputs.map((one) => ({label: one.name, tip: `${one.name}: an output of ${grouped(one.words)} words`, pill: true})),
  ];
  const first = inputs.length;
  const edges = new Map<string, [number, number]>();
  const add = (from: number, to: number): void => {
    if (from < to) edges.set(`${from} ${to}`, [from, to]);
  };
  graph.nodes.forEach((node, i) =>
    node.inputs.forEach((name) => {
      const from = producer.get(name);
      if (from !== undefined) add(first + from, first + i);
      else if (tensor.get(name)?.role === "input")
        add(
          inputs.findIndex((one) => one.name === name),
          first + i,
        );
    }),
  );
  outputs.forEach((one, o) => add(first + (producer.get(one.name) ?? 0), first + count + o));
  const select = h(
    "select",
    {"aria-label": "Colour the nodes by"},
    ...ways.map((way, i) => h("option", {value: i}, way.label)),
  );
  const key = h("div", {class: "key"});
  const detail = h("p", {class: "chosen", role: "status"});
  const view = new GraphView(
    `The graph of the network, ${plural(count, "node")}`,
    drawn,
    {count: drawn.length, edges: [...edges.values()]},
    (node) => {
      detail.textContent = drawn[node]!.tip.replaceAll("\n", " · ");
      if (node >= first && node < first + count) options.pick?.(node - first);
    },
    [h("label", {class: "by"}, "colours: ", select)],
  );
  const shifted = (way: Way): Way => {
    const own = <T>(get: (node: number) => T, none: T) => (node: number): T =>
      node >= first && node < first + count ? get(node - first) : none;
    return "categories" in way
      ? {
          ...way,
          of: own(way.of, null),
          text: own(way.text, ""),
          ...(way.amount && {amount: (nodes: number[]) => way.amount!(nodes.map((node) => node - first))}),
        }
      : {...way, value: own(way.value, null), text: own(way.text, "")};
  };
  const repaint = (): void => paintBy(shifted(ways[Number(select.value)]!), drawn.length, view, key);
  select.addEventListener("change", repaint);
  repaint();
  return figure("network", options.finding, options.reading, key, view.element, detail);
}

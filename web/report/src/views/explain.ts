// Every count of a mapping in words.
import {brief, grouped, significant} from "../format";
import type {ComputeResult, LevelResult, TensorResult} from "../types";

export type CountName = "reads" | "fills" | "updates" | "drains";

const ratio = (a: number, b: number): string => significant(a / b, 3);
const words = (count: number): string => `${grouped(count)} word${count === 1 ? "" : "s"}`;

// The next level, from `index` outward or inward, that holds the tensor.
export function holder(levels: LevelResult[], index: number, step: 1 | -1, tensor: string): LevelResult | null {
  for (let i = index + step; i >= 0 && i < levels.length; i += step) {
    if (levels[i]!.tensors[tensor]!.kept) return levels[i]!;
  }
  return null;
}

export function explainTile(level: LevelResult, tensor: string, cost: TensorResult): string {
  if (!cost.kept) return `${level.name} does not hold ${tensor}: its words pass by.`;
  return (
    `The largest tile of ${tensor} in one ${level.name} is ${words(cost.tile_words)}` +
    (cost.instances > 1 ? `; ${grouped(cost.instances)} instances hold one each.` : ".")
  );
}

function perInstance(cost: TensorResult, count: CountName): string {
  if (cost.instances <= 1) return "";
  return `\n${brief(cost.per_instance[count])} in each of ${grouped(cost.instances)} instances.`;
}

const sent: Record<CountName, (level: string, tensor: string, inner: string, outer: string) => string> = {
  reads: (level, tensor, inner) => `words of ${tensor} that ${level} sends inward, to ${inner}`,
  fills: (level, tensor, _inner, outer) => `words of ${tensor} that ${level} receives from ${outer}`,
  updates: (level, tensor, inner) => `results of ${tensor} that ${level} receives from ${inner}`,
  drains: (level, tensor, _inner, outer) => `results of ${tensor} that ${level} sends outward, to ${outer}`,
};

function consequence(
  levels: LevelResult[],
  index: number,
  tensor: string,
  compute: ComputeResult,
  count: CountName,
): string {
  const cost = levels[index]!.tensors[tensor]!.total;
  const inner = holder(levels, index, 1, tensor);
  const outer = holder(levels, index, -1, tensor);
  if (count === "reads" && cost.fills > 0 && cost.updates === 0) {
    return `Every word that arrives is read ${ratio(cost.reads, cost.fills)} times.`;
  }
  if (count === "reads" && inner && cost.reads > 0 && inner.tensors[tensor]!.total.fills > cost.reads) {
    return `One read serves ${ratio(inner.tensors[tensor]!.total.fills, cost.reads)} instances of ${inner.name}.`;
  }
  if (count === "reads" && !inner && cost.reads > 0) {
    return `One read serves ${ratio(compute.operations, cost.reads)} operations.`;
  }
  if (count === "fills" && outer && outer.tensors[tensor]!.total.reads > 0) {
    return `One read of ${outer.name} serves ${ratio(cost.fills, outer.tensors[tensor]!.total.reads)} of them.`;
  }
  if (count === "updates" && cost.drains > 0) {
    return `${ratio(cost.updates, cost.drains)} of them are added up before one leaves.`;
  }
  if (count === "updates" && !inner && cost.updates > 0) {
    return `The array adds ${ratio(compute.operations, cost.updates)} products before one comes.`;
  }
  if (count === "drains" && outer && outer.tensors[tensor]!.total.updates > 0) {
    const sums = cost.drains / outer.tensors[tensor]!.total.updates;
    return sums > 1 ? `${significant(sums, 3)} of them are added on the way out.` : "";
  }
  return "";
}

export function explainCount(
  levels: LevelResult[],
  index: number,
  tensor: string,
  compute: ComputeResult,
  count: CountName,
): string {
  const level = levels[index]!;
  const cost = level.tensors[tensor]!;
  const inner = holder(levels, index, 1, tensor)?.name ?? "the array";
  const outer = holder(levels, index, -1, tensor)?.name ?? "outside";
  const what = sent[count](level.name, tensor, inner, outer);
  const more = consequence(levels, index, tensor, compute, count);
  return `${grouped(cost.total[count])} ${what}.${more ? `\n${more}` : ""}${perInstance(cost, count)}`;
}

// How often a word that a level received is used before it goes: "×12.3"; "" where that says nothing.
export function reuse(cost: TensorResult): {factor: number; text: string} | null {
  const {reads, fills, updates, drains} = cost.total;
  if (!cost.kept) return null;
  if (updates > 0 && drains > 0) {
    return {
      factor: updates / drains,
      text: `${significant(updates / drains, 3)} results are added up for each that leaves`,
    };
  }
  if (fills > 0 && reads > 0 && updates === 0) {
    return {
      factor: reads / fills,
      text: `every word that arrives is used ${significant(reads / fills, 3)} times`,
    };
  }
  return null;
}

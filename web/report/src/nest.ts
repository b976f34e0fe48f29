// The lines of a mapping, taken apart, and which tensors a loop walks over.
import type {Mapped} from "./types";

export interface LoopLine {
  kind: "for" | "parallel";
  dim: string;
  bound: number;
  step: number;
  trips: number;
  last: number; // how much the last trip works on; less than step where it does not divide
  axis: string; // of a parallel loop: "array.x"
}
export interface LevelLine {
  kind: "level";
  level: string;
  keeps: string[] | "all" | "none";
  also: boolean; // tensors that enter inside loops of the level, which a line above names
}
export interface OtherLine {
  kind: "other";
  text: string;
}
export type Line = LoopLine | LevelLine | OtherLine;

const LEVEL = /^(\S+) (also )?keeps (.+)$/;
const LOOP = /^(for|parallel) (\S+) in (\d+) step (\d+)(?: on (\S+))?$/;

export function parseLine(text: string): Line {
  const level = LEVEL.exec(text);
  if (level) {
    const what = level[3]!;
    return {
      kind: "level",
      level: level[1]!,
      keeps: what === "all" || what === "none" ? what : what.split(/\s+/),
      also: level[2] !== undefined,
    };
  }
  const loop = LOOP.exec(text);
  if (!loop) return {kind: "other", text};
  const bound = Number(loop[3]);
  const step = Number(loop[4]);
  const trips = Math.ceil(bound / step);
  return {
    kind: loop[1] as "for" | "parallel",
    dim: loop[2]!,
    bound,
    step,
    trips,
    last: bound - (trips - 1) * step,
    axis: loop[5] ?? "",
  };
}

// "Inputs[N, C, 2*P + R]" → name and the dimensions that it depends on.
export interface Access {
  tensor: string;
  text: string;
  dims: Set<string>;
  output: boolean;
}
export function accesses(mapped: Mapped): Access[] {
  const known = Object.keys(mapped.problem?.dims ?? {});
  return (mapped.problem?.tensors ?? []).map((text) => {
    const words = new Set(text.slice(text.indexOf("[")).match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []);
    return {
      tensor: text.slice(0, text.indexOf("[")),
      text,
      output: text.trimEnd().endsWith("+="),
      dims: new Set(known.filter((dim) => words.has(dim))),
    };
  });
}

export const list = (names: string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

// What a loop does, in words.
export function explainLoop(loop: LoopLine, tensors: Access[]): string {
  const pieces =
    loop.last === loop.step
      ? `${loop.trips} × ${loop.step} of the ${loop.bound} of ${loop.dim}`
      : `${loop.trips - 1} × ${loop.step} and a last ${loop.last} of the ${loop.bound} of ${loop.dim}`;
  const how = loop.kind === "parallel" ? `Spreads ${pieces} over ${loop.axis}.` : `Walks over ${pieces}.`;
  const walks = tensors.filter((t) => t.dims.has(loop.dim)).map((t) => t.tensor);
  const stays = tensors.filter((t) => !t.dims.has(loop.dim)).map((t) => t.tensor);
  if (tensors.length === 0) return how;
  const verb = loop.kind === "parallel" ? "the lanes share" : "the trips reuse";
  return `${how}\nMoves on in ${list(walks)}${stays.length ? `; ${verb} ${list(stays)}` : ""}.`;
}

// What the page works on: the results of all commands (result_types.ts, made from the tables of the
// program), and what is not described there. The command has checked them before it put them here.

import type {Certificate, ComputeResult, EvalResult, Header, LevelResult, ProblemFigures} from "./result_types";

export type * from "./result_types";

// Of whichever command: a front has no objective, a plan no list of metrics.
export interface AnyCertificate {
  status: Certificate["status"];
  objective: number | null;
  lower_bound: number | null;
  gap: number;
  proven?: string[];
  open?: number;
}
export type AnyResult = Header & {interrupted?: boolean; measured?: {seconds?: number}};

// What a mapping and its counts need, wherever they come from.
export interface Mapped {
  mapping: string[];
  problem?: ProblemFigures;
  levels?: LevelResult[];
  compute?: ComputeResult;
}

export interface TraceEvent {
  ph: string;
  pid: number;
  tid?: number;
  ts?: number;
  dur?: number;
  cat?: string;
  name: string;
  id?: number;
  args?: Record<string, unknown>;
}
export interface Trace {
  traceEvents: TraceEvent[];
}

export interface Item {
  name: string;
  result: AnyResult | EvalResult[];
  trace?: Trace;
}
export interface ReportData {
  version: string;
  results: Item[];
}

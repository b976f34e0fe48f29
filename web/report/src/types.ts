// What result.json of each command says, as far as the page shows it. The command has checked it
// before it put it here.

export interface Header {
  format: string;
  command: string;
  version: string;
  inputs: Record<string, {name: string; hash: string}[]>;
  options: Record<string, unknown>;
  interrupted?: boolean;
  measured?: Record<string, unknown>;
}

export interface Counts {
  reads: number;
  fills: number;
  updates: number;
  drains: number;
}
export interface TensorCost {
  kept: boolean;
  tile_words: number;
  instances: number;
  per_instance: Counts;
  total: Counts;
  energy_pj: number;
}
export interface LevelCost {
  name: string;
  cycles: number;
  limit: "none" | "read" | "write" | "shared";
  energy_pj: number;
  tensors: Record<string, TensorCost>;
}
export interface ComputeCost {
  operations: number;
  instances: number;
  lanes: number;
  cycles: number;
  energy_pj: number;
}
export interface Certificate {
  status: "optimal" | "bounded" | "heuristic";
  objective: number | null;
  lower_bound: number | null;
  gap: number;
  proven?: string[];
  open?: number;
}

// What a mapping and its counts need, wherever they come from.
export interface Mapped {
  mapping: string[];
  problem?: {dims: Record<string, number>; tensors: string[]};
  levels?: LevelCost[];
  compute?: ComputeCost;
}

export interface EvalResult extends Header {
  semantics: string;
  problem: string;
  architecture: string;
  mapspace: string;
  operations: number;
  cycles: number;
  energy_pj: number;
  utilization: number;
  offchip_words: number;
  numeric_check?: string;
  levels: LevelCost[];
  compute: ComputeCost;
  mapping: string[];
}

export interface LayerCost {
  energy_pj: number;
  cycles: number;
  edp: number;
  offchip_words: number;
  utilization: number;
  pj_per_op: number;
  limited_by: string;
  most_energy_in: string;
  most_energy_share: number;
}
export interface FrontPoint {
  footprint_words: number;
  offchip_words: number;
  cycles: number;
  mapping: string[];
}
export interface ProgressPoint {
  seconds: number;
  incumbent: number | null;
  bound: number | null;
}
export interface Layer {
  name: string;
  repeat: number;
  operations: number;
  same_as?: string;
  cost?: LayerCost | null;
  front?: FrontPoint[];
  certificate?: Certificate | null;
  mapping?: string[] | null;
  problem?: {dims: Record<string, number>; tensors: string[]};
  levels?: LevelCost[];
  compute?: ComputeCost;
  reasons?: string[];
  measured?: {seconds: number; nodes: number; evaluations: number; progress?: ProgressPoint[]};
}
export interface Totals {
  energy_pj: number;
  cycles: number;
  edp: number;
  certificate?: Certificate; // where the totals were to be the least
}
export interface MapResult extends Header {
  workload: string;
  architecture: string;
  layers: Layer[];
  total?: Totals | null;
}

export interface CodesignArchitecture {
  name: string;
  attributes: Record<string, number>;
  area_um2: number | null;
  layers: Layer[];
  total: Totals;
  area_parts_um2?: Record<string, number>;
  energy_parts_pj?: Record<string, number>;
}
export interface CodesignResult extends Header {
  workload: string;
  method: string;
  scope: string;
  searched: number;
  architectures: CodesignArchitecture[];
  certificate: Certificate | null;
  baseline?: {name: string; total: Totals; area_um2: number | null};
  compared?: {method: string; architectures: CodesignArchitecture[]; gap: number | null};
  measured?: {search_seconds: number; searches: number; pairs: number; progress?: ProgressPoint[]};
}

export interface Residency {
  tensor: string;
  memory: string;
  address: number;
  bytes: number;
  from: number;
  to: number;
}
export interface Transfer {
  tensor: string;
  from: string;
  to: string;
  bytes: number;
  start: number;
  end: number;
  kind: string;
}
export interface PlanStep {
  node: string;
  unit: string;
  tiling: number;
  workspace?: {memory: string; address: number; bytes: number};
  latency_us?: number;
  offchip_bytes?: number;
  limited_by?: string;
}
export interface PlanFigures {
  latency_us: number;
  offchip_bytes: number;
  energy_pj: number;
}
export interface PlanResult extends Header, PlanFigures {
  network: string;
  machine: string;
  bits: number;
  baseline: PlanFigures;
  certificate?: Certificate;
  memories: {name: string; bytes: number; peak_bytes: number; peak_step: number; mean_bytes: number}[];
  order: string[];
  steps: PlanStep[];
  residencies: Residency[];
  transfers: Transfer[];
  measured?: {seconds: number; nodes: number; progress?: ProgressPoint[]};
}

export interface AllocResult extends Header {
  capacity: number | null;
  peak: number | null;
  lower_bound: number;
  peak_load?: {bytes: number; lower: number; upper: number};
  status: string;
  offsets: Record<string, number>;
  buffers?: {id: string; lower: number; upper: number; size: number}[];
}

export interface BatchPolicy {
  name: string;
  makespan_cycles: number;
  throughput_per_s: number;
  pe_busy: number;
  utilization: number;
  idle: {capacity: number; bandwidth: number; dependency: number};
  deadlocks: number;
  splits: number;
  merges: number;
  remaps: number;
  deadlocked?: boolean;
  fetched_bytes?: number;
  refetched_bytes?: number;
  spilled_bytes?: number;
  peak_bytes?: number;
  latency?: {requests: number; p50_ms: number; p95_ms: number; p99_ms: number; worst_ms: number};
}
export interface BatchResult extends Header {
  mix: string;
  accelerator: {name: string; clock_hz: number; arrays: number; memory_bytes: number};
  workloads: {network: string; batch: number; batches: number}[];
  policies: BatchPolicy[];
  control: Record<string, {makespan_cycles: number}>;
  best?: string | null;
  traced?: string;
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

export interface StudyPoint {
  settings: Record<string, string>;
  status: string;
  certificate?: Pick<Certificate, "status" | "gap">;
  figures?: Record<string, number | string>;
  layers?: {name: string; repeat: number; figures: Record<string, number | string>}[];
  reasons?: string[];
}
export interface StudyFigure {
  x: string;
  y: string;
  series: string[];
  left_out?: boolean; // it has too many cells to be drawn
  rows: {x: number | string; y: (number | null)[]; on_front?: boolean[]; status?: (string | null)[]}[];
}
export interface StudyClaim {
  what: string;
  paper: string;
  metric: string;
  show: string;
  compared: number;
  ours: number | null;
  note?: string;
  certificate?: Pick<Certificate, "status" | "gap">;
}
export interface StudyResult extends Header {
  study: string;
  points: StudyPoint[];
  not_run?: number; // of a study of so many points that only those that ran are listed
  figure: StudyFigure | null;
  claims?: StudyClaim[];
}

export interface Item {
  name: string;
  result: Header | EvalResult[];
  trace?: Trace;
}
export interface ReportData {
  version: string;
  results: Item[];
}

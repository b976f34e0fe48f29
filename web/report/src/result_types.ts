// What result.json of each command says; made by: inlay schema result --typescript

export interface Header {
  // the format of results
  format: string;
  // the command that wrote the result
  command: string;
  // the version of inlay that wrote it
  version: string;
  // the files and built-ins that were read, by role
  inputs: Record<string, {name: string; hash: string}[]>;
  // the options that can change the answer
  options: Record<string, boolean | number | string | string[]>;
}

export interface TimeFigures {
  // of the cycles: the launch, and the first words of streams
  start_cycles?: number;
  // the cycles are those that the dynamic energy takes
  limited_by_power?: boolean;
  // of the energy: the idle power of the machine
  idle_pj?: number;
  // cycles / clock; absent without a clock
  seconds?: number;
  // energy / seconds
  watts?: number;
  // 10^12 operations per second, two for a multiply-accumulate
  tops?: number;
  // tops / watts
  tops_per_watt?: number;
}

export interface InstanceCounts {
  // words sent inward
  reads: number;
  // words received from outside
  fills: number;
  // words received from inside
  updates: number;
  // words sent outward
  drains: number;
}

export interface Counts {
  // words sent inward
  reads: number;
  // words received from outside
  fills: number;
  // words received from inside
  updates: number;
  // words sent outward; 0 where the semantics do not count them
  drains: number;
}

export interface TensorResult {
  // whether the level keeps the tensor
  kept: boolean;
  // words of the largest tile of one instance
  tile_words: number;
  // instances that are ever active
  instances: number;
  // words moved by one instance
  per_instance: InstanceCounts;
  // words moved by all instances
  total: Counts;
  // energy of these movements
  energy_pj: number;
  // tiles moved into the first lane; with keys of time
  moves?: number;
}

export interface LevelResult {
  // the level
  name: string;
  // cycles that its transfers take
  cycles: number;
  // the transfer that its cycles come from
  limit: "none" | "read" | "write" | "shared";
  // energy of its tensors and its leakage
  energy_pj: number;
  // share of its capacity in use, of parts the fullest; absent: unbounded
  filled?: number;
  // what its engine takes to move tiles; absent: it has none
  engine_cycles?: number;
  // what it moves of each tensor
  tensors: Record<string, TensorResult>;
}

export interface ComputeResult {
  // multiply-accumulates
  operations: number;
  // lanes in use
  instances: number;
  // lanes in the machine
  lanes: number;
  // cycles of the first lane
  cycles: number;
  // energy of the operations
  energy_pj: number;
}

export interface AccessEnergy {
  // of a block read
  read_pj: number;
  // of a block written from the outer side, where it differs
  fill_pj: number;
  // of a block written from the inner side, where it differs
  update_pj: number;
}

export interface ShownPartition {
  // the kind of memory
  kind: "dram" | "sram" | "register";
  // the width of a word
  word_bits: number;
  // what the tensor has to itself; null: unbounded
  capacity_words: number | null;
  // of one access
  energy: AccessEnergy;
}

export interface ShownFanout {
  // lanes along x
  x: number;
  // lanes along y
  y: number;
  // the array
  name?: string;
  // tile: lanes that need the same tile share one read; none
  multicast: string;
  // whether sums of lanes are added on their way out
  reduce: boolean;
  // from the first lane to the last and back
  skew_cycles?: number;
}

export interface ShownLevel {
  // the level
  name: string;
  // the kind of memory
  kind: "dram" | "sram" | "register";
  // of an SRAM: 1rw or 1r1w
  ports?: "1rw" | "1r1w";
  // the technology's kind of memory off chip; none: its first
  dram?: string;
  // the width of a word
  word_bits: number;
  // tensors whose words have another width
  tensor_bits?: Record<string, number>;
  // how many there are in all
  instances: number;
  // what one instance holds; null: unbounded
  capacity_words?: number | null;
  // of one access
  energy?: AccessEnergy;
  // by tensor: the part that it has to itself
  partitions?: Record<string, ShownPartition>;
  // words that one access moves
  block_words?: number;
  // what the capacity is divided by
  buffering?: number;
  // words per cycle and instance; none: unlimited
  read_bandwidth?: number;
  // the same of writes
  write_bandwidth?: number;
  // the same of both together
  shared_bandwidth?: number;
  // of one instance
  leakage_pj_per_cycle?: number;
  // from a request to the first word
  latency_cycles?: number;
  // of each tile moved, beside the words
  transfer_cycles?: number;
  // double: the next tile comes while this one is worked on; none: work waits; absent: words come when needed
  overlap?: "stream" | "double" | "none";
  // tensors that it must hold
  keep?: string[];
  // tensors that it must not hold
  bypass?: string[];
  // a line for people
  note?: string;
  // the array below each instance
  fanout: ShownFanout;
}

export interface ShownCompute {
  // the multiply-accumulate units
  name: string;
  // their width
  word_bits: number;
  // of its numbers; none: integers
  type?: string;
  // how many there are in all
  instances: number;
  // of one operation
  energy_pj: number;
}

export interface ShownVectorUnit {
  // the vector units
  name: string;
  // what they do
  ops: string[];
  // the level, or the fan-out, below which they stand
  below: string;
  // how many there are in all
  instances: number;
  // of one of them
  ops_per_cycle: number;
  // of one operation
  energy_pj: number;
}

export interface ShownArchitecture {
  // the architecture
  name: string;
  // outer to inner
  levels: ShownLevel[];
  // what computes
  compute: ShownCompute;
  // what computes the nodes that do not multiply
  vector_units?: ShownVectorUnit[];
  // of all instances, by the technology
  area_um2?: number;
  // cycles per second
  clock_hz?: number;
  // of every layer, before it begins
  launch_cycles?: number;
  // the most that it draws
  power_limit_w?: number;
  // what it draws whatever it does
  idle_w?: number;
}

export interface EvalMeasured {
  // time of the evaluation
  seconds: number;
}

export interface EvalResult extends Header, TimeFigures {
  // the rules by which words are counted
  semantics: "exact" | "timeloop" | "thistle";
  // the layer
  problem: string;
  // the architecture
  architecture: string;
  // the smallest mapspace that holds the mapping
  mapspace: "perfect" | "padded" | "ruby-s" | "ruby-t" | "ruby" | "any" | "uneven";
  // multiply-accumulates
  operations: number;
  // multiply-accumulates of the padded problem
  padded_operations?: number;
  // the most of compute and all levels; with keys of time, more
  cycles: number;
  // energy of compute and all levels
  energy_pj: number;
  // operations / (lanes × cycles)
  utilization: number;
  // words to and from the outermost level
  offchip_words: number;
  // walk: ok, the computed result is right
  numeric_check?: string;
  // what every level moves, outermost first
  levels: LevelResult[];
  // what the compute units do
  compute: ComputeResult;
  // the mapping, in lines of the native format
  mapping: string[];
  // the memories and the array that it is mapped onto
  hardware?: ShownArchitecture;
  // differs from run to run
  measured: EvalMeasured;
}

export interface FrontPoint {
  // words held by the level next to the outermost
  footprint_words: number;
  // words to and from the outermost
  offchip_words: number;
  // cycles of one run
  cycles: number;
  // the mapping, in lines of the native format
  mapping: string[];
}

export interface LayerCost extends TimeFigures {
  // energy of one run of the layer
  energy_pj: number;
  // cycles of one run
  cycles: number;
  // energy_pj × cycles
  edp: number;
  // words to and from the outermost level
  offchip_words: number;
  // operations / (lanes × cycles)
  utilization: number;
  // energy per multiply-accumulate
  pj_per_op: number;
  // multiply-accumulates per word moved off chip
  ops_per_offchip_word?: number;
  // multiply-accumulates of the padded problem
  padded_operations?: number;
  // what the cycles wait for
  limited_by: string;
  // the level or unit with most energy
  most_energy_in: string;
  // its share of the energy
  most_energy_share: number;
}

export interface Certificate {
  // optimal: no answer is better; bounded: none is better than lower_bound; heuristic: nothing is proven
  status: "optimal" | "bounded" | "heuristic";
  // the first metric of the answer
  objective: number;
  // no answer has less of the first metric
  lower_bound: number;
  // (objective − lower_bound) / objective
  gap: number;
  // metrics of the objective in which no answer is better
  proven: ("energy" | "delay" | "edp" | "offchip")[];
}

export interface ProblemFigures {
  // the bound of every dimension
  dims: Record<string, number>;
  // how every tensor is accessed
  tensors: string[];
}

export interface TimeloopDirective {
  // the level
  target: string;
  // temporal, spatial or bypass
  type: string;
  // tensors that the level keeps
  keep?: string[];
  // tensors that pass it by
  bypass?: string[];
  // steps of every dimension
  factors?: string;
  // order of the loops, innermost first
  permutation?: string;
  // how many of the loops are on the X axis
  split?: number;
}

export interface DnnoptBlock {
  // the dimension
  dim: string;
  // its bound
  bound: number;
  // the size of its blocks
  block: number;
}

export interface DnnoptFigures {
  // the loops over blocks, outer to inner
  order: DnnoptBlock[];
  // words of each tensor
  offchip_words: Record<string, number>;
  // words of all tensors
  total_offchip_words: number;
  // cycles of the array, block after block
  array_cycles: number;
  // cycles waited for the next block
  stall_cycles: number;
}

export interface ProgressPoint {
  // since the search began
  seconds: number;
  // the first metric of the best so far
  incumbent: number | null;
  // no answer has less
  bound: number | null;
}

export interface SearchEffort {
  // time of the search
  seconds: number;
  // partial mappings looked at
  nodes: number;
  // complete mappings evaluated
  evaluations: number;
  // how far the search had come, in order of time
  progress?: ProgressPoint[];
}

export interface Layer {
  // the layer
  name: string;
  // how often the network has it
  repeat: number;
  // multiply-accumulates of one run
  operations: number;
  // the layer of the same problem that was searched
  same_as?: string;
  // the Pareto front, where one was asked for
  front?: FrontPoint[];
  // what the mapping costs; null: there is none
  cost?: LayerCost | null;
  // what is proven about the answer
  certificate: Certificate | null;
  // the mapping, in lines of the native format
  mapping?: string[] | null;
  // the problem that is computed
  problem?: ProblemFigures;
  // what every level moves, outermost first
  levels?: LevelResult[];
  // what the compute units do
  compute?: ComputeResult;
  // the mapping as Timeloop writes it
  timeloop_mapping?: TimeloopDirective[] | null;
  // why Timeloop cannot express the mapping
  timeloop_note?: string;
  // why there is no answer
  reasons?: string[];
  // dnnopt: blocks × orders looked at
  points_visited?: number;
  // dnnopt: blocks × orders there are
  points_in_space?: number;
  // what DNNOPT's own model says of the mapping
  dnnopt?: DnnoptFigures;
  // stopped by the user or the time limit
  interrupted?: boolean;
  // false: stopped before the search began
  searched?: boolean;
  // differs from run to run
  measured: SearchEffort;
}

export interface VectorTotals {
  // how many nodes
  nodes: number;
  // of all of them
  operations: number;
  // energy of all
  energy_pj: number;
  // cycles of all, one after the other
  cycles: number;
  // words to and from the outermost level
  offchip_words: number;
}

export interface Totals {
  // energy of all layers, every repeat counted
  energy_pj: number;
  // cycles of all layers, one after the other
  cycles: number;
  // energy_pj × cycles
  edp: number;
  // of all layers; absent without a clock
  seconds?: number;
  // energy / seconds
  watts?: number;
  // of these sums, what nodes on vector units take
  vector?: VectorTotals;
  // of these sums, where they were to be least
  certificate?: Certificate;
}

export interface NodeKindTotals {
  // the operator, in the words of the native format
  kind: string;
  // how many nodes
  nodes: number;
  // one per element that they write, or, of sums and pools, read; 0 where they only move words
  operations: number;
  // what is read and written
  bytes: number;
  // why the architecture's vector units do not count them; absent: it has none
  reason?: string;
}

export interface NodeCoverage {
  // nodes that run; views and folded ones do not
  nodes: number;
  // of these, those that multiply
  compute_nodes: number;
  // the rest, whose operations no time counts
  other_nodes: number;
  // what the rest computes, by element
  other_operations: number;
  // what the rest reads and writes
  other_bytes: number;
  // the rest by kind, most bytes first
  others: NodeKindTotals[];
  // of nodes that multiply what they compute beside their products, by kind, which no time counts: the gates of recurrent layers
  gates: NodeKindTotals[];
  // nodes that only look at words by another shape
  views: number;
  // nodes of the model whose operands are constants or shapes only: done when it was read
  folded_nodes: number;
  // of the nodes, those that run on vector units, and are counted
  vector_nodes?: number;
}

export interface VectorNode {
  // the node
  name: string;
  // its operator, in the words of the native format
  kind: string;
  // what it computes, where that is known
  function?: string;
  // what the vector units do for it
  operations: number;
  // energy of the node
  energy_pj: number;
  // cycles of the node
  cycles: number;
  // the same in seconds; absent without a clock
  seconds?: number;
  // words to and from the outermost level
  offchip_words: number;
  // what the cycles wait for
  limited_by: string;
  // the level that holds the rows that it reads several times
  held_in?: string;
}

export interface GraphNode {
  // the node
  name: string;
  // its operator
  op: string;
  // its multiply-accumulates
  operations?: number;
  // the tensors that it reads
  inputs: string[];
  // the tensors that it writes
  outputs: string[];
}

export interface GraphTensor {
  // the tensor
  name: string;
  // what it is to the network
  role: "input" | "weight" | "activation" | "output";
  // its elements
  words: number;
  // what they take
  bytes: number;
}

export interface NetworkGraph {
  // operators but views, in an order in which they can run
  nodes: GraphNode[];
  // what the nodes read and write
  tensors: GraphTensor[];
}

export interface MapMeasured {
  // time of the search
  seconds: number;
  // threads that searched
  threads: number;
}

export interface MapResult extends Header {
  // the network or layer
  workload: string;
  // the architecture
  architecture: string;
  // stopped by the user
  interrupted?: boolean;
  // the answer for every layer
  layers: Layer[];
  // sums over all layers; null where one has no answer
  total?: Totals | null;
  // of a network that is a graph: which of its nodes the layers are, and what the others amount to, which the totals leave out
  coverage?: NodeCoverage;
  // nodes that do not multiply, on the architecture's vector units
  vector_nodes?: VectorNode[];
  // the same network, node by node
  graph?: NetworkGraph;
  // the memories and the array of the architecture
  hardware?: ShownArchitecture;
  // differs from run to run
  measured: MapMeasured;
}

export interface DesignLayer {
  // the layer
  name: string;
  // how often the network has it
  repeat: number;
  // multiply-accumulates of one run
  operations: number;
  // what the mapping costs
  cost?: LayerCost;
  // the mapping, in lines of the native format
  mapping: string[];
}

export interface CodesignArchitecture {
  // the architecture
  name: string;
  // what was chosen
  attributes: Record<string, number>;
  // its area
  area_um2: number | null;
  // the layers that run on it
  layers: DesignLayer[];
  // sums over these layers, every repeat counted
  total: Totals;
  // its memories and its array
  hardware?: ShownArchitecture;
  // area of every level and the compute
  area_parts_um2: Record<string, number>;
  // energy of every level and the compute
  energy_parts_pj: Record<string, number>;
  // gp: the optimum in real numbers
  relaxed?: number;
}

export interface CodesignCertificate {
  // optimal, bounded or heuristic
  status: "optimal" | "bounded" | "heuristic";
  // the first metric; null of a front
  objective: number | null;
  // no answer has less; null of a front
  lower_bound: number | null;
  // (objective − lower_bound) / objective
  gap: number;
  // metrics of the objective in which no answer is better
  proven: ("energy" | "delay" | "edp" | "offchip")[];
  // of a front: architectures that may still change it
  open?: number;
}

export interface Baseline {
  // the architecture that was given
  name: string;
  // sums over all layers
  total: Totals;
  // its area
  area_um2: number | null;
}

export interface CodesignEffort {
  // pairs of layer and architecture searched
  searches: number;
  // pairs of layer and architecture
  pairs: number;
  // gp: programs solved
  programs: number;
}

export interface ComparedMethod {
  // the method
  method: string;
  // what it chose
  architectures: CodesignArchitecture[];
  // how much more its objective is
  gap: number | null;
}

export interface CodesignResult extends Header {
  // the network or layer
  workload: string;
  // exact or gp
  method: string;
  // for what an architecture was chosen
  scope: string;
  // stopped by the user or the time limit
  interrupted?: boolean;
  // architectures in the space
  architectures_in_space: number;
  // what was chosen
  architectures: CodesignArchitecture[];
  // what is proven about the answer
  certificate: CodesignCertificate | null;
  // an architecture that was given
  baseline?: Baseline;
  measured: CodesignEffort & {seconds: number; search_seconds: number; threads: number; progress?: ProgressPoint[]; compared?: CodesignEffort};
  // the answer of another method
  compared?: ComparedMethod;
}

export interface PlanHead {
  // the network
  network: string;
  // what it runs on
  machine: string;
  // of every element that tensor_bits does not name
  bits: number;
  // bits of elements by what has them: inputs, weights, activations, kv, or a tensor
  tensor_bits?: Record<string, number>;
  // weights stay on chip between inferences
  weights_stay: boolean;
}

export interface PlanFigures {
  // time of one inference
  latency_us: number;
  // bytes to and from off chip
  offchip_bytes: number;
  // energy of all accesses to memories and off chip
  energy_pj: number;
}

export interface PlanCertificate {
  // optimal: no plan is better; bounded: none is better than lower_bound; heuristic: nothing is proven
  status: "optimal" | "bounded" | "heuristic";
  // the figure of the plan: µs, bytes or pJ
  objective: number;
  // no plan has less
  lower_bound: number;
  // (objective − lower_bound) / objective
  gap: number;
}

export interface FusedNode {
  // the node
  name: string;
  // how often its leaf is executed
  executions: number;
  // of all executions, without scaling
  operations: number;
  // those beyond what the node needs once
  recomputed_operations: number;
  // scalings of its output for an online softmax
  scaling_operations: number;
}

export interface FusedHold {
  // what is held
  tensor: string;
  // words of the largest tile
  tile_words: number;
  // words that enter from off chip or start there; of what is made and read inside, words made
  entered_words: number;
}

export interface PlanTile extends FusedHold {
  // room of its largest tile in the step: twice where the next one comes meanwhile, 0 where the tensor lies in a memory as a whole
  bytes: number;
}

export interface PlanFusedStep {
  // which step
  step: number;
  // words that its tree holds at once, before buffering
  room_words: number;
  // what every node does
  nodes: FusedNode[];
  // what is held, in the order of the tree
  tiles: PlanTile[];
  // time of the steps of its nodes in the best plan without fused steps
  apart_latency_us: number;
  // bytes to and from off chip of those steps
  apart_offchip_bytes: number;
}

export interface PlanJoined {
  // time of the one step
  latency_us: number;
  // its bytes to and from off chip
  offchip_bytes: number;
  // room of its tiles
  room_bytes: number;
  // bytes that memories lack for it, beside what lies there; 0: it fits
  missing_bytes: number;
}

export interface PlanEdge {
  // the tensor
  tensor: string;
  // the node that makes it
  from: string;
  // the nodes that read it
  to: string[];
  // the step that makes it
  first_step: number;
  // the last step that reads it
  last_step: number;
  // the whole tensor
  bytes: number;
  // what of it goes to and comes from off chip
  offchip_bytes: number;
  // fused: all its nodes are in one fused step; fits, no-room: a tree is known that runs its steps and those between as one, and its tiles fit or do not beside what lies in the memories; no-tree: none was found; no-gain: none was searched, for it would save next to nothing; apart: they cannot be one
  state: "fused" | "fits" | "no-room" | "no-tree" | "no-gain" | "apart";
  // fits, no-room: what these steps would take as one, all else as it is
  joined?: PlanJoined;
}

export interface PlanFusion {
  // fused steps, each of several nodes
  steps: number;
  // nodes in these steps
  nodes: number;
  // runs of nodes of which a tree fits into the pad
  candidates: number;
  // the best plan without fused steps
  unfused: PlanFigures;
  // what is proven of plans without fused steps
  unfused_certificate?: PlanCertificate;
  // what is proven of plans of these steps and trees
  steps_certificate?: PlanCertificate;
  // the fused steps, with what their trees hold
  fused?: PlanFusedStep[];
  // every tensor that nodes pass on, and its price
  edges?: PlanEdge[];
}

export interface MemoryUse {
  // the memory
  name: string;
  // bytes that there are
  bytes: number;
  // most bytes in use
  peak_bytes: number;
  // the first step with that many
  peak_step: number;
  // bytes in use, averaged over time
  mean_bytes: number;
}

export interface ShownUnit {
  // its architecture
  arch?: string;
  // its peak, where it has none
  macs_per_second?: number;
  // the rate of nodes that do not multiply
  vector_ops_per_second?: number;
}

export interface ShownMemory {
  // its size
  bytes: number;
  // addresses are multiples of it
  alignment_bytes: number;
  // null: unlimited
  bytes_per_second: number | null;
  // energy of a byte moved
  pj_per_byte: number;
  // the units that read and write it
  reached_by: string[];
}

export interface OffChip {
  // bytes moved in or out; unlimited if left out
  bytes_per_second: number | null;
  // of moving a byte in or out
  pj_per_byte: number;
}

export interface ShownDma {
  // transfers at a time
  engines: number;
  // pairs of memories between which data can be moved
  moves: string[][];
}

export interface ShownMachine {
  // the machine
  name: string;
  // cycles per second
  clock_hz: number;
  // what computes
  units: Record<string, ShownUnit>;
  // the scratchpads
  memories: Record<string, ShownMemory>;
  // the way to the memory off chip
  offchip: OffChip;
  // what moves data
  dma: ShownDma;
}

export interface PlanBeside {
  // the node
  node: string;
  // the unit that runs it
  unit: string;
}

export interface Workspace {
  // where tiles of operands off chip lie
  memory: string;
  // from this byte
  address: number;
  // so many bytes
  bytes: number;
}

export interface PlanStep {
  // the node
  node: string;
  // the unit that runs it
  unit: string;
  // further nodes of the step, each on an equal unit of its own
  beside?: PlanBeside[];
  // further nodes of a fused step, on the same unit under one tree
  fused?: string[];
  // the loops and holds of a fused step: native lines
  tree?: string[];
  // which of the node's tilings
  tiling: number;
  // room for tiles of operands off chip
  workspace?: Workspace;
  // time of the step
  latency_us?: number;
  // bytes to and from off chip
  offchip_bytes?: number;
  // what the step waits for
  limited_by?: string;
}

export interface Residency {
  // the tensor
  tensor: string;
  // the memory
  memory: string;
  // from this byte
  address: number;
  // so many bytes
  bytes: number;
  // the first step
  from: number;
  // the step after the last
  to: number;
}

export interface Transfer {
  // the tensor
  tensor: string;
  // a memory, offchip, or the unit that writes it
  from: string;
  // a memory, offchip, or the unit that reads it
  to: string;
  // so many bytes
  bytes: number;
  // the step
  start: number;
  // the step after
  end: number;
  // why it is copied
  kind: "fetch" | "prefetch" | "write-back" | "move";
}

export interface PlanBody {
  // layers whose tilings a time limit cut short
  cut_tables?: number;
  // the nodes in the order in which they run
  order: string[];
  // the run of one node each, of several side by side, or fused
  steps: PlanStep[];
  // which tensor lies where, from step to step
  residencies: Residency[];
  // what is copied when
  transfers: Transfer[];
}

export interface PlanResult extends Header, PlanHead, PlanFigures, PlanBody {
  // stopped by the user
  interrupted?: boolean;
  // with nothing kept on chip
  baseline: PlanFigures;
  // what is proven about the plan
  certificate?: PlanCertificate;
  // what fusing nodes has changed
  fusion?: PlanFusion;
  // how full every memory is
  memories: MemoryUse[];
  // units of the machine that no node runs on
  unused_units?: string[];
  // which nodes multiply, and what the others amount to: their bytes take time, their operations none
  coverage?: NodeCoverage;
  // the units and memories of the machine
  hardware?: ShownMachine;
  // the network that is planned
  graph?: NetworkGraph;
  measured: {seconds: number; tables_seconds: number; nodes: number; threads: number; progress?: ProgressPoint[]};
}

export interface FuseCost {
  // words to and from the outermost level
  offchip_words: number;
  // energy of compute and all levels
  energy_pj: number;
  // overlapped where the pad is buffered twice, else sequential
  cycles: number;
  // with moves and leaves one after the other
  sequential_cycles: number;
  // with moves behind computing: of each run the slowest resource
  overlapped_cycles: number;
  // energy × cycles, in pJ
  edp: number;
  // all that are executed
  operations: number;
  // those beyond what the nodes need once
  recomputed_operations: number;
  // scalings for online softmaxes
  scaling_operations: number;
}

export interface FuseRun {
  // the nodes of the run, in their order
  nodes: string[];
  // its tree, in lines of the native format
  tree: string[];
  // what these nodes cost
  cost: FuseCost;
  // words that it takes in the pad, before buffering
  room_words: number;
  // what is proven of this run by itself
  certificate: Certificate;
}

export interface Unfused extends FuseCost {
  // words that it takes in the pad, before buffering
  room_words: number;
  // what is proven of it
  certificate: Certificate;
}

export interface FrontTree {
  // no tree has fewer words in this pad, or as few words in a smaller one
  proven: boolean;
  // the tree, in lines of the native format
  tree: string[];
}

export interface FusedLevel {
  // the level
  name: string;
  // energy of its accesses and its leakage
  energy_pj: number;
  // the words that it moves
  tensors: Record<string, Counts>;
}

export interface FuseMeasured {
  // time of the search
  seconds: number;
  // partial trees looked at
  nodes: number;
  // complete trees evaluated
  evaluations: number;
  // threads that searched
  threads: number;
}

export interface FuseResult extends Header {
  // the nodes together
  problem: string;
  // the architecture
  architecture: string;
  // stopped by the user
  interrupted?: boolean;
  // ranges of nodes, each under one tree, in the order of the nodes
  runs: FuseRun[];
  // what all runs cost
  total: FuseCost;
  // words that the trees take in the pad, before buffering
  room_words: number;
  // what is proven of the total
  certificate: Certificate;
  // no fused mapping of these nodes in this order has less of the first metric, whatever it shares
  bound_any_fusion?: number;
  // off-chip words of any mapping in a pad of any size: inputs that are needed once, outputs once
  compulsory_words: number;
  // the best mapping in which every node is a run of its own
  unfused?: Unfused;
  // pairs: words of the pad, fewest off-chip words; no smaller pad has as few
  front?: number[][];
  // the same with every node a run of its own
  unfused_front?: number[][];
  // the trees of 'front'
  front_trees?: FrontTree[];
  // what every node does
  nodes: FusedNode[];
  // what is held, in the order of the tree
  holds: FusedHold[];
  // what every level moves, outermost first
  levels: FusedLevel[];
  // energy of the operations
  compute_energy_pj: number;
  // the tree of all runs, in lines of the native format
  tree: string[];
  // the memories and the array of the architecture
  hardware: ShownArchitecture;
  // differs from run to run
  measured: FuseMeasured;
}

export interface AllocPeak {
  // the largest sum of buffers that live at the same time
  bytes: number;
  // the first time with that sum
  lower: number;
  // the end of that time
  upper: number;
}

export interface AllocCause {
  // from this time
  lower: number;
  // to before this time
  upper: number;
  // buffers that do not fit together
  buffers: string[];
  // the sum of their sizes
  bytes: number;
}

export interface Buffer {
  // the buffer
  id: string;
  // from this time
  lower: number;
  // to before this time
  upper: number;
  // its size
  size: number;
}

export interface AllocResult extends Header {
  // as asked for; else as found
  capacity: number | null;
  // the end of the highest buffer
  height: number | null;
  // no smaller capacity is enough
  lower_bound: number;
  // when most is in use
  peak_load: AllocPeak;
  // placed, infeasible or timeout
  status: string;
  // stopped by the user
  interrupted?: boolean;
  // why there is no placement
  cause?: AllocCause;
  // the address of every buffer
  offsets: Record<string, number>;
  // what was to be placed
  buffers: Buffer[];
  measured: {seconds: number; nodes: number};
}

export interface SystolicArray {
  // elements from top to bottom
  rows: number;
  // elements from left to right
  columns: number;
  // what stays in the elements: outputs, weights or inputs
  dataflow: "os" | "ws" | "is";
}

export interface Accelerator extends SystolicArray {
  // what the accelerator is called in results
  name: string;
  // turns cycles into seconds
  clock_hz: number;
  // how many arrays work on a layer together
  arrays: number;
  // of every element of a tensor
  bits: number;
  // on chip, for weights and feature maps
  memory_bytes: number;
  // of the channel to the memory off chip
  bytes_per_cycle: number;
  // most weights that are fetched at a time
  block_bytes: number;
  // most weights on chip that wait for their turn
  window_bytes: number;
  // how many layers ahead of the running one weights are fetched
  look_ahead_layers: number;
}

export interface BatchWorkload {
  // the network
  network: string;
  // inferences of a batch
  batch: number;
  // batches that come
  batches: number;
}

export interface LatencyFigures {
  // batches that came
  batches: number;
  // half of them took at most so long
  p50_ms: number;
  // 95 % of them
  p95_ms: number;
  // 99 % of them
  p99_ms: number;
  // all of them
  worst_ms: number;
}

export interface BatchPolicy {
  // the policy
  name: string;
  // cycles until the last output
  makespan_cycles: number;
  // inferences per second
  throughput_per_s: number;
  // share of the makespan in which the arrays work
  pe_busy: number;
  // operations / (elements × makespan)
  utilization: number;
  idle: {capacity: number; bandwidth: number; dependency: number};
  // deadlocks that were met
  deadlocks: number;
  // batches that were split
  splits: number;
  // parts that were merged again
  merges: number;
  // layers that ran in pieces
  remaps: number;
  // the run ended in a deadlock
  deadlocked: boolean;
  // most parts of a batch that waited at once
  deepest_stack: number;
  // weights fetched
  fetched_bytes: number;
  // weights fetched again
  refetched_bytes: number;
  // feature maps written off chip and back
  spilled_bytes: number;
  // bytes of layers that run from off chip
  streamed_bytes: number;
  // most memory in use
  peak_bytes: number;
  // in a deadlock: what holds what, a line each
  holders?: string[];
  // of all batches, where they arrive over time
  latency?: LatencyFigures & {workloads?: LatencyFigures[]};
  // the slices of every workload, where they were planned
  plan?: string[];
}

export interface BatchFigures {
  // what every policy comes to
  policies: BatchPolicy[];
  control: {LB: {makespan_cycles: number}; PU: {makespan_cycles: number}; PW: {makespan_cycles: number}};
}

export interface BatchPolicyEffort {
  // time of the simulation
  seconds: number;
  // time of planning
  plan_seconds: number;
  // events simulated
  events: number;
}

export interface BatchResult extends Header, BatchFigures {
  // the mix
  mix: string;
  // what it runs on
  accelerator: Accelerator;
  // the networks that share it
  workloads: BatchWorkload[];
  // stopped before all policies had run
  interrupted?: boolean;
  // the policy of the shortest makespan
  best: string | null;
  // the policy whose timeline trace.json has
  traced?: string;
  measured: {seconds: number; threads: number; policies: Record<string, BatchPolicyEffort>};
}

export interface StudyCertificate {
  // optimal, bounded or heuristic
  status: "optimal" | "bounded" | "heuristic";
  // at most so much of the objective could be saved
  gap: number;
  // metrics of the objective in which no answer is better
  proven: ("energy" | "delay" | "edp" | "offchip")[];
}

export interface StudyLayer {
  // the layer
  name: string;
  // how often the network has it
  repeat: number;
  // figures of one run
  figures: Record<string, number | string>;
  // what is proven about them
  certificate?: StudyCertificate;
}

export interface StudyPoint {
  // axis and label, in the order of the grid
  settings: Record<string, string>;
  // how the point ended
  status: "done" | "no answer" | "cut short" | "not run";
  // a time limit may have changed the answer
  timed?: boolean;
  // the worst of the layers
  certificate?: StudyCertificate;
  // what every policy comes to
  policies?: BatchPolicy[];
  control?: {LB?: {makespan_cycles?: number}; PU?: {makespan_cycles?: number}; PW?: {makespan_cycles?: number}};
  // figures of the point; counts that no double holds as texts
  figures?: Record<string, number | string>;
  // figures of every layer
  layers?: StudyLayer[];
  // why there is no answer
  reasons?: string[];
}

export interface StudyRow {
  // a figure or a setting
  x: number | string;
  // one figure per series; null: no point
  y: (number | null)[];
  // no other point is better in both
  on_front?: boolean[];
  // what is proven of each; null: it is no answer of a search
  status?: ("optimal" | "bounded" | "heuristic" | null)[];
}

export interface StudyFigure {
  // what goes along
  x: string;
  // what goes up
  y: string;
  // one line each
  series: string[];
  // it has too many cells to be drawn
  left_out?: boolean;
  // the points of all series at one x
  rows: StudyRow[];
}

export interface StudyClaim {
  // what the paper claims
  what: string;
  // its figure, as printed
  paper: string;
  // the figure that is compared
  metric: string;
  // how the figure is shown
  show: "value" | "percent" | "change" | "ratio";
  // how the figures of several points become one
  take: "mean" | "geomean" | "min" | "max";
  // whether points or their layers are taken
  over: "points" | "layers";
  // points or layers, or pairs of them
  compared: number;
  // our figure; null: the points it needs are not there
  ours: number | null;
  // the figure that is to be reached
  reach?: number;
  // the axis along which it is looked for
  along?: string;
  // the worst of both sides
  certificate?: StudyCertificate;
  // where and why the two differ
  note?: string;
}

export interface StudyResult extends Header {
  // the study
  study: string;
  // stopped by the user
  interrupted: boolean;
  // what every point came to
  points: StudyPoint[];
  // points that are not listed, because they did not run
  not_run?: number;
  // what the study draws
  figure: StudyFigure | null;
  // what papers say, and what we find
  claims: StudyClaim[];
  measured: {seconds: number; claims?: StudyClaim[]};
}

export interface SystolicCost {
  // multiply-accumulates
  operations: number;
  // times that the array is filled
  folds: number;
  // cycles of each
  cycles_per_fold: number;
  // index of the last cycle
  cycles: number;
  // operations / (elements × cycles)
  utilization: number;
  // share of the elements that hold work, averaged over folds
  mapping_efficiency: number;
  sram: {input_reads: number; weight_reads: number; output_writes: number};
}

export interface SystolicLayer extends SystolicCost {
  // the layer
  name: string;
  // how often the network has it
  repeat: number;
}

export interface SystolicResult extends Header {
  // the array
  array: SystolicArray;
  // one run of every layer
  layers: SystolicLayer[];
  total: {operations: number; cycles: number; utilization: number};
  measured: {seconds: number};
}

export interface MapspaceSize {
  // mappings: tilings × orders × bypass
  size: string;
  // tilings, spatial unrolling included
  tilings: string;
  // loop orders, on average; N/M where it is a fraction
  orders: string;
  // choices of what each level keeps
  bypass: string;
}

export interface MapspaceLayer extends MapspaceSize {
  // the layer
  name: string;
  // how often the network has it
  repeat: number;
}

export interface MapspaceResult extends Header {
  // the mapspace
  mapspace: string;
  // mappings: tilings × orders × bypass
  size?: string;
  // tilings, spatial unrolling included
  tilings?: string;
  // loop orders, on average; N/M where it is a fraction
  orders?: string;
  // choices of what each level keeps
  bypass?: string;
  // the size for every layer
  layers: MapspaceLayer[];
  measured: {seconds: number};
}

export interface FusedEvalResult extends Header {
  // the nodes together
  problem: string;
  // the architecture
  architecture: string;
  // all that are executed
  operations: number;
  // those beyond what the nodes need once
  recomputed_operations: number;
  // scalings for online softmaxes
  scaling_operations: number;
  // words to and from the outermost level
  offchip_words: number;
  // words that the tree takes in the pad, before buffering
  room_words: number;
  // walk: ok, the computed result is right
  numeric_check?: string;
  // energy of compute and all levels
  energy_pj: number;
  // energy of the operations
  compute_energy_pj: number;
  // overlapped where the pad is buffered twice, else sequential
  cycles: number;
  // with moves and leaves one after the other
  sequential_cycles: number;
  // with moves behind computing: of each run the slowest resource
  overlapped_cycles: number;
  // energy × cycles, in pJ
  edp: number;
  // what every node does
  nodes: FusedNode[];
  // what is held, in the order of the tree
  holds: FusedHold[];
  // what every level moves, outermost first
  levels: FusedLevel[];
  // the tree, in lines of the native format
  tree: string[];
  // differs from run to run
  measured: EvalMeasured;
}

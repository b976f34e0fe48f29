#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "inlay/batch/layer_table.h"
#include "inlay/batch/planned_runs.h"
#include "inlay/batch/sim/memory.h"
#include "inlay/batch/simulate.h"

// The internals of Simulate: one State, and the code that changes it, by topic in one file each:
//   state           what there is, and how it begins
//   weight_blocks   which weight block comes next, which are on chip
//   start_layers    which workload starts its next layer, with how many inferences
//   layer_progress  a layer that has started: its units, from the first to the last
//   requests        between layers: slices, requests, pauses and merges
//   banker          whether all can still finish
//   engines         which block goes next to the channel and to the arrays
//   deadlock        what is done when nothing moves
//   invariants      what must hold after every event
namespace inlay::batch::sim {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Inferences of one request that go together.
struct SubBatch {
  int64_t n = 0;
  size_t layer = 0;      // the layer that runs, or is to start next
  bool spilled = false;  // what they hold lies off chip
};

enum class Phase : uint8_t { kIdle, kBlocked, kRunning };  // blocked: waits to start a layer

// The layers whose weights are fetched one after the other: [from, to).
struct FetchRange {
  size_t from = 0, to = 0;
  bool next_request = false;
};

// How far a started layer is. It is cut into units, `per_block` for each weight block; a unit needs
// its block, its part of what streams, and the inputs.
struct Progress {
  int64_t units = 0, per_block = 1, unit = 0;
  int64_t steps = 0, steps_done = 0, unit_end = 0;  // unit_end: in steps
  size_t product = 0;                               // that is computed next
  int64_t product_left = 0, step_cycles = 0;        // of it
  int64_t stream = 0;                               // bytes of the whole layer
  int64_t streams_issued = 0, streams_arrived = 0;  // units
  int64_t inputs_to_fetch = 0, inputs_missing = 0;  // bytes not asked for, not arrived
};

struct WorkloadState {
  // What does not change.
  const TaskWorkload* task = nullptr;
  const std::vector<LayerProfile>* layers = nullptr;
  std::unique_ptr<LayerTable> table;
  std::vector<size_t> first_block;  // of each layer, and one past the last; numbers as in Memory
  std::map<int64_t, std::vector<PlannedRun>> runs_of;  // by the inferences of a request

  // The request and its slices.
  size_t request = 0;    // index of the current, or of the next one to come
  int64_t finished = 0;  // inferences of it
  Phase phase = Phase::kIdle;
  SubBatch current;
  const InferenceCosts* costs = nullptr;  // of current.n
  const std::vector<PlannedRun>* runs = nullptr;
  size_t run = 0;
  int64_t at_gates[2] = {0, 0};   // bytes held by slices that wait at the first, the second gate
  int64_t off_gates[2] = {0, 0};  // bytes of such slices that lie off chip (kSpill)
  int64_t current_off_chip = 0;   // such bytes of the current sub-batch, if it came from a gate
  std::vector<SubBatch> paused;   // a stack; layers do not decrease upwards
  std::vector<SubBatch> waiting;  // for the current to reach their layer; layers decrease inwards
  int64_t feature_map_bytes = 0;  // bytes of all these
  int64_t blocked_since = 0;      // a running number
  int64_t refused_at = -1;        // version of the state in which the banker refused

  // Weights: the next block to fetch. fetch_range 0: for the current sub-batch; 1: for what comes
  // next.
  size_t fetch_range = 0;
  size_t fetch_layer = 0;
  size_t fetch_block = 0;
  FetchRange next_range;  // that blocks are fetched for while fetch_range is 1
  std::vector<size_t>
      seen;  // of each block, the number from 1 of the request it was last fetched for
  Progress progress;

  // For the check at the end.
  std::vector<int64_t> computed;  // inferences by layer
};

struct Channel {
  enum class Content : uint8_t { kWeights, kInputs, kStream, kSpill };
  int64_t until = kNever;  // kNever: free
  Content content = Content::kWeights;
  size_t workload = 0;
  size_t block = 0;     // kWeights
  size_t range = 0;     // kWeights
  bool orphan = false;  // kWeights: it is kept when it arrives, for later
  int64_t bytes = 0;
};

struct Arrays {
  int64_t until = kNever;  // kNever: free
  size_t workload = 0;
  int64_t steps = 0;
};

struct State {
  State(const Task& the_task, const Rules& the_rules, const RunOptions& the_options);

  const Task& task;
  const Rules& rules;
  const RunOptions& options;
  Observer* observer;
  bool splits;  // kSplit, kSplitLazy
  double bytes_per_cycle;
  int64_t look_ahead_layers;
  std::vector<WorkloadState> workloads;
  Memory memory;
  Channel channel;
  Arrays arrays;
  int64_t now = 0;
  int64_t version = 0;  // of what lies in memory; see WorkloadState::refused_at
  int64_t sequence = 0;
  size_t unfinished = 0;                    // requests
  size_t turn_fetch = 0, turn_compute = 0;  // round robin: the workload asked first
  size_t active = 0;                        // kSerial; number of workloads: none
  int64_t balance = 0;     // kInterleave: cycles computed beyond those fetched in layers so far
  bool may_split = true;   // kSplitLazy: the arrays would idle
  bool any_depth = false;  // kSpill: nothing else is left to write out
  Outcome outcome;
  std::vector<size_t> order, steps;  // scratch: one entry per workload
};

inline bool IsRunning(const WorkloadState& w) { return w.phase == Phase::kRunning; }
inline size_t LayersOf(const WorkloadState& w) { return w.layers->size(); }
inline size_t BlocksOf(const WorkloadState& w, size_t layer) {
  return w.first_block[layer + 1] - w.first_block[layer];
}

// The i-th of `count` shares of a total, all together the total.
inline int64_t ShareEnd(int64_t total, int64_t i, int64_t count) {
  constexpr int64_t kSmall = int64_t{1} << 31;
  if (total < kSmall && i < kSmall) return total * i / count;
  __extension__ using Wide = __int128;
  return static_cast<int64_t>(Wide{total} * i / count);
}

inline int64_t FetchCycles(const State& state, int64_t bytes) {
  const double cycles = static_cast<double>(bytes) / state.bytes_per_cycle;
  const auto whole = static_cast<int64_t>(cycles);
  return static_cast<double>(whole) < cycles ? whole + 1 : whole;
}

inline void SetSubBatch(WorkloadState* w, const SubBatch& sub_batch) {
  w->current = sub_batch;
  w->costs = &w->table->Pin(sub_batch.n);
}

// Bytes that a sub-batch of the workload holds while it stands.
inline int64_t HeldBy(WorkloadState* w, const SubBatch& sub_batch) {
  if (sub_batch.spilled) return 0;
  return w->table->CostsOf(sub_batch.n).held[sub_batch.layer] -
         (&sub_batch == &w->current ? w->current_off_chip : 0);
}

// --- weight_blocks
// Where the current sub-batch's layers end for the fetching of weights.
size_t FetchEnd(const State& state, const WorkloadState& w);
// What will be computed after the current range, as far as it is known; empty if it is not.
FetchRange NextFetchRange(const State& state, const WorkloadState& w);
// Takes blocks without bytes and kept ones that are next, as far as allowed. True if it took any.
bool TakeWithoutFetching(State* state, size_t workload);
// The next block may be fetched now.
bool MayFetchBlock(State* state, size_t workload);
void ClaimNextBlock(State* state, size_t workload);
// The first block of the current sub-batch that is not done is on chip.
bool HasBlock(const State& state, size_t workload);
// The current range ended, and the one that was expected begins.
void BeginNextRange(State* state, size_t workload);
// The path changed: what was fetched for later is kept while there is space.
void ForgetFetched(State* state, size_t workload);
void ForgetNextRange(State* state, size_t workload);
// The unit's block is done.
void FinishBlock(State* state, size_t workload);

// --- layer_progress
void BeginLayer(State* state, size_t workload, int64_t inputs);
// So many steps of the current unit are computed.
void EndSteps(State* state, size_t workload, int64_t steps);
// The current unit has all it needs.
bool UnitReady(const State& state, size_t workload);
// Ends units whose steps are done, and the layer with the last. True if any ended.
bool EndUnits(State* state, size_t workload);

// --- requests
void BeginRequest(State* state, size_t workload);
void EndLayer(State* state, size_t workload);

// --- start_layers
// Starts layers as far as rules and memory let it. True if any started.
bool StartLayers(State* state);
// Without regard to whose turn it is.
bool StartAnyLayer(State* state);
// Bytes that the current sub-batch's next layer wants: of the whole sub-batch, or of one inference
// if it can be split.
int64_t WantedBytes(State* state, size_t workload);
// Σ over all sub-batches of the workload, see InferenceCosts::path.
int64_t PathOf(const State& state, WorkloadState* w);

// --- banker
// All workloads can finish one after the other, each in its most frugal way.
bool IsSafe(State* state);

// --- engines
bool PickFetch(State* state);    // the channel is free; true if it is not any more
bool PickCompute(State* state);  // the arrays are free; true if they are not any more

// --- deadlock
// No event is pending. True if something can go on.
bool ResolveDeadlock(State* state);

// --- invariants
void CheckInvariants(State* state);
void CheckEnd(const State& state);

}  // namespace inlay::batch::sim

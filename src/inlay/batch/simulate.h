#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/base/enum_names.h"
#include "inlay/batch/task.h"

namespace inlay::batch {

// How a workload goes through its layers. docs/reference/batching.md explains each.
enum class Advance : uint8_t {
  kSerial,      // one workload after the other
  kInterleave,  // at each layer boundary the one that balances the engines best
  kStatic,      // every batch whole
  kSplit,       // as much as fits; the rest is paused (BATCH-DNN)
  kSplitLazy,   // splits only where the arrays would idle otherwise
  kPlanned,     // by slices that were planned beforehand
};

// Which block goes next to an engine.
enum class Order : uint8_t {
  kRoundRobin,
  kAiMt,        // keeps compute covered, evicts early
  kLongestPath  // what remains longest; for a full window, what frees it
};

enum class OnDeadlock : uint8_t { kAvoid, kSpill, kReport };
// Simulate treats kAddressed as kPool; what it takes to give everything an address is in
// policies/addressed_memory.h.
enum class MemoryModel : uint8_t { kPool, kPaged, kAddressed };

}  // namespace inlay::batch

namespace inlay {

template <>
inline constexpr auto kNames<batch::Order> =
    std::to_array<EnumName<batch::Order>>({{batch::Order::kRoundRobin, "round-robin"},
                                           {batch::Order::kAiMt, "ai-mt"},
                                           {batch::Order::kLongestPath, "longest-path"}});
template <>
inline constexpr auto kNames<batch::OnDeadlock> =
    std::to_array<EnumName<batch::OnDeadlock>>({{batch::OnDeadlock::kAvoid, "avoid"},
                                                {batch::OnDeadlock::kSpill, "spill"},
                                                {batch::OnDeadlock::kReport, "report"}});
template <>
inline constexpr auto kNames<batch::MemoryModel> =
    std::to_array<EnumName<batch::MemoryModel>>({{batch::MemoryModel::kPool, "pool"},
                                                 {batch::MemoryModel::kPaged, "paged"},
                                                 {batch::MemoryModel::kAddressed, "addressed"}});

}  // namespace inlay

namespace inlay::batch {

struct Rules {
  Advance advance = Advance::kStatic;
  Order order = Order::kLongestPath;
  OnDeadlock on_deadlock = OnDeadlock::kAvoid;
  MemoryModel memory = MemoryModel::kPool;
  bool bypass = true;                   // others may start layers while a workload waits for space
  bool merge = true;                    // kSplit, kSplitLazy
  int64_t cascade_depth = 64;           // most paused sub-batches of a workload
  int64_t cut_cycles = 2048;            // compute blocks are cut at folds to about so many
  int64_t page_bytes = 4096;            // kPaged
  bool unlimited_feature_maps = false;  // controls: feature maps take no memory
  bool unlimited_window = false;
  bool free_spills = false;  // controls: what is written out and read again takes no time
  bool operator==(const Rules&) const = default;
};

enum class Ending : uint8_t { kDone, kDeadlock, kStopped };

// Why nothing moves, for a user to read.
struct Holder {
  size_t workload = 0;
  size_t layer = 0;  // that it stands before
  int64_t inferences = 0;
  int64_t held_bytes = 0;
  int64_t wanted_bytes = 0;  // more than there are
};

struct Outcome {
  Ending ending = Ending::kDone;
  int64_t makespan = 0;  // cycles; until the deadlock, if there is one
  int64_t busy = 0;      // cycles in which the arrays work
  int64_t inferences = 0;
  int64_t fetched_bytes = 0;  // all that came over the channel, the following included
  int64_t refetched_bytes = 0;
  int64_t spilled_bytes = 0;
  int64_t streamed_bytes = 0;
  int64_t splits = 0, merges = 0, spills = 0, events = 0;
  int64_t deepest_stack = 0;
  int64_t peak_bytes = 0;
  std::vector<std::vector<int64_t>> finished;  // by workload and request: cycle
  std::vector<Holder> deadlock;
};

// What happens, for traces and tests. Cycles are half-open.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void Fetch(int64_t /*from*/, int64_t /*to*/, size_t /*workload*/, size_t /*layer*/,
                     int64_t /*bytes*/) {}
  virtual void Compute(int64_t /*from*/, int64_t /*to*/, size_t /*workload*/, size_t /*layer*/,
                       int64_t /*n*/) {}
  virtual void Occupancy(int64_t /*at*/, int64_t /*maps*/, int64_t /*weights*/) {}
  // So many inferences start a layer, or end it.
  virtual void Layer(int64_t /*at*/, size_t /*workload*/, size_t /*layer*/, int64_t /*n*/,
                     bool /*starts*/) {}
  // A weight block, numbered over all workloads, comes on chip or goes.
  virtual void Block(int64_t /*at*/, size_t /*block*/, int64_t /*bytes*/, bool /*comes*/) {}
  // `what`: begin (a request), split (so many are paused), resume, merge, wait (at a gate), end
  // (all layers are done), spill.
  virtual void SubBatch(int64_t /*at*/, size_t /*workload*/, std::string_view /*what*/,
                        size_t /*layer*/, int64_t /*n*/) {}
};

// Runs a valid task to its end. Deterministic. With `check`, everything that must hold is checked
// after every event (INLAY_CHECK), as it is in debug builds. The task fits (see Fits).
struct RunOptions {
  Observer* observer = nullptr;
  bool check = false;
  const Deadline* deadline = nullptr;
};
Outcome Simulate(const Task& task, const Rules& rules, const RunOptions& options = {});

}  // namespace inlay::batch

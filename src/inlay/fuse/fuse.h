#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "inlay/base/enum_names.h"
#include "inlay/base/stop.h"
#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/fused_cost.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"
#include "inlay/core/map_result.h"
#include "inlay/core/objective.h"

namespace inlay {

// Which tile sizes loops may have: any, with a short last tile, or those that divide what is cut.
enum class FusedTiles : uint8_t { kAny, kPerfect };
template <>
inline constexpr auto kNames<FusedTiles> = std::to_array<EnumName<FusedTiles>>(
    {{FusedTiles::kAny, "any"}, {FusedTiles::kPerfect, "perfect"}});

// How softmaxes are computed: step by step, or of whole rows that wait in the pad.
enum class SoftmaxForm : uint8_t { kOnline, kRow };
template <>
inline constexpr auto kNames<SoftmaxForm> = std::to_array<EnumName<SoftmaxForm>>(
    {{SoftmaxForm::kOnline, "online"}, {SoftmaxForm::kRow, "row"}});

// Sizes of the pad, in words that trees may take, before buffering; both included.
struct PadRange {
  int64_t least_words = 1;
  int64_t most_words = 1;
};

// The mapspace F(k) and what is best in it; docs/reference/fusion.md.
struct FuseOptions {
  Objective objective = {Metric::kOffchip};
  FusedTiles tiles = FusedTiles::kAny;
  int shared_loops = 4;  // at most, above any node; 0: no loop goes around two nodes
  SoftmaxForm softmax = SoftmaxForm::kOnline;
  // Also loops over dimensions that producer and reader have in one rank with others: a kernel's.
  bool share_kernel_loops = false;
  int run_nodes = 8;  // at most, in a run of a graph that is not searched as a whole
  // By node: the first one that a run which has it may begin with; empty: any.
  IndexedVector<NodeId, NodeId> earliest = {};
  std::optional<PadRange> front;  // the fewest off-chip words of every pad of these sizes
  std::optional<double> time_limit_seconds;
  int threads = 1;
};

// A tree and what it costs on the architecture.
struct FusedSolution {
  FusedTree tree;
  FusedCost cost;
};

// One part of a root split: nodes from `first` to before `end` under one tree, with the numbers of
// nodes, dimensions and tensors of the whole problem; in the cost's counts, those of the part.
struct FusedRun {
  NodeId first, end;
  FusedTree tree;
  FusedCost cost;           // of these nodes alone
  Certificate certificate;  // of this run by itself, in F(k)
};

// No tree with fewer off-chip words takes less room or as little.
struct FusedFrontPoint {
  int64_t room_words = 0;  // of the pad, before buffering
  int64_t offchip_words = 0;
  bool proven = false;  // a smaller pad has no tree with as few words, this one none with fewer
  FusedTree tree;
};

struct FuseAnswer {
  std::optional<FusedSolution> best;     // none: infeasible, or stopped before the first one
  std::vector<FusedRun> runs;            // of the best, in the order of the nodes
  Certificate certificate;               // of the best, in F(k)
  std::optional<double> any_fusion;      // no fused mapping of this order has less: first metric
  std::optional<FusedSolution> unfused;  // the best tree in which every node is a run of its own
  Certificate unfused_certificate;
  std::vector<FusedFrontPoint> front;  // with a front asked for, besides best; by room
  std::vector<FusedFrontPoint> unfused_front;
  bool interrupted = false;  // stopped by the user or the time limit
  Faults infeasible;         // why there is no tree, if that is proven
  Faults unsupported;        // what the search cannot do with this problem or machine
  SearchEffort effort;
};

// Progress of a running search, as MapProgress: never called by two threads at once.
struct FuseProgress {
  std::optional<double> incumbent, bound;  // first metric
  bool done = false;
};
using FuseProgressSink = std::function<void(const FuseProgress&)>;

// The best fused mapping of all nodes in their order. Problem and architecture are valid, and the
// architecture is one for fused mappings (CheckFusedArchitecture). Deterministic whenever it ends
// by proof, at any number of threads.
FuseAnswer Fuse(const FusedProblem& problem, const Architecture& architecture,
                const FuseOptions& options, const StopFlag& stop,
                const FuseProgressSink& progress = {});

}  // namespace inlay

#include "inlay/cost/thistle.h"

#include <optional>
#include <string>
#include <utility>

#include "inlay/cost/cost_from_counts.h"
#include "inlay/cost/thistle_volume.h"

namespace inlay {
namespace {

// Leaves room for sums of several counts in 64 bits.
constexpr int64_t kMostWords = int64_t{1} << 58;

std::optional<Fault> FindUnfit(const Problem& problem) {
  for (const Tensor& tensor : problem.tensors) {
    for (const Rank& rank : tensor.ranks) {
      if (rank.terms.size() <= 2) continue;
      return Fault{"tensors." + tensor.name,
                   "a rank of '" + tensor.name + "' has more than two dimensions",
                   "the thistle semantics count the words of at most two; use the exact semantics"};
    }
  }
  // No volume exceeds the number of operations.
  if (Operations(problem) <= kMostWords) return std::nullopt;
  return Fault{"dims", "the problem is too large for the thistle semantics",
               "they count up to 2^58 operations"};
}

// The cost model has no bandwidth: its latency is the compute cycles.
Architecture WithoutBandwidths(Architecture architecture) {
  for (Level& level : architecture.levels) {
    level.read_bandwidth.reset();
    level.write_bandwidth.reset();
    level.shared_bandwidth.reset();
  }
  return architecture;
}

int64_t Narrow(Int128 words) { return static_cast<int64_t>(words); }

// Charges the copies of one tensor at both ends.
void CountTensor(const Problem& problem, const thistle::Volumes& volumes, TensorId t,
                 Accounting accounting, Cost* cost) {
  const Tensor& tensor = problem.tensors[t];
  std::optional<LevelId> outer;
  for (LevelId l : Ids(cost->levels)) {
    TensorCost& inner_cost = cost->levels[l].tensors[t];
    if (!inner_cost.kept) continue;
    if (outer) {
      Counts& from = cost->levels[*outer].tensors[t].total;
      Counts& to = inner_cost.total;
      const int64_t words = Narrow(volumes.Between(tensor, *outer, l));
      int64_t inward = words;
      if (tensor.is_output) {
        from.updates += words;
        to.drains += words;
        if (accounting == Accounting::kElide) {
          inward -= Narrow(volumes.FirstWords(tensor, *outer));
        }
      }
      from.reads += inward;
      to.fills += inward;
    }
    outer = l;
  }
  Counts& innermost = cost->levels[*outer].tensors[t].total;
  const int64_t operands = Narrow(volumes.Between(tensor, *outer, LevelId(cost->levels.size())));
  innermost.reads += operands;
  if (tensor.is_output) innermost.updates += operands;
}

}  // namespace

tl::expected<Cost, Fault> EvaluateThistle(const Problem& problem, const Architecture& architecture,
                                          const Mapping& mapping, Accounting accounting) {
  if (auto fault = FindUnfit(problem)) return tl::unexpected(*std::move(fault));
  const CostFromCounts finisher(problem, WithoutBandwidths(architecture));
  const thistle::Volumes volumes(problem, mapping);
  Cost cost = finisher.Empty();
  cost.operations = Operations(problem);
  cost.compute_cycles = volumes.Steps();
  cost.compute_lanes_used = volumes.Lanes(LevelId(mapping.levels.size()));
  for (LevelId l : Ids(mapping.levels)) {
    const auto sizes = TileSizes(problem, mapping, l);
    for (TensorId t : Ids(problem.tensors)) {
      TensorCost& tensor = cost.levels[l].tensors[t];
      tensor.kept = mapping.levels[l].keep.contains(t);
      if (!tensor.kept) continue;
      tensor.tile_words = Narrow(thistle::TouchedWords(problem.tensors[t], sizes));
      tensor.instances = volumes.Lanes(l);
    }
  }
  for (TensorId t : Ids(problem.tensors)) CountTensor(problem, volumes, t, accounting, &cost);
  finisher.Finish(false, &cost);
  return cost;
}

}  // namespace inlay

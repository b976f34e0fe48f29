#include "inlay/mapper/thistle/faults.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "inlay/base/mention.h"
#include "inlay/mapper/thistle/model.h"

namespace inlay::thistle {
namespace {

std::string UseExact() { return "use " + Mention("semantics", "exact"); }

void CheckTemplate(const Space& space, Faults* faults) {
  const Architecture& architecture = space.architecture;
  if (architecture.levels.size() != 3) {
    faults->push_back({"levels",
                       "'" + architecture.name + "' has " +
                           std::to_string(architecture.levels.size()) +
                           " levels; the search under thistle semantics needs 3: DRAM, SRAM and, "
                           "below the array, registers",
                       UseExact()});
    return;
  }
  for (const Slot& slot : space.slots) {
    if (slot.axis == Axis::kTime || slot.max_lanes == 1 || slot.level == LevelId(1)) continue;
    faults->push_back({"levels." + architecture.levels[slot.level].name,
                       "there is a fan-out below '" + architecture.levels[slot.level].name +
                           "'; the search under thistle semantics knows one below the second level",
                       UseExact()});
  }
  if (space.slots[SlotId(4)].max_lanes > 1 && space.slots[SlotId(5)].max_lanes > 1) {
    faults->push_back({"levels." + architecture.levels[LevelId(1)].name,
                       "the array has two axes; the search under thistle semantics knows one line "
                       "of lanes",
                       "give the number of elements as x alone, or " + UseExact()});
  }
  for (LevelId l : Ids(architecture.levels)) {
    const std::string where = "levels." + architecture.levels[l].name;
    const std::string name = "'" + architecture.levels[l].name + "'";
    if (space.keeps[l] != std::vector<TensorSet>{TensorSet::FirstN(space.problem.tensors.size())}) {
      faults->push_back({where,
                         name + " need not keep every tensor; the search under thistle "
                                "semantics has no bypass",
                         "let every level keep all tensors, or " + UseExact()});
    }
    if (architecture.levels[l].block_words != 1) {
      faults->push_back({where,
                         name + " is read in blocks of " +
                             std::to_string(architecture.levels[l].block_words) +
                             " words; the search under thistle semantics counts words",
                         UseExact()});
    }
    if (space.min_utilization[l] > 0 || space.min_lanes[l] > 1) {
      faults->push_back(
          {where, "a least utilisation at " + name + " is not supported under thistle semantics",
           "drop the constraint, or " + UseExact()});
    }
  }
}

void CheckProblem(const Space& space, Faults* faults) {
  const Problem& problem = space.problem;
  size_t long_dims = 0;
  for (const Dimension& dim : problem.dims) long_dims += dim.bound > 1 ? 1 : 0;
  if (long_dims > kMaxFree) {
    faults->push_back({"dims",
                       "the problem has " + std::to_string(long_dims) +
                           " dimensions of more than one iteration; the search under thistle "
                           "semantics takes " +
                           std::to_string(kMaxFree),
                       UseExact()});
  }
  // Leaves room for sums of several counts; as in the evaluation.
  if (Operations(problem) > int64_t{1} << 58) {
    faults->push_back({"dims", "the problem is too large for the thistle semantics",
                       "they count up to 2^58 operations"});
  }
  IndexedVector<DimId, std::set<int64_t>> gaps(problem.dims.size());
  for (const Tensor& tensor : problem.tensors) {
    for (const Rank& rank : tensor.ranks) {
      if (rank.terms.size() > 2) {
        faults->push_back({"tensors." + tensor.name,
                           "a rank of '" + tensor.name + "' has more than two dimensions",
                           "the thistle semantics count the words of at most two; use the exact "
                           "semantics"});
      } else if (rank.terms.size() == 2) {
        const int64_t common = std::gcd(rank.terms[0].coefficient, rank.terms[1].coefficient);
        gaps[rank.terms[0].dim].insert(rank.terms[1].coefficient / common);
        gaps[rank.terms[1].dim].insert(rank.terms[0].coefficient / common);
      }
    }
  }
  for (DimId d : Ids(problem.dims)) {
    if (gaps[d].size() <= kMaxGaps) continue;
    faults->push_back({"dims." + problem.dims[d].name,
                       "'" + problem.dims[d].name + "' slides over " +
                           std::to_string(gaps[d].size()) +
                           " different windows; the search under thistle semantics takes " +
                           std::to_string(kMaxGaps),
                       UseExact()});
  }
}

void CheckOptions(const Space& space, const MapOptions& options, Faults* faults) {
  if (space.mapspace == Mapspace::kPadded) {
    faults->push_back({"mapspace", "the mapspace 'padded' is not supported under thistle semantics",
                       "perfect, ruby-s, ruby-t, ruby and any are"});
  }
  if (options.front) {
    faults->push_back({"front", "there is no front under thistle semantics", UseExact()});
  }
  const auto asks = [&](Metric metric) {
    return std::find(options.objective.begin(), options.objective.end(), metric) !=
           options.objective.end();
  };
  if (asks(Metric::kOffchip) && (asks(Metric::kEnergy) || asks(Metric::kEdp))) {
    faults->push_back({"objective",
                       "'offchip' with 'energy' or 'edp' is not supported under thistle semantics",
                       "ask for one of them, or " + UseExact()});
  }
}

}  // namespace

Faults FaultsOf(const Space& space, const MapOptions& options) {
  Faults faults;
  CheckTemplate(space, &faults);
  CheckProblem(space, &faults);
  CheckOptions(space, options, &faults);
  return faults;
}

}  // namespace inlay::thistle

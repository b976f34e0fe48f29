#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/base/rng.h"
#include "inlay/core/map_result.h"
#include "inlay/core/objective.h"
#include "inlay/cost/exact.h"
#include "inlay/mapper/exact/chain_steps.h"
#include "inlay/mapper/exact/keep_case.h"

namespace inlay::exact_search {

// Good mappings of a space (any mapspace but `padded`), soon: tilings built up greedily, then
// rounds of small random changes to one of them, each of which ends when nothing is better for
// long. A change is of the steps of one loop, or of two that compete for the same lanes or the same
// memory, of the place of a loop in its level, or of a tensor kept. Proves nothing. What it finds
// depends on the space, the objective, what it starts from and the number of evaluations alone.
class LocalSearch {
 public:
  // Starts from a mapping of the space that fits. Both references outlive it.
  LocalSearch(const Space& space, const Objective& objective, const Solution& from);

  // Goes on for about so many evaluations, less if it is stopped. Whether best() is better.
  bool Run(int64_t evaluations, DeadlineWatch* watch);

  // A mapping of the space that fits, to go on from if it is better than the best.
  void Offer(const Solution& solution);

  const Solution& best() const { return best_; }
  const std::vector<double>& best_values() const { return best_values_; }
  int64_t evaluations() const { return evaluations_; }
  // Evaluations since the best was found.
  int64_t unimproved() const { return evaluations_ - best_at_; }

 private:
  struct State {
    IndexedVector<DimId, Chain> chains;
    IndexedVector<LevelId, std::vector<DimId>> orders;  // all dimensions, outer to inner
    size_t keeps = 0;                                   // index into keeps_
    std::vector<double> values;
  };

  State StateOf(const Solution& solution) const;
  const KeepCase& KeepCaseOf(size_t keeps);
  bool FitsRoughly();
  void Assemble();
  // Whether the state is a mapping that fits; its values are then up to date.
  bool Evaluate();
  void KeepIfBest();

  bool Change();
  bool ChangeChain(DimId dim);
  bool ChangeTwoChains();
  bool ChangeTile(DimId dim);
  bool ChangeOrder();
  bool ChangeKeeps();
  int64_t PickSteps(int64_t now, int64_t other, bool free, int64_t most);
  void Undo();
  void Remember(DimId dim);

  void BeginRound();
  void Construct();
  void FillLanes(size_t slot, const std::vector<DimId>& dims);
  void FillTile(size_t level, const std::vector<DimId>& dims);
  bool TryShift(DimId dim, size_t place, int64_t steps);
  std::vector<DimId> ShuffledDims();

  size_t Below(size_t n) { return static_cast<size_t>(UniformBelow(rng_, n)); }

  const Space& space_;
  const Objective& objective_;
  Rng rng_;
  ExactModel model_;
  std::vector<ChainSteps> steps_;  // by dimension
  std::vector<size_t> outermost_;  // by dimension: the place of the outermost temporal loop
  std::vector<DimId> movable_;     // dimensions that can be tiled in several ways
  std::vector<IndexedVector<LevelId, TensorSet>> keeps_;
  std::map<size_t, std::unique_ptr<KeepCase>> keep_cases_;  // by index into keeps_
  std::vector<std::pair<size_t, size_t>> free_;  // by level: the part of an order that is not fixed
  bool strict_ = false;                          // what the space asks for cannot be told roughly
  bool joint_ = false;                           // some levels are one memory

  State state_;
  Solution best_;
  std::vector<double> best_values_;
  Mapping mapping_;
  Cost cost_;
  std::vector<double> tile_;

  // What the last change has replaced.
  struct Past {
    std::vector<std::pair<DimId, Chain>> chains;
    size_t used = 0;
    std::optional<size_t> level;
    std::vector<DimId> order;
    size_t keeps = 0;
    std::vector<double> values;
  };
  Past past_;

  int64_t evaluations_ = 0;
  int64_t best_at_ = 0;
  // The round: what was accepted so many changes ago, and how long nothing has been better.
  int64_t round_ = 0;
  bool in_round_ = false;
  std::vector<std::vector<double>> history_;
  size_t next_ = 0;
  int64_t idle_ = 0;
  int64_t empty_ = 0;  // changes that change nothing
  std::vector<double> round_best_;
};

}  // namespace inlay::exact_search

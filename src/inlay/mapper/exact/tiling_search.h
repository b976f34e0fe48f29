#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/chains.h"
#include "inlay/mapper/exact/incumbent.h"
#include "inlay/mapper/exact/lanes.h"
#include "inlay/mapper/exact/leaf.h"
#include "inlay/mapper/exact/level_bounds.h"

namespace inlay::exact_search {

// One thread's search through the tilings of one case.
class TilingSearch {
 public:
  TilingSearch(const Space& space, const KeepCase& keep_case, const Chains& chains,
               const std::vector<LevelBound>& level_bounds, const ExactSwitches& switches,
               Incumbent* incumbent, const Deadline& deadline);

  // A choice of stage-0 nodes and of the innermost loop above the last level.
  struct Job {
    LowerBound bound;
    int inner = kAnyDim;
    bool alone = false;           // along that dimension some tile is alone in its round, or none
    std::vector<uint32_t> nodes;  // by dimension
  };
  // Every job whose bound of the first metric is at most `cutoff`, by bound. nullopt if stopped.
  std::optional<std::vector<Job>> ListJobs(double cutoff);
  // The first of them, as they are listed, at most `most`.
  std::vector<Job> FirstJobs(double cutoff, size_t most);
  // The least bound of the first metric over all jobs; infinite if there is none. `fixed` of the
  // metric is the same in all of them.
  double LowestJob(double fixed);

  // Everything in a job whose bound is at most `cutoff`; a dive ends with the first answer. False
  // if stopped.
  bool Run(const Job& job, int64_t number, double cutoff, bool dive = false);

  // What to do now and then, after every few thousand nodes.
  void SetBetween(std::function<void()> between) { between_ = std::move(between); }

  SearchEffort effort() const { return {0, nodes_seen_, leaf_.evaluations()}; }

 private:
  template <typename Visit>
  bool Descend(size_t stage, size_t depth, const Visit& visit);
  template <typename Visit>
  bool ForEachJob(const Visit& visit);
  template <typename Visit>
  bool ForEachJobIn(int inner, bool alone, const Visit& visit);
  // The first `most` jobs whose bound is at most `cutoff`, as they are listed. False if there may
  // be more.
  bool CollectJobs(double cutoff, size_t most, std::vector<Job>* jobs);
  bool RunStage(size_t stage);
  bool Leaf();
  bool FamilyLeaf();
  void CountNode();
  // The level above which no tile is decided after a stage.
  size_t FirstDecided(size_t stage) const;
  // Stages in which the tile of the last level, or the lanes, are open.
  bool IsEarly(size_t stage) const { return stage < early_stages_; }
  bool AllowsInnermost(size_t d, const double* row) const;
  bool AllowsLoneTile(size_t d, const double* row) const;
  bool HasInnermostLoop(size_t first) const;
  LowerBound PartialBound(size_t stage, double steps);
  double StepsOfRows() const {
    return FewestSteps(bounder_.SetOf(rows_), keep_case_.instances[keep_case_.levels]);
  }
  void AddOuterLevels(size_t level, BoundSum* sum) const;
  // Whether a stage is searched case by case: which tensors does the level's own loops move?
  bool IsSplit(size_t stage) const;
  bool IsStill(size_t stage, size_t d) const;
  bool CaseAllows(size_t stage, size_t d, const double* row) const;
  template <typename Visit>
  bool ForEachCase(size_t stage, const Visit& visit);
  bool TooSlow(double steps);
  LowerBound CompleteBound(size_t first);
  bool Pruned(const LowerBound& bound);
  bool TakeLanes(size_t depth, const ChainTree& tree, const ChainTree::LaneGroup& group);
  void OpenLanes(size_t stage, size_t depth, bool own);
  bool RangeIsPruned(size_t stage, size_t depth, uint32_t begin, uint32_t end);
  template <typename Visit>
  bool DescendNode(size_t stage, size_t depth, uint32_t n, const Visit& visit);
  template <typename Visit>
  bool DescendNodes(size_t stage, size_t depth, uint32_t begin, uint32_t end, const Visit& visit);

  const KeepCase& keep_case_;
  const Chains& chains_;
  const std::vector<LevelBound>& level_bounds_;
  ExactSwitches switches_;
  Incumbent* incumbent_;
  DeadlineWatch watch_;
  Bounder bounder_;
  LeafEvaluator leaf_;
  LaneCounter lanes_;
  Sharing sharing_;
  uint64_t open_dims_ = 0;  // no lanes yet, at a stage that is early
  double lanes_left_ = 1;   // for them
  std::vector<size_t> dim_order_;
  size_t early_stages_ = 1;
  std::vector<std::vector<uint32_t>> nodes_;  // [stage][dim]
  Rows rows_;
  std::vector<double> tile_;  // of the level under decision, by dimension
  int inner_ = kAnyDim;
  bool alone_ = false;
  bool dive_ = false;
  bool leaves_seen_ = false;  // by the dive
  int64_t dive_nodes_ = 0;    // left for the stage
  LowerBound case_bound_;     // of the whole case
  BoundSum sum_;              // of the bound under computation
  BoundSum base_;             // of the levels inside the one under decision
  BoundSum saved_base_;
  // While a stage is searched case by case: the edges that its loops may move, the tensors that
  // they do move in this case, the dimensions that they must not, and the innermost loop of all
  // from the level outwards.
  struct Split {
    std::vector<OpenEdge> open;
    uint64_t moved = 0;
    uint64_t still_dims = 0;
    int inner = kAnyDim;
  };
  std::vector<Split> splits_;  // by stage
  Incumbent::View view_;
  int64_t number_ = 0;
  double cutoff_ = 0;
  int64_t nodes_seen_ = 0;
  std::function<void()> between_;
};

}  // namespace inlay::exact_search

#include "inlay/mapper/exact/tiling_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "inlay/mapper/exact/dim_order.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TilingSearch::TilingSearch(const Space& space, const KeepCase& keep_case, const Chains& chains,
                           const std::vector<LevelBound>& level_bounds,
                           const ExactSwitches& switches, Incumbent* incumbent,
                           const Deadline& deadline)
    : keep_case_(keep_case),
      chains_(chains),
      level_bounds_(level_bounds),
      switches_(switches),
      incumbent_(incumbent),
      watch_(deadline),
      bounder_(keep_case, chains.layout),
      leaf_(space, keep_case, chains.layout, switches.skip_orders),
      lanes_(space, keep_case, chains.layout),
      sharing_(space, keep_case, chains.trees, deadline) {
  const size_t dims = keep_case.dims;
  while (!chains.stages[early_stages_ - 1].lanes) ++early_stages_;
  rows_.resize(dims);
  tile_.resize(dims);
  splits_.resize(chains.trees[0].stages());
  nodes_.assign(chains.trees[0].stages(), std::vector<uint32_t>(dims, 0));
  incumbent->Refresh(&view_);
  for (size_t d = 0; d < dims; ++d) rows_[d] = chains.trees[d].RootRow();
  open_dims_ = 0;
  case_bound_ = PartialBound(0, 0);
}

size_t TilingSearch::FirstDecided(size_t stage) const {
  size_t first = keep_case_.levels;
  for (size_t s = 0; s <= stage; ++s) {
    if (chains_.stages[s].level > 0) first = chains_.stages[s].level;
  }
  return std::max<size_t>(1, std::min(first, keep_case_.levels - 1));
}

// The levels above `level`, not decided yet: what enters each of them; or what each of them sends
// inwards, in place of what the edges past them have been charged with.
void TilingSearch::AddOuterLevels(size_t level, BoundSum* sum) const {
  LowerBound entering = sum->total, sent = sum->total;
  sent.energy_pj -= sum->bypassing.energy_pj;
  sent.offchip_words -= sum->bypassing.offchip_words;
  for (size_t c = 1; c < level; ++c) {
    entering.energy_pj += level_bounds_[c].entering.energy_pj;
    entering.offchip_words += level_bounds_[c].entering.offchip_words;
    sent.energy_pj += level_bounds_[c].sent.energy_pj;
    sent.offchip_words += level_bounds_[c].sent.offchip_words;
  }
  sum->total.energy_pj = std::max(entering.energy_pj, sent.energy_pj);
  sum->total.offchip_words = std::max(entering.offchip_words, sent.offchip_words);
}

void TilingSearch::CountNode() {
  constexpr int64_t kBetween = 1 << 13;  // some milliseconds
  if (++nodes_seen_ % kBetween == 0 && between_) between_();
}

// While dimensions are undecided at a stage: their rows stand for all that is left.
LowerBound TilingSearch::PartialBound(size_t stage, double steps) {
  CountNode();
  const size_t level = IsEarly(stage) ? keep_case_.levels - 1 : chains_.stages[stage].level;
  MappingSet set = bounder_.SetOf(rows_);
  if (IsEarly(stage)) {
    if (inner_ >= 0) (alone_ ? set.assumptions.alone_dim : set.assumptions.even_dim) = inner_;
    set.assumptions.lanes = ShareLanes(set, open_dims_, lanes_left_, &sharing_);
    sum_.Begin(keep_case_, level);
    if (level > 0) bounder_.AddMerged(set, level, inner_, &sum_);
    bounder_.AddMerged(set, keep_case_.levels, kAnyDim, &sum_);
  } else {
    sum_ = base_;
    sum_.bypass_level = level;
    if (IsSplit(stage)) {
      const Split& split = splits_[stage];
      if (!bounder_.AddLevelInCase(set, level, split.open, split.moved, split.inner, &sum_)) {
        return {kInfinity, kInfinity, kInfinity};
      }
    } else if (level > 0) {
      bounder_.AddMerged(set, level, kAnyDim, &sum_);
    }
  }
  AddOuterLevels(level, &sum_);
  return Finish(set, steps, sum_);
}

// Whether the steps alone exclude a set.
bool TilingSearch::TooSlow(double steps) {
  const Metric metric = incumbent_->objective()[0];
  const bool leaks = metric == Metric::kEnergy && keep_case_.leakage_pj > 0;
  if (metric != Metric::kDelay && metric != Metric::kEdp && !leaks) return false;
  const double cycles = keep_case_.CyclesOf(steps);
  const double more_cycles = std::max(0.0, cycles - case_bound_.cycles);
  const double energy_pj = case_bound_.energy_pj + more_cycles * keep_case_.leakage_pj;
  return SafeBound({energy_pj, cycles, 0}, metric) > std::min(cutoff_, view_.values[0]);
}

// All tiles from level `first` on are decided.
LowerBound TilingSearch::CompleteBound(size_t first) {
  CountNode();
  const MappingSet set = bounder_.SetOf(rows_, {}, kAllLoops);
  sum_.Begin(keep_case_, first);
  if (switches_.nested_bounds && keep_case_.levels > 1) {
    bounder_.AddNested(set, first, inner_, &sum_);
  } else {
    for (size_t c = first; c < keep_case_.levels; ++c) {
      bounder_.AddMerged(set, c, c + 1 == keep_case_.levels ? inner_ : kAnyDim, &sum_);
    }
  }
  bounder_.AddMerged(set, keep_case_.levels, kAnyDim, &sum_);
  base_ = sum_;
  AddOuterLevels(first, &sum_);
  return Finish(set, StepsOfRows(), sum_);
}

bool TilingSearch::IsSplit(size_t stage) const {
  return switches_.nested_bounds && !IsEarly(stage) && chains_.stages[stage].level > 0;
}

bool TilingSearch::IsStill(size_t stage, size_t d) const {
  return (splits_[stage].still_dims >> d & 1) != 0;
}

// Whether the loops of the level under decision may be those of a node, in this case.
bool TilingSearch::CaseAllows(size_t stage, size_t d, const double* row) const {
  return !IsStill(stage, d) || row[RowLayout::MustMove(chains_.stages[stage].level)] == 0;
}

bool TilingSearch::Pruned(const LowerBound& bound) {
  if (SafeBound(bound, incumbent_->objective()[0]) > cutoff_) return true;
  incumbent_->Refresh(&view_);
  return incumbent_->Excludes(view_, bound, number_);
}

// Takes the lanes of a group; false if they do not fit, or what is left is too slow.
bool TilingSearch::TakeLanes(size_t depth, const ChainTree& tree,
                             const ChainTree::LaneGroup& group) {
  const ChainTree::Node& node = tree.At(early_stages_ - 1, group.begin);
  return lanes_.Take(depth, tree, node) && !TooSlow(lanes_.StepsAt(depth, group.steps));
}

// Whether a node of stage 0 can have the innermost loop that the job asks for.
bool TilingSearch::AllowsInnermost(size_t d, const double* row) const {
  if (inner_ == kAnyDim) return true;
  const size_t at = chains_.layout.At(keep_case_.levels - 1);
  if (inner_ == kNoDim) return row[at + kMayBeStill] != 0;
  return static_cast<size_t>(inner_) != d || row[at + kMoves] != 0;
}

// Whether a node can have the rounds along the innermost loop's dimension that the job asks for.
bool TilingSearch::AllowsLoneTile(size_t d, const double* row) const {
  if (inner_ != static_cast<int>(d)) return true;
  const double* at = row + chains_.layout.At(keep_case_.levels - 1);
  return alone_ ? at[kAloneLanesLo] < kInfinity : at[kEven] != 0;
}

// Whether the innermost loop above the last level can be the one that the job asks for, the tiles
// from level `first` on being decided.
bool TilingSearch::HasInnermostLoop(size_t first) const {
  if (inner_ == kAnyDim) return true;
  for (size_t l = keep_case_.levels - 1; l-- > first;) {
    bool there = false;
    for (const double* row : rows_) there = there || row[RowLayout::MustMove(l)] != 0;
    if (inner_ >= 0 && rows_[static_cast<size_t>(inner_)][RowLayout::MayMove(l)] != 0) {
      return true;
    }
    if (there) return false;
  }
  return true;
}

// Chooses nodes of `stage` for the dimensions from `depth` on; rows_ of those not chosen yet stand
// for all their choices. `visit` is called with each complete choice and its bound.
template <typename Visit>
bool TilingSearch::Descend(size_t stage, size_t depth, const Visit& visit) {
  const size_t d = dim_order_[depth];
  const ChainTree& tree = chains_.trees[d];
  const double* row = rows_[d];
  const double smallest = tile_[d];
  bool go_on = true;
  if (stage > 0 || !chains_.stages[0].lanes) {
    if (stage == 0) {
      go_on = DescendNodes(stage, depth, 0, tree.size(0), visit);
      rows_[d] = row;
      tile_[d] = smallest;
      return go_on;
    }
    const ChainTree::Node& parent = tree.At(stage - 1, nodes_[stage - 1][d]);
    go_on = DescendNodes(stage, depth, parent.child_begin, parent.child_end, visit);
  } else {
    for (const ChainTree::LaneGroup& group : tree.lane_groups()) {
      if (!TakeLanes(depth, tree, group)) continue;
      go_on = DescendNodes(stage, depth, group.begin, group.end, visit);
      if (!go_on) break;
    }
  }
  rows_[d] = row;
  tile_[d] = smallest;
  return go_on;
}

// The lanes that a bound has to share out among dimensions without any.
void TilingSearch::OpenLanes(size_t stage, size_t depth, bool own) {
  if (!IsEarly(stage)) return;
  const bool lanes = chains_.stages[stage].lanes;
  const size_t first = lanes ? depth + (own ? 0 : 1) : 0;
  lanes_left_ = first == 0 ? keep_case_.instances[keep_case_.levels] : lanes_.LeftAfter(first - 1);
  open_dims_ = 0;
  for (size_t i = first; i < keep_case_.dims; ++i) open_dims_ |= uint64_t{1} << dim_order_[i];
}

// Whether a range of nodes can be left out as a whole.
bool TilingSearch::RangeIsPruned(size_t stage, size_t depth, uint32_t begin, uint32_t end) {
  const size_t d = dim_order_[depth];
  const ChainTree& tree = chains_.trees[d];
  const size_t level = chains_.stages[stage].level;
  tile_[d] = tree.At(stage, begin).tile;
  if (level > 0 && !keep_case_.Fits(level, tile_.data())) return true;
  rows_[d] = tree.RangeRow(stage, begin, end);
  if (IsEarly(stage) && !AllowsInnermost(d, rows_[d])) return true;
  if (!CaseAllows(stage, d, rows_[d]) || !AllowsLoneTile(d, rows_[d])) return true;
  // The nodes of a range differ in their lanes unless they come from one lane group.
  const bool lanes = chains_.stages[stage].lanes;
  const bool taken = lanes && stage == 0;
  const double steps = taken ? lanes_.StepsAt(depth, rows_[d][lanes_.OwnSteps()]) : StepsOfRows();
  if (TooSlow(steps)) return true;
  OpenLanes(stage, depth, !taken);
  return Pruned(PartialBound(stage, steps));
}

template <typename Visit>
bool TilingSearch::DescendNodes(size_t stage, size_t depth, uint32_t begin, uint32_t end,
                                const Visit& visit) {
  if (end - begin == 1) return DescendNode(stage, depth, begin, visit);
  const size_t d = dim_order_[depth];
  if (end - begin < ChainTree::kLeastRange) {
    for (uint32_t n = begin; n < end; ++n) {
      if (!DescendNode(stage, depth, n, visit)) return false;
    }
    return true;
  }
  if (!IsStill(stage, d) && RangeIsPruned(stage, depth, begin, end)) return true;
  const uint32_t middle = ChainTree::Middle(begin, end);
  return DescendNodes(stage, depth, begin, middle, visit) &&
         DescendNodes(stage, depth, middle, end, visit);
}

// False if stopped.
template <typename Visit>
bool TilingSearch::DescendNode(size_t stage, size_t depth, uint32_t n, const Visit& visit) {
  if (watch_.Passed()) return false;
  if (dive_ && --dive_nodes_ < 0) return true;
  const size_t d = dim_order_[depth];
  const ChainTree& tree = chains_.trees[d];
  const size_t level = chains_.stages[stage].level;
  const bool lanes = chains_.stages[stage].lanes;
  const bool complete = depth + 1 == keep_case_.dims;
  const ChainTree::Node& node = tree.At(stage, n);
  tile_[d] = node.tile;
  if (level > 0 && !keep_case_.Fits(level, tile_.data())) return true;
  rows_[d] = tree.Row(node);
  if (IsEarly(stage) && !AllowsInnermost(d, rows_[d])) return true;
  if (!CaseAllows(stage, d, rows_[d]) || !AllowsLoneTile(d, rows_[d])) return true;
  const double own_steps = rows_[d][lanes_.OwnSteps()];
  if (lanes && stage > 0 && !TakeLanes(depth, tree, {n, n + 1, own_steps})) return true;
  double steps = 0;
  if (lanes) {
    steps = lanes_.StepsAt(depth, own_steps);
    lanes_.SetSteps(depth, own_steps);
  } else {
    steps = StepsOfRows();
  }
  nodes_[stage][d] = n;
  if (complete && lanes && !lanes_.Suffice()) return true;
  if (complete && !IsEarly(stage) && !HasInnermostLoop(FirstDecided(stage))) return true;
  if (TooSlow(steps)) return true;
  // Dimensions that must not move have hardly a choice: no bound before the last of them.
  if (complete || !IsStill(stage, d) || !IsStill(stage, dim_order_[depth + 1])) {
    OpenLanes(stage, depth, false);
    const LowerBound bound = PartialBound(stage, steps);
    if (Pruned(bound)) return true;
    if (complete) return visit(bound);
  }
  return Descend(stage, depth + 1, visit);
}

// Visits the choices of a stage; where it is split, case by case.
template <typename Visit>
bool TilingSearch::ForEachCase(size_t stage, const Visit& visit) {
  if (!IsSplit(stage)) return Descend(stage, 0, visit);
  const size_t level = chains_.stages[stage].level;
  Split& split = splits_[stage];
  const MappingSet set = bounder_.SetOf(rows_);
  base_.Begin(keep_case_, level);
  const int inner = bounder_.AddInnerLevels(set, level + 1, inner_, &base_, &split.open);
  bounder_.AddMerged(set, keep_case_.levels, kAnyDim, &base_);
  uint64_t tensors = 0, dims = 0;
  for (const OpenEdge& open : split.open) tensors |= uint64_t{1} << open.edge->tensor;
  const auto dims_of = [&](uint64_t some) {
    uint64_t found = 0;
    for (size_t t = 0; t < keep_case_.tensors.size(); ++t) {
      for (size_t d = 0; (some >> t & 1) != 0 && d < keep_case_.dims; ++d) {
        if (keep_case_.tensors[t].rank_of[d] >= 0) found |= uint64_t{1} << d;
      }
    }
    return found;
  };
  dims = dims_of(tensors);
  const std::vector<size_t> order = dim_order_;
  bool go_on = true;
  // All subsets of the tensors.
  for (uint64_t moved = tensors;; moved = (moved - 1) & tensors) {
    split.moved = moved;
    split.still_dims = dims_of(tensors & ~moved);
    // With nothing moved, a loop of the level is one that no open tensor sees.
    const bool empty = moved == 0 && dims == (uint64_t{1} << keep_case_.dims) - 1;
    split.inner = moved != 0 || empty ? inner : kAnyDim;
    std::stable_partition(dim_order_.begin(), dim_order_.end(),
                          [&](size_t d) { return (split.still_dims >> d & 1) != 0; });
    go_on = Descend(stage, 0, visit);
    dim_order_ = order;
    if (!go_on || moved == 0) break;
  }
  return go_on;
}

template <typename Visit>
bool TilingSearch::ForEachJob(const Visit& visit) {
  const bool split = switches_.split_inner && keep_case_.levels > 1 &&
                     !keep_case_.edges[keep_case_.levels - 1].empty();
  if (!split) return ForEachJobIn(kAnyDim, false, visit);
  for (int inner = kNoDim; inner < static_cast<int>(keep_case_.dims); ++inner) {
    for (const bool alone : {false, true}) {
      if (inner == kNoDim && alone) continue;
      if (!ForEachJobIn(inner, alone, visit)) return false;
    }
  }
  return true;
}

template <typename Visit>
bool TilingSearch::ForEachJobIn(int inner, bool alone, const Visit& visit) {
  inner_ = inner;
  alone_ = alone;
  if (inner >= 0) {
    const auto d = static_cast<size_t>(inner);
    if (!AllowsLoneTile(d, chains_.trees[d].RootRow())) return true;
  }
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    rows_[d] = chains_.trees[d].RootRow();
    tile_[d] = chains_.trees[d].SmallestTile();
  }
  dim_order_ = DimOrder(keep_case_, keep_case_.levels - 1, inner,
                        [&](size_t d) { return static_cast<double>(chains_.trees[d].size(0)); });
  lanes_.Open(chains_.trees, dim_order_);
  return Descend(0, 0, visit);
}

bool TilingSearch::CollectJobs(double cutoff, size_t most, std::vector<Job>* jobs) {
  dive_ = false;
  cutoff_ = cutoff;
  number_ = Incumbent::kSeed - 1;
  return ForEachJob([&](const LowerBound& bound) {
    jobs->push_back({bound, inner_, alone_, nodes_[0]});
    return jobs->size() < most;
  });
}

std::optional<std::vector<TilingSearch::Job>> TilingSearch::ListJobs(double cutoff) {
  std::vector<Job> jobs;
  if (!CollectJobs(cutoff, std::numeric_limits<size_t>::max(), &jobs)) return std::nullopt;
  const Metric metric = incumbent_->objective()[0];
  std::stable_sort(jobs.begin(), jobs.end(), [&](const Job& a, const Job& b) {
    return BoundOf(a.bound, metric) < BoundOf(b.bound, metric);
  });
  return jobs;
}

std::vector<TilingSearch::Job> TilingSearch::FirstJobs(double cutoff, size_t most) {
  std::vector<Job> jobs;
  CollectJobs(cutoff, most, &jobs);
  return jobs;
}

double TilingSearch::LowestJob(double fixed) {
  number_ = Incumbent::kSeed - 1;
  const Metric metric = incumbent_->objective()[0];
  inner_ = kAnyDim;
  for (size_t d = 0; d < keep_case_.dims; ++d) rows_[d] = chains_.trees[d].RootRow();
  std::vector<size_t> any_order(keep_case_.dims);
  std::iota(any_order.begin(), any_order.end(), size_t{0});
  lanes_.Open(chains_.trees, any_order);
  const double whole = SafeBound(PartialBound(0, lanes_.FewestSteps()), metric);
  // A cut-off near the truth keeps the search small, so it grows until something is found.
  for (const double factor : {1.02, 1.1, 1.3, 2.0, kInfinity}) {
    double best = kInfinity;
    cutoff_ = whole > 0 ? Raised(whole, fixed, factor) : kInfinity;
    const bool complete = ForEachJob([&](const LowerBound& bound) {
      best = std::min(best, SafeBound(bound, metric));
      cutoff_ = best * (1 - 1e-9);
      return true;
    });
    if (!complete) return whole;
    // What was left out for being no better is not far below.
    if (best < kInfinity || cutoff_ == kInfinity) return best * (1 - 1e-9);
  }
  return kInfinity;
}

bool TilingSearch::Run(const Job& job, int64_t number, double cutoff, bool dive) {
  dive_ = dive;
  leaves_seen_ = false;
  number_ = number;
  cutoff_ = cutoff;
  inner_ = job.inner;
  alone_ = job.alone;
  nodes_[0] = job.nodes;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    rows_[d] = chains_.trees[d].Row(chains_.trees[d].At(0, nodes_[0][d]));
  }
  if (watch_.Passed()) return false;
  if (Pruned(job.bound)) return true;
  dim_order_ = DimOrder(keep_case_, 1, kAnyDim, [&](size_t d) {
    const ChainTree::Node& node = chains_.trees[d].At(0, nodes_[0][d]);
    return static_cast<double>(node.child_end - node.child_begin);
  });
  return RunStage(1);
}

bool TilingSearch::RunStage(size_t stage) {
  if (stage == nodes_.size()) return Leaf();
  // After stage 1 the bound was looked at before coming here; what is not split needs base_.
  if (!IsEarly(stage) && (stage == 1 || !IsSplit(stage))) {
    if (Pruned(CompleteBound(FirstDecided(stage - 1)))) return true;
  }
  if (IsEarly(stage)) lanes_.Open(chains_.trees, dim_order_);
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    const ChainTree& tree = chains_.trees[d];
    tile_[d] = tree.At(stage - 1, nodes_[stage - 1][d]).next_tile;
  }
  constexpr int64_t kDiveNodes = 2000;
  dive_nodes_ = kDiveNodes;
  // Best first.
  std::vector<Job> found;
  const bool complete = ForEachCase(stage, [&](const LowerBound&) {
    std::swap(base_, saved_base_);
    const LowerBound bound = CompleteBound(FirstDecided(stage));
    std::swap(base_, saved_base_);
    if (!Pruned(bound)) found.push_back({bound, inner_, alone_, nodes_[stage]});
    return true;
  });
  if (!complete) return false;
  const Metric metric = incumbent_->objective()[0];
  std::stable_sort(found.begin(), found.end(), [&](const Job& a, const Job& b) {
    return BoundOf(a.bound, metric) < BoundOf(b.bound, metric);
  });
  const Rows rows = rows_;
  bool go_on = true;
  for (const Job& job : found) {
    if (Pruned(job.bound)) continue;
    nodes_[stage] = job.nodes;
    for (size_t d = 0; d < keep_case_.dims; ++d) {
      rows_[d] = chains_.trees[d].Row(chains_.trees[d].At(stage, job.nodes[d]));
    }
    go_on = RunStage(stage + 1);
    if (!go_on || (dive_ && leaves_seen_)) break;
  }
  rows_ = rows;
  return go_on;
}

bool TilingSearch::FamilyLeaf() {
  const LowerBound bound = CompleteBound(FirstDecided(nodes_.size() - 1));
  incumbent_->Refresh(&view_);
  if (!incumbent_->Excludes(view_, bound, number_)) incumbent_->OfferBound(bound, number_);
  return !watch_.Passed();
}

bool TilingSearch::Leaf() {
  if (chains_.families) return FamilyLeaf();
  leaves_seen_ = true;
  const auto offer = [&](const Solution& solution) {
    incumbent_->Refresh(&view_);
    if (incumbent_->Wants(view_, solution.cost, number_)) incumbent_->Offer(solution, number_);
  };
  return leaf_.Run(chains_.trees, nodes_.back(), inner_, &watch_, offer) && !incumbent_->late();
}

}  // namespace inlay::exact_search

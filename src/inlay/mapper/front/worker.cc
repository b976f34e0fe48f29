#include "inlay/mapper/front/worker.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace inlay::exact_search {

std::vector<Stage> FrontStages(size_t levels) {
  std::vector<Stage> stages;
  if (levels > 1) stages.push_back({1, false});
  if (levels > 2) stages.push_back({levels - 1, false});
  stages.push_back({0, true});
  for (size_t level = levels - 1; level-- > 2;) stages.push_back({level, false});
  stages.push_back({0, false});
  return stages;
}

FrontWorker::FrontWorker(const Space& space, const Frame& frame, const Chains& chains,
                         TensorSet onchip, FrontArchive* archive, const Deadline& deadline)
    : space_(space),
      frame_(frame),
      chains_(chains),
      onchip_(onchip),
      archive_(archive),
      watch_(deadline),
      bounder_(frame, chains.layout),
      leaf_(space, frame, chains.layout, true),
      lanes_(space, frame, chains.layout),
      steps_(space, chains),
      still_(frame.dims),
      smallest_(frame.dims),
      largest_(frame.dims),
      nodes_(chains.stages.size(), std::vector<uint32_t>(frame.dims, 0)),
      rows_(frame.dims),
      tile_(frame.dims) {
  for (size_t d = 0; d < frame.dims; ++d) {
    const ChainTree& tree = chains.trees[d];
    smallest_[DimId(d)] = static_cast<int64_t>(tree.At(0, 0).tile);
    largest_[DimId(d)] = static_cast<int64_t>(tree.At(0, tree.size(0) - 1).tile);
  }
  for (size_t c = 2; c <= frame.levels; ++c) {
    for (const Edge& edge : frame.edges[c]) {
      constexpr size_t kMostPassing = 4;  // each doubles the cases
      const bool passes = edge.offchip && c < frame.levels && passing_.size() < kMostPassing;
      if (passes) passing_.push_back(&edge);
    }
  }
  // Level 1 is decided before all others, so it joins as soon as level 2 is.
  while (!chains.stages[lane_stage_].lanes) ++lane_stage_;
  bool lanes = false;
  size_t first = frame.levels == 2 ? 1 : frame.levels;
  for (const Stage& stage : chains.stages) {
    lanes = lanes || stage.lanes;
    if (stage.level > 1) first = stage.level;
    const bool nested = lanes && frame.levels > 1 && first < frame.levels;
    first_nested_.push_back(!nested ? 0 : first <= 2 ? 1 : first);
  }
}

int64_t FrontWorker::FootprintOf(const Sizes& sizes) const {
  if (frame_.levels == 1) return 0;
  int64_t words = 0;
  const LevelId level(1);
  for (const Occupancy& use :
       OccupanciesAt(space_.problem, space_.architecture, level, frame_.keeps[level], sizes)) {
    words += use.used_words;
  }
  return words;
}

bool FrontWorker::Excluded(const Least& least) const {
  return archive_->Excludes(SafeLeast(least, Metric::kOffchip), SafeLeast(least, Metric::kDelay));
}

Least FrontWorker::Bound(size_t stage, double steps, bool complete) {
  ++nodes_seen_;
  Least least;
  bounder_.Begin();
  const size_t nested = complete ? first_nested_[stage] : 0;
  const size_t merged = nested > 0 ? nested : frame_.levels;
  for (size_t c = 1; c < merged; ++c) bounder_.AddMerged(rows_, c, kAnyDim, &least);
  if (nested > 0) bounder_.AddNested(rows_, nested, kAnyDim, &least);
  bounder_.AddMerged(rows_, frame_.levels, kAnyDim, &least);
  bounder_.End(rows_, steps, &least);
  return least;
}

// Prepares one case of a complete choice: a tensor that level 1 does not keep either stays where it
// is while the loops inside level 0 run, which takes lanes, or it is fetched again at every step of
// level 0 (its bit in `moved`). False if the case is excluded.
bool FrontWorker::BeginCase(size_t stage, size_t moved, const Least& least) {
  std::fill(still_.begin(), still_.end(), uint64_t{0});
  for (size_t i = 0; i < passing_.size(); ++i) {
    if ((moved >> i & 1) != 0) continue;
    for (size_t d = 0; d < frame_.dims; ++d) {
      if (frame_.tensors[passing_[i]->tensor].rank_of[d] < 0) continue;
      still_[d] |= (uint64_t{1} << passing_[i]->child) - 2;  // levels 1 … child − 1
    }
  }
  const double words = bounder_.OffchipInCase(rows_, passing_, moved);
  if (words == std::numeric_limits<double>::infinity()) return false;
  cycles_cut_ = archive_->CyclesAt(
      std::max(SafeLeast({0, 0, words}, Metric::kOffchip), SafeLeast(least, Metric::kOffchip)));
  if (cycles_cut_ <= least.cycles) return false;
  return steps_.Least(stage, nodes_[stage], still_, cycles_cut_) < cycles_cut_;
}

bool FrontWorker::ExcludedByCases(size_t stage, const Least& least) {
  const double cut = cycles_cut_;
  bool excluded = true;
  for (size_t moved = 0; excluded && moved < Cases(); ++moved) {
    excluded = !BeginCase(stage, moved, least);
  }
  cycles_cut_ = cut;
  return excluded;
}

// Whether the dimension can do without the loops that the case forbids.
bool FrontWorker::MayBeStill(size_t d) const {
  for (size_t l = 1; l < frame_.levels; ++l) {
    if ((still_[d] >> l & 1) != 0 && rows_[d][ReachLayout::MustMove(l)] != 0) return false;
  }
  return true;
}

// Dimensions of few choices first.
void FrontWorker::OrderDims(size_t stage) {
  std::vector<uint32_t> choices(frame_.dims);
  for (size_t d = 0; d < frame_.dims; ++d) {
    const ChainTree& tree = chains_.trees[d];
    choices[d] = tree.size(0);
    if (stage == 0) continue;
    const ChainTree::Node& parent = tree.At(stage - 1, nodes_[stage - 1][d]);
    choices[d] = parent.child_end - parent.child_begin;
  }
  dim_order_.resize(frame_.dims);
  std::iota(dim_order_.begin(), dim_order_.end(), size_t{0});
  std::stable_sort(dim_order_.begin(), dim_order_.end(),
                   [&](size_t a, size_t b) { return choices[a] < choices[b]; });
}

// Before the choices of a stage, in a set of the bound `least`.
void FrontWorker::Begin(size_t stage, const Least& least) {
  for (size_t d = 0; d < frame_.dims; ++d) {
    const ChainTree& tree = chains_.trees[d];
    if (stage == 0) {
      rows_[d] = tree.RootRow();
      tile_[d] = tree.SmallestTile();
    } else {
      const ChainTree::Node& parent = tree.At(stage - 1, nodes_[stage - 1][d]);
      rows_[d] = tree.Row(parent);
      tile_[d] = parent.next_tile;
    }
  }
  OrderDims(stage);
  if (chains_.stages[stage].lanes) lanes_.Open(chains_.trees, dim_order_);
  cycles_cut_ = archive_->CyclesAt(SafeLeast(least, Metric::kOffchip));
}

// The first node of dimension d with which a footprint above the least one listed is possible;
// tiles, and so footprints, ascend.
uint32_t FrontWorker::FirstInBand(size_t d) {
  const ChainTree& tree = chains_.trees[d];
  uint32_t begin = 0, end = tree.size(0);
  while (begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    most_sizes_[DimId(d)] = static_cast<int64_t>(tree.At(0, middle).tile);
    if (FootprintOf(most_sizes_) > above_) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

template <typename Visit>
bool FrontWorker::Descend(size_t stage, size_t depth, const Visit& visit) {
  const size_t d = dim_order_[depth];
  const ChainTree& tree = chains_.trees[d];
  const auto [level, lanes] = chains_.stages[stage];
  const bool complete = depth + 1 == frame_.dims;
  const bool lists = stage == 0 && level > 0;
  const double* row = rows_[d];
  const double smallest = tile_[d];
  uint32_t begin = 0, end = tree.size(0);
  if (lists) begin = FirstInBand(d);
  if (stage > 0) {
    begin = tree.At(stage - 1, nodes_[stage - 1][d]).child_begin;
    end = tree.At(stage - 1, nodes_[stage - 1][d]).child_end;
  }
  bool go_on = true;
  for (uint32_t n = begin; n < end && go_on; ++n) {
    if (watch_.Passed()) return false;
    const ChainTree::Node& node = tree.At(stage, n);
    tile_[d] = node.tile;
    if (level > 0 && !frame_.Fits(level, tile_.data())) break;  // larger ones do not fit either
    if (lists) {
      least_sizes_[DimId(d)] = most_sizes_[DimId(d)] = static_cast<int64_t>(node.tile);
      if (FootprintOf(least_sizes_) > most_) break;
    }
    rows_[d] = tree.Row(node);
    nodes_[stage][d] = n;
    double steps = 0;
    if (lanes) {
      const double own = rows_[d][lanes_.OwnSteps()];
      if (!lanes_.Take(depth, tree, node)) continue;
      steps = lanes_.StepsAt(depth, own);
      lanes_.SetSteps(depth, own);
      if (complete && !lanes_.Suffice()) continue;
      if (!MayBeStill(d)) continue;
    } else {
      steps = bounder_.LeastSteps(rows_, frame_.instances[frame_.levels]);
    }
    if (steps >= cycles_cut_) continue;
    if (complete && stage < lane_stage_ && ExcludedByCases(stage, {0, steps, 0})) continue;
    if (lanes && !complete) {  // steps tell enough
      go_on = Descend(stage, depth + 1, visit);
      continue;
    }
    const Least least = Bound(stage, steps, complete);
    if (Excluded(least)) continue;
    if (complete) {
      visit(least);
    } else {
      go_on = Descend(stage, depth + 1, visit);
    }
  }
  rows_[d] = row;
  tile_[d] = smallest;
  if (lists) {
    least_sizes_[DimId(d)] = smallest_[DimId(d)];
    most_sizes_[DimId(d)] = largest_[DimId(d)];
  }
  return go_on;
}

bool FrontWorker::List(int64_t above, int64_t most, std::vector<Tiles>* found) {
  if (frame_.levels == 1) {
    if (above < 0) found->push_back({0, {}, {}});
    return true;
  }
  above_ = above;
  most_ = most;
  least_sizes_ = smallest_;
  most_sizes_ = largest_;
  Begin(0, {});
  return Descend(0, 0, [&](const Least& least) {
    found->push_back({FootprintOf(least_sizes_), least, nodes_[0]});
  });
}

bool FrontWorker::Run(const Tiles& tiles) {
  if (Excluded(tiles.least)) return true;
  footprint_ = tiles.footprint_words;
  if (frame_.levels == 1) return RunStage(0, tiles.least);
  nodes_[0] = tiles.nodes;
  return RunStage(1, tiles.least);
}

bool FrontWorker::RunStage(size_t stage, const Least& least) {
  if (stage == chains_.stages.size()) return Leaf();
  if (stage > 0) {
    Begin(stage, least);
    if (stage <= lane_stage_ && ExcludedByCases(stage - 1, least)) return true;
    if (stage == lane_stage_) return RunCases(stage, least);
  }
  Begin(stage, least);
  return RunChoices(stage);
}

// The lanes case by case.
bool FrontWorker::RunCases(size_t stage, const Least& least) {
  for (size_t moved = 0; moved < Cases(); ++moved) {
    Begin(stage, least);
    if (BeginCase(stage - 1, moved, least) && !RunChoices(stage)) return false;
  }
  std::fill(still_.begin(), still_.end(), uint64_t{0});
  return true;
}

bool FrontWorker::RunChoices(size_t stage) {
  struct Choice {
    Least least;
    std::vector<uint32_t> nodes;
  };
  std::vector<Choice> found;
  const bool complete = Descend(stage, 0, [&](const Least& own) {
    found.push_back({own, nodes_[stage]});
  });
  if (!complete) return false;
  // What promises most comes first.
  std::stable_sort(found.begin(), found.end(), [](const Choice& a, const Choice& b) {
    return a.least.cycles * a.least.offchip_words < b.least.cycles * b.least.offchip_words;
  });
  for (const Choice& choice : found) {
    if (Excluded(choice.least)) continue;
    nodes_[stage] = choice.nodes;
    if (!RunStage(stage + 1, choice.least)) return false;
  }
  return true;
}

bool FrontWorker::Leaf() {
  return leaf_.Run(chains_.trees, nodes_.back(), kAnyDim, &watch_, [&](const Solution& solution) {
    int64_t words = solution.cost.offchip_words;
    for (TensorId t : Ids(space_.problem.tensors)) {
      if (!onchip_.contains(t)) continue;
      const Counts& counts = solution.cost.levels[LevelId(0)].tensors[t].total;
      words -= counts.reads + counts.updates;
    }
    archive_->Offer(footprint_, words, solution);
  });
}

}  // namespace inlay::exact_search

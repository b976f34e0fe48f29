#include "inlay/mapper/exact/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Puts first the dimensions whose tiles decide how often something is repeated if the innermost
// loop is `inner`; then those with few choices.
template <typename Choices>
std::vector<size_t> DimOrder(const Frame& frame, size_t child, int inner, const Choices& choices) {
  std::vector<std::pair<double, double>> rank(frame.dims, {0, 0});
  for (size_t d = 0; d < frame.dims; ++d) {
    rank[d].second = choices(d);
    if (inner < 0 || child >= frame.levels) continue;
    for (const Edge& edge : frame.edges[child]) {
      const auto& rank_of = frame.tensors[edge.tensor].rank_of;
      if (rank_of[static_cast<size_t>(inner)] >= 0 && rank_of[d] < 0) rank[d].first = -1;
    }
  }
  std::vector<size_t> order(frame.dims);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rank[a] < rank[b]; });
  return order;
}

// The least energy and off-chip words into one level over all tiles that fit it.
class LevelSearch {
 public:
  LevelSearch(const Frame& frame, const Chains& chains, size_t level, const Deadline& deadline)
      : frame_(frame),
        tiles_(chains.tiles[level]),
        level_(level),
        watch_(deadline),
        bounder_(frame, chains.layout) {
    rows_.resize(frame.dims);
    tile_.resize(frame.dims);
  }

  Least Run(const Chains& chains) {
    for (size_t d = 0; d < frame_.dims; ++d) {
      rows_[d] = chains.trees[d].RootRow();
      tile_[d] = tiles_[d].smallest;
    }
    Least whole;
    bounder_.Begin();
    bounder_.AddMerged(rows_, level_, kAnyDim, &whole);
    Least least = {kInfinity, 0, kInfinity};
    for (int inner = kNoDim; inner < static_cast<int>(frame_.dims); ++inner) {
      inner_ = inner;
      order_ = DimOrder(frame_, level_, inner,
                        [&](size_t d) { return static_cast<double>(tiles_[d].tile.size()); });
      if (!Descend(0, &least)) return whole;
    }
    return {std::max(least.energy_pj, whole.energy_pj), 0,
            std::max(least.offchip_words, whole.offchip_words)};
  }

 private:
  bool Descend(size_t depth, Least* least) {
    if (depth == frame_.dims) return true;
    const size_t d = order_[depth];
    const double* row = rows_[d];
    const double smallest = tile_[d];
    for (size_t i = 0; i < tiles_[d].tile.size(); ++i) {
      if (watch_.Passed()) return false;
      tile_[d] = tiles_[d].tile[i];
      if (!frame_.Fits(level_, tile_.data())) break;  // larger ones do not fit either
      rows_[d] = tiles_[d].Row(i);
      Least one;
      bounder_.Begin();
      bounder_.AddMerged(rows_, level_, inner_, &one);
      if (one.energy_pj < least->energy_pj || one.offchip_words < least->offchip_words) {
        if (depth + 1 == frame_.dims) {
          least->energy_pj = std::min(least->energy_pj, one.energy_pj);
          least->offchip_words = std::min(least->offchip_words, one.offchip_words);
        } else if (!Descend(depth + 1, least)) {
          return false;
        }
      }
    }
    rows_[d] = row;
    tile_[d] = smallest;
    return true;
  }

  const Frame& frame_;
  const std::vector<TileSet>& tiles_;
  size_t level_;
  DeadlineWatch watch_;
  Bounder bounder_;
  Bounder::Rows rows_;
  std::vector<double> tile_;
  std::vector<size_t> order_;
  int inner_ = kNoDim;
};

}  // namespace

tl::expected<Chains, ChainFault> BuildChains(const Space& space, std::vector<Stage> stages,
                                             const Deadline& deadline) {
  const size_t levels = space.architecture.levels.size();
  Chains all{ReachLayout(levels), std::move(stages), {}, {}};
  const size_t most = 60'000'000 / all.layout.size();  // some 500 MB of figures
  size_t count = 0;
  for (DimId d : Ids(space.problem.dims)) {
    std::vector<Chain> chains;
    const bool complete = ForEachChain(space, d, [&](const Chain& chain) {
      if (++count > most || deadline.Passed()) return false;
      chains.push_back(chain);
      return true;
    });
    if (deadline.Passed()) return tl::unexpected(ChainFault::kStopped);
    if (!complete) return tl::unexpected(ChainFault::kTooMany);
    if (chains.empty()) return tl::unexpected(ChainFault::kNone);
    all.trees.emplace_back(space, all.layout, all.stages, std::move(chains));
  }
  all.tiles.resize(levels);
  for (size_t l = 1; l + 1 < levels; ++l) {
    for (const ChainTree& tree : all.trees) all.tiles[l].emplace_back(all.layout, tree, l);
  }
  return all;
}

Least LeastOfAll(const Space& space, const Frame& frame) {
  const ReachLayout layout(frame.levels);
  std::vector<std::vector<double>> figures;
  Bounder::Rows rows;
  for (const Dimension& dim : space.problem.dims) {
    const auto bound = static_cast<double>(dim.bound);
    std::vector<double> row(layout.size(), 1);
    for (size_t l = 0; l < frame.levels; ++l) row[ReachLayout::MustMove(l)] = 0;
    for (size_t c = 1; c <= frame.levels; ++c) {
      double* at = &row[layout.At(c)];
      const bool compute = c == frame.levels;
      if (compute) at[kTilesLo] = bound;
      at[kTilesHi] = at[kSizeLo] = at[kTileHi] = bound;
      at[kRoundTilesLo] = at[kRoundSizeLo] = at[kNextTilesLo] = at[kNextSizeLo] = 0;
      at[kRoundTilesHi] = at[kNextTilesHi] = bound;
      at[kLanesHi] = std::min(bound, frame.instances[c]);
      for (size_t q = 0; q < c; ++q) {
        const double lanes = std::min(bound, frame.instances[c] / frame.instances[q]);
        at[ReachLayout::Between(c, q)] = lanes;
        if (compute) at[ReachLayout::Leaders(c, q, c)] = std::ceil(bound / lanes * (1 - 1e-12));
      }
    }
    figures.push_back(std::move(row));
  }
  for (const auto& row : figures) rows.push_back(row.data());
  Bounder bounder(frame, layout);
  Least least;
  bounder.Begin();
  for (size_t c = 1; c <= frame.levels; ++c) bounder.AddMerged(rows, c, kAnyDim, &least);
  bounder.End(rows, bounder.LeastSteps(rows, frame.instances[frame.levels]), &least);
  return least;
}

std::vector<Least> LeastByLevel(const Frame& frame, const Chains& chains,
                                const Deadline& deadline) {
  std::vector<Least> least(frame.levels + 1);
  for (size_t l = 1; l + 1 < frame.levels; ++l) {
    if (frame.edges[l].empty()) continue;
    least[l] = LevelSearch(frame, chains, l, deadline).Run(chains);
  }
  return least;
}

Worker::Worker(const Space& space, const Frame& frame, const Chains& chains,
               const std::vector<Least>& level_least, const ExactSwitches& switches,
               Incumbent* incumbent, const Deadline& deadline)
    : space_(space),
      frame_(frame),
      chains_(chains),
      level_least_(level_least),
      switches_(switches),
      incumbent_(incumbent),
      watch_(deadline),
      bounder_(frame, chains.layout),
      leaf_(space, frame, chains.layout, switches.skip_orders),
      lanes_(space, frame, chains.layout) {
  const size_t dims = frame.dims;
  while (!chains.stages[early_stages_ - 1].lanes) ++early_stages_;
  rows_.resize(dims);
  tile_.resize(dims);
  nodes_.assign(chains.trees[0].stages(), std::vector<uint32_t>(dims, 0));
  incumbent->Refresh(&view_);
  for (size_t d = 0; d < dims; ++d) rows_[d] = chains.trees[d].RootRow();
  least_energy_pj_ = PartialBound(0, 0).energy_pj;
}

size_t Worker::FirstDecided(size_t stage) const {
  size_t first = frame_.levels;
  for (size_t s = 0; s <= stage; ++s) {
    if (chains_.stages[s].level > 0) first = chains_.stages[s].level;
  }
  return std::max<size_t>(1, std::min(first, frame_.levels - 1));
}

// While dimensions are undecided at a stage: their rows stand for all that is left.
Least Worker::PartialBound(size_t stage, double steps) {
  ++nodes_seen_;
  Least least = base_;
  const size_t level = IsEarly(stage) ? frame_.levels - 1 : chains_.stages[stage].level;
  if (IsEarly(stage)) {
    least = Least();
    bounder_.Begin();
  } else {
    bounder_.BeginFrom(base_ports_);
  }
  if (level > 0) bounder_.AddMerged(rows_, level, IsEarly(stage) ? inner_ : kAnyDim, &least);
  if (IsEarly(stage)) bounder_.AddMerged(rows_, frame_.levels, kAnyDim, &least);
  for (size_t c = 1; c < level; ++c) {
    least.energy_pj += level_least_[c].energy_pj;
    least.offchip_words += level_least_[c].offchip_words;
  }
  bounder_.End(rows_, steps, &least);
  return least;
}

// Whether the steps alone exclude a set.
bool Worker::TooSlow(double steps) {
  const Metric metric = incumbent_->objective()[0];
  if (metric != Metric::kDelay && metric != Metric::kEdp) return false;
  return SafeLeast({least_energy_pj_, steps, 0}, metric) > std::min(cutoff_, view_.values[0]);
}

// All tiles from level `first` on are decided.
Least Worker::CompleteBound(size_t first) {
  ++nodes_seen_;
  Least least;
  bounder_.Begin();
  if (switches_.nested_bounds && frame_.levels > 1) {
    bounder_.AddNested(rows_, first, inner_, &least);
  } else {
    for (size_t c = first; c < frame_.levels; ++c) {
      bounder_.AddMerged(rows_, c, c + 1 == frame_.levels ? inner_ : kAnyDim, &least);
    }
  }
  bounder_.AddMerged(rows_, frame_.levels, kAnyDim, &least);
  base_ = least;
  base_ports_ = bounder_.ports();
  for (size_t c = 1; c < first; ++c) {
    least.energy_pj += level_least_[c].energy_pj;
    least.offchip_words += level_least_[c].offchip_words;
  }
  bounder_.End(rows_, bounder_.LeastSteps(rows_, frame_.instances[frame_.levels]), &least);
  return least;
}

bool Worker::Pruned(const Least& least) {
  if (SafeLeast(least, incumbent_->objective()[0]) > cutoff_) return true;
  incumbent_->Refresh(&view_);
  return incumbent_->Excludes(view_, least, number_);
}

// Takes the lanes of a group; false if they do not fit, or what is left is too slow.
bool Worker::TakeLanes(size_t depth, const ChainTree& tree, const ChainTree::LaneGroup& group) {
  const ChainTree::Node& node = tree.At(early_stages_ - 1, group.begin);
  return lanes_.Take(depth, tree, node) && !TooSlow(lanes_.StepsAt(depth, group.steps));
}

// Whether a node of stage 0 can have the innermost loop that the job asks for.
bool Worker::InnerAllows(size_t d, const double* row) const {
  if (inner_ == kAnyDim) return true;
  const size_t at = chains_.layout.At(frame_.levels - 1);
  if (inner_ == kNoDim) return row[at + kStays] != 0;
  return static_cast<size_t>(inner_) != d || row[at + kMoves] != 0;
}

// Whether the innermost loop above the last level can be the one that the job asks for, the tiles
// from level `first` on being decided.
bool Worker::InnerIsThere(size_t first) const {
  if (inner_ == kAnyDim) return true;
  for (size_t l = frame_.levels - 1; l-- > first;) {
    bool there = false;
    for (const double* row : rows_) there = there || row[ReachLayout::MustMove(l)] != 0;
    if (inner_ >= 0 && rows_[static_cast<size_t>(inner_)][ReachLayout::MayMove(l)] != 0) {
      return true;
    }
    if (there) return false;
  }
  return true;
}

// Chooses nodes of `stage` for the dimensions from `depth` on; rows_ of those not chosen yet stand
// for all their choices. `visit` is told of each complete choice and its bound.
template <typename Visit>
bool Worker::Descend(size_t stage, size_t depth, const Visit& visit) {
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

template <typename Visit>
bool Worker::DescendNodes(size_t stage, size_t depth, uint32_t begin, uint32_t end,
                          const Visit& visit) {
  const size_t d = dim_order_[depth];
  const ChainTree& tree = chains_.trees[d];
  const size_t level = chains_.stages[stage].level;
  const bool lanes = chains_.stages[stage].lanes;
  const bool complete = depth + 1 == frame_.dims;
  const size_t own_steps = lanes_.OwnSteps();
  for (uint32_t n = begin; n < end; ++n) {
    if (watch_.Passed()) return false;
    if (dive_ && --dive_nodes_ < 0) return true;
    const ChainTree::Node& node = tree.At(stage, n);
    tile_[d] = node.tile;
    if (level > 0 && !frame_.Fits(level, tile_.data())) break;  // larger ones do not fit either
    rows_[d] = tree.Row(node);
    double steps = 0;
    if (IsEarly(stage) && !InnerAllows(d, rows_[d])) continue;
    if (lanes && stage > 0 && !TakeLanes(depth, tree, {n, n + 1, rows_[d][own_steps]})) continue;
    if (lanes) {
      steps = lanes_.StepsAt(depth, rows_[d][own_steps]);
      lanes_.SetSteps(depth, rows_[d][own_steps]);
    } else {
      steps = bounder_.LeastSteps(rows_, frame_.instances[frame_.levels]);
    }
    nodes_[stage][d] = n;
    if (complete && lanes && !lanes_.Suffice()) continue;
    if (complete && !IsEarly(stage) && !InnerIsThere(FirstDecided(stage))) continue;
    if (TooSlow(steps)) continue;
    const Least least = PartialBound(stage, steps);
    if (Pruned(least)) continue;
    if (!(complete ? visit(least) : Descend(stage, depth + 1, visit))) return false;
  }
  return true;
}

template <typename Visit>
bool Worker::ForEachJob(const Visit& visit) {
  const bool split =
      switches_.split_inner && frame_.levels > 1 && !frame_.edges[frame_.levels - 1].empty();
  for (int inner = kNoDim; inner < static_cast<int>(frame_.dims); ++inner) {
    inner_ = split ? inner : kAnyDim;
    base_ = Least();
    for (size_t d = 0; d < frame_.dims; ++d) {
      rows_[d] = chains_.trees[d].RootRow();
      tile_[d] = chains_.trees[d].SmallestTile();
    }
    dim_order_ = DimOrder(frame_, frame_.levels - 1, inner_,
                          [&](size_t d) { return static_cast<double>(chains_.trees[d].size(0)); });
    lanes_.Open(chains_.trees, dim_order_);
    if (!Descend(0, 0, visit)) return false;
    if (!split) break;
  }
  return true;
}

std::optional<std::vector<Worker::Job>> Worker::ListJobs(double cutoff) {
  std::vector<Job> jobs;
  dive_ = false;
  cutoff_ = cutoff;
  number_ = Incumbent::kSeed - 1;
  const bool complete = ForEachJob([&](const Least& least) {
    jobs.push_back({least, inner_, nodes_[0]});
    return true;
  });
  if (!complete) return std::nullopt;
  const Metric metric = incumbent_->objective()[0];
  std::stable_sort(jobs.begin(), jobs.end(), [&](const Job& a, const Job& b) {
    return LeastOf(a.least, metric) < LeastOf(b.least, metric);
  });
  return jobs;
}

double Worker::LeastJob() {
  number_ = Incumbent::kSeed - 1;
  const Metric metric = incumbent_->objective()[0];
  inner_ = kAnyDim;
  base_ = Least();
  for (size_t d = 0; d < frame_.dims; ++d) rows_[d] = chains_.trees[d].RootRow();
  const double lanes = frame_.instances[frame_.levels];
  const double whole = SafeLeast(PartialBound(0, bounder_.LeastSteps(rows_, lanes)), metric);
  // A cut-off near the truth keeps the search small, so it grows until something is found.
  for (const double factor : {1.02, 1.1, 1.3, 2.0, kInfinity}) {
    double best = kInfinity;
    cutoff_ = whole > 0 ? whole * factor : kInfinity;
    const bool complete = ForEachJob([&](const Least& least) {
      best = std::min(best, SafeLeast(least, metric));
      cutoff_ = best * (1 - 1e-9);
      return true;
    });
    if (!complete) return whole;
    // What was left out for being no better is not far below.
    if (best < kInfinity || cutoff_ == kInfinity) return best * (1 - 1e-9);
  }
  return kInfinity;
}

bool Worker::Run(const Job& job, int64_t number, double cutoff, bool dive) {
  dive_ = dive;
  number_ = number;
  cutoff_ = cutoff;
  inner_ = job.inner;
  nodes_[0] = job.nodes;
  for (size_t d = 0; d < frame_.dims; ++d) {
    rows_[d] = chains_.trees[d].Row(chains_.trees[d].At(0, nodes_[0][d]));
  }
  if (watch_.Passed()) return false;
  if (Pruned(job.least)) return true;
  dim_order_ = DimOrder(frame_, 1, kAnyDim, [&](size_t d) {
    const ChainTree::Node& node = chains_.trees[d].At(0, nodes_[0][d]);
    return static_cast<double>(node.child_end - node.child_begin);
  });
  return RunStage(1);
}

bool Worker::RunStage(size_t stage) {
  if (stage == nodes_.size()) return Leaf();
  if (stage >= early_stages_ && Pruned(CompleteBound(FirstDecided(stage - 1)))) return true;
  if (IsEarly(stage)) lanes_.Open(chains_.trees, dim_order_);
  const Least base = base_;
  const std::vector<double> base_ports = base_ports_;
  for (size_t d = 0; d < frame_.dims; ++d) {
    const ChainTree& tree = chains_.trees[d];
    tile_[d] = tree.At(stage - 1, nodes_[stage - 1][d]).next_tile;
  }
  constexpr int64_t kDiveNodes = 2000;
  dive_nodes_ = kDiveNodes;
  // Best first.
  std::vector<Job> found;
  const bool complete = Descend(stage, 0, [&](const Least&) {
    const Least least = CompleteBound(FirstDecided(stage));
    base_ = base;
    base_ports_ = base_ports;
    if (!Pruned(least)) found.push_back({least, inner_, nodes_[stage]});
    return true;
  });
  if (!complete) return false;
  const Metric metric = incumbent_->objective()[0];
  std::stable_sort(found.begin(), found.end(), [&](const Job& a, const Job& b) {
    return LeastOf(a.least, metric) < LeastOf(b.least, metric);
  });
  const Bounder::Rows rows = rows_;
  bool go_on = true;
  for (const Job& job : found) {
    if (Pruned(job.least)) continue;
    nodes_[stage] = job.nodes;
    for (size_t d = 0; d < frame_.dims; ++d) {
      rows_[d] = chains_.trees[d].Row(chains_.trees[d].At(stage, job.nodes[d]));
    }
    go_on = RunStage(stage + 1);
    if (!go_on || (dive_ && view_.values[0] < kInfinity)) break;
  }
  rows_ = rows;
  return go_on;
}

bool Worker::Leaf() {
  return leaf_.Run(chains_.trees, nodes_.back(), inner_, &watch_, [&](const Solution& solution) {
    incumbent_->Refresh(&view_);
    if (incumbent_->Wants(view_, solution.cost, number_)) incumbent_->Offer(solution, number_);
  });
}

}  // namespace inlay::exact_search

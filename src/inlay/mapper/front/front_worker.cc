#include "inlay/mapper/front/front_worker.h"

#include <algorithm>
#include <bit>
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

FrontWorker::FrontWorker(const Space& space, const KeepCase& keep_case, const Chains& chains,
                         const std::vector<TileBlocks>& blocks, TensorSet onchip,
                         FrontArchive* archive, const Deadline& deadline)
    : space_(space),
      keep_case_(keep_case),
      chains_(chains),
      blocks_(blocks),
      onchip_(onchip),
      archive_(archive),
      watch_(deadline),
      bounder_(keep_case, chains.layout),
      leaf_(space, keep_case, chains.layout, true),
      lanes_(space, keep_case, chains.layout),
      steps_(space, chains, &watch_),
      cases_(space, keep_case, chains),
      outer_(space, keep_case, chains, cases_.edges()),
      order_bounds_(keep_case, cases_, *archive),
      still_(keep_case.dims),
      table_(space, keep_case, chains, blocks, cases_, &watch_),
      open_(table_, cases_.size(), keep_case.dims),
      dim_order_(keep_case.dims),
      nodes_(chains.stages.size(), std::vector<uint32_t>(keep_case.dims, 0)),
      rows_(keep_case.dims),
      tile_(keep_case.dims) {
  for (const ChainTree& tree : chains.trees) {
    smallest_.push_back(tree.At(0, 0).tile);
    largest_.push_back(tree.At(0, tree.size(0) - 1).tile);
  }
  case_words_.assign(cases_.size(), 0);
  // Level 1 is decided before all others, so it joins as soon as level 2 is.
  while (!chains.stages[lane_stage_].lanes) ++lane_stage_;
  bool lanes = false;
  size_t first = keep_case.levels == 2 ? 1 : keep_case.levels;
  for (const Stage& stage : chains.stages) {
    lanes = lanes || stage.lanes;
    if (stage.level > 1) first = stage.level;
    const bool nested = lanes && keep_case.levels > 1 && first < keep_case.levels;
    first_nested_.push_back(!nested ? 0 : first <= 2 ? 1 : first);
  }
}

double FrontWorker::RoomOf(const std::vector<double>& tiles) const {
  if (keep_case_.levels == 1) return 0;
  const Level& level = space_.architecture.levels[LevelId(1)];
  double room = 0;
  for (TensorId t : Ids(space_.problem.tensors)) {
    if (!keep_case_.keeps[LevelId(1)].contains(t)) continue;
    const std::string& name = space_.problem.tensors[t].name;
    const double bits = level.partitions.empty() ? WordBitsOf(level, name) : 1;
    room += bits * keep_case_.TileWords(t.value(), tiles.data());
  }
  return room;
}

int64_t FrontWorker::FootprintOf(const std::vector<uint32_t>& nodes) const {
  IndexedVector<DimId, int64_t> sizes(keep_case_.dims);
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    sizes[DimId(d)] = static_cast<int64_t>(chains_.trees[d].At(0, nodes[d]).tile);
  }
  int64_t words = 0;
  const LevelId level(1);
  for (const Occupancy& use :
       OccupanciesAt(space_.problem, space_.architecture, level, keep_case_.keeps[level], sizes)) {
    words += use.used_words;
  }
  return words;
}

bool FrontWorker::List(double above, double most, std::vector<Tiles>* found) {
  if (keep_case_.levels == 1) {
    if (above < 0) found->push_back({0, {}, {}});
    return true;
  }
  above_ = above;
  most_ = most;
  least_tile_ = smallest_;
  most_tile_ = largest_;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    rows_[d] = blocks_[d].Row(TileBlocks::kRoot);
    dim_order_[d] = d;
  }
  std::stable_sort(dim_order_.begin(), dim_order_.end(),
                   [&](size_t a, size_t b) { return blocks_[a].size() < blocks_[b].size(); });
  if (!table_.empty()) open_.Begin();
  return Split(0, TileBlocks::kRoot, found);
}

// Looks at the tiles of a block of the dimension at `depth`, with what those before it have decided
// and any tile of those behind it.
bool FrontWorker::Split(size_t depth, size_t block, std::vector<Tiles>* found) {
  if (watch_.Passed()) return false;
  const size_t d = dim_order_[depth];
  const TileBlocks::Block& at = blocks_[d].At(block);
  rows_[d] = blocks_[d].Row(block);
  least_tile_[d] = at.smallest;
  most_tile_[d] = at.largest;
  bool go_on = true;
  LowerBound bound;
  const bool complete = depth + 1 == keep_case_.dims && at.single();
  const bool looked = block == TileBlocks::kRoot && depth > 0 && !complete;  // nothing new
  const bool fits = looked || (keep_case_.Fits(1, least_tile_.data()) &&
                               RoomOf(least_tile_) <= most_ && RoomOf(most_tile_) > above_);
  if (fits && (looked || MayImprove(depth, block, &bound))) {
    if (!at.single()) {
      go_on = Split(depth, at.left, found) && Split(depth, at.right, found);
    } else {
      nodes_[0][d] = at.begin;
      if (complete) {
        found->push_back({FootprintOf(nodes_[0]), bound, nodes_[0]});
      } else {
        if (!table_.empty()) open_.Narrow(depth, d, block);
        go_on = Split(depth + 1, TileBlocks::kRoot, found);
      }
    }
  }
  rows_[d] = blocks_[d].Row(TileBlocks::kRoot);
  least_tile_[d] = smallest_[d];
  most_tile_[d] = largest_[d];
  return go_on;
}

// Whether some case is not excluded.
bool FrontWorker::MayImprove(size_t depth, size_t block, LowerBound* bound) {
  ++nodes_seen_;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  *bound = {0, kNever, kNever};
  const double steps = StepsOfRows();
  const MappingSet set = SetOfRows();
  bool may_improve = false;
  cases_.Bound(set, &bounder_, &case_words_);
  case_cycles_.resize(cases_.size());
  for (size_t c = 0; c < cases_.size(); ++c) {
    double& cycles = case_cycles_[c];
    cycles = kNever;
    if (case_words_[c] == kNever) continue;  // there is no such mapping
    const double cut = archive_->CyclesAt(case_words_[c]);
    cycles = table_.empty() ? steps : open_.FewestCycles(c, depth, dim_order_[depth], block, cut);
    if (cycles >= cut) cycles = kNever;
    if (cycles == kNever) continue;
    may_improve = true;
    bound->cycles = std::min(bound->cycles, cycles);
    bound->offchip_words = std::min(bound->offchip_words, case_words_[c]);
  }
  return may_improve && order_bounds_.SomeOrderMayImprove(set, case_cycles_);
}

bool FrontWorker::Excluded(const LowerBound& bound) const {
  return archive_->Excludes(SafeBound(bound, Metric::kOffchip), SafeBound(bound, Metric::kDelay));
}

LowerBound FrontWorker::Bound(size_t stage, double steps, bool complete) {
  ++nodes_seen_;
  const MappingSet set = SetOfRows();
  sum_.Begin(keep_case_);
  const size_t nested = complete ? first_nested_[stage] : 0;
  const size_t merged = nested > 0 ? nested : keep_case_.levels;
  for (size_t c = 1; c < merged; ++c) bounder_.AddMerged(set, c, kAnyDim, &sum_);
  if (nested > 0) bounder_.AddNested(set, nested, kAnyDim, &sum_);
  bounder_.AddMerged(set, keep_case_.levels, kAnyDim, &sum_);
  return Finish(set, steps, sum_);
}

// The cases order by order of the loops of level 0, the tiles of level 1 being known and taking
// `cycles` at least.
void FrontWorker::ListOrders(double cycles) {
  orders_.clear();
  ordered_ = outer_.Begin(nodes_[0]);
  if (!ordered_) return;
  const MappingSet set = SetOfRows();
  order_bounds_.Begin(set);
  const size_t bypassing = cases_.edges().size();
  const auto excluded = [&](const std::vector<size_t>& inner) {
    const double words = order_bounds_.WordsInOrder(inner);
    return archive_->Excludes(SafeBound({0, 0, words}, Metric::kOffchip), cycles);
  };
  std::fill(case_words_.begin(), case_words_.end(), std::numeric_limits<double>::infinity());
  for (const OuterOrders::Order& order : outer_.List(excluded)) {
    OrderWords& one = orders_.emplace_back();
    one.into_level1 = order.words;
    for (size_t i = 0; i < bypassing; ++i) {
      one.still.push_back(order_bounds_.StillWords(i, order.dims));
      one.rounds.push_back(RoundsOf(*cases_.edges()[i], order.dims));
    }
    for (size_t c = 0; c < cases_.size(); ++c) {
      double words = order.words;
      for (size_t i = 0; i < bypassing; ++i) words += BypassingWords(one, c, i);
      case_words_[c] = std::min(case_words_[c], words);
    }
  }
}

BypassCases::Rounds FrontWorker::RoundsOf(const Edge& edge,
                                          const std::vector<size_t>& order) const {
  BypassCases::Rounds rounds;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t d = order[i];
    if (keep_case_.tensors[edge.tensor].rank_of[d] < 0) {
      rounds.all *= static_cast<double>(outer_.Steps(d));
    } else {
      rounds.loops.push_back({d, rounds.all});
    }
  }
  std::reverse(rounds.loops.begin(), rounds.loops.end());
  return rounds;
}

double FrontWorker::BypassingWords(const OrderWords& order, size_t in_case, size_t edge) const {
  const Motion motion = cases_.MotionOf(in_case, edge);
  return motion == Motion::kStill ? order.still[edge] : cases_.MovedWords(edge, motion);
}

// The classes of an entry of the table with the tiles that are run.
void FrontWorker::ListClasses(size_t entry) {
  classes_.clear();
  const uint64_t moved = table_.Moved(entry);
  const uint64_t inner = table_.ports().Inner(moved);
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    if ((inner >> d & 1) == 0) continue;
    InnerClass& one = classes_.emplace_back();
    one.inner = static_cast<int>(d);
    one.cycles = table_.Cycles(entry, moved, one.inner);
    for (size_t i = 0; i < cases_.edges().size(); ++i) {
      one.words.push_back(cases_.WordsByInner(i, d, nodes_.back()));
    }
  }
  if (classes_.empty()) classes_.push_back({kNoDim, table_.Cycles(entry, moved, kNoDim), {}});
}

// Off-chip words of complete chains of the case under decision.
double FrontWorker::LeafWords(const OrderWords& order, const InnerClass& one) const {
  double words = order.into_level1;
  for (size_t i = 0; i < cases_.edges().size(); ++i) {
    words += std::max({BypassingWords(order, case_, i), one.words.empty() ? 0 : one.words[i],
                       cases_.WordsOf(i, order.rounds[i], nodes_.back())});
  }
  return words;
}

// Whether every order of complete chains is, if it takes as many cycles.
bool FrontWorker::OrdersExcluded(double cycles) const {
  for (const OrderWords& order : orders_) {
    for (const InnerClass& one : classes_) {
      if (!archive_->Excludes(LeafWords(order, one), std::max(cycles, one.cycles))) return false;
    }
  }
  return true;
}

// Prepares one case of a complete choice. False if it is excluded.
bool FrontWorker::BeginCase(size_t stage, size_t in_case, const LowerBound& bound) {
  still_ = cases_.Still(in_case);
  const double words = case_words_[in_case];
  if (words == std::numeric_limits<double>::infinity()) return false;
  cycles_cut_ = archive_->CyclesAt(
      std::max(SafeBound({0, 0, words}, Metric::kOffchip), SafeBound(bound, Metric::kOffchip)));
  if (cycles_cut_ <= bound.cycles) return false;
  return steps_.Fewest(stage, nodes_[stage], still_, cycles_cut_) < cycles_cut_;
}

bool FrontWorker::ExcludedByCases(size_t stage, const LowerBound& bound) {
  const double cut = cycles_cut_;
  bool excluded = true;
  for (size_t moved = 0; excluded && moved < cases_.size(); ++moved) {
    excluded = !BeginCase(stage, moved, bound);
  }
  cycles_cut_ = cut;
  return excluded;
}

// Dimensions of few choices first.
void FrontWorker::OrderDims(size_t stage) {
  std::vector<uint32_t> choices(keep_case_.dims);
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    const ChainTree& tree = chains_.trees[d];
    choices[d] = tree.size(0);
    if (stage == 0) continue;
    const ChainTree::Node& parent = tree.At(stage - 1, nodes_[stage - 1][d]);
    choices[d] = parent.child_end - parent.child_begin;
  }
  dim_order_.resize(keep_case_.dims);
  std::iota(dim_order_.begin(), dim_order_.end(), size_t{0});
  std::stable_sort(dim_order_.begin(), dim_order_.end(),
                   [&](size_t a, size_t b) { return choices[a] < choices[b]; });
}

// Before the choices of a stage, in a set of the bound `bound`.
void FrontWorker::Begin(size_t stage, const LowerBound& bound) {
  for (size_t d = 0; d < keep_case_.dims; ++d) {
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
  cycles_cut_ = archive_->CyclesAt(SafeBound(bound, Metric::kOffchip));
}

template <typename Visit>
bool FrontWorker::Descend(size_t stage, size_t depth, const Visit& visit) {
  const size_t d = dim_order_[depth];
  const ChainTree& tree = chains_.trees[d];
  const auto [level, lanes] = chains_.stages[stage];
  const bool complete = depth + 1 == keep_case_.dims;
  const double* row = rows_[d];
  const double smallest = tile_[d];
  uint32_t begin = 0, end = tree.size(0);
  if (stage > 0) {
    begin = tree.At(stage - 1, nodes_[stage - 1][d]).child_begin;
    end = tree.At(stage - 1, nodes_[stage - 1][d]).child_end;
  }
  bool go_on = true;
  for (uint32_t n = begin; n < end && go_on; ++n) {
    if (watch_.Passed()) return false;
    const ChainTree::Node& node = tree.At(stage, n);
    if (stage >= lane_stage_ && !cases_.AllowsSome(case_, d, stage, n)) continue;
    tile_[d] = node.tile;
    if (level > 0 && !keep_case_.Fits(level, tile_.data())) break;  // larger ones do not fit either
    rows_[d] = tree.Row(node);
    nodes_[stage][d] = n;
    double steps = 0;
    if (lanes) {
      const double own = rows_[d][lanes_.OwnSteps()];
      if (!lanes_.Take(depth, tree, node)) continue;
      steps = lanes_.StepsAt(depth, own);
      lanes_.SetSteps(depth, own);
      if (complete && !lanes_.Suffice()) continue;
    } else {
      steps = StepsOfRows();
    }
    if (steps >= cycles_cut_) continue;
    if (complete && stage < lane_stage_ && ExcludedByCases(stage, {0, steps, 0})) continue;
    if (lanes && !complete) {  // steps tell enough
      go_on = Descend(stage, depth + 1, visit);
      continue;
    }
    LowerBound bound = Bound(stage, steps, complete);
    if (stage > lane_stage_ || lanes) {
      bound.offchip_words = std::max(bound.offchip_words, case_words_[case_]);
    }
    if (Excluded(bound)) continue;
    if (complete) {
      go_on = visit(bound);
    } else {
      go_on = Descend(stage, depth + 1, visit);
    }
  }
  rows_[d] = row;
  tile_[d] = smallest;
  return go_on;
}

bool FrontWorker::Run(const Tiles& tiles) {
  if (Excluded(tiles.bound)) return true;
  footprint_ = tiles.footprint_words;
  if (keep_case_.levels == 1) return RunStage(0, tiles.bound);
  nodes_[0] = tiles.nodes;
  if (!table_.empty()) return RunTable(tiles.bound);
  Begin(1, tiles.bound);
  cases_.Bound(SetOfRows(), &bounder_, &case_words_);
  if (ExcludedByCases(0, tiles.bound)) return true;
  ListOrders(tiles.bound.cycles);
  return RunStage(1, tiles.bound);
}

bool FrontWorker::RunTable(const LowerBound& bound) {
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    rows_[d] = blocks_[d].Row(blocks_[d].Of(nodes_[0][d]));
    dim_order_[d] = d;
    open_.Narrow(d, d, blocks_[d].Of(nodes_[0][d]));
  }
  cases_.Bound(SetOfRows(), &bounder_, &case_words_);
  const auto excluded = [&] {
    for (size_t moved = 0; moved < cases_.size(); ++moved) {
      if (case_words_[moved] == std::numeric_limits<double>::infinity()) continue;
      const double cut = archive_->CyclesAt(std::max(case_words_[moved], bound.offchip_words));
      if (open_.FewestCycles(moved, cut) < cut) return false;
    }
    return true;
  };
  if (excluded()) return true;
  table_.Begin(chains_, nodes_[0]);
  bool any = false;
  for (size_t moved = 0; moved < cases_.size() && !any; ++moved) {
    any = !ForEachEntry(moved, [](size_t) { return false; });
  }
  if (!any) return true;
  ListOrders(bound.cycles);
  if (excluded()) return true;
  for (size_t moved = 0; moved < cases_.size(); ++moved) {
    if (!RunEntries(moved)) return false;
  }
  return true;
}

// The entries that go with the tiles in a case and whose bounds the archive does not exclude, until
// `visit` returns false: whether it never did.
template <typename Visit>
bool FrontWorker::ForEachEntry(size_t in_case, const Visit& visit) {
  const std::vector<uint64_t>& open = open_.Left(in_case);
  for (size_t w = 0; w < open.size(); ++w) {
    for (uint64_t bits = open[w]; bits != 0; bits &= bits - 1) {
      const size_t entry = 64 * w + static_cast<size_t>(std::countr_zero(bits));
      const double cut = archive_->CyclesAt(case_words_[in_case]);
      if (table_.Cycles(entry) >= cut) return true;
      for (size_t d = 0; d < keep_case_.dims; ++d) {
        nodes_.back()[d] = table_.Chain(entry, d, nodes_[0][d]);
      }
      if (!cases_.Holds(in_case, nodes_.back())) continue;
      ListClasses(entry);
      const bool excluded = std::all_of(classes_.begin(), classes_.end(),
                                        [&](const auto& one) { return one.cycles >= cut; });
      if (!excluded && !visit(entry)) return false;
    }
  }
  return true;
}

bool FrontWorker::RunEntries(size_t in_case) {
  case_ = in_case;
  return ForEachEntry(in_case, [&](size_t entry) {
    if (watch_.Passed()) return false;
    if (ordered_ && OrdersExcluded(table_.Cycles(entry))) return true;
    for (size_t d = 0; d < keep_case_.dims; ++d) {
      const ChainTree& tree = chains_.trees[d];
      rows_[d] = tree.Row(tree.Singles()[nodes_.back()[d]]);
    }
    const double steps = StepsOfRows();
    LowerBound bound = Bound(chains_.stages.size() - 1, steps, true);
    bound.offchip_words = std::max(bound.offchip_words, case_words_[in_case]);
    return Excluded(bound) || Leaf(bound);
  });
}

bool FrontWorker::RunStage(size_t stage, const LowerBound& bound) {
  if (stage == chains_.stages.size()) {
    classes_.assign(1, {});
    return Leaf(bound);
  }
  if (stage > 0) {
    Begin(stage, bound);
    if (stage <= lane_stage_ && ExcludedByCases(stage - 1, bound)) return true;
    if (stage == lane_stage_) return RunCases(stage, bound);
  }
  Begin(stage, bound);
  return RunChoices(stage);
}

// The lanes case by case.
bool FrontWorker::RunCases(size_t stage, const LowerBound& bound) {
  for (size_t moved = 0; moved < cases_.size(); ++moved) {
    Begin(stage, bound);
    case_ = moved;
    if (BeginCase(stage - 1, moved, bound) && !RunChoices(stage)) return false;
  }
  std::fill(still_.begin(), still_.end(), uint64_t{0});
  return true;
}

// Once the lanes are known, most choices are as good as the first one that fits: no list of them.
bool FrontWorker::RunEach(size_t stage) {
  return Descend(stage, 0, [&](const LowerBound& own) {
    const Rows rows = rows_;
    const std::vector<double> tile = tile_;
    const std::vector<size_t> dim_order = dim_order_;
    const bool go_on = RunStage(stage + 1, own);
    rows_ = rows;
    tile_ = tile;
    dim_order_ = dim_order;
    cycles_cut_ = archive_->CyclesAt(case_words_[case_]);
    return go_on;
  });
}

bool FrontWorker::RunChoices(size_t stage) {
  if (stage > lane_stage_) return RunEach(stage);
  struct Choice {
    LowerBound bound;
    std::vector<uint32_t> nodes;
  };
  std::vector<Choice> found;
  const bool complete = Descend(stage, 0, [&](const LowerBound& own) {
    found.push_back({own, nodes_[stage]});
    return true;
  });
  if (!complete) return false;
  // What promises most comes first.
  std::stable_sort(found.begin(), found.end(), [](const Choice& a, const Choice& b) {
    return a.bound.cycles * a.bound.offchip_words < b.bound.cycles * b.bound.offchip_words;
  });
  for (const Choice& choice : found) {
    if (Excluded(choice.bound)) continue;
    nodes_[stage] = choice.nodes;
    if (!RunStage(stage + 1, choice.bound)) return false;
  }
  return true;
}

// Every order of complete chains of the bound `bound` that the archive does not exclude.
bool FrontWorker::Leaf(const LowerBound& bound) {
  if (!cases_.Holds(case_, nodes_.back())) return true;  // another case has it
  const double cycles = SafeBound(bound, Metric::kDelay);
  // The lister takes the innermost loop above the last level.
  const bool by_class = ordered_ && keep_case_.levels == 3;
  if (!by_class) classes_.assign(1, {});
  for (const InnerClass& one : classes_) {
    if (!RunOrders(one, std::max(cycles, one.cycles))) return false;
  }
  return true;
}

bool FrontWorker::RunOrders(const InnerClass& one, double cycles) {
  const auto excluded = [&] {
    return ordered_ && std::all_of(orders_.begin(), orders_.end(), [&](const OrderWords& order) {
             return archive_->Excludes(LeafWords(order, one), cycles);
           });
  };
  if (excluded()) return true;
  double bypassing = std::numeric_limits<double>::infinity();
  for (const OrderWords& order : orders_) {
    bypassing = std::min(bypassing, LeafWords(order, one) - order.into_level1);
  }
  bool fresh = false;
  const auto look = [&](const Mapping& mapping) {
    if (!ordered_) return LeafEvaluator::Action::kEvaluate;
    if (fresh && excluded()) return LeafEvaluator::Action::kEnd;
    fresh = false;
    const double words = outer_.WordsOf(mapping.levels[LevelId(0)].temporal) + bypassing;
    return archive_->Excludes(words, cycles) ? LeafEvaluator::Action::kSkip
                                             : LeafEvaluator::Action::kEvaluate;
  };
  const auto visit = [&](const Solution& solution) {
    int64_t words = solution.cost.offchip_words;
    for (TensorId t : Ids(space_.problem.tensors)) {
      if (!onchip_.contains(t)) continue;
      const Counts& counts = solution.cost.levels[LevelId(0)].tensors[t].total;
      words -= counts.reads + counts.updates;
    }
    fresh = archive_->Offer(footprint_, words, solution) || fresh;
  };
  return leaf_.Run(chains_.trees, nodes_.back(), one.inner, &watch_, visit, look);
}

}  // namespace inlay::exact_search

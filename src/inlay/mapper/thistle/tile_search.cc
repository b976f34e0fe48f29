#include "inlay/mapper/thistle/tile_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::thistle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Columns of the grid, and of the queue, that are kept in memory.
constexpr double kMostColumns = 1 << 20;

}  // namespace

// A partial choice: SRAM ranges fixed, array ranges of some dimensions, then options of some.
struct TileSearch::Node {
  const SramRanges* ranges = nullptr;
  const ArrayGrid* grid = nullptr;
  const PerFree<int64_t>* lanes = nullptr;  // none: any split over the lanes
  Cuts outer, inner;                        // no choice under this node cuts less
  PerFree<size_t> array_range{};
  PerFree<double> steps{};  // at least, where lanes are given

  PerFree<TileLimits> limits;

  PerFree<std::vector<TileOption>> options;
  PerFree<std::vector<LaneSplit>> splits;  // of the chosen options
  PerFree<const TileOption*> chosen{};
  PerFree<int64_t> sram{}, registers{};
  // Of the best split found for the chosen options.
  PerFree<int64_t> best_registers{};
  double best_steps = 0;
};

TileSearch::TileSearch(const Model& model, const Objective& objective,
                       const std::optional<std::vector<double>>& cutoff, const Deadline& deadline,
                       Report report)
    : model_(model),
      goal_(objective, model.pj_per_cycle()),
      deadline_(deadline),
      watch_(deadline, 6),
      report_(std::move(report)),
      dram_orders_(model, &model.space().orders[LevelId(0)]),
      sram_orders_(model, &model.space().orders[LevelId(1)]),
      any_orders_(model, nullptr) {
  if (cutoff) goal_.SetCutoff(*cutoff);
  for (FreeIndex f = 0; f < model.free_count(); ++f) chains_.emplace_back(model, f, &watch_);
  all_classes_ = &any_orders_.For(model.all_free());
}

// Joins ranges of the dimensions that have the most until the columns can be held.
void TileSearch::LimitRanges() {
  const auto shrink = [&](auto sizes_of, auto coarsen) {
    while (true) {
      double columns = 1;
      size_t most = 0, widest = 0, second = 0;
      for (FreeIndex f = 0; f < chains_.size(); ++f) {
        const size_t size = sizes_of(chains_[f]);
        columns *= static_cast<double>(size);
        if (size > most) {
          second = most;
          most = size;
          widest = f;
        } else {
          second = std::max(second, size);
        }
      }
      if (columns / static_cast<double>(std::max<size_t>(most, 1)) <= kMostColumns) return;
      if (second < 2) return;
      // The widest is no column; the others are halved, widest first.
      for (FreeIndex f = 0; f < chains_.size(); ++f) {
        if (f != widest && sizes_of(chains_[f]) == second) {
          coarsen(&chains_[f], (second + 1) / 2);
          break;
        }
      }
    }
  };
  shrink([](const Chains& chains) { return chains.sram_ranges().size(); },
         [](Chains* chains, size_t most) { chains->CoarsenSram(most); });
  shrink([](const Chains& chains) { return chains.array_ranges().size(); },
         [](Chains* chains, size_t most) { chains->CoarsenArray(most); });
}

TileSearchResult TileSearch::Run() {
  found_.lower_bound = kInfinity;
  found_.is_too_large = std::any_of(chains_.begin(), chains_.end(),
                                    [](const Chains& chains) { return chains.is_too_long(); });
  if (found_.is_too_large) return found_;
  const bool possible =
      model_.is_possible() && std::none_of(chains_.begin(), chains_.end(),
                                           [](const Chains& chains) { return chains.empty(); });
  if (possible && model_.free_count() == 0) {
    Node node;  // nothing to choose
    if (model_.Fits(1, node.sram)) Evaluate(&node);
  } else if (possible && !IsHopelessAtOnce()) {
    LimitRanges();
    TrySmallest();
    const ArrayGrid grid(model_, chains_, *all_classes_, std::nullopt, &watch_);
    SramQueue queue(model_, chains_, grid, &dram_orders_, &watch_);
    const SramRanges* first = queue.Get(0);
    if (first != nullptr && !grid.empty() && !deadline_.Passed()) {
      if (goal_.looks_at_steps()) {
        RunByLanes(&queue);
      } else {
        RunFree(grid, &queue);
      }
    }
  }
  found_.complete = !deadline_.Passed();
  if (found_.complete) {
    found_.lower_bound = goal_.has_incumbent() ? goal_.incumbent() : kInfinity;
  }
  return found_;
}

// What is known without a look at tiles. For the fewest steps alone that may be the answer.
bool TileSearch::IsHopelessAtOnce() {
  double steps = model_.LeastSteps();
  if (goal_.looks_at_steps()) {
    const auto fewest = FewestSteps(model_, chains_, &watch_);
    if (!fewest) return true;  // nothing fits, or the time is up
    steps = std::max(steps, fewest->steps);
    if (!goal_.IsHopeless(model_.LeastPj(), steps)) TryFewestSteps(*fewest);
  }
  SetBound(goal_.First(model_.LeastPj(), steps));
  return goal_.IsHopeless(model_.LeastPj(), steps);
}

// One iteration in the registers, one for every lane in the SRAM.
void TileSearch::TryFewestSteps(const LaneSteps& fewest) {
  const bool plain = std::none_of(chains_.begin(), chains_.end(), [](const Chains& chains) {
    return chains.is_listed() || chains.sram_ranges().back().smallest > 1;
  });
  if (!plain) return;
  Node node;
  std::vector<TileOption> options;
  options.reserve(model_.free_count());
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    const int64_t lanes = fewest.lanes[f];
    const Cut cut = model_.CutBy(f, lanes);
    options.push_back({lanes, lanes, cut, cut, {lanes, 1, chains_[f].Steps(lanes, lanes, 1)}});
    node.chosen[f] = &options[f];
    node.outer[f] = node.inner[f] = cut;
    node.steps[f] = options[f].split.steps;
  }
  node.lanes = &fewest.lanes;
  Evaluate(&node);
}

// Something to show if the time is up early: the smallest tiles.
void TileSearch::TrySmallest() {
  SramRanges ranges;
  Node node;
  node.ranges = &ranges;
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    const Chains& chains = chains_[f];
    ranges.range[f] = static_cast<uint32_t>(chains.sram_ranges().size() - 1);
    node.array_range[f] = chains.array_ranges().size() - 1;
    node.outer[f] = chains.sram_ranges().back().cut;
    node.limits[f] = {model_.bound(f), model_.bound(f), kInfinity};
    node.inner[f] = chains.LeastCut(ranges.range[f], node.array_range[f], node.limits[f]);
    node.sram[f] = chains.sram_ranges().back().smallest;
  }
  if (model_.Fits(1, node.sram)) Resolve(&node);
}

void TileSearch::SetBound(double bound) {
  if (goal_.has_incumbent()) bound = std::min(bound, goal_.incumbent());
  if (bound == found_.lower_bound) return;
  found_.lower_bound = bound;
  if (!report_ || !std::isfinite(bound)) return;
  report_(goal_.has_incumbent() ? std::optional<double>(goal_.incumbent()) : std::nullopt, bound);
}

// The cuts and limits that the ranges of SRAM tiles imply.
void TileSearch::StartNode(const SramQueue& queue, const SramRanges& ranges, Node* node) const {
  node->ranges = &ranges;
  node->outer = node->inner = queue.CutsOf(ranges);
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    node->sram[f] = chains_[f].sram_ranges()[ranges.range[f]].smallest;
  }
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    node->limits[f] = {model_.LargestFitting(1, node->sram, f), model_.bound(f), kInfinity};
    if (node->lanes == nullptr) continue;
    node->steps[f] = static_cast<double>(CeilDiv(model_.bound(f), (*node->lanes)[f]));
  }
}

void TileSearch::RunFree(const ArrayGrid& grid, SramQueue* queue) {
  Node node;
  node.grid = &grid;
  for (size_t i = 0;; ++i) {
    const SramRanges* ranges = queue->Get(i);
    if (ranges == nullptr || deadline_.Passed()) return;
    SetBound(goal_.First(ranges->bound_pj, 0));
    if (goal_.IsHopeless(ranges->bound_pj, 0)) return;
    StartNode(*queue, *ranges, &node);
    Descend(&node, 0, 0);
  }
}

// Lanes whose array tiles the SRAM cannot hold do not all work; false if none do.
bool TileSearch::LimitByRoom(LaneSteps* lanes) {
  if (model_.Fits(1, lanes->lanes)) return true;
  const auto listed = std::count_if(chains_.begin(), chains_.end(),
                                    [](const Chains& chains) { return chains.is_listed(); });
  if (static_cast<size_t>(listed) == chains_.size()) return false;
  if (listed > 0) return true;
  const auto fewest = FewestSteps(model_, chains_, lanes->lanes, &watch_);
  if (!fewest) return false;
  lanes->steps = std::max(lanes->steps, fewest->steps);
  return !goal_.IsHopeless(model_.LeastPj(), lanes->steps);
}

void TileSearch::AddLaneVectors(FreeIndex f, int64_t product, LaneSteps* lanes,
                                std::vector<LaneSteps>* all) {
  if (f == chains_.size()) {
    // More lanes of a dimension whose chains are not listed only help, see Chains.
    for (FreeIndex g = 0; g < chains_.size(); ++g) {
      if (chains_[g].is_listed() || lanes->lanes[g] >= chains_[g].lane_counts().back()) continue;
      if (product / lanes->lanes[g] * (lanes->lanes[g] + 1) <= model_.lanes()) return;
    }
    LaneSteps vector = *lanes;
    if (LimitByRoom(&vector)) all->push_back(vector);
    return;
  }
  const double before = lanes->steps;
  for (const int64_t count : chains_[f].lane_counts()) {
    if (product * count > model_.lanes() || watch_.Passed()) break;
    lanes->lanes[f] = count;
    lanes->steps = before * static_cast<double>(CeilDiv(model_.bound(f), count));
    AddLaneVectors(f + 1, product * count, lanes, all);
  }
  lanes->steps = before;
}

std::vector<LaneSteps> TileSearch::LaneVectors() {
  std::vector<LaneSteps> all;
  LaneSteps lanes;
  lanes.steps = model_.fixed_steps();
  AddLaneVectors(0, 1, &lanes, &all);
  std::sort(all.begin(), all.end(), [](const LaneSteps& a, const LaneSteps& b) {
    return a.steps != b.steps ? a.steps < b.steps : a.lanes < b.lanes;
  });
  return all;
}

void TileSearch::RunByLanes(SramQueue* queue) {
  const double least_pj = queue->Get(0)->bound_pj;
  const std::vector<LaneSteps> all = LaneVectors();
  if (deadline_.Passed()) return;  // some may be missing
  for (size_t i = 0; i < all.size(); ++i) {
    SetBound(goal_.First(least_pj, all[i].steps));
    if (goal_.IsHopeless(least_pj, all[i].steps)) return;
    double next = kInfinity;
    if (i + 1 < all.size()) next = all[i + 1].steps;
    if (!RunLanes(all[i], next, queue)) return;
  }
}

// False if the time is up.
bool TileSearch::RunLanes(const LaneSteps& lanes, double next_steps, SramQueue* queue) {
  const ArrayGrid grid(model_, chains_, *all_classes_, lanes.lanes, &watch_);
  if (grid.empty()) return !deadline_.Passed();
  const double others = goal_.First(queue->Get(0)->bound_pj, next_steps);
  Node node;
  node.grid = &grid;
  node.lanes = &lanes.lanes;
  for (size_t i = 0;; ++i) {
    const SramRanges* ranges = queue->Get(i);
    if (deadline_.Passed()) return false;
    if (ranges == nullptr || goal_.IsHopeless(ranges->bound_pj, lanes.steps)) return true;
    SetBound(std::min(others, goal_.First(ranges->bound_pj, lanes.steps)));
    const double pj = model_.base_pj() + ranges->dram_pj + grid.LeastPj(queue->CutsOf(*ranges));
    if (goal_.IsHopeless(pj, lanes.steps)) continue;
    StartNode(*queue, *ranges, &node);
    Descend(&node, 0, 0);
  }
}

double TileSearch::BoundPj(const Node& node) const {
  return model_.base_pj() + node.ranges->dram_pj +
         Cheapest(model_, kSramArray, *all_classes_, node.outer, node.inner).pj;
}

double TileSearch::BoundSteps(const Node& node) const {
  if (node.lanes == nullptr) return 0;
  double steps = model_.fixed_steps();
  for (FreeIndex f = 0; f < model_.free_count(); ++f) steps *= node.steps[f];
  return steps;
}

bool TileSearch::IsWithinSram(const Node& node, FreeIndex f, size_t array_range) const {
  const TileRange& sram = chains_[f].sram_ranges()[node.ranges->range[f]];
  const int64_t largest = std::min(sram.largest, node.limits[f].sram);
  return chains_[f].array_ranges()[array_range].smallest <= largest;
}

void TileSearch::Descend(Node* node, size_t depth, size_t column) {
  const ArrayGrid& grid = *node->grid;
  if (depth == grid.sides().size()) {
    DescendMain(node, column);
    return;
  }
  const FreeIndex f = grid.sides()[depth], main = grid.main();
  const Cut main_before = node->inner[main];
  const double steps_before = node->steps[f];
  for (size_t i = 0; i < chains_[f].array_ranges().size(); ++i) {
    if (watch_.Passed()) return;
    const size_t next = grid.Next(depth, column, i);
    const uint32_t first = grid.FirstMain(depth + 1, next);
    if (first == ArrayGrid::kNone || !IsWithinSram(*node, f, i)) continue;
    ++found_.nodes;
    node->inner[f] = chains_[f].LeastCut(node->ranges->range[f], i, node->limits[f]);
    node->inner[main] =
        chains_[main].LeastCut(node->ranges->range[main], first, node->limits[main]);
    if (node->lanes != nullptr) node->steps[f] = chains_[f].LeastSteps(i, (*node->lanes)[f]);
    if (goal_.IsHopeless(BoundPj(*node), BoundSteps(*node))) continue;
    node->array_range[f] = i;
    Descend(node, depth + 1, next);
  }
  node->inner[f] = node->outer[f];
  node->inner[main] = main_before;
  node->steps[f] = steps_before;
}

void TileSearch::DescendMain(Node* node, size_t column) {
  const ArrayGrid& grid = *node->grid;
  const FreeIndex main = grid.main();
  const double steps_before = node->steps[main];
  for (size_t i = grid.FirstMain(grid.sides().size(), column);
       i < chains_[main].array_ranges().size(); ++i) {
    if (watch_.Passed()) return;
    if (!IsWithinSram(*node, main, i)) continue;
    ++found_.nodes;
    node->inner[main] = chains_[main].LeastCut(node->ranges->range[main], i, node->limits[main]);
    const double pj = BoundPj(*node);
    if (goal_.IsHopeless(pj, BoundSteps(*node))) break;  // the bound only rises from here
    if (node->lanes != nullptr)
      node->steps[main] = chains_[main].LeastSteps(i, (*node->lanes)[main]);
    node->array_range[main] = i;
    if (!goal_.IsHopeless(pj, BoundSteps(*node))) Resolve(node);
    node->steps[main] = steps_before;
  }
}

// With the lanes given, the register tiles of the other dimensions limit that of each. False if
// that leaves nothing.
bool TileSearch::TightenAll(Node* node) const {
  if (node->lanes == nullptr) return true;
  PerFree<int64_t> tiles{};
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    const TileRange& range = chains_[f].array_ranges()[node->array_range[f]];
    tiles[f] = CeilDiv(range.smallest, (*node->lanes)[f]);
  }
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    const int64_t tile = model_.LargestFitting(2, tiles, f);
    if (tile < tiles[f]) return false;
    node->limits[f].array = std::min(model_.bound(f), tile * (*node->lanes)[f]);
    node->inner[f] =
        chains_[f].LeastCut(node->ranges->range[f], node->array_range[f], node->limits[f]);
  }
  return true;
}

void TileSearch::Resolve(Node* node) {
  const Cuts outer = node->outer, inner = node->inner;
  const PerFree<TileLimits> limits = node->limits;
  const auto restore = [&] {
    node->outer = outer;
    node->inner = inner;
    node->limits = limits;
  };
  if (!TightenAll(node)) return restore();
  const double pj = BoundPj(*node), steps = BoundSteps(*node);
  if (goal_.IsHopeless(pj, steps)) return restore();
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    std::optional<int64_t> lanes;
    if (node->lanes != nullptr) {
      lanes = (*node->lanes)[f];
      node->limits[f].steps = goal_.MostSteps(pj) / steps * node->steps[f];
    }
    node->options[f].clear();
    chains_[f].AddOptions(node->ranges->range[f], node->array_range[f], node->limits[f], lanes,
                          &node->options[f]);
    if (node->options[f].empty()) return restore();
  }
  ChooseOption(node, 0);
  restore();
}

void TileSearch::ChooseOption(Node* node, FreeIndex f) {
  if (f == model_.free_count()) {
    Evaluate(node);
    return;
  }
  const Cut outer = node->outer[f], inner = node->inner[f];
  const int64_t sram = node->sram[f];
  const double steps = node->steps[f];
  for (const TileOption& option : node->options[f]) {
    if (watch_.Passed()) return;
    ++found_.nodes;
    node->sram[f] = option.sram;
    if (!model_.Fits(1, node->sram)) continue;
    node->outer[f] = option.outer;
    node->inner[f] = option.inner;
    if (node->lanes != nullptr) node->steps[f] = option.split.steps;
    if (goal_.IsHopeless(BoundPj(*node), BoundSteps(*node))) continue;
    node->chosen[f] = &option;
    ChooseOption(node, f + 1);
  }
  node->outer[f] = outer;
  node->inner[f] = inner;
  node->sram[f] = sram;
  node->steps[f] = steps;
}

void TileSearch::Evaluate(Node* node) {
  ++found_.evaluations;
  Cuts whole;
  uint32_t dram_loops = 0, sram_loops = 0;
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    whole[f] = model_.Whole(f);
    const TileOption& option = *node->chosen[f];
    if (option.sram < model_.bound(f)) dram_loops |= uint32_t{1} << f;
    if (option.array < option.sram) sram_loops |= uint32_t{1} << f;
  }
  const PricedOrder dram =
      Cheapest(model_, kDramSram, dram_orders_.For(dram_loops), whole, node->outer);
  const PricedOrder sram =
      Cheapest(model_, kSramArray, sram_orders_.For(sram_loops), node->outer, node->inner);
  const double pj = model_.base_pj() + dram.pj + sram.pj;
  if (goal_.IsHopeless(pj, BoundSteps(*node))) return;
  node->best_steps = kInfinity;
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    node->splits[f] = node->lanes != nullptr ? std::vector<LaneSplit>{node->chosen[f]->split}
                                             : chains_[f].Splits(*node->chosen[f]);
    int64_t least = model_.bound(f);
    for (const LaneSplit& split : node->splits[f]) least = std::min(least, split.tile);
    node->registers[f] = least;
  }
  ChooseSplit(node, 0, model_.lanes(), model_.fixed_steps());
  if (std::isinf(node->best_steps) || goal_.IsHopeless(pj, node->best_steps)) return;
  goal_.SetIncumbent(pj, node->best_steps);
  found_.pj = pj;
  found_.steps = node->best_steps;
  Tiling tiling;
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    tiling.sram[f] = node->chosen[f]->sram;
    tiling.array[f] = node->chosen[f]->array;
  }
  tiling.registers = node->best_registers;
  tiling.dram_order = dram.order->order;
  tiling.sram_order = sram.order->order;
  found_.best = std::move(tiling);
  if (report_ && std::isfinite(found_.lower_bound)) report_(goal_.incumbent(), found_.lower_bound);
}

// The split over the lanes with the fewest steps; among equals the first.
void TileSearch::ChooseSplit(Node* node, FreeIndex f, int64_t lanes_left, double steps) {
  if (steps >= node->best_steps || !model_.Fits(2, node->registers)) return;
  if (f == model_.free_count()) {
    node->best_steps = steps;
    node->best_registers = node->registers;
    return;
  }
  const int64_t least = node->registers[f];
  for (const LaneSplit& split : node->splits[f]) {
    if (split.lanes > lanes_left) continue;
    node->registers[f] = split.tile;
    ChooseSplit(node, f + 1, lanes_left / split.lanes, steps * split.steps);
  }
  node->registers[f] = least;
}

}  // namespace inlay::thistle

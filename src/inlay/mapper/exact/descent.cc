#include "inlay/mapper/exact/descent.h"

#include <algorithm>
#include <vector>

#include "inlay/base/checked.h"
#include "inlay/cost/exact.h"
#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/orders.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {
namespace {

constexpr int64_t kMostChains = 60'000;  // of a dimension, to be tried one by one

IndexedVector<LevelId, TensorSet> KeepsOf(const Mapping& mapping) {
  IndexedVector<LevelId, TensorSet> keeps;
  for (const LevelMapping& level : mapping.levels) keeps.push_back(level.keep);
  return keeps;
}

// The chain of a dimension in a mapping.
Chain ChainOf(const Space& space, const Mapping& mapping, DimId dim, int64_t bound) {
  Chain chain;
  chain.bound = bound;
  int64_t range = bound;
  for (const Slot& slot : space.slots) {
    const LevelMapping& level = mapping.levels[slot.level];
    int64_t tile = range;
    for (const Loop& loop : slot.axis == Axis::kTime ? level.temporal : level.spatial) {
      if (loop.dim == dim && loop.axis == slot.axis) tile = loop.step;
    }
    chain.steps.push_back(CeilDiv(range, tile));
    chain.tiles.push_back(tile);
    range = tile;
  }
  return chain;
}

class Descent {
 public:
  Descent(const Space& space, const Objective& objective, const Deadline& deadline,
          Solution* solution, SearchEffort* effort)
      : space_(space),
        objective_(objective),
        watch_(deadline),
        solution_(solution),
        effort_(effort),
        frame_(space, KeepsOf(solution->mapping)),
        layout_(frame_.levels),
        counter_(space),
        model_(solution->problem, space.architecture),
        values_(ValuesOf(solution->cost, objective)) {
    for (DimId d : Ids(space.problem.dims)) {
      chains_.push_back(ChainOf(space, solution->mapping, d, space.problem.dims[d].bound));
    }
    ReadOrders();
  }

  void Run() {
    for (bool better = true; better && !watch_.Passed();) {
      better = false;
      for (DimId d : Ids(chains_)) better = ImproveChain(d) || better;
      better = ImproveOrders() || better;
    }
  }

 private:
  // Loops that are not there stand outermost, in case they come.
  void ReadOrders() {
    orders_ = {};
    for (const LevelMapping& level : solution_->mapping.levels) {
      std::vector<DimId> order, there;
      for (const Loop& loop : level.temporal) there.push_back(loop.dim);
      for (DimId d : Ids(chains_)) {
        if (std::find(there.begin(), there.end(), d) == there.end()) order.push_back(d);
      }
      order.insert(order.end(), there.begin(), there.end());
      orders_.push_back(order);
    }
  }

  bool FitsRoughly(DimId dim, const Chain& chain) {
    for (SlotId s : Ids(space_.slots)) {
      if (space_.slots[s].axis == Axis::kTime) continue;
      int64_t lanes = chain.steps[s];
      for (DimId d : Ids(chains_)) lanes *= d == dim ? 1 : chains_[d].steps[s];
      if (lanes > space_.slots[s].max_lanes) return false;
    }
    std::vector<double>& tile = tile_;
    tile.resize(frame_.dims);
    for (size_t l = 1; l < frame_.levels; ++l) {
      const SlotId slot(3 * l - 1);
      for (DimId d : Ids(chains_)) {
        tile[d.value()] =
            static_cast<double>(d == dim ? chain.tiles[slot] : chains_[d].tiles[slot]);
      }
      if (!frame_.Fits(l, tile.data())) return false;
    }
    return true;
  }

  // Takes a mapping if it is better.
  bool Offer(const Mapping& mapping) {
    ++effort_->evaluations;
    Cost cost;
    if (!model_.Evaluate(mapping, &cost)) return false;
    std::vector<double> values = ValuesOf(cost, objective_);
    if (values >= values_) return false;
    if (!CheckMembership(space_, mapping).empty()) return false;
    if (!Fits(space_, solution_->problem, mapping)) return false;
    values_ = std::move(values);
    solution_->mapping = mapping;
    solution_->cost = cost;
    return true;
  }

  bool ImproveChain(DimId dim) {
    std::optional<Chain> best;
    IndexedVector<DimId, Chain> chains = chains_;
    const auto visit = [&](const Chain& chain) {
      if (watch_.Passed()) return false;
      if (!FitsRoughly(dim, chain)) return true;
      chains[dim] = chain;
      if (Offer(AssembleMapping(space_, chains, orders_, frame_.keeps))) best = chain;
      return true;
    };
    int64_t count = 0;
    const bool few = ForEachChain(
        space_, dim, [&](const Chain&) { return ++count < kMostChains; }, &watch_);
    if (few) {
      ForEachChain(space_, dim, visit, &watch_);
    } else {
      VisitSome(dim, visit);
    }
    if (best) chains_[dim] = *best;
    return best.has_value();
  }

  template <typename Visit>
  void VisitSome(DimId dim, const Visit& visit) {
    const Chain from = chains_[dim];
    for (SlotId s : Ids(space_.slots)) {
      const size_t i = s.value();
      const int64_t most = i == 0 ? from.bound : from.tiles[SlotId(i - 1)];
      const bool last = i + 1 == space_.slots.size();
      const int64_t least = last ? 1 : from.tiles[SlotId(i + 1)];
      for (int64_t tile = least; !last && tile <= most; ++tile) {
        Chain chain = from;
        chain.tiles[s] = tile;
        chain.steps[s] = CeilDiv(most, tile);
        chain.steps[SlotId(i + 1)] = CeilDiv(tile, least);
        if (!visit(chain)) return;
      }
    }
    Space ruby = space_;
    ruby.mapspace = Mapspace::kRuby;
    int64_t count = 0;
    ForEachChain(
        ruby, dim, [&](const Chain& chain) { return ++count < kMostChains && visit(chain); },
        &watch_);
  }

  bool ImproveOrders() {
    std::vector<std::vector<double>> figures;
    std::vector<const double*> rows;
    std::vector<const Chain*> chains;
    chains.reserve(chains_.size());
    for (const Chain& chain : chains_) {
      counter_.Fill(layout_, chain, figures.emplace_back(layout_.size()).data());
      chains.push_back(&chain);
    }
    rows.reserve(figures.size());
    for (const auto& row : figures) rows.push_back(row.data());
    OrderLister lister(space_, frame_, true);
    Mapping mapping = solution_->mapping;
    bool better = false;
    lister.ForEach(chains, rows, layout_, kAnyDim, &mapping, [&] {
      if (watch_.Passed()) return false;
      better = Offer(mapping) || better;
      return true;
    });
    if (better) ReadOrders();
    return better;
  }

  const Space& space_;
  const Objective& objective_;
  DeadlineWatch watch_;
  Solution* solution_;
  SearchEffort* effort_;
  Frame frame_;
  RowLayout layout_;
  RowFiller counter_;
  ExactModel model_;
  std::vector<double> values_;
  IndexedVector<DimId, Chain> chains_;
  IndexedVector<LevelId, std::vector<DimId>> orders_;
  std::vector<double> tile_;
};

}  // namespace

void Descend(const Space& space, const Objective& objective, const Deadline& deadline,
             Solution* solution, SearchEffort* effort) {
  Descent(space, objective, deadline, solution, effort).Run();
}

}  // namespace inlay::exact_search

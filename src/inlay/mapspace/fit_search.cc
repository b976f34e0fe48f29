#include "inlay/mapspace/fit_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/mapspace/chain_counter.h"

namespace inlay {
namespace {

constexpr size_t kMostKeeps = 4096;

// Which tiles and lanes are better the smaller they are: those of levels that need not be filled,
// and of fan-outs that need not be used.
class Dominance {
 public:
  explicit Dominance(const Space& space) {
    for (const double least : space.min_utilization) free_sizes_.push_back(least <= 0);
    for (const SlotId slot : SpatialSlots(space)) {
      free_lanes_.push_back(space.min_lanes[space.slots[slot].level] <= 1);
    }
  }

  // Whether a tiling with `b` that fits also does with `a`.
  bool Beats(const TileChoice& a, const TileChoice& b) const {
    return NoneWorse(free_sizes_, a.sizes, b.sizes) && NoneWorse(free_lanes_, a.lanes, b.lanes);
  }

 private:
  template <typename Values>
  static bool NoneWorse(const std::vector<bool>& free, const Values& a, const Values& b) {
    auto x = a.begin(), y = b.begin();
    for (size_t i = 0; i < free.size(); ++i, ++x, ++y) {
      if (free[i] ? *x > *y : *x != *y) return false;
    }
    return true;
  }

  std::vector<bool> free_sizes_, free_lanes_;
};

// Whether chains may be so few among so many steps that looking for them never ends: steps that
// need not divide are tried one by one.
bool MayTakeForever(const Space& space, DimId dim, double most_tries) {
  double tries = 1;
  for (const CutSlot& cut : CutsOf(space, dim)) {
    const auto bound = static_cast<double>(space.problem.dims[dim].bound);
    const auto most = static_cast<double>(cut.range.max);
    if (cut.cut == Cut::kRound) tries *= std::min(bound, most);
    if (cut.cut == Cut::kPad) tries *= most;
    if (cut.cut == Cut::kTile) tries *= bound;
  }
  return tries > most_tries;
}

// Drops choices that another one beats.
void DropDominated(const Space& space, std::vector<TileChoice>* choices) {
  const Dominance dominance(space);
  std::vector<TileChoice> kept;
  for (const TileChoice& choice : *choices) {
    if (std::any_of(kept.begin(), kept.end(),
                    [&](const TileChoice& other) { return dominance.Beats(other, choice); })) {
      continue;
    }
    std::erase_if(kept, [&](const TileChoice& other) { return dominance.Beats(choice, other); });
    kept.push_back(choice);
  }
  *choices = std::move(kept);
}

// Every sensible choice of what the levels keep. More than a tensor's must is kept only where the
// tensor would be kept nowhere, or where a level has to be filled.
std::vector<IndexedVector<LevelId, TensorSet>> KeepChoices(const Space& space) {
  uint64_t must = 0;
  for (const auto& choices : space.keeps) must |= choices.front().bits();
  const uint64_t all = TensorSet::FirstN(space.problem.tensors.size()).bits();
  std::vector<IndexedVector<LevelId, TensorSet>> result = {{}};
  for (LevelId l : Ids(space.keeps)) {
    std::vector<IndexedVector<LevelId, TensorSet>> next;
    for (const auto& outer : result) {
      for (const TensorSet keep : space.keeps[l]) {
        const uint64_t extra = keep.bits() & ~space.keeps[l].front().bits();
        if (space.min_utilization[l] <= 0 && (extra & must) != 0) continue;
        next.push_back(outer);
        next.back().push_back(keep);
      }
      if (next.size() > kMostKeeps) return {};
    }
    result = std::move(next);
  }
  std::erase_if(result, [all](const auto& keeps) {
    uint64_t kept = 0;
    for (const TensorSet keep : keeps) kept |= keep.bits();
    return kept != all;
  });
  return result;
}

class FitSearch {
 public:
  FitSearch(const Space& space, const IndexedVector<DimId, std::vector<TileChoice>>& choices,
            int64_t most_nodes)
      : space_(space), choices_(choices), most_nodes_(most_nodes), spatial_(SpatialSlots(space)) {
    least_.resize(space.architecture.levels.size());
    most_ = least_;
    for (LevelId l : Ids(least_)) {
      for (DimId d : Ids(choices)) {
        int64_t least = std::numeric_limits<int64_t>::max(), most = 1;
        for (const TileChoice& choice : choices[d]) {
          least = std::min(least, choice.sizes[l]);
          most = std::max(most, choice.sizes[l]);
        }
        least_[l].push_back(least);
        most_[l].push_back(most);
      }
    }
    chosen_.assign(choices.size(), nullptr);
    lanes_.assign(spatial_.size(), 1);
    FindMostLanes();
  }

  std::optional<NearestFit> Run(bool* gave_up) {
    const auto keeps = KeepChoices(space_);
    if (keeps.empty()) *gave_up = true;
    for (const auto& keep : keeps) {
      keep_ = keep;
      Choose(DimId(0));
      if (best_ && best_->Fits()) break;
    }
    *gave_up = *gave_up || (nodes_ > most_nodes_ && !(best_ && best_->Fits()));
    return best_;
  }

 private:
  // Words too many with the dimensions chosen so far, the others as small as they can be.
  int64_t Overflow() const {
    int64_t words = 0;
    for (LevelId l : Ids(least_)) {
      for (const Occupancy& use :
           OccupanciesAt(space_.problem, space_.architecture, l, keep_[l], least_[l])) {
        if (use.Fits()) continue;
        words = CheckedAdd(words, use.used_words - *use.usable_words)
                    .value_or(std::numeric_limits<int64_t>::max());
      }
    }
    return words;
  }

  // By dimension, what the dimensions from it on can unroll at most, slot by slot.
  void FindMostLanes() {
    most_lanes_.assign(choices_.size() + 1, std::vector<int64_t>(spatial_.size(), 1));
    for (size_t d = choices_.size(); d-- > 0;) {
      for (size_t i = 0; i < spatial_.size(); ++i) {
        int64_t most = 1;
        for (const TileChoice& choice : choices_[DimId(d)]) most = std::max(most, choice.lanes[i]);
        most_lanes_[d][i] = CheckedMultiply(most_lanes_[d + 1][i], most)
                                .value_or(std::numeric_limits<int64_t>::max());
      }
    }
  }

  // Levels that do not reach their least utilisation, the dimensions not chosen yet being as large
  // as they can be.
  int64_t Unfilled() const {
    int64_t levels = 0;
    for (LevelId l : Ids(most_)) {
      if (space_.min_utilization[l] <= 0) continue;
      const auto uses = OccupanciesAt(space_.problem, space_.architecture, l, keep_[l], most_[l]);
      const double share = UtilizationOf(space_.problem, space_.architecture.levels[l], uses);
      if (share < space_.min_utilization[l]) ++levels;
    }
    return levels;
  }

  // Whether the fan-outs can have as many lanes as they must, the dimensions from `next` on being
  // unrolled as far as they can be.
  bool EnoughLanes(DimId next) const {
    for (LevelId l : Ids(space_.min_lanes)) {
      int64_t lanes = 1;
      for (size_t i = 0; i < spatial_.size(); ++i) {
        const Slot& slot = space_.slots[spatial_[i]];
        if (slot.level != l) continue;
        const int64_t most =
            CheckedMultiply(lanes_[i], most_lanes_[next.value()][i]).value_or(slot.max_lanes);
        lanes *= std::min(most, slot.max_lanes);
      }
      if (lanes < space_.min_lanes[l]) return false;
    }
    return true;
  }

  // Whether nothing that follows can be nearer to fitting than the best.
  bool Hopeless(int64_t overflow) const {
    if (!best_) return false;
    if (best_->Fits() || overflow > best_->too_many_words) return true;
    return overflow == best_->too_many_words && Unfilled() >= best_->levels_unfilled;
  }

  void Choose(DimId dim) {
    if (++nodes_ > most_nodes_) return;
    if (!EnoughLanes(dim)) return;
    const int64_t overflow = Overflow();
    if (Hopeless(overflow)) return;
    if (dim.value() == choices_.size()) {
      Record(overflow);
      return;
    }
    for (const TileChoice& choice : choices_[dim]) {
      const std::vector<int64_t> lanes = lanes_;
      bool within = true;
      for (size_t i = 0; i < spatial_.size(); ++i) {
        lanes_[i] *= choice.lanes[i];
        within = within && lanes_[i] <= space_.slots[spatial_[i]].max_lanes;
      }
      if (within) Descend(dim, choice);
      lanes_ = lanes;
    }
  }

  void Descend(DimId dim, const TileChoice& choice) {
    std::vector<std::pair<int64_t, int64_t>> before;
    for (LevelId l : Ids(least_)) {
      before.emplace_back(least_[l][dim], most_[l][dim]);
      least_[l][dim] = most_[l][dim] = choice.sizes[l];
    }
    chosen_[dim] = &choice;
    Choose(DimId(dim.value() + 1));
    for (LevelId l : Ids(least_)) {
      std::tie(least_[l][dim], most_[l][dim]) = before[l.value()];
    }
  }

  void Record(int64_t overflow) {
    const int64_t unfilled = Unfilled();
    if (best_ &&
        std::pair(overflow, unfilled) >= std::pair(best_->too_many_words, best_->levels_unfilled)) {
      return;
    }
    best_ = NearestFit{{}, keep_, overflow, unfilled};
    for (const TileChoice* choice : chosen_) best_->chains.push_back(choice->chain);
  }

  const Space& space_;
  const IndexedVector<DimId, std::vector<TileChoice>>& choices_;
  int64_t most_nodes_;
  std::vector<SlotId> spatial_;
  // Sizes of tiles: chosen, or the least, the most possible.
  IndexedVector<LevelId, IndexedVector<DimId, int64_t>> least_, most_;
  IndexedVector<DimId, const TileChoice*> chosen_;
  std::vector<int64_t> lanes_;
  std::vector<std::vector<int64_t>> most_lanes_;  // of the dimensions from one on
  IndexedVector<LevelId, TensorSet> keep_;
  std::optional<NearestFit> best_;
  int64_t nodes_ = 0;
};

}  // namespace

std::optional<std::vector<TileChoice>> TileChoicesOf(const Space& space, DimId dim,
                                                     const FitEffort& effort) {
  if (MayTakeForever(space, dim, effort.tries)) return std::nullopt;
  const std::vector<SlotId> spatial = SpatialSlots(space);
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, Chain> found;
  int64_t chains = 0;
  const bool complete = ForEachChain(space, dim, [&](const Chain& chain) {
    std::vector<int64_t> sizes = {chain.bound};
    for (size_t l = 1; l < space.architecture.levels.size(); ++l) {
      sizes.push_back(chain.tiles[SlotId(3 * l - 1)]);
    }
    std::vector<int64_t> lanes;
    lanes.reserve(spatial.size());
    for (const SlotId slot : spatial) lanes.push_back(chain.steps[slot]);
    found.try_emplace({std::move(sizes), std::move(lanes)}, chain);
    return ++chains < effort.chains;
  });
  if (!complete) return std::nullopt;
  std::vector<TileChoice> choices;
  for (auto& [key, chain] : found) {
    TileChoice choice;
    for (const int64_t size : key.first) choice.sizes.push_back(size);
    choice.lanes = key.second;
    choice.chain = std::move(chain);
    choices.push_back(std::move(choice));
  }
  DropDominated(space, &choices);
  return choices;
}

std::optional<NearestFit> FindNearestFit(
    const Space& space, const IndexedVector<DimId, std::vector<TileChoice>>& choices, bool* gave_up,
    const FitEffort& effort) {
  *gave_up = false;
  return FitSearch(space, choices, effort.nodes).Run(gave_up);
}

}  // namespace inlay

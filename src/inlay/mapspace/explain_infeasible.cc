#include "inlay/mapspace/explain_infeasible.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/mapspace/chain_counter.h"
#include "inlay/mapspace/fit_search.h"
#include "inlay/mapspace/smallest_tiles.h"

namespace inlay {
namespace {

constexpr size_t kMostLaneSets = 100'000;

class Explanation {
 public:
  Explanation(const Space& space, const Deadline* deadline)
      : space_(space),
        deadline_(deadline),
        problem_(space.problem),
        levels_(space.architecture.levels) {}

  // Looks for reasons from the simple ones to the subtle ones; reports all of the first kind that
  // applies, and none of the later kinds.
  Faults Run() {
    const auto lazy = SmallestTiles(space_);
    if (lazy && Fits(space_, lazy->first, lazy->second)) return {};
    if (FindHomeless() || FindImpossibleDims() || FindLaneTrouble()) return std::move(faults_);
    for (DimId d : Ids(problem_.dims)) {
      if (deadline_ != nullptr && deadline_->Passed()) return {};
      choices_.push_back(TileChoicesOf(space_, d));
    }
    if (FindSmallMemories() || FindUnfillable()) return std::move(faults_);
    Search();
    return std::move(faults_);
  }

 private:
  void Add(std::string where, std::string message, std::string hint) {
    faults_.push_back({std::move(where), std::move(message), std::move(hint)});
  }
  const std::string& DimName(DimId dim) const { return problem_.dims[dim].name; }
  bool Found() const { return !faults_.empty(); }

  bool FindHomeless() {
    for (TensorId t : Ids(problem_.tensors)) {
      const bool somewhere =
          std::any_of(space_.keeps.begin(), space_.keeps.end(),
                      [t](const auto& choices) { return choices.back().contains(t); });
      if (somewhere) continue;
      const std::string& name = problem_.tensors[t].name;
      Add("tensors." + name, fmt::format("no level may keep '{}'", name),
          "let the outermost level keep it");
    }
    return Found();
  }

  std::string PlaceOf(SlotId slot) const {
    const Slot& s = space_.slots[slot];
    if (s.axis == Axis::kTime) return "'" + levels_[s.level].name + "'";
    const std::string& fanout = levels_[s.level].fanout.name;
    const std::string& name = fanout.empty() ? levels_[s.level].name : fanout;
    return fmt::format("{} of '{}'", s.axis == Axis::kX ? "x" : "y", name);
  }

  // The places that may have a loop of a dimension, outer to inner, and how many steps it may take.
  std::vector<std::pair<std::string, FactorRange>> PlacesOf(DimId dim) const {
    std::vector<std::pair<std::string, FactorRange>> places;
    const auto range_at = [&](LevelId level, Axis axis) {
      const SlotId slot(3 * level.value() + static_cast<size_t>(axis));
      return std::pair("at " + PlaceOf(slot), space_.factors[slot][dim]);
    };
    for (LevelId l : Ids(levels_)) {
      places.push_back(range_at(l, Axis::kTime));
      const auto x = range_at(l, Axis::kX);
      const auto y = range_at(l, Axis::kY);
      if (x.second.max > 1 && y.second.max > 1) {
        FactorRange both = space_.unrolling[l][dim];
        both.max =
            std::min(both.max,
                     CheckedMultiply(x.second.max, y.second.max).value_or(FactorRange::kUnlimited));
        places.emplace_back("on '" + levels_[l].fanout.name + "'", both);
      } else {
        places.push_back(x);
        places.push_back(y);
      }
    }
    std::erase_if(places, [](const auto& place) { return place.second.max <= 1; });
    return places;
  }

  // "at most 4 at 'DRAM', from 2 to 3 on 'array', none elsewhere".
  std::string RangesOf(DimId dim) const {
    std::string text;
    for (const auto& [place, range] : PlacesOf(dim)) {
      if (range == FactorRange{}) continue;
      if (!text.empty()) text += ", ";
      if (range.min == range.max) {
        text += fmt::format("{} {}", range.min, place);
      } else if (range.min <= 1) {
        text += fmt::format("at most {} {}", range.max, place);
      } else if (range.max == FactorRange::kUnlimited) {
        text += fmt::format("at least {} {}", range.min, place);
      } else {
        text += fmt::format("{} to {} {}", range.min, range.max, place);
      }
    }
    return text.empty() ? "none anywhere" : text;
  }

  // A dimension that has no tiling, whatever the others do.
  bool FindImpossibleDims() {
    for (DimId d : Ids(problem_.dims)) {
      auto counter = ChainCounter::Make(space_, d, deadline_);
      const bool impossible = counter && counter->entries().empty();
      counters_.push_back(std::move(counter));
      if (impossible) ExplainDim(d);
    }
    return Found();
  }

  void ExplainDim(DimId dim) {
    const int64_t bound = problem_.dims[dim].bound;
    constexpr int64_t kMany = std::numeric_limits<int64_t>::max();
    int64_t most = 1, least = 1;
    for (const auto& [place, range] : PlacesOf(dim)) {
      most = CheckedMultiply(most, range.max).value_or(kMany);
      least = CheckedMultiply(least, std::max<int64_t>(range.min, 1)).value_or(kMany);
    }
    const std::string where = "dims." + DimName(dim);
    if (most < bound) {
      Add(where,
          fmt::format("'{}' has {} iterations, but the constraints allow at most {} steps of it in "
                      "all: {}",
                      DimName(dim), bound, most, RangesOf(dim)),
          fmt::format("allow more steps of '{}' at some level", DimName(dim)));
    } else if (least > bound) {
      Add(where,
          fmt::format(
              "'{}' has {} iterations, but the constraints ask for at least {} steps of it: "
              "{}",
              DimName(dim), bound, least, RangesOf(dim)),
          fmt::format("ask for fewer steps of '{}'", DimName(dim)));
    } else {
      Add(where,
          fmt::format("no tiling of the {} iterations of '{}' in the mapspace '{}' keeps to the "
                      "constraints: {}",
                      bound, DimName(dim), Name(space_.mapspace), RangesOf(dim)),
          space_.mapspace == Mapspace::kAny
              ? "loosen the constraints on it"
              : "loosen the constraints on it, or search a larger mapspace (ruby, any)");
    }
  }

  // All products of lanes that the dimensions can make together; nullopt where that is unknown.
  std::optional<std::set<std::vector<int64_t>>> LaneSets() const {
    const std::vector<SlotId> spatial = SpatialSlots(space_);
    std::set<std::vector<int64_t>> sets = {std::vector<int64_t>(spatial.size(), 1)};
    for (const auto& counter : counters_) {
      if (!counter) return std::nullopt;
      std::set<std::vector<int64_t>> own, next;
      for (const auto& entry : counter->entries()) own.insert(entry.loops.lanes);
      for (const auto& before : sets) {
        for (std::vector<int64_t> lanes : own) {
          bool within = true;
          for (size_t i = 0; i < lanes.size() && within; ++i) {
            lanes[i] *= before[i];
            within = lanes[i] <= space_.slots[spatial[i]].max_lanes;
          }
          if (within) next.insert(std::move(lanes));
        }
        if (next.size() > kMostLaneSets) return std::nullopt;
      }
      sets = std::move(next);
    }
    return sets;
  }

  bool FindLaneTrouble() {
    const auto sets = LaneSets();
    if (!sets) return false;
    if (sets->empty()) {
      ExplainTooManyLanes();
      return true;
    }
    const std::vector<SlotId> spatial = SpatialSlots(space_);
    const auto lanes_below = [&](const std::vector<int64_t>& lanes, LevelId level) {
      int64_t product = 1;
      for (size_t i = 0; i < spatial.size(); ++i) {
        if (space_.slots[spatial[i]].level == level) product *= lanes[i];
      }
      return product;
    };
    bool together = false;
    for (const auto& lanes : *sets) {
      bool enough = true;
      for (LevelId l : Ids(levels_)) {
        enough = enough && lanes_below(lanes, l) >= space_.min_lanes[l];
      }
      together = together || enough;
    }
    if (together) return false;
    for (LevelId l : Ids(levels_)) {
      int64_t most = 1;
      for (const auto& lanes : *sets) most = std::max(most, lanes_below(lanes, l));
      if (most >= space_.min_lanes[l]) continue;
      const std::string& name = levels_[l].fanout.name;
      Add("levels." + levels_[l].name,
          fmt::format("at least {} lanes of '{}' are to be used, but no tiling uses more than {}",
                      space_.min_lanes[l], name, most),
          fmt::format(
              "lower the utilization asked of '{}', or let more dimensions be unrolled there",
              name));
    }
    if (!Found()) {
      Add("constraints", "no tiling uses as many lanes of every fan-out as the constraints ask for",
          "lower the utilization asked of one of them");
    }
    return true;
  }

  void ExplainTooManyLanes() {
    const std::vector<SlotId> spatial = SpatialSlots(space_);
    for (size_t i = 0; i < spatial.size(); ++i) {
      int64_t least = 1;
      for (const auto& counter : counters_) {
        int64_t own = std::numeric_limits<int64_t>::max();
        for (const auto& entry : counter->entries()) own = std::min(own, entry.loops.lanes[i]);
        least = CheckedMultiply(least, own).value_or(std::numeric_limits<int64_t>::max());
      }
      const int64_t most = space_.slots[spatial[i]].max_lanes;
      if (least <= most) continue;
      Add("levels." + levels_[space_.slots[spatial[i]].level].name,
          fmt::format("the constraints ask for at least {} lanes on {}, which has {}", least,
                      PlaceOf(spatial[i]), most),
          "unroll less there");
    }
    if (Found()) return;
    Add("constraints", "the unrollings that the constraints ask for need more lanes than there are",
        "unroll less, or allow more loops in time");
  }

  // The least (or largest) tile of a dimension at a level; without its chains, what the most steps
  // outside leave over.
  int64_t LeastTile(DimId dim, LevelId level) const {
    if (choices_[dim]) {
      int64_t least = std::numeric_limits<int64_t>::max();
      for (const TileChoice& choice : *choices_[dim]) least = std::min(least, choice.sizes[level]);
      return least;
    }
    int64_t left = problem_.dims[dim].bound;
    for (const CutSlot& cut : CutsOf(space_, dim)) {
      if (space_.slots[cut.slot].level < level) left = CeilDiv(left, cut.range.max);
    }
    return left;
  }

  IndexedVector<DimId, int64_t> LeastTiles(LevelId level) const {
    IndexedVector<DimId, int64_t> sizes;
    for (DimId d : Ids(problem_.dims)) sizes.push_back(LeastTile(d, level));
    return sizes;
  }

  std::string Tiles(const Occupancy& use, TensorSet keep,
                    const IndexedVector<DimId, int64_t>& sizes) const {
    std::string text;
    for (TensorId t : Ids(problem_.tensors)) {
      if (!keep.contains(t) || (use.partition && *use.partition != t)) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : " + ", problem_.tensors[t].name,
                          TileWords(problem_.tensors[t], sizes));
    }
    if (levels_[use.level].buffering != 1) {
      text += fmt::format(", buffered {} times", levels_[use.level].buffering);
    }
    return text;
  }

  // What keeps the tiles of a level large.
  std::string HintFor(LevelId level, const IndexedVector<DimId, int64_t>& sizes) const {
    std::string dims;
    for (DimId d : Ids(problem_.dims)) {
      if (sizes[d] > 1) dims += (dims.empty() ? "'" : ", '") + DimName(d) + "'";
    }
    const std::string& name = levels_[level].name;
    if (dims.empty()) return fmt::format("make '{}' larger, or let it bypass a tensor", name);
    return fmt::format(
        "make '{}' larger, let it bypass a tensor, or allow more steps of {} outside it", name,
        dims);
  }

  // A memory that even the least tiles overflow.
  bool FindSmallMemories() {
    for (LevelId l : Ids(levels_)) {
      const auto sizes = LeastTiles(l);
      const TensorSet keep = space_.keeps[l].front();
      for (const Occupancy& use : OccupanciesAt(problem_, space_.architecture, l, keep, sizes)) {
        if (use.Fits()) continue;
        Add("levels." + levels_[l].name,
            fmt::format(
                "'{}' is too small: the smallest tiles that the constraints allow ({}) take "
                "{} words, room is for {}, {} too many",
                levels_[l].name, Tiles(use, keep, sizes), use.used_words, *use.usable_words,
                use.used_words - *use.usable_words),
            HintFor(l, sizes));
      }
    }
    return Found();
  }

  // A memory that even the whole problem does not fill as far as asked for.
  bool FindUnfillable() {
    for (LevelId l : Ids(levels_)) {
      const Level& level = levels_[l];
      if (space_.min_utilization[l] <= 0 || !level.partitions.empty()) continue;
      const double asked = 100 * space_.min_utilization[l];
      if (!level.capacity_words) {
        Add("levels." + level.name,
            fmt::format("'{}' is to be filled to {:.6g} %, but has no capacity", level.name, asked),
            "give it one, or drop the utilization");
        continue;
      }
      IndexedVector<DimId, int64_t> sizes;
      for (DimId d : Ids(problem_.dims)) {
        sizes.push_back(problem_.dims[d].bound);
        if (space_.mapspace != Mapspace::kPadded) continue;
        if (!choices_[d]) return Found();
        for (const TileChoice& choice : *choices_[d]) {
          sizes.back() = std::max(sizes.back(), choice.sizes[LevelId(0)]);
        }
      }
      const auto uses =
          OccupanciesAt(problem_, space_.architecture, l, space_.keeps[l].back(), sizes);
      const double most = UtilizationOf(problem_, level, uses);
      if (most >= space_.min_utilization[l]) continue;
      Add("levels." + level.name,
          fmt::format("'{}' is to be filled to {:.6g} %, but the whole problem fills {:.4g} %",
                      level.name, asked, 100 * most),
          "lower the utilization, or take a smaller memory");
    }
    return Found();
  }

  // Reasons that only all dimensions and memories together show.
  void Search() {
    IndexedVector<DimId, std::vector<TileChoice>> choices;
    for (auto& own : choices_) {
      if (!own) return;
      choices.push_back(std::move(*own));
    }
    bool gave_up = false;
    const auto nearest = FindNearestFit(space_, choices, &gave_up);
    if (gave_up || (nearest && nearest->Fits())) return;
    if (!nearest) {
      Add("constraints", "no tiling keeps to the constraints and the lanes",
          "loosen the constraints");
      return;
    }
    IndexedVector<LevelId, std::vector<DimId>> orders(levels_.size());
    for (auto& order : orders) {
      for (DimId d : Ids(problem_.dims)) order.push_back(d);
    }
    const Mapping mapping = AssembleMapping(space_, nearest->chains, orders, nearest->keeps);
    const Problem problem = ProblemOf(space_, nearest->chains);
    for (const Fault& fault : CheckCapacity(problem, space_.architecture, mapping)) {
      Add(fault.where, "no mapping fits all memories at once; in the nearest, " + fault.message,
          "make the memory larger, let a level bypass a tensor, or loosen the constraints");
    }
    for (LevelId l : Ids(levels_)) {
      const double share = UtilizationOf(problem, space_.architecture, mapping, l);
      if (share >= space_.min_utilization[l]) continue;
      Add("levels." + levels_[l].name,
          fmt::format("no mapping that fits fills '{}' to {:.6g} %; the nearest fills {:.4g} %",
                      levels_[l].name, 100 * space_.min_utilization[l], 100 * share),
          "lower the utilization asked for");
    }
  }

  const Space& space_;
  const Deadline* deadline_;
  const Problem& problem_;
  const IndexedVector<LevelId, Level>& levels_;
  std::vector<std::optional<ChainCounter>> counters_;  // by dimension; nullopt: too many to count
  IndexedVector<DimId, std::optional<std::vector<TileChoice>>> choices_;
  Faults faults_;
};

}  // namespace

Faults ExplainInfeasible(const Space& space, const Deadline* deadline) {
  return Explanation(space, deadline).Run();
}

}  // namespace inlay

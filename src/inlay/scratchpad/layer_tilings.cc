#include "inlay/scratchpad/layer_tilings.h"

#include <algorithm>
#include <set>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/mapper/mapper.h"
#include "inlay/mapspace/space.h"

namespace inlay {
namespace {

constexpr LevelId kOutside{0U};

Constraint FactorsAt(const std::string& name, const Problem& problem,
                     const IndexedVector<DimId, int64_t>& factors) {
  Constraint constraint;
  constraint.at = name;
  for (DimId d : Ids(problem.dims)) {
    constraint.factors.push_back({problem.dims[d].name, Relation::kEqual, factors[d]});
  }
  return constraint;
}

// That lanes (and, if `loops`, the loops of the levels inside the pad's) are those of a mapping.
std::vector<Constraint> InsideOf(const Problem& problem, const Architecture& architecture,
                                 const Mapping& mapping, bool loops) {
  std::vector<Constraint> constraints;
  const auto factors = FactorsOf(problem, mapping);
  if (!factors) return constraints;
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    const auto of = [&](const std::vector<Loop>& nest, const std::vector<Factor>& steps) {
      IndexedVector<DimId, int64_t> product(problem.dims.size(), 1);
      for (size_t i = 0; i < nest.size(); ++i) product[nest[i].dim] *= steps[i].end;
      return product;
    };
    const LevelMapping& nest = mapping.levels[l];
    if (loops && l > kInside) {
      constraints.push_back(
          FactorsAt(level.name, problem, of(nest.temporal, (*factors)[l].temporal)));
    }
    if (level.fanout.x * level.fanout.y > 1) {
      constraints.push_back(
          FactorsAt(level.fanout.name, problem, of(nest.spatial, (*factors)[l].spatial)));
    }
  }
  return constraints;
}

LayerTiling TilingOf(const Solution& solution) {
  LayerTiling tiling;
  tiling.cycles = solution.cost.cycles;
  for (TensorId t : Ids(solution.cost.levels[kInside].tensors)) {
    const TensorCost& inside = solution.cost.levels[kInside].tensors[t];
    const Counts& outside = solution.cost.levels[kOutside].tensors[t].total;
    tiling.tensors.push_back(
        {inside.kept ? inside.tile_words : 0, outside.reads + outside.updates});
  }
  return tiling;
}

class TilingSearch {
 public:
  TilingSearch(const Problem& problem, const Architecture& architecture, const StopFlag& stop,
               std::optional<double> seconds)
      : problem_(problem),
        architecture_(architecture),
        stop_(stop),
        seconds_(seconds),
        deadline_(stop, seconds) {}

  tl::expected<LayerTilings, Faults> Run() {
    const auto fastest = Search({Metric::kDelay}, {}, Share(3));
    if (!fastest) return tl::unexpected(fastest.error());
    const auto lanes = InsideOf(problem_, architecture_, fastest->mapping, false);
    // Both find the fewest off-chip words among the fewest cycles. With many levels the front,
    // which decides the outer tile first, is quicker; with few the search is.
    const bool deep = architecture_.levels.size() > 3;
    auto best = deep ? BestOfFront(lanes, Share(2))
                     : Search({Metric::kDelay, Metric::kOffchip}, lanes, Share(2));
    if (!best && cut_) best = *fastest;
    if (!best) return tl::unexpected(best.error());
    const auto inside = InsideOf(problem_, architecture_, best->mapping, true);
    const uint64_t sets = uint64_t{1} << std::min<size_t>(problem_.tensors.size(), 4);
    for (uint64_t set = 0; set < sets; ++set) {
      TensorSet onchip;
      for (TensorId t : Ids(problem_.tensors)) {
        if (((set >> t.value()) & 1) != 0) onchip.insert(t);
      }
      auto faults = AddFront(onchip, inside, Share(sets - set));
      if (faults) return tl::unexpected(std::move(*faults));
    }
    // What no front had the time to find.
    if (cut_) {
      found_.push_back(TilingOf(*best));
      found_.push_back(TilingOf(*fastest));
    }
    return LayerTilings{Chosen(), cut_};
  }

 private:
  // Of the time that is left, for each of so many searches.
  std::optional<double> Share(uint64_t searches) const {
    if (!seconds_) return std::nullopt;
    return std::max(0.0, *seconds_ - deadline_.SecondsSinceStart()) / static_cast<double>(searches);
  }

  tl::expected<Solution, Faults> Search(const Objective& objective,
                                        const std::vector<Constraint>& more,
                                        std::optional<double> seconds) {
    MapOptions options;
    options.objective = objective;
    options.time_limit_seconds = seconds;
    auto answer = Ask(options, more);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->best) return *std::move(answer->best);
    return tl::unexpected(ReasonsOf(*answer));
  }

  tl::expected<LayerAnswer, Faults> Front(TensorSet onchip, const std::vector<Constraint>& more,
                                          std::optional<double> seconds) {
    MapOptions options;
    options.front = FrontOptions{onchip};
    options.time_limit_seconds = seconds;
    return Ask(options, more);
  }

  tl::expected<LayerAnswer, Faults> Ask(const MapOptions& options,
                                        const std::vector<Constraint>& more) {
    const auto space = MakeSpace(problem_, architecture_, Mapspace::kPerfect, more);
    if (!space) return tl::unexpected(space.error());
    LayerAnswer answer = MapLayer(*space, options, stop_);
    if (!answer.unsupported.empty()) return tl::unexpected(answer.unsupported);
    cut_ = cut_ || answer.interrupted;
    return answer;
  }

  static Faults ReasonsOf(const LayerAnswer& answer) {
    if (!answer.infeasible.empty() || !answer.interrupted) return answer.infeasible;
    return {{"", "the time was up before there was a mapping", "give it more"}};
  }

  tl::expected<Solution, Faults> BestOfFront(const std::vector<Constraint>& more,
                                             std::optional<double> seconds) {
    const auto answer = Front({}, more, seconds);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->front.empty()) return tl::unexpected(ReasonsOf(*answer));
    const auto best = std::min_element(
        answer->front.begin(), answer->front.end(), [](const FrontPoint& a, const FrontPoint& b) {
          return std::pair(a.cycles, a.offchip_words) < std::pair(b.cycles, b.offchip_words);
        });
    return best->solution;
  }

  // The faults, if there are any.
  std::optional<Faults> AddFront(TensorSet onchip, const std::vector<Constraint>& inside,
                                 std::optional<double> seconds) {
    const auto answer = Front(onchip, inside, seconds);
    if (!answer) return answer.error();
    for (const FrontPoint& point : answer->front) {
      LayerTiling tiling = TilingOf(point.solution);
      tiling.cycles = point.cycles;
      found_.push_back(std::move(tiling));
    }
    return std::nullopt;
  }

  static int64_t Room(const LayerTiling& tiling) {
    int64_t words = 0;
    for (const LayerTiling::Words& w : tiling.tensors) words += w.tile;
    return words;
  }
  static int64_t Traffic(const LayerTiling& tiling) {
    int64_t words = 0;
    for (const LayerTiling::Words& w : tiling.tensors) words += w.traffic;
    return words;
  }
  static bool Beats(const LayerTiling& a, const LayerTiling& b) {
    if (a.cycles > b.cycles) return false;
    for (TensorId t : Ids(a.tensors)) {
      if (a.tensors[t].tile > b.tensors[t].tile || a.tensors[t].traffic > b.tensors[t].traffic) {
        return false;
      }
    }
    return true;
  }

  // Those that no other one beats, by room; the first of equals.
  std::vector<LayerTiling> Chosen() {
    std::stable_sort(found_.begin(), found_.end(), [](const LayerTiling& a, const LayerTiling& b) {
      return std::pair(Room(a), Traffic(a)) < std::pair(Room(b), Traffic(b));
    });
    std::vector<LayerTiling> front;
    for (const LayerTiling& tiling : found_) {
      const bool beaten = std::any_of(front.begin(), front.end(), [&](const LayerTiling& other) {
        return Beats(other, tiling);
      });
      if (!beaten) front.push_back(tiling);
    }
    if (front.size() <= kMostTilings) return front;
    std::vector<LayerTiling> spread;
    for (size_t i = 0; i < kMostTilings; ++i) {
      spread.push_back(front[i * (front.size() - 1) / (kMostTilings - 1)]);
    }
    return spread;
  }

  const Problem& problem_;
  const Architecture& architecture_;
  const StopFlag& stop_;
  std::optional<double> seconds_;
  Deadline deadline_;
  bool cut_ = false;
  std::vector<LayerTiling> found_;
};

}  // namespace

tl::expected<LayerTilings, Faults> TilingsOf(const Problem& problem,
                                             const Architecture& architecture, const StopFlag& stop,
                                             std::optional<double> seconds) {
  return TilingSearch(problem, architecture, stop, seconds).Run();
}

}  // namespace inlay

#include "inlay/scratchpad/layer_tilings.h"

#include <algorithm>
#include <set>
#include <utility>

#include "inlay/mapper/mapper.h"
#include "inlay/mapspace/space.h"

namespace inlay {
namespace {

constexpr LevelId kOutside{0U}, kInside{1U};

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

class TilingSearch {
 public:
  TilingSearch(const Problem& problem, const Architecture& architecture, const StopFlag& stop)
      : problem_(problem), architecture_(architecture), stop_(stop) {}

  tl::expected<std::vector<LayerTiling>, Faults> Run() {
    const auto fastest = Search({Metric::kDelay}, {});
    if (!fastest) return tl::unexpected(fastest.error());
    const auto lanes = InsideOf(problem_, architecture_, *fastest, false);
    // Both find the fewest off-chip words among the fewest cycles. With many levels the front,
    // which decides the outer tile first, is quicker; with few the search is.
    const bool deep = architecture_.levels.size() > 3;
    const auto best = deep ? BestOfFront(lanes) : Search({Metric::kDelay, Metric::kOffchip}, lanes);
    if (!best) return tl::unexpected(best.error());
    const auto inside = InsideOf(problem_, architecture_, *best, true);
    const uint64_t sets = uint64_t{1} << std::min<size_t>(problem_.tensors.size(), 4);
    for (uint64_t set = 0; set < sets; ++set) {
      TensorSet onchip;
      for (TensorId t : Ids(problem_.tensors)) {
        if (((set >> t.value()) & 1) != 0) onchip.insert(t);
      }
      auto faults = AddFront(onchip, inside);
      if (faults) return tl::unexpected(std::move(*faults));
    }
    return Chosen();
  }

 private:
  tl::expected<Mapping, Faults> Search(const Objective& objective,
                                       const std::vector<Constraint>& more) {
    const auto space = MakeSpace(problem_, architecture_, Mapspace::kPerfect, more);
    if (!space) return tl::unexpected(space.error());
    MapOptions options;
    options.objective = objective;
    LayerAnswer answer = MapLayer(*space, options, stop_);
    if (stop_.Requested()) return tl::unexpected(Faults{});
    if (!answer.best) {
      return tl::unexpected(answer.unable.empty() ? answer.infeasible : answer.unable);
    }
    return std::move(answer.best->mapping);
  }

  tl::expected<LayerAnswer, Faults> Front(TensorSet onchip, const std::vector<Constraint>& more) {
    const auto space = MakeSpace(problem_, architecture_, Mapspace::kPerfect, more);
    if (!space) return tl::unexpected(space.error());
    MapOptions options;
    options.front = FrontOptions{onchip};
    LayerAnswer answer = MapLayer(*space, options, stop_);
    if (stop_.Requested()) return tl::unexpected(Faults{});
    if (!answer.unable.empty()) return tl::unexpected(answer.unable);
    return answer;
  }

  tl::expected<Mapping, Faults> BestOfFront(const std::vector<Constraint>& more) {
    const auto answer = Front({}, more);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->front.empty()) return tl::unexpected(answer->infeasible);
    const auto best = std::min_element(
        answer->front.begin(), answer->front.end(), [](const FrontPoint& a, const FrontPoint& b) {
          return std::pair(a.cycles, a.offchip_words) < std::pair(b.cycles, b.offchip_words);
        });
    return best->solution.mapping;
  }

  // The faults, if there are any.
  std::optional<Faults> AddFront(TensorSet onchip, const std::vector<Constraint>& inside) {
    const auto answer = Front(onchip, inside);
    if (!answer) return answer.error();
    for (const FrontPoint& point : answer->front) {
      LayerTiling tiling;
      tiling.cycles = point.cycles;
      const Cost& cost = point.solution.cost;
      for (TensorId t : Ids(problem_.tensors)) {
        const TensorCost& inside_cost = cost.levels[kInside].tensors[t];
        const Counts& outside = cost.levels[kOutside].tensors[t].total;
        tiling.tensors.push_back(
            {inside_cost.kept ? inside_cost.tile_words : 0, outside.reads + outside.updates});
      }
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
  std::vector<LayerTiling> found_;
};

}  // namespace

tl::expected<std::vector<LayerTiling>, Faults> TilingsOf(const Problem& problem,
                                                         const Architecture& architecture,
                                                         const StopFlag& stop) {
  return TilingSearch(problem, architecture, stop).Run();
}

}  // namespace inlay

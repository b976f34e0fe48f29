#include "bench/random_mapping.h"

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::bench {
namespace {

using Random = std::mt19937_64;

int64_t Pick(Random& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

int64_t PickDivisor(Random& random, int64_t n, int64_t most) {
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= std::min(n, most); ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  return divisors[static_cast<size_t>(Pick(random, 0, static_cast<int64_t>(divisors.size()) - 1))];
}

// Where a loop of a dimension can stand, inner to outer.
struct Slot {
  LevelId level;
  Axis axis = Axis::kTime;
};

class Drawer {
 public:
  Drawer(const Problem& problem, const Architecture& architecture, Mapspace mapspace,
         Random& random)
      : problem_(problem), architecture_(architecture), mapspace_(mapspace), random_(random) {
    for (size_t l = architecture.levels.size(); l-- > 0;) {
      for (Axis axis : {Axis::kX, Axis::kY, Axis::kTime}) slots_.push_back({LevelId(l), axis});
      const Fanout& fanout = architecture.levels[LevelId(l)].fanout;
      left_.push_back({fanout.x, fanout.y});
    }
    std::reverse(left_.begin(), left_.end());
  }

  Mapping Draw() {
    Mapping mapping;
    mapping.levels.resize(architecture_.levels.size());
    std::vector<DimId> dims;
    for (DimId d : Ids(problem_.dims)) dims.push_back(d);
    std::shuffle(dims.begin(), dims.end(), random_);
    for (DimId d : dims) DrawDim(d, &mapping);
    for (LevelId l : Ids(mapping.levels)) {
      LevelMapping& level = mapping.levels[l];
      std::shuffle(level.temporal.begin(), level.temporal.end(), random_);
      for (TensorId t : Ids(problem_.tensors)) {
        const KeepRule rule = KeepRuleOf(architecture_.levels[l], problem_.tensors[t].name);
        if (rule != KeepRule::kBypass) level.keep.insert(t);
      }
    }
    return mapping;
  }

 private:
  void DrawDim(DimId d, Mapping* mapping) {
    int64_t rest = problem_.dims[d].bound;
    int64_t step = 1;
    for (const Slot& slot : slots_) {
      const bool outermost = slot.level.value() == 0 && slot.axis == Axis::kTime;
      const int64_t steps = outermost ? rest : DrawSteps(slot, rest);
      if (steps > 1) {
        LevelMapping& level = mapping->levels[slot.level];
        auto& loops = slot.axis == Axis::kTime ? level.temporal : level.spatial;
        loops.insert(loops.begin(), {d, step, slot.axis});
      }
      if (slot.axis != Axis::kTime) Lanes(slot) /= steps;
      rest = CeilDiv(rest, steps);
      step *= steps;
      if (step >= problem_.dims[d].bound) return;
      if (mapspace_ == Mapspace::kAny && slot.axis == Axis::kTime && steps > 1 && step > 2) {
        // Steps need not be multiples of each other: shorten the tile that the next loop steps by.
        step -= Pick(random_, 0, 1);
        rest = CeilDiv(problem_.dims[d].bound, step);
      }
    }
  }

  int64_t DrawSteps(const Slot& slot, int64_t rest) {
    const bool time = slot.axis == Axis::kTime;
    const int64_t most = time ? rest : std::min(rest, Lanes(slot));
    const bool ragged = mapspace_ == Mapspace::kRuby || mapspace_ == Mapspace::kAny ||
                        mapspace_ == (time ? Mapspace::kRubyT : Mapspace::kRubyS);
    return ragged ? Pick(random_, 1, most) : PickDivisor(random_, rest, most);
  }

  int64_t& Lanes(const Slot& slot) {
    return slot.axis == Axis::kX ? left_[slot.level.value()].first
                                 : left_[slot.level.value()].second;
  }

  const Problem& problem_;
  const Architecture& architecture_;
  Mapspace mapspace_;
  Random& random_;
  std::vector<Slot> slots_;
  std::vector<std::pair<int64_t, int64_t>> left_;  // lanes not yet unrolled on x and y, per level
};

}  // namespace

std::vector<Mapping> RandomMappings(const Problem& problem, const Architecture& architecture,
                                    Mapspace mapspace, size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<Mapping> mappings;
  while (mappings.size() < count) {
    Mapping mapping = Drawer(problem, architecture, mapspace, random).Draw();
    if (Validate(problem, architecture, mapping).empty()) mappings.push_back(std::move(mapping));
  }
  return mappings;
}

}  // namespace inlay::bench

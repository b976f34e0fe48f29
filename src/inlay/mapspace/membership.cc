#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/mapspace/space.h"
#include "inlay/mapspace/uneven_space.h"

namespace inlay {
namespace {

// Steps per slot and dimension; loops of one step count as absent.
using Steps = IndexedVector<SlotId, IndexedVector<DimId, int64_t>>;

class MembershipCheck {
 public:
  MembershipCheck(const Space& space, const Problem& problem, const Mapping& mapping)
      : space_(space),
        problem_(problem),
        mapping_(mapping),
        steps_(space.slots.size(), IndexedVector<DimId, int64_t>(problem.dims.size(), 1)),
        temporal_(mapping.levels.size()) {}

  Faults Run() {
    ReadLoops();
    CheckMapspace();
    for (LevelId l : Ids(space_.architecture.levels)) {
      CheckTemporal(l);
      CheckFanout(l);
      CheckOrder(l);
      CheckKeeps(l);
      CheckEntries(l);
    }
    return std::move(faults_);
  }

 private:
  void Fail(LevelId level, std::string message, std::string hint = "") {
    faults_.push_back(
        {"levels." + space_.architecture.levels[level].name, std::move(message), std::move(hint)});
  }
  void FailForm(std::string message, std::string hint) {
    faults_.push_back({"mapping", std::move(message), std::move(hint)});
  }
  const std::string& DimName(DimId dim) const { return problem_.dims[dim].name; }
  const std::string& LevelName(LevelId level) const {
    return space_.architecture.levels[level].name;
  }
  const std::string& FanoutName(LevelId level) const {
    return space_.architecture.levels[level].fanout.name;
  }
  int64_t StepsAt(LevelId level, Axis axis, DimId dim) const {
    return steps_[SlotId(3 * level.value() + static_cast<size_t>(axis))][dim];
  }

  void ReadLoops() {
    IndexedVector<DimId, int64_t> ranges;
    for (const Dimension& dim : problem_.dims) ranges.push_back(dim.bound);
    // One past the last place used. Loops on either side of an entry are in different places.
    IndexedVector<DimId, size_t> last(problem_.dims.size(), 0);
    size_t entries = 0;
    for (LevelId l : Ids(mapping_.levels)) {
      const LevelMapping& level = mapping_.levels[l];
      for (const auto* loops : {&level.temporal, &level.spatial}) {
        for (const Loop& loop : *loops) {
          const auto before = static_cast<size_t>(&loop - loops->data());
          const bool enters =
              loops == &level.temporal &&
              std::any_of(level.late.begin(), level.late.end(),
                          [&](const LateEntry& entry) { return entry.loops == before; });
          if (enters) ++entries;
          const int64_t steps = CeilDiv(ranges[loop.dim], loop.step);
          ranges[loop.dim] = loop.step;
          if (steps == 1) continue;
          const size_t slot = 3 * l.value() + static_cast<size_t>(loop.axis);
          steps_[SlotId(slot)][loop.dim] *= steps;
          if (loop.axis == Axis::kTime) temporal_[l].push_back(loop.dim);
          const size_t place = slot + entries;
          if (place + 1 == last[loop.dim]) {
            FailForm(fmt::format("'{}' has several loops over '{}' in one place", LevelName(l),
                                 DimName(loop.dim)),
                     "a mapspace has one loop of a dimension per level and axis");
          } else if (place < last[loop.dim]) {
            FailForm(fmt::format("below '{}', '{}' is unrolled on y outside x", LevelName(l),
                                 DimName(loop.dim)),
                     "a mapspace has the loops on x outside those on y");
          }
          last[loop.dim] = std::max(last[loop.dim], place + 1);
        }
      }
    }
  }

  void CheckMapspace() {
    const Mapspace found = Classify(problem_, mapping_);
    const Mapspace asked =
        space_.mapspace == Mapspace::kPadded ? Mapspace::kPerfect : space_.mapspace;
    const bool even = found != Mapspace::kUneven;
    const bool inside = found == asked || found == Mapspace::kPerfect ||
                        asked == Mapspace::kUneven || (asked == Mapspace::kAny && even) ||
                        (asked == Mapspace::kRuby && even && found != Mapspace::kAny);
    if (!inside) {
      faults_.push_back({"mapping",
                         fmt::format("the mapping is '{}', outside the mapspace '{}'", Name(found),
                                     Name(space_.mapspace)),
                         ""});
    }
    const bool any_tiles =
        space_.mapspace == Mapspace::kAny || space_.mapspace == Mapspace::kUneven;
    if (!any_tiles) CheckRemainders();
    if (space_.mapspace != Mapspace::kPadded) return;
    IndexedVector<DimId, int64_t> unrolling(problem_.dims.size(), 1);
    for (SlotId s : Ids(space_.slots)) {
      if (space_.slots[s].axis == Axis::kTime) continue;
      for (DimId d : Ids(problem_.dims)) unrolling[d] *= steps_[s][d];
    }
    const Problem padded = PaddedTo(space_.problem, unrolling);
    for (DimId d : Ids(problem_.dims)) {
      if (padded.dims[d].bound == problem_.dims[d].bound) continue;
      faults_.push_back(
          {"dims." + DimName(d),
           fmt::format("'{}' is padded to {}, but unrolled {} times it is padded to {}", DimName(d),
                       problem_.dims[d].bound, unrolling[d], padded.dims[d].bound),
           ""});
    }
  }

  void CheckRemainders() {
    const auto factors = FactorsOf(problem_, mapping_);
    if (!factors) return;
    for (LevelId l : Ids(mapping_.levels)) {
      const LevelMapping& level = mapping_.levels[l];
      CheckRemainders(l, level.temporal, (*factors)[l].temporal);
      CheckRemainders(l, level.spatial, (*factors)[l].spatial);
    }
  }

  void CheckRemainders(LevelId level, const std::vector<Loop>& loops,
                       const std::vector<Factor>& factors) {
    for (size_t i = 0; i < loops.size(); ++i) {
      const auto axis = static_cast<size_t>(loops[i].axis);
      const int64_t most = space_.remainders[SlotId(3 * level.value() + axis)];
      if (factors[i].end == factors[i].residual || factors[i].end <= most) continue;
      const std::string& place =
          loops[i].axis == Axis::kTime ? LevelName(level) : FanoutName(level);
      Fail(level, fmt::format("the loop over '{}' at '{}' has a remainder and {} steps, where the "
                              "constraints allow remainders up to {}",
                              DimName(loops[i].dim), place, factors[i].end, most));
    }
  }

  void CheckTemporal(LevelId level) {
    for (DimId d : Ids(problem_.dims)) {
      const FactorRange& range = space_.factors[SlotId(3 * level.value())][d];
      const int64_t steps = StepsAt(level, Axis::kTime, d);
      if (steps >= range.min && steps <= range.max) continue;
      Fail(level, Describe(d, steps, fmt::format("at '{}'", LevelName(level)), range));
    }
  }

  // "'K' takes 4 steps at 'GLB', where the constraints allow at most 2".
  std::string Describe(DimId dim, int64_t steps, const std::string& where,
                       const FactorRange& range) const {
    std::string allowed = fmt::format("from {} to {}", range.min, range.max);
    if (range.min == range.max) allowed = fmt::format("only {}", range.min);
    if (range.max == FactorRange::kUnlimited) allowed = fmt::format("at least {}", range.min);
    if (range.min == 1 && range.max > 1) allowed = fmt::format("at most {}", range.max);
    if (range.max == 1) allowed = "no loop";
    return fmt::format("'{}' takes {} step{} {}, where the constraints allow {}", DimName(dim),
                       steps, steps == 1 ? "" : "s", where, allowed);
  }

  void CheckFanout(LevelId level) {
    int64_t lanes = 1;
    for (DimId d : Ids(problem_.dims)) {
      const int64_t x = StepsAt(level, Axis::kX, d);
      const int64_t y = StepsAt(level, Axis::kY, d);
      lanes *= x * y;  // a valid mapping uses no more lanes than there are
      const FactorRange& both = space_.unrolling[level][d];
      const FactorRange& on_x = space_.factors[SlotId(3 * level.value() + 1)][d];
      const FactorRange& on_y = space_.factors[SlotId(3 * level.value() + 2)][d];
      const std::string& name = FanoutName(level);
      if (x * y < both.min || x * y > both.max) {
        Fail(level, Describe(d, x * y, fmt::format("on '{}'", name), both));
      } else if (x < on_x.min || x > on_x.max) {
        Fail(level, Describe(d, x, fmt::format("on x of '{}'", name), on_x));
      } else if (y < on_y.min || y > on_y.max) {
        Fail(level, Describe(d, y, fmt::format("on y of '{}'", name), on_y));
      }
    }
    if (lanes < space_.min_lanes[level]) {
      Fail(level,
           fmt::format("{} lanes of '{}' are used, where the constraints ask for at least {}",
                       lanes, FanoutName(level), space_.min_lanes[level]));
    }
  }

  // The listed dimensions that have loops, in the listed order, must be the first (from that end).
  void CheckEnd(LevelId level, const char* end, const std::vector<DimId>& listed,
                const std::vector<DimId>& loops) {
    size_t next = 0;
    for (DimId d : listed) {
      if (std::find(loops.begin(), loops.end(), d) == loops.end()) continue;
      if (loops[next] != d) {
        Fail(level, fmt::format("at '{}', the loop over '{}' stands where the constraints ask for "
                                "'{}', counted from the {} loop",
                                LevelName(level), DimName(loops[next]), DimName(d), end));
        return;
      }
      ++next;
    }
  }

  void CheckOrder(LevelId level) {
    std::vector<DimId> loops = temporal_[level];
    CheckEnd(level, "outermost", space_.orders[level].outermost, loops);
    std::reverse(loops.begin(), loops.end());
    CheckEnd(level, "innermost", space_.orders[level].innermost, loops);
  }

  void CheckKeeps(LevelId level) {
    const std::vector<TensorSet>& choices = space_.keeps[level];
    const TensorSet keep = mapping_.levels[level].keep;
    if (std::find(choices.begin(), choices.end(), keep) != choices.end()) return;
    std::string names;
    for (TensorId t : Ids(problem_.tensors)) {
      if (keep.contains(t)) names += (names.empty() ? "'" : ", '") + problem_.tensors[t].name + "'";
    }
    Fail(level, fmt::format("'{}' keeps {}, which the constraints do not allow", LevelName(level),
                            names.empty() ? "nothing" : names));
  }

  void CheckEntries(LevelId level) {
    const LevelMapping& here = mapping_.levels[level];
    if (here.late.empty()) return;
    if (!MayBeUneven(space_, level)) {
      Fail(level,
           fmt::format("tensors enter '{}' at different loops, and its loops are constrained",
                       LevelName(level)));
    }
    if (here.late.size() == static_cast<size_t>(here.keep.size())) {
      FailForm(fmt::format("no tensor enters '{}' before its first loop", LevelName(level)),
               "the loops before belong to the level outside");
    }
  }

  const Space& space_;
  const Problem& problem_;
  const Mapping& mapping_;
  Steps steps_;
  IndexedVector<LevelId, std::vector<DimId>> temporal_;  // loops of several steps, outer to inner
  Faults faults_;
};

}  // namespace

Faults CheckMembership(const Space& space, const Problem& problem, const Mapping& mapping) {
  return MembershipCheck(space, problem, mapping).Run();
}

Faults CheckMembership(const Space& space, const Mapping& mapping) {
  return CheckMembership(space, space.problem, mapping);
}

double UtilizationOf(const Problem& problem, const Level& level,
                     const std::vector<Occupancy>& of_level) {
  double used = 0;
  double usable = 0;
  for (const Occupancy& use : of_level) {
    if (!use.usable_words) continue;
    const int bits =
        use.partition ? WordBitsOf(level, problem.tensors[*use.partition].name) : level.word_bits;
    used += static_cast<double>(use.used_words) * bits;
    usable += static_cast<double>(*use.usable_words) * bits;
  }
  return usable > 0 ? used / usable : 0;
}

double UtilizationOf(const Problem& problem, const Architecture& architecture,
                     const Mapping& mapping, LevelId level) {
  return UtilizationOf(problem, architecture.levels[level],
                       OccupanciesAt(problem, architecture, level, mapping.levels[level].keep,
                                     TileSizes(problem, mapping, level)));
}

bool Fits(const Space& space, const Problem& problem, const Mapping& mapping) {
  for (const Occupancy& use : Occupancies(problem, space.architecture, mapping)) {
    if (!use.Fits()) return false;
  }
  for (LevelId l : Ids(space.min_utilization)) {
    const double least = space.min_utilization[l];
    if (least > 0 && UtilizationOf(problem, space.architecture, mapping, l) < least) return false;
  }
  return true;
}

}  // namespace inlay

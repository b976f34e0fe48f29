#include "inlay/mapspace/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/suggest.h"

namespace inlay {
namespace {

// More free tensors at one level than this are refused: the choices are listed.
constexpr int kMaxFreeTensors = 12;

std::vector<DimId> Resolve(const Problem& problem, const std::vector<std::string>& names) {
  std::vector<DimId> dims;
  for (const std::string& name : names) {
    if (const auto dim = FindConstrainedDim(problem, name)) dims.push_back(*dim);
  }
  return dims;
}

SlotId SlotOf(LevelId level, Axis axis) {
  return SlotId(3 * level.value() + static_cast<size_t>(axis));
}

void Intersect(const FactorRange& other, FactorRange* range) {
  range->min = std::max(range->min, other.min);
  range->max = std::min(range->max, other.max);
}

// Of a dimension of the length `whole`.
FactorRange RangeOf(const FactorBound& bound, int64_t whole) {
  const int64_t value = bound.value == FactorBound::kWhole ? whole : bound.value;
  if (bound.if_fits && value > whole) return {};
  switch (bound.relation) {
    case Relation::kEqual:
      return {value, value};
    case Relation::kAtMost:
      return {1, value};
    case Relation::kAtLeast:
      return {value, FactorRange::kUnlimited};
  }
  return {};
}

class SpaceMaker {
 public:
  SpaceMaker(const Problem& problem, const Architecture& architecture, Mapspace mapspace) {
    space_.problem = problem;
    space_.architecture = architecture;
    space_.mapspace = mapspace;
    const size_t levels = architecture.levels.size();
    const IndexedVector<DimId, FactorRange> open(problem.dims.size());
    for (LevelId l : Ids(architecture.levels)) {
      const Fanout& fanout = architecture.levels[l].fanout;
      space_.slots.push_back({l, Axis::kTime, FactorRange::kUnlimited});
      space_.slots.push_back({l, Axis::kX, fanout.x});
      space_.slots.push_back({l, Axis::kY, fanout.y});
    }
    space_.factors.assign(3 * levels, open);
    space_.remainders.assign(3 * levels, FactorRange::kUnlimited);
    space_.unrolling.assign(levels, open);
    space_.min_lanes.assign(levels, 1);
    space_.orders.resize(levels);
    space_.min_utilization.assign(levels, 0);
    keep_.resize(levels);
    bypass_.resize(levels);
  }

  void Add(const Constraint& constraint) {
    const auto level = FindLevel(space_.architecture, constraint.at);
    const auto fanout = FindFanout(constraint.at);
    if (level) {
      AddToLevel(*level, constraint);
    } else if (fanout) {
      AddToFanout(*fanout, constraint);
    } else {
      Fail(constraint.at,
           fmt::format("the architecture has no level or fan-out '{}'", constraint.at),
           SuggestionHint(constraint.at, Places()));
    }
  }

  tl::expected<Space, Faults> Finish() {
    for (LevelId l : Ids(space_.architecture.levels)) {
      ListKeeps(l);
      CheckOrder(l);
      CloseFanout(l);
      CheckRanges(l);
    }
    if (space_.mapspace == Mapspace::kPadded) CheckPadding();
    if (!faults_.empty()) return tl::unexpected(std::move(faults_));
    return std::move(space_);
  }

 private:
  void Fail(const std::string& at, std::string message, std::string hint = "") {
    faults_.push_back({"constraints." + at, std::move(message), std::move(hint)});
  }

  const std::string& DimName(DimId dim) const { return space_.problem.dims[dim].name; }

  std::optional<LevelId> FindFanout(const std::string& name) const {
    for (LevelId l : Ids(space_.architecture.levels)) {
      const Fanout& fanout = space_.architecture.levels[l].fanout;
      if (!fanout.name.empty() && fanout.name == name) return l;
    }
    return std::nullopt;
  }

  std::vector<std::string> Places() const {
    std::vector<std::string> names = LevelNames(space_.architecture);
    for (const Level& level : space_.architecture.levels) {
      if (!level.fanout.name.empty()) names.push_back(level.fanout.name);
    }
    return names;
  }

  // Only the listed dimensions may have a loop in the slot.
  void Allow(SlotId slot, const std::optional<std::vector<std::string>>& names) {
    if (!names) return;
    const std::vector<DimId> allowed = Resolve(space_.problem, *names);
    for (DimId d : Ids(space_.problem.dims)) {
      if (!Contains(allowed, d)) Intersect({1, 1}, &space_.factors[slot][d]);
    }
  }

  // None of the listed dimensions may have a loop in the slot.
  void Forbid(SlotId slot, const std::vector<std::string>& names) {
    for (const DimId d : Resolve(space_.problem, names)) {
      Intersect({1, 1}, &space_.factors[slot][d]);
    }
  }

  void LimitFactors(const Constraint& constraint, IndexedVector<DimId, FactorRange>* ranges) const {
    std::vector<DimId> named;
    const auto limit = [&](const FactorBound& bound, DimId dim) {
      Intersect(RangeOf(bound, space_.problem.dims[dim].bound), &(*ranges)[dim]);
    };
    for (const FactorBound& bound : constraint.factors) {
      const auto dim = FindConstrainedDim(space_.problem, bound.dim);
      if (!dim) continue;
      named.push_back(*dim);
      limit(bound, *dim);
    }
    if (!constraint.default_factor) return;
    for (DimId d : Ids(*ranges)) {
      if (!Contains(named, d)) limit(*constraint.default_factor, d);
    }
  }

  void LimitRemainders(const Constraint& constraint, SlotId slot) {
    int64_t& most = space_.remainders[slot];
    most = std::min(most, constraint.remainders.value_or(most));
  }

  void AddTensors(const Constraint& constraint, const std::vector<std::string>& names,
                  TensorSet* set) {
    for (const std::string& name : names) {
      if (const auto tensor = FindTensor(space_.problem, name)) {
        set->insert(*tensor);
      } else {
        Fail(constraint.at + ".tensors." + name,
             fmt::format("the problem has no tensor '{}'", name),
             SuggestionHint(name, TensorNames(space_.problem)));
      }
    }
  }

  void AddToLevel(LevelId level, const Constraint& constraint) {
    const SlotId slot = SlotOf(level, Axis::kTime);
    if (constraint.x || constraint.y || !constraint.not_x.empty() || !constraint.not_y.empty()) {
      Fail(constraint.at,
           fmt::format("'{}' is a level; x and y constrain a fan-out", constraint.at),
           "the loops of a level are constrained by 'loops'");
    }
    Allow(slot, constraint.loops);
    LimitFactors(constraint, &space_.factors[slot]);
    LimitRemainders(constraint, slot);
    AddTensors(constraint, constraint.keep, &keep_[level]);
    AddTensors(constraint, constraint.bypass, &bypass_[level]);
    OrderRule& rule = space_.orders[level];
    MergeOrder(constraint, "innermost", constraint.innermost, &rule.innermost);
    MergeOrder(constraint, "outermost", constraint.outermost, &rule.outermost);
    if (constraint.min_utilization) {
      double& least = space_.min_utilization[level];
      least = std::max(least, *constraint.min_utilization);
    }
  }

  void AddToFanout(LevelId level, const Constraint& constraint) {
    if (constraint.loops || !constraint.innermost.empty() || !constraint.outermost.empty()) {
      Fail(constraint.at,
           fmt::format("'{}' is a fan-out; loops and their order constrain a level", constraint.at),
           "what a fan-out unrolls is constrained by 'x' and 'y'");
    }
    Allow(SlotOf(level, Axis::kX), constraint.x);
    Allow(SlotOf(level, Axis::kY), constraint.y);
    Forbid(SlotOf(level, Axis::kX), constraint.not_x);
    Forbid(SlotOf(level, Axis::kY), constraint.not_y);
    if (!constraint.keep.empty() || !constraint.bypass.empty()) {
      Fail(constraint.at,
           fmt::format("'{}' is a fan-out; keep and bypass constrain a level", constraint.at));
    }
    LimitFactors(constraint, &space_.unrolling[level]);
    LimitRemainders(constraint, SlotOf(level, Axis::kX));
    LimitRemainders(constraint, SlotOf(level, Axis::kY));
    if (constraint.min_utilization) {
      const Fanout& fanout = space_.architecture.levels[level].fanout;
      // A share such as 0.7 of 10 lanes is meant to be 7, whatever 0.7 is in binary.
      const double lanes = static_cast<double>(fanout.x) * static_cast<double>(fanout.y);
      const double least = std::ceil(*constraint.min_utilization * lanes - 1e-9);
      // Rounded to a double, the largest fan-out that is allowed no longer fits into 64 bits.
      const bool fits = least < static_cast<double>(FactorRange::kUnlimited);
      space_.min_lanes[level] = std::max(
          space_.min_lanes[level], fits ? static_cast<int64_t>(least) : FactorRange::kUnlimited);
    }
  }

  // Whether some number of steps is left; says so if not.
  bool CheckRange(const std::string& at, DimId dim, const FactorRange& range) {
    if (range.min <= range.max) return true;
    Fail(
        at + ".dims." + DimName(dim),
        fmt::format("the constraints contradict each other: '{}' must take at least {} and at most "
                    "{} steps at '{}'",
                    DimName(dim), range.min, range.max, at),
        "a dimension that is not listed there has 1 step; drop one of the constraints");
    return false;
  }

  // Of two lists the longer holds, if the shorter is its beginning.
  void MergeOrder(const Constraint& constraint, const char* end,
                  const std::vector<std::string>& names, std::vector<DimId>* dims) {
    std::vector<DimId> more = Resolve(space_.problem, names);
    for (size_t i = 0; i < more.size(); ++i) {
      if (std::find(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(i), more[i]) ==
          more.begin() + static_cast<std::ptrdiff_t>(i)) {
        continue;
      }
      Fail(constraint.at + ".order", fmt::format("'{}' is listed twice in the {} loops of '{}'",
                                                 DimName(more[i]), end, constraint.at));
      return;
    }
    const size_t common = std::min(more.size(), dims->size());
    if (!std::equal(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(common),
                    dims->begin())) {
      Fail(constraint.at + ".order",
           fmt::format("two constraints give different {} loops of '{}'", end, constraint.at),
           "drop one of them, or make one list the beginning of the other");
    } else if (more.size() > dims->size()) {
      *dims = std::move(more);
    }
  }

  void CheckOrder(LevelId level) {
    const OrderRule& rule = space_.orders[level];
    for (DimId d : rule.outermost) {
      if (!Contains(rule.innermost, d)) continue;
      const std::string& name = space_.architecture.levels[level].name;
      Fail(name + ".order",
           fmt::format("'{}' is to be both innermost and outermost at '{}'", DimName(d), name),
           "list it once");
    }
  }

  void FailResidency(LevelId level, TensorId tensor) {
    const std::string& name = space_.architecture.levels[level].name;
    const std::string& what = space_.problem.tensors[tensor].name;
    Fail(name + ".tensors." + what,
         fmt::format("'{}' is to be both kept and bypassed at '{}'", what, name),
         "a level keeps all tensors unless it has 'keep' or 'bypass', and with partitions none but "
         "theirs");
  }

  void ListKeeps(LevelId level) {
    TensorSet must;
    std::vector<TensorId> free;
    for (TensorId t : Ids(space_.problem.tensors)) {
      const KeepRule rule =
          KeepRuleOf(space_.architecture.levels[level], space_.problem.tensors[t].name);
      const bool keep = keep_[level].contains(t) || rule == KeepRule::kKeep;
      const bool bypass = bypass_[level].contains(t) || rule == KeepRule::kBypass;
      if (keep && bypass) FailResidency(level, t);
      if (keep) must.insert(t);
      if (!keep && !bypass) free.push_back(t);
    }
    space_.keeps.push_back({});
    if (free.size() > kMaxFreeTensors) {
      const std::string& name = space_.architecture.levels[level].name;
      Fail(name,
           fmt::format("'{}' may keep or bypass {} tensors, too many to try all choices", name,
                       free.size()),
           fmt::format("list all but {} of them in 'keep' or 'bypass'", kMaxFreeTensors));
      return;
    }
    for (uint64_t choice = 0; choice < uint64_t{1} << free.size(); ++choice) {
      TensorSet keep = must;
      for (size_t i = 0; i < free.size(); ++i) {
        if (((choice >> i) & 1) != 0) keep.insert(free[i]);
      }
      space_.keeps.back().push_back(keep);
    }
    std::sort(space_.keeps.back().begin(), space_.keeps.back().end(),
              [](TensorSet a, TensorSet b) { return a.bits() < b.bits(); });
  }

  // Passes what is known of the whole fan-out on to its two axes, and closes axes of one lane.
  void CloseFanout(LevelId level) {
    const SlotId x = SlotOf(level, Axis::kX);
    const SlotId y = SlotOf(level, Axis::kY);
    for (DimId d : Ids(space_.problem.dims)) {
      const FactorRange& both = space_.unrolling[level][d];
      for (const SlotId slot : {x, y}) {
        const int64_t most = std::min(both.max, space_.slots[slot].max_lanes);
        Intersect({1, std::max<int64_t>(most, 1)}, &space_.factors[slot][d]);
      }
      const bool on_x = space_.factors[x][d].max > 1;
      const bool on_y = space_.factors[y][d].max > 1;
      if (both.min > 1 && !(on_x && on_y)) {
        FactorRange& range = space_.factors[on_y ? y : x][d];
        range.min = std::max(range.min, both.min);
      }
    }
    const int64_t least = space_.min_lanes[level];
    const int64_t most_x = space_.slots[x].max_lanes;
    const int64_t most_y = space_.slots[y].max_lanes;
    space_.slots[x].min_lanes = std::max<int64_t>(1, CeilDiv(least, most_y));
    space_.slots[y].min_lanes = std::max<int64_t>(1, CeilDiv(least, most_x));
  }

  void CheckRanges(LevelId level) {
    const Level& place = space_.architecture.levels[level];
    for (DimId d : Ids(space_.problem.dims)) {
      CheckRange(place.name, d, space_.factors[SlotOf(level, Axis::kTime)][d]);
      if (CheckRange(place.fanout.name, d, space_.unrolling[level][d]) &&
          CheckRange(place.fanout.name, d, space_.factors[SlotOf(level, Axis::kX)][d])) {
        CheckRange(place.fanout.name, d, space_.factors[SlotOf(level, Axis::kY)][d]);
      }
    }
  }

  // A bound of b, u lanes wide, is padded to less than b + u ≤ b·u + 1, and the dimensions share
  // the lanes: so padding multiplies operations and tensors by the lanes at most.
  void CheckPadding() {
    const int64_t lanes = ComputeLanes(space_.architecture);
    const Problem& problem = space_.problem;
    bool fits = CheckedMultiply(lanes, lanes) && CheckedMultiply(Operations(problem), lanes);
    for (const Tensor& tensor : problem.tensors) fits = fits && FitsPadded(tensor, lanes);
    if (fits) return;
    faults_.push_back({"problem",
                       "the problem is too large to be padded: its operations may not fit "
                       "into 64 bits",
                       "use another mapspace"});
  }

  // A rank of 1 + Σ c·(b − 1) words has less than 1 + Σ c·b·u, which is at most Π u times 1 + Σ
  // c·b; a dimension can be in several ranks.
  bool FitsPadded(const Tensor& tensor, int64_t lanes) const {
    IndexedVector<DimId, int> ranks(space_.problem.dims.size(), 0);
    std::optional<int64_t> words = 1;
    for (const Rank& rank : tensor.ranks) {
      std::optional<int64_t> extent = 1;
      for (const Term& term : rank.terms) {
        ++ranks[term.dim];
        const auto more =
            CheckedMultiply(std::abs(term.coefficient), space_.problem.dims[term.dim].bound);
        extent = extent && more ? CheckedAdd(*extent, *more) : std::nullopt;
      }
      words = words && extent ? CheckedMultiply(*words, *extent) : std::nullopt;
    }
    const int most = *std::max_element(ranks.begin(), ranks.end());
    for (int i = 0; i < most; ++i) words = words ? CheckedMultiply(*words, lanes) : std::nullopt;
    return words.has_value();
  }

  Space space_;
  IndexedVector<LevelId, TensorSet> keep_, bypass_;  // by constraints
  Faults faults_;
};

}  // namespace

bool Contains(const std::vector<DimId>& dims, DimId dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

tl::expected<Space, Faults> MakeSpace(const Problem& problem, const Architecture& architecture,
                                      Mapspace mapspace, const std::vector<Constraint>& more) {
  SpaceMaker maker(problem, architecture, mapspace);
  for (const Constraint& constraint : architecture.constraints) maker.Add(constraint);
  for (const Constraint& constraint : more) maker.Add(constraint);
  return maker.Finish();
}

Problem PaddedTo(const Problem& problem, const IndexedVector<DimId, int64_t>& unrolling) {
  Problem padded = problem;
  for (DimId d : Ids(padded.dims)) {
    padded.dims[d].bound = CeilDiv(problem.dims[d].bound, unrolling[d]) * unrolling[d];
  }
  return padded;
}

}  // namespace inlay

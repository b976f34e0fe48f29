#include "inlay/io/timeloop/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace inlay::io::timeloop {
namespace {

using Names = std::vector<std::string>;

class Collector {
 public:
  Collector(const std::string& at, const Fanout* fanout, const Problem* problem,
            Diagnostics* faults)
      : at_(at), fanout_(fanout), problem_(problem), faults_(faults) {}

  PlaceLimits Collect(const std::vector<Constraint>& constraints) {
    if (problem_ != nullptr) {
      limits_.dims = DimNames(*problem_);
    } else {
      for (const Constraint& constraint : constraints) {
        if (constraint.at == at_) AddNames(constraint);
      }
      limits_.others.emplace();
    }
    limits_.loops.resize(limits_.dims.size());
    for (const Constraint& constraint : constraints) {
      if (constraint.at == at_) Add(constraint);
    }
    for (size_t d = 0; d < limits_.dims.size(); ++d) Close(limits_.dims[d], &limits_.loops[d]);
    if (limits_.others) Close("", &*limits_.others);
    return std::move(limits_);
  }

 private:
  // The place of a dimension among `dims`; what the problem does not have is skipped.
  std::optional<size_t> Find(const std::string& name) const {
    if (problem_ != nullptr) {
      const auto dim = FindConstrainedDim(*problem_, name);
      return dim ? std::optional<size_t>(dim->value()) : std::nullopt;
    }
    const auto found = std::find(limits_.dims.begin(), limits_.dims.end(), name);
    return static_cast<size_t>(found - limits_.dims.begin());
  }

  void AddNames(const Constraint& constraint) {
    const auto add = [this](const std::string& name) {
      if (std::find(limits_.dims.begin(), limits_.dims.end(), name) == limits_.dims.end()) {
        limits_.dims.push_back(name);
      }
    };
    for (const auto* list : {&constraint.x, &constraint.y, &constraint.loops}) {
      if (*list) std::for_each((*list)->begin(), (*list)->end(), add);
    }
    for (const auto* list :
         {&constraint.not_x, &constraint.not_y, &constraint.innermost, &constraint.outermost}) {
      std::for_each(list->begin(), list->end(), add);
    }
    for (const FactorBound& bound : constraint.factors) add(bound.dim);
  }

  // Calls `change` for every dimension but the listed ones.
  template <typename Change>
  void ForOthers(const Names& listed, const Change& change) {
    std::vector<bool> is_listed(limits_.dims.size(), false);
    for (const std::string& name : listed) {
      if (const auto d = Find(name)) is_listed[*d] = true;
    }
    for (size_t d = 0; d < limits_.dims.size(); ++d) {
      if (!is_listed[d]) change(&limits_.loops[d]);
    }
    if (limits_.others) change(&*limits_.others);
  }

  void Add(const Constraint& constraint) {
    if (constraint.x) ForOthers(*constraint.x, [](LoopLimits* limits) { limits->on_x = false; });
    if (constraint.y) ForOthers(*constraint.y, [](LoopLimits* limits) { limits->on_y = false; });
    if (constraint.loops) ForOthers(*constraint.loops, [](LoopLimits* limits) { limits->max = 1; });
    for (const std::string& name : constraint.not_x) {
      if (const auto d = Find(name)) limits_.loops[*d].on_x = false;
    }
    for (const std::string& name : constraint.not_y) {
      if (const auto d = Find(name)) limits_.loops[*d].on_y = false;
    }
    AddFactors(constraint);
    MergeOrder("innermost", constraint.innermost, &limits_.innermost);
    MergeOrder("outermost", constraint.outermost, &limits_.outermost);
    if (constraint.remainders) {
      limits_.remainders =
          std::min(limits_.remainders.value_or(*constraint.remainders), *constraint.remainders);
    }
    limits_.min_utilization =
        std::max(limits_.min_utilization, constraint.min_utilization.value_or(0));
  }

  void AddFactors(const Constraint& constraint) {
    Names named;
    for (const FactorBound& bound : constraint.factors) {
      named.push_back(bound.dim);
      const auto d = Find(bound.dim);
      if (!d) continue;
      if (problem_ == nullptr && DependsOnLength(bound)) {
        AddByLength(bound);
      } else {
        Limit(bound, problem_ == nullptr ? 0 : problem_->dims[DimId(*d)].bound, &limits_.loops[*d]);
      }
    }
    if (!constraint.default_factor) return;
    const FactorBound& other = *constraint.default_factor;
    if (problem_ != nullptr) {
      std::vector<bool> is_named(limits_.dims.size(), false);
      for (const std::string& name : named) {
        if (const auto d = Find(name)) is_named[*d] = true;
      }
      for (size_t d = 0; d < limits_.dims.size(); ++d) {
        if (!is_named[d]) Limit(other, problem_->dims[DimId(d)].bound, &limits_.loops[d]);
      }
    } else if (DependsOnLength(other)) {
      Fault(fmt::format("the default factor of '{}' depends on the length of dimensions", at_),
            "convert it together with a problem");
    } else {
      ForOthers(named, [&](LoopLimits* limits) { Limit(other, 0, limits); });
    }
  }

  static bool DependsOnLength(const FactorBound& bound) {
    return bound.if_fits || bound.value == FactorBound::kWhole;
  }

  static void Limit(const FactorBound& bound, int64_t whole, LoopLimits* limits) {
    const int64_t value = bound.value == FactorBound::kWhole ? whole : bound.value;
    if (bound.if_fits && value > whole) return;
    if (bound.relation != Relation::kAtMost) limits->min = std::max(limits->min, value);
    if (bound.relation != Relation::kAtLeast) limits->max = std::min(limits->max, value);
  }

  void AddByLength(const FactorBound& bound) {
    for (const FactorBound& other : limits_.by_length) {
      if (other == bound) return;
      if (other.dim != bound.dim) continue;
      Fault(fmt::format("'{}' fixes the factor of '{}' twice", at_, bound.dim),
            "drop one of the constraints, or convert it together with a problem");
    }
    limits_.by_length.push_back(bound);
  }

  // Of two lists the longer holds, if the shorter is its beginning.
  void MergeOrder(const char* end, const Names& names, Names* order) {
    Names more;
    for (const std::string& name : names) {
      if (const auto d = Find(name)) more.push_back(limits_.dims[*d]);
    }
    const size_t common = std::min(more.size(), order->size());
    if (!std::equal(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(common),
                    order->begin())) {
      Fault(fmt::format("two constraints give different {} loops of '{}'", end, at_),
            "drop one of them");
    } else if (more.size() > order->size()) {
      *order = std::move(more);
    }
  }

  // An axis of one lane unrolls nothing, and what has no axis has no loop.
  void Close(const std::string& dim, LoopLimits* limits) {
    if (fanout_ != nullptr) {
      limits->on_x = limits->on_x && fanout_->x > 1;
      limits->on_y = limits->on_y && fanout_->y > 1;
      if (!limits->on_x && !limits->on_y) limits->max = 1;
    }
    if (limits->min <= limits->max) return;
    Fault(fmt::format("the constraints contradict each other: '{}' must take at least {} and at "
                      "most {} steps at '{}'",
                      dim.empty() ? "every other dimension" : dim, limits->min, limits->max, at_),
          "drop one of them");
  }

  void Fault(std::string message, std::string hint) {
    faults_->push_back(MakeError({}, std::move(message), std::move(hint)));
  }

  const std::string& at_;
  const Fanout* fanout_;
  const Problem* problem_;
  Diagnostics* faults_;
  PlaceLimits limits_;
};

}  // namespace

bool PlaceLimits::AnyOf(bool (*holds)(const LoopLimits&)) const {
  const auto can = [holds](const LoopLimits& limits) { return limits.CanLoop() && holds(limits); };
  return std::any_of(loops.begin(), loops.end(), can) || (others && can(*others));
}

PlaceLimits LimitsAt(const Architecture& architecture, const std::string& at, const Fanout* fanout,
                     const Problem* problem, Diagnostics* faults) {
  return Collector(at, fanout, problem, faults).Collect(architecture.constraints);
}

}  // namespace inlay::io::timeloop

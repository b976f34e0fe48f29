#include "inlay/core/architecture_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool Keeps(const Architecture& architecture, const Budget& budget, Resource resource) {
  const std::optional<double>& most = budget.of(resource);
  return !most || UseOf(architecture, resource) <= *most;
}

bool KeepsResources(const Architecture& architecture, const Budget& budget) {
  return std::all_of(kResources.begin(), kResources.end(),
                     [&](Resource r) { return Keeps(architecture, budget, r); });
}

bool KeepsLimits(const Architecture& architecture, const Budget& budget) {
  return std::all_of(budget.limits.begin(), budget.limits.end(),
                     [&](const Limit& limit) { return IsKept(architecture, limit); });
}

// Calls with the values of every choice and the architecture that has them; one lane where lanes
// are to fill the budget.
using ChoiceSink = std::function<void(const ArchitectureChoice&)>;
void ForEachChoice(const ArchitectureSpace& space, const ChoiceSink& sink) {
  ArchitectureChoice current{{}, space.base, std::nullopt};
  current.values.assign(space.free.size(), 1);
  const std::function<void(size_t)> choose = [&](size_t i) {
    if (i == space.free.size()) return sink(current);
    const FreeAttribute& attribute = space.free[i];
    const std::vector<double> one = {1};
    for (const double value : attribute.values.empty() ? one : attribute.values) {
      current.values[i] = value;
      SetValue(attribute.attribute, value, &current.architecture);
      choose(i + 1);
    }
  };
  choose(0);
}

// As many lanes as the budgets allow; with one they do. What an architecture takes grows with them.
void Fill(const ArchitectureSpace& space, ArchitectureChoice* choice) {
  for (size_t i = 0; i < space.free.size(); ++i) {
    if (!space.free[i].values.empty()) continue;
    const auto set = [&](int64_t lanes) {
      choice->values[i] = static_cast<double>(lanes);
      SetValue(space.free[i].attribute, choice->values[i], &choice->architecture);
    };
    int64_t fits = 1, too_many = kMostLanes / ComputeLanes(choice->architecture) + 1;
    while (too_many - fits > 1) {
      const int64_t middle = fits + (too_many - fits) / 2;
      set(middle);
      (KeepsResources(choice->architecture, space.budget) ? fits : too_many) = middle;
    }
    set(fits);
  }
}

// Why no architecture keeps to the budgets, and what would be enough.
class Explainer {
 public:
  explicit Explainer(const ArchitectureSpace& space) : space_(space), budget_(space.budget) {
    needed_.fill(kInfinity);
    least_.assign(budget_.limits.size(), kInfinity);
    ForEachChoice(space, [this](const ArchitectureChoice& choice) { Look(choice); });
  }

  Faults Run() const {
    Faults faults;
    if (!limits_kept_) return OfLimits();
    for (const Resource resource : kResources) {
      const double needed = needed_[static_cast<size_t>(resource)];
      if (!budget_.of(resource) || std::isinf(needed)) continue;
      faults.push_back(TooSmall(resource, needed));
    }
    if (faults.empty()) faults.push_back(AllAtOnce());
    return faults;
  }

 private:
  void Look(const ArchitectureChoice& choice) {
    const Architecture& architecture = choice.architecture;
    for (size_t i = 0; i < least_.size(); ++i) {
      least_[i] = std::min(least_[i], SumOf(architecture, budget_.limits[i].left));
    }
    if (!KeepsLimits(architecture, budget_)) return;
    limits_kept_ = true;
    double worst = 0;
    for (const Resource resource : kResources) {
      if (!budget_.of(resource)) continue;
      const double use = UseOf(architecture, resource);
      worst = std::max(worst, use / *budget_.of(resource));
      const bool others = std::all_of(kResources.begin(), kResources.end(), [&](Resource r) {
        return r == resource || Keeps(architecture, budget_, r);
      });
      double& needed = needed_[static_cast<size_t>(resource)];
      if (others) needed = std::min(needed, use);
    }
    if (worst < nearest_use_) {
      nearest_use_ = worst;
      nearest_ = choice.architecture;
    }
  }

  std::string Text(Resource resource, double amount) const {
    return AmountText(space_.base, resource, amount);
  }

  Fault TooSmall(Resource resource, double needed) const {
    static constexpr std::array kWhat = {"an area", "a power", "an SRAM", "a bandwidth"};
    const std::string enough = Text(resource, RoundedUp(space_.base, resource, needed));
    const auto given = std::count_if(kResources.begin(), kResources.end(),
                                     [this](Resource r) { return budget_.of(r).has_value(); });
    const bool alone = given == 1 && budget_.limits.empty();
    return {fmt::format("budget.{}", Name(resource)),
            fmt::format("{} of {} is too small: the smallest architecture {}takes {}",
                        kWhat[static_cast<size_t>(resource)], Text(resource, *budget_.of(resource)),
                        alone ? "" : "within the other budgets ", enough),
            fmt::format("allow {}, or smaller memories", enough)};
  }

  // No single budget is to blame: what the architecture takes that exceeds them least.
  Fault AllAtOnce() const {
    std::string all;
    for (const Resource resource : kResources) {
      if (!budget_.of(resource)) continue;
      const double use = RoundedUp(space_.base, resource, UseOf(nearest_, resource));
      all += (all.empty() ? "" : ", ") + fmt::format("{} {}", Name(resource), Text(resource, use));
    }
    return {"budget", "no architecture keeps to all budgets at once",
            "the nearest takes " + all + "; allow that, or smaller memories"};
  }

  Faults OfLimits() const {
    Faults faults;
    for (size_t i = 0; i < least_.size(); ++i) {
      const Limit& limit = budget_.limits[i];
      const bool constant = std::all_of(limit.right.begin(), limit.right.end(),
                                        [](const LimitTerm& t) { return t.attributes.empty(); });
      if (limit.relation != Relation::kAtMost || !constant) continue;
      if (least_[i] <= SumOf(space_.base, limit.right)) continue;
      faults.push_back(
          {fmt::format("budget.limits[{}]", i),
           fmt::format("no architecture keeps to '{}': the least is {}", limit.text, least_[i]),
           fmt::format("allow {}", least_[i])});
    }
    if (!faults.empty()) return faults;
    return {{"budget.limits", "no choice of the free attributes keeps to all limits at once",
             "drop one of them, or allow more values"}};
  }

  const ArchitectureSpace& space_;
  const Budget& budget_;
  bool limits_kept_ = false;
  std::array<double, kResources.size()> needed_{};  // with all other budgets kept
  std::vector<double> least_;                       // left sides of the limits
  Architecture nearest_;
  double nearest_use_ = kInfinity;
};

void ValidateValues(const FreeAttribute& free, Faults* faults) {
  const bool count = IsCount(free.attribute);
  for (const double value : free.values) {
    if (std::isfinite(value) && value > 0 && (!count || value == std::floor(value))) continue;
    faults->push_back(
        {free.name,
         count ? "the values must be whole numbers from 1" : "the values must be numbers above 0",
         ""});
    return;
  }
  if (free.values.size() > kMostFreeValues) {
    faults->push_back({free.name,
                       fmt::format("'{}' has {} values; at most {} can be tried", free.name,
                                   free.values.size(), kMostFreeValues),
                       "take larger steps, or powers of two"});
  }
  if (free.values.empty() && !IsFanout(free.attribute)) {
    faults->push_back({free.name, "'" + free.name + "' has no values to choose from",
                       "only a fan-out can take what the budget leaves"});
  }
}

void ValidateFilling(const ArchitectureSpace& space, Faults* faults) {
  const auto filling = std::count_if(space.free.begin(), space.free.end(),
                                     [](const FreeAttribute& f) { return f.values.empty(); });
  if (filling > 1) {
    faults->push_back({"levels", "two attributes are to take what the budget leaves",
                       "give values for one of them"});
  }
  if (filling > 0 && !space.budget.area_um2 && !space.budget.power_pj_per_cycle) {
    faults->push_back(
        {"budget", "there is no budget that a fan-out could fill", "give one of area or power"});
  }
}

}  // namespace

std::vector<double> PowersOfTwo(double min, double max) {
  std::vector<double> powers;
  if (!(min > 0) || !std::isfinite(max)) return powers;
  double power = std::exp2(std::ceil(std::log2(min)));
  while (power <= max) {
    powers.push_back(power);
    power *= 2;
  }
  return powers;
}

Faults Validate(const ArchitectureSpace& space) {
  Faults faults;
  size_t choices = 1;
  for (const FreeAttribute& free : space.free) {
    ValidateValues(free, &faults);
    choices = std::min(kMostChoices + 1, choices * std::max<size_t>(1, free.values.size()));
  }
  if (choices > kMostChoices) {
    faults.push_back({"levels",
                      fmt::format("the free attributes have more than {} choices", kMostChoices),
                      "leave out some values"});
  }
  ValidateFilling(space, &faults);
  for (const Resource resource : kResources) {
    if (!space.budget.of(resource)) continue;
    for (Fault& fault : WhyUnknown(space.base, resource)) faults.push_back(std::move(fault));
  }
  return faults;
}

tl::expected<std::vector<ArchitectureChoice>, Faults> ListArchitectures(
    const ArchitectureSpace& space) {
  std::vector<ArchitectureChoice> choices;
  ForEachChoice(space, [&](const ArchitectureChoice& smallest) {
    if (!KeepsResources(smallest.architecture, space.budget)) return;
    ArchitectureChoice choice = smallest;
    Fill(space, &choice);
    if (!KeepsLimits(choice.architecture, space.budget)) return;
    choice.area_um2 = AreaUm2(choice.architecture);
    choices.push_back(std::move(choice));
  });
  if (!choices.empty()) return choices;
  return tl::unexpected(Explainer(space).Run());
}

}  // namespace inlay

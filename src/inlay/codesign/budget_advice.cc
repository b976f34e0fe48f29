#include "inlay/codesign/budget_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace inlay {
namespace {

class BudgetSearch {
 public:
  BudgetSearch(const CodesignTask& task, Resource resource, const Deadline& deadline)
      : task_(task), deadline_(deadline) {
    ArchitectureSpace space = task.space;
    space.budget.of(resource).reset();
    for (FreeAttribute& free : space.free) {
      if (free.values.empty()) free.values = {1};  // lanes that fill the budget: one is enough
    }
    if (auto choices = ListArchitectures(space)) {
      for (ArchitectureChoice& choice : *choices) {
        const double use = UseOf(choice.architecture, resource);
        architectures_.emplace_back(use, std::move(choice.architecture));
      }
    }
    std::stable_sort(architectures_.begin(), architectures_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  // The least use with which every layer, or all together, have mappings.
  std::optional<double> Run() const {
    double enough = 0;
    const bool together = task_.scope != Scope::kLayer && task_.scope != Scope::kHetero;
    for (const Layer& layer : task_.network.layers) {
      if (together) break;
      const auto first = std::find_if(architectures_.begin(), architectures_.end(),
                                      [&](const auto& at) { return Fits(layer, at.second); });
      if (first == architectures_.end()) return std::nullopt;
      enough = std::max(enough, first->first);
    }
    if (!together) return enough;
    for (const auto& [use, architecture] : architectures_) {
      const auto fits = [&, &at = architecture](const Layer& layer) { return Fits(layer, at); };
      if (std::all_of(task_.network.layers.begin(), task_.network.layers.end(), fits)) return use;
    }
    return std::nullopt;
  }

 private:
  bool Fits(const Layer& layer, const Architecture& architecture) const {
    auto space = SpaceOf(task_, layer.problem, architecture, task_.mapspace);
    if (!space || deadline_.Passed()) return false;
    MapOptions options = task_.options;
    options.objective = {Metric::kEnergy};
    options.time_limit_seconds.reset();
    if (task_.options.time_limit_seconds) {
      options.time_limit_seconds =
          std::max(0.0, *task_.options.time_limit_seconds - deadline_.SecondsSinceStart());
    }
    return MapLayer(*space, options, deadline_.stop()).best.has_value();
  }

  const CodesignTask& task_;
  const Deadline& deadline_;
  std::vector<std::pair<double, Architecture>> architectures_;  // by what they use
};

}  // namespace

Faults SuggestBudgets(const CodesignTask& task, const Deadline& deadline) {
  static constexpr std::array kWhat = {"an area", "a power", "an SRAM", "a bandwidth"};
  Faults faults;
  for (const Resource resource : kResources) {
    const std::optional<double>& given = task.space.budget.of(resource);
    if (!given) continue;
    const auto enough = BudgetSearch(task, resource, deadline).Run();
    if (!enough || *enough <= *given) continue;
    const Architecture& base = task.space.base;
    const std::string needed = AmountText(base, resource, RoundedUp(base, resource, *enough));
    faults.push_back(
        {fmt::format("budget.{}", Name(resource)),
         fmt::format("{} of {} leaves no architecture on which {} has a mapping: {} "
                     "is needed",
                     kWhat[static_cast<size_t>(resource)], AmountText(base, resource, *given),
                     task.network.layers.size() == 1 ? "the layer" : "every layer", needed),
         "allow " + needed});
  }
  return faults;
}

}  // namespace inlay

#include "inlay/codesign/gp_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "inlay/base/mention.h"
#include "inlay/core/roles.h"
#include "inlay/mapper/gp/pipeline.h"

namespace inlay {
namespace {

constexpr size_t kMostPlaces = 64;   // of windows
constexpr size_t kMostForms = 64;    // whose architectures are looked at, from the least optimum
constexpr size_t kMostRounded = 48;  // structures on an architecture whose tiles are rounded
constexpr double kMoreArea = 2;      // where the area leaves no room between the smallest sizes

// The free sizes as variables of programs, and the family with all of them at their largest.
struct FreeSizes {
  Architecture largest;
  gp::Sizes sizes;
  gp::VariableNames names;
  std::vector<std::optional<gp::VariableId>> variables;  // by attribute; none: it has one value
  std::vector<gp::Signomial> limits;                     // least and most of every size
};

bool IsCapacity(const Attribute& attribute) {
  return attribute.Is(Attribute::Part::kLevel, "capacity");
}
bool IsSize(const Attribute& attribute) { return IsCapacity(attribute) || IsFanout(attribute); }

void SetVariable(const Attribute& attribute, const gp::Monomial& variable, gp::Sizes* sizes) {
  if (IsCapacity(attribute)) sizes->capacity_words[attribute.level] = variable;
  if (attribute.Is(Attribute::Part::kFanout, "x")) sizes->x[attribute.level] = variable;
  if (attribute.Is(Attribute::Part::kFanout, "y")) sizes->y[attribute.level] = variable;
}

FreeSizes FreeSizesOf(const ArchitectureSpace& space,
                      const std::vector<ArchitectureChoice>& choices) {
  FreeSizes free;
  free.largest = space.base;
  std::vector<std::pair<double, double>> ranges;
  for (size_t i = 0; i < space.free.size(); ++i) {
    const auto [least, most] = std::minmax_element(
        choices.begin(), choices.end(),
        [i](const auto& a, const auto& b) { return a.values[i] < b.values[i]; });
    SetValue(space.free[i].attribute, most->values[i], &free.largest);
    ranges.emplace_back(least->values[i], most->values[i]);
  }
  free.sizes = gp::SizesOf(free.largest);
  for (size_t i = 0; i < space.free.size(); ++i) {
    free.variables.emplace_back();
    if (ranges[i].first == ranges[i].second) continue;
    free.variables.back() = gp::VariableId(free.names.size());
    const gp::Monomial variable = gp::Variable(*free.variables.back());
    free.names.push_back(space.free[i].name);
    SetVariable(space.free[i].attribute, variable, &free.sizes);
    free.limits.emplace_back(gp::Constant(ranges[i].first) * gp::Pow(variable, -1));
    free.limits.emplace_back(gp::Constant(1 / ranges[i].second) * variable);
  }
  return free;
}

// One structure in real numbers, the sizes first among the values.
struct Relaxation {
  const gp::LoopStructure* structure = nullptr;
  gp::RelaxedSolution relaxed;
};

class GpMethod {
 public:
  GpMethod(const CodesignTask& task, const Problem& problem,
           const std::vector<ArchitectureChoice>& choices, const Deadline& deadline)
      : task_(task),
        problem_(problem),
        choices_(choices),
        deadline_(deadline),
        free_(FreeSizesOf(task.space, choices)) {
    if (!task.tensor_names_resolved) UseNamesOf(problem, &free_.largest);
  }

  std::optional<GpDesign> Run() {
    const std::optional<Space> space = SpaceOn(free_.largest);
    if (!space) return std::nullopt;
    structures_ = gp::LoopStructuresOf(*space, gp::AllWindows(*space, kMostPlaces));
    std::vector<Relaxation> relaxations = Relax(*space, 1);
    if (relaxations.empty()) relaxations = Relax(*space, kMoreArea);
    if (relaxations.empty()) return std::nullopt;
    design_.relaxed = relaxations.front().relaxed.objective;
    RoundBest(OnArchitectures(relaxations));
    if (!best_) return std::nullopt;
    design_.choice = *best_;
    design_.solution = *std::move(answers_.at(*best_).best);
    return std::move(design_);
  }

 private:
  // A structure on an architecture.
  struct Fixed {
    bool stretched = false;  // comes last: tiles may have no room at all
    double objective = 0;
    size_t choice = 0;
    const gp::LoopStructure* structure = nullptr;
    gp::Values values;
  };

  // None where constraints contradict what was chosen.
  std::optional<Space> SpaceOn(const Architecture& architecture) const {
    auto space = SpaceOf(task_, problem_, architecture, Mapspace::kPerfect);
    return space ? std::optional<Space>(*std::move(space)) : std::nullopt;
  }

  // The structures of the least optima, best first; `area`: so many times what there is.
  std::vector<Relaxation> Relax(const Space& space, double area) {
    gp::SymbolicArchitecture machine =
        gp::SymbolicArchitectureOf(problem_, free_.largest, free_.sizes);
    machine.limits = free_.limits;
    if (const auto& budget = task_.space.budget.area_um2) {
      machine.limits.push_back(gp::Signomial(gp::Constant(1 / (area * *budget))) *
                               gp::AreaOf(free_.largest, free_.sizes));
    }
    std::vector<Relaxation> all;
    for (const gp::LoopStructure& structure : structures_) {
      if (deadline_.Passed()) break;
      const gp::Unknowns unknowns(space, free_.names, structure.windows);
      ++design_.programs;
      auto relaxed = gp::SolveRelaxed(space, unknowns, machine, unknowns.NestOf(structure.orders),
                                      gp::ProgramOptionsOf(task_.options));
      if (relaxed) all.push_back({&structure, *std::move(relaxed)});
    }
    std::stable_sort(all.begin(), all.end(), [](const Relaxation& a, const Relaxation& b) {
      return a.relaxed.objective < b.relaxed.objective;
    });
    return all;
  }

  // Architectures of which every size is one of the nearest that there are; the nearest of all
  // where the budgets allow none of those. What fills the area follows from the rest.
  std::vector<size_t> Nearest(const gp::Values& values) const {
    const auto distance = [&](size_t i, double size) {
      const auto& variable = free_.variables[i];
      return variable ? std::abs(std::log(size / values[*variable])) : 0;
    };
    const std::vector<FreeAttribute>& free = task_.space.free;
    std::vector<double> farthest(free.size(), 0);
    for (size_t i = 0; i < free.size(); ++i) {
      std::vector<double> distances;
      for (const double size : free[i].values) distances.push_back(distance(i, size));
      const auto count =
          std::min(distances.size(), static_cast<size_t>(task_.options.gp.nearest_sizes));
      std::sort(distances.begin(), distances.end());
      if (count > 0) farthest[i] = distances[count - 1];
    }
    std::vector<size_t> nearest;
    std::pair<double, size_t> closest = {std::numeric_limits<double>::infinity(), 0};
    for (size_t c = 0; c < choices_.size(); ++c) {
      bool is_near = true;
      double sum = 0;
      for (size_t i = 0; i < free.size(); ++i) {
        if (free[i].values.empty()) continue;
        const double away = distance(i, choices_[c].values[i]);
        is_near &= away <= farthest[i];
        sum += away;
      }
      if (is_near) nearest.push_back(c);
      closest = std::min(closest, {sum, c});
    }
    if (nearest.empty()) nearest.push_back(closest.second);
    return nearest;
  }

  // The same programs with the sizes of architectures near by, best first.
  std::vector<Fixed> OnArchitectures(const std::vector<Relaxation>& relaxations) {
    std::vector<Fixed> all;
    for (size_t i = 0; i < std::min(relaxations.size(), kMostForms); ++i) {
      for (const size_t choice : Nearest(relaxations[i].relaxed.values)) {
        if (deadline_.Passed()) return all;
        const gp::Pipeline* pipeline = PipelineOn(choice);
        if (pipeline == nullptr) continue;
        ++design_.programs;
        auto fixed = pipeline->Solve(*relaxations[i].structure);
        if (!fixed) continue;
        all.push_back({fixed->stretched, fixed->objective, choice, relaxations[i].structure,
                       std::move(fixed->values)});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Fixed& a, const Fixed& b) {
      return std::pair(a.stretched, a.objective) < std::pair(b.stretched, b.objective);
    });
    return all;
  }

  // Cycles alone do not distinguish orders: a few structures of every architecture are enough, and
  // the ties of one must not keep the others waiting.
  bool IsTie(const Fixed& fixed) {
    constexpr int kMostTies = 4;
    return task_.options.objective.front() == Metric::kDelay &&
           ++rounded_of_[fixed.choice] > kMostTies;
  }

  void RoundBest(std::vector<Fixed> all) {
    std::erase_if(all, [&](const Fixed& fixed) { return IsTie(fixed); });
    std::optional<double> least;  // of a candidate, by the program's objective
    for (size_t i = 0; i < std::min(all.size(), kMostRounded); ++i) {
      // In real numbers nothing is lost, so nothing of this program can win.
      if (least && all[i].objective > *least) break;
      if (deadline_.Passed()) break;
      LayerAnswer& answer = answers_[all[i].choice];
      const auto found =
          PipelineOn(all[i].choice)->Round(*all[i].structure, all[i].values, &answer);
      if (found && (!least || *found < *least)) least = found;
      if (answer.best && (!best_ || IsBetter(answer, answers_[*best_]))) best_ = all[i].choice;
    }
    design_.tried = answers_.size();
  }

  bool IsBetter(const LayerAnswer& a, const LayerAnswer& b) const {
    return ValuesOf(a.best->cost, task_.options.objective) <
           ValuesOf(b.best->cost, task_.options.objective);
  }

  // nullptr: no space.
  gp::Pipeline* PipelineOn(size_t choice) {
    const auto [found, is_new] = spaces_.try_emplace(choice);
    if (is_new) {
      found->second = SpaceOn(choices_[choice].architecture);
      if (found->second) pipelines_.emplace(choice, gp::Pipeline(*found->second, task_.options));
    }
    const auto pipeline = pipelines_.find(choice);
    return pipeline == pipelines_.end() ? nullptr : &pipeline->second;
  }

  const CodesignTask& task_;
  const Problem& problem_;
  const std::vector<ArchitectureChoice>& choices_;
  const Deadline& deadline_;
  FreeSizes free_;
  std::vector<gp::LoopStructure> structures_;
  std::map<size_t, std::optional<Space>> spaces_;
  std::map<size_t, gp::Pipeline> pipelines_;
  std::map<size_t, LayerAnswer> answers_;
  std::map<size_t, int> rounded_of_;  // architecture
  std::optional<size_t> best_;
  GpDesign design_;
};

}  // namespace

Faults CheckGp(const CodesignTask& task, const Architecture& architecture) {
  if (task.scope != Scope::kLayer && task.scope != Scope::kDominant) {
    return {
        {"scope", "the method 'gp' knows the scopes layer and dominant only",
         fmt::format("ask for {}, the paper's way to one architecture for all layers, or use {}",
                     Mention("scope", "dominant"), Mention("method", "exact"))}};
  }
  if (task.mapspace != Mapspace::kPerfect) {
    return {
        {"mapspace", "the method 'gp' rounds to divisors: its mapspace is 'perfect'",
         fmt::format("leave {} out, or use {}", Mention("mapspace"), Mention("method", "exact"))}};
  }
  for (const FreeAttribute& free : task.space.free) {
    if (IsSize(free.attribute)) continue;
    return {{free.name,
             "the method 'gp' chooses capacities and fan-outs; '" + free.name + "' is neither",
             "give it one value, or use " + Mention("method", "exact")}};
  }
  for (const Layer& layer : task.network.layers) {
    const auto space = SpaceOf(task, layer.problem, architecture, Mapspace::kPerfect);
    Faults faults = space ? gp::FindUnfit(*space) : space.error();
    for (Fault& fault : faults) fault.hint = "use " + Mention("method", "exact");
    if (!faults.empty()) return faults;
  }
  return {};
}

std::optional<GpDesign> DesignByGp(const CodesignTask& task, const Problem& problem,
                                   const std::vector<ArchitectureChoice>& choices,
                                   const Deadline& deadline) {
  return GpMethod(task, problem, choices, deadline).Run();
}

}  // namespace inlay

#include "inlay/io/timeloop/timeloop_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/io/timeloop/limits.h"
#include "inlay/io/timeloop/targets.h"

namespace inlay::io::timeloop {
namespace {

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Constraint WithoutLoops(std::string at) {
  Constraint constraint;
  constraint.at = std::move(at);
  constraint.loops.emplace();
  return constraint;
}

class FormMaker {
 public:
  FormMaker(const Architecture& original, std::vector<std::string> tensors, Diagnostics* faults)
      : original_(original), tensors_(std::move(tensors)), faults_(faults) {}

  TimeloopForm Make() {
    form_.architecture = original_;
    form_.architecture.levels = {};
    form_.architecture.constraints = {};
    for (LevelId l : Ids(original_.levels)) AddLevel(l);
    for (const Constraint& constraint : original_.constraints) {
      if (const auto level = FindLevel(original_, constraint.at)) {
        AddToLevel(*level, constraint);
      } else {
        AddToFanout(constraint);
      }
    }
    form_.tensors = std::move(tensors_);
    return std::move(form_);
  }

 private:
  Architecture& made() { return form_.architecture; }

  void Fault(std::string message, std::string hint = "") {
    faults_->push_back(MakeError({}, std::move(message), std::move(hint)));
  }

  std::string FreeName(std::string name) const {
    const auto taken = [&name](const Architecture& architecture) {
      return std::any_of(
          architecture.levels.begin(), architecture.levels.end(),
          [&name](const Level& level) { return level.name == name || level.fanout.name == name; });
    };
    while (taken(original_) || taken(form_.architecture)) name += "_";
    return name;
  }

  LevelId Add(Level level) {
    made().levels.push_back(std::move(level));
    return LevelId(made().levels.size() - 1);
  }

  void AddLevel(LevelId l) {
    const Level& level = original_.levels[l];
    TimeloopForm::Place place;
    if (level.partitions.empty()) place.parts.push_back(Add(level));
    for (size_t p = 0; p < level.partitions.size(); ++p) {
      place.parts.push_back(Add(PartOf(level, p)));
      const bool innermost = p + 1 == level.partitions.size();
      if (!innermost) made().constraints.push_back(WithoutLoops(made().levels.back().name));
    }
    place.loops = place.parts.back();
    if (NeedsTwo(level.fanout)) {
      made().levels[place.loops].fanout.y = 1;
      place.y = Add(YAxisOf(level.fanout));
      made().constraints.push_back(WithoutLoops(made().levels.back().name));
    }
    form_.places.push_back(std::move(place));
  }

  Level PartOf(const Level& level, size_t p) const {
    const Partition& partition = level.partitions[p];
    Level part = level;
    if (level.partitions.size() > 1) part.name = FreeName(level.name + "_" + partition.tensor);
    part.partitions.clear();
    part.kind = partition.kind.value_or(level.kind);
    part.word_bits = partition.word_bits;
    part.capacity_words = partition.capacity_words;
    if (p > 0) part.leakage_pj_per_cycle = 0;  // it is that of the whole level
    if (p + 1 < level.partitions.size()) part.fanout = Fanout();
    part.keep.emplace();
    part.bypass.emplace();
    for (const std::string& tensor : tensors_) {
      const bool own = tensor == partition.tensor;
      const KeepRule rule = own ? KeepRuleOf(level, tensor) : KeepRule::kBypass;
      if (rule == KeepRule::kKeep) part.keep->names.push_back(tensor);
      if (rule == KeepRule::kBypass) part.bypass->names.push_back(tensor);
    }
    return part;
  }

  // Whether a split cannot say which dimensions lie on which axis.
  bool NeedsTwo(const Fanout& fanout) const {
    if (fanout.x == 1 || fanout.y == 1) return false;
    Diagnostics ignored;  // reported when the constraints are written
    const PlaceLimits limits = LimitsAt(original_, fanout.name, &fanout, nullptr, &ignored);
    return limits.AnyOf(OnBoth) && limits.AnyOf(OnOne);
  }

  Level YAxisOf(const Fanout& fanout) const {
    Level level;
    level.name = FreeName(ContainerFanoutName(fanout.name + "_y"));
    level.kind = MemoryKind::kRegister;
    level.energy = AccessEnergy();
    level.bypass = TensorNameSet{true, {}};
    level.fanout = fanout;
    level.fanout.name = FreeName(fanout.name + "_y");
    level.fanout.x = 1;
    return level;
  }

  // Loops and their order go to the level of the loops, tensors to their partitions.
  void AddToLevel(LevelId l, Constraint constraint) {
    const Level& level = original_.levels[l];
    const TimeloopForm::Place& place = form_.places[l];
    if (place.parts.size() > 1 && constraint.min_utilization.value_or(0) > 0) {
      Fault(
          fmt::format("'{}' asks for a share of all its partitions together, which Timeloop "
                      "cannot say",
                      level.name));
    }
    for (size_t p = 0; p < level.partitions.size(); ++p) {
      const std::string& tensor = level.partitions[p].tensor;
      Constraint own;
      own.at = made().levels[place.parts[p]].name;
      if (Has(constraint.keep, tensor)) own.keep.push_back(tensor);
      if (Has(constraint.bypass, tensor)) own.bypass.push_back(tensor);
      if (!own.keep.empty() || !own.bypass.empty()) made().constraints.push_back(std::move(own));
    }
    if (!level.partitions.empty()) {
      constraint.keep.clear();
      constraint.bypass.clear();
    }
    constraint.at = made().levels[place.loops].name;
    made().constraints.push_back(std::move(constraint));
  }

  void AddToFanout(const Constraint& constraint) {
    for (LevelId l : Ids(original_.levels)) {
      const Level& level = original_.levels[l];
      if (level.fanout.name != constraint.at) continue;
      if (form_.places[l].y) {
        Divide(level.fanout, made().levels[*form_.places[l].y].fanout.name, constraint);
      } else {
        made().constraints.push_back(constraint);
      }
      return;
    }
    Fault(fmt::format("the architecture has no level or fan-out '{}'", constraint.at));
  }

  // A constraint of a fan-out as one of its x and one of its y.
  void Divide(const Fanout& fanout, const std::string& name_of_y, const Constraint& constraint) {
    Constraint on_x = constraint, on_y = constraint;
    on_y.at = name_of_y;
    on_x.y.reset();
    on_x.not_y.clear();
    on_y.x.reset();
    on_y.not_x.clear();
    on_x.factors.clear();
    on_y.factors.clear();
    Diagnostics ignored;
    const PlaceLimits limits = LimitsAt(original_, fanout.name, &fanout, nullptr, &ignored);
    for (const FactorBound& bound : constraint.factors) {
      const auto d = std::find(limits.dims.begin(), limits.dims.end(), bound.dim);
      const LoopLimits& loops = limits.loops[static_cast<size_t>(d - limits.dims.begin())];
      if (loops.on_x && loops.on_y && !IsOne(bound)) RefuseBoth(fanout, bound.dim);
      if (loops.on_x || !loops.on_y) on_x.factors.push_back(bound);
      if (loops.on_y) on_y.factors.push_back(bound);
    }
    if (constraint.default_factor && !IsOne(*constraint.default_factor)) {
      RefuseBoth(fanout, "every other dimension");
    }
    if (constraint.min_utilization.value_or(0) > 0 && *constraint.min_utilization < 1) {
      Fault(
          fmt::format("'{}' asks for a share of the lanes of both axes together, which Timeloop "
                      "cannot say where a dimension may lie on either",
                      fanout.name));
      on_x.min_utilization.reset();
      on_y.min_utilization.reset();
    }
    made().constraints.push_back(std::move(on_x));
    made().constraints.push_back(std::move(on_y));
  }

  static bool IsOne(const FactorBound& bound) {
    return bound.value == 1 && bound.relation != Relation::kAtLeast;
  }

  void RefuseBoth(const Fanout& fanout, const std::string& dim) {
    Fault(fmt::format("'{}' limits the steps of '{}' on both axes together, which Timeloop cannot "
                      "say",
                      fanout.name, dim),
          "give every dimension an axis of its own, by 'x' and 'y', or drop the factor");
  }

  const Architecture& original_;
  std::vector<std::string> tensors_;
  Diagnostics* faults_;
  TimeloopForm form_;
};

}  // namespace

std::vector<std::string> TensorsOf(const Architecture& architecture, const Problem* problem) {
  if (problem != nullptr) return TensorNames(*problem);
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (!Has(names, name)) names.push_back(name);
  };
  for (const Level& level : architecture.levels) {
    for (const auto* set : {&level.keep, &level.bypass}) {
      if (*set) std::for_each((*set)->names.begin(), (*set)->names.end(), add);
    }
    for (const Partition& partition : level.partitions) add(partition.tensor);
  }
  for (const Constraint& constraint : architecture.constraints) {
    for (const auto* list : {&constraint.keep, &constraint.bypass}) {
      std::for_each(list->begin(), list->end(), add);
    }
  }
  const std::vector<std::string> usual = {"Weights", "Inputs", "Outputs"};
  const bool is_usual = std::all_of(names.begin(), names.end(),
                                    [&](const std::string& name) { return Has(usual, name); });
  return is_usual ? usual : names;
}

TimeloopForm FormOf(const Architecture& architecture, const Problem* problem, Diagnostics* faults) {
  return FormMaker(architecture, TensorsOf(architecture, problem), faults).Make();
}

Mapping InForm(const TimeloopForm& form, const Architecture& original, const Problem& problem,
               const Mapping& mapping, Diagnostics* faults) {
  Mapping result;
  result.levels.resize(form.architecture.levels.size());
  for (LevelId l : Ids(mapping.levels)) {
    const Level& level = original.levels[l];
    const TimeloopForm::Place& place = form.places[l];
    const LevelMapping& given = mapping.levels[l];
    LevelMapping& loops = result.levels[place.loops];
    loops.temporal = given.temporal;
    if (level.partitions.empty()) loops.keep = given.keep;
    for (size_t p = 0; p < level.partitions.size(); ++p) {
      const auto tensor = FindTensor(problem, level.partitions[p].tensor);
      if (tensor && given.keep.contains(*tensor)) {
        result.levels[place.parts[p]].keep.insert(*tensor);
      }
    }
    std::vector<bool> on_y(problem.dims.size(), false);
    for (const Loop& loop : given.spatial) {
      const bool apart = place.y && loop.axis == Axis::kY;
      result.levels[apart ? *place.y : place.loops].spatial.push_back(loop);
      if (apart) on_y[loop.dim.value()] = true;
      if (apart || !on_y[loop.dim.value()]) continue;
      faults->push_back(MakeError({}, fmt::format("'{}' unrolls '{}' on y around x, of which "
                                                  "Timeloop knows the other order",
                                                  level.fanout.name, problem.dims[loop.dim].name)));
    }
  }
  return result;
}

}  // namespace inlay::io::timeloop

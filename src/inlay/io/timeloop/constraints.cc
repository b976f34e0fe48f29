#include "inlay/io/timeloop/constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/io/timeloop/factors.h"
#include "inlay/io/timeloop/targets.h"

namespace inlay::io::timeloop {
namespace {

class ConstraintReader {
 public:
  // `keep_levels`: what is kept and bypassed becomes constraints; the levels stay as they are.
  ConstraintReader(bool own_fanouts, bool keep_levels, const Problem* problem,
                   Architecture* architecture, Report* report)
      : own_fanouts_(own_fanouts),
        keep_levels_(keep_levels),
        problem_(problem),
        architecture_(architecture),
        report_(report) {
    if (problem_ != nullptr) dims_ = DimNames(*problem_);
  }

  // {version, targets: […]}, {constraints: […]} or the list itself.
  void ReadSection(const Node& section) {
    if (section.IsSequence()) {
      for (const Node& entry : section.items) ReadEntry(entry);
      return;
    }
    Fields fields(section, "the constraints", report_);
    fields.Ignore({"version"});
    if (const Node* name = fields.Take("template")) {
      report_->Warn(*name, "the mapspace's template is not used");
    }
    std::string chosen;  // one of several lists, "constraints_rowstationary: […]"
    for (const char* key : {"targets", "constraints"}) {
      const Node* list = fields.Take(key);
      if (list == nullptr) continue;
      if (list->IsScalar()) {
        chosen = Normalise("constraints_" + list->text);
      } else {
        ReadSection(*list);
      }
    }
    for (const auto& [name, list] : fields.Rest()) {
      const std::string key = Normalise(name->text);
      if (!key.starts_with("constraints_")) continue;
      fields.Ignore({key});
      if (key == chosen) ReadSection(*list);
    }
    fields.RefuseRest();
  }

  // The constraints of a node of the 0.4 form: {temporal: …, spatial: …, dataspace: …}. `level` is
  // its place among the levels; one past the last is the compute.
  void ReadNodeConstraints(const Node& group, LevelId level, Component::Kind kind) {
    Fields fields(group, "the constraints", report_);
    for (const char* type :
         {"temporal", "dataspace", "utilization", "parallelism", "max_overbooked_proportion"}) {
      const Node* node = fields.Take(type);
      if (node == nullptr) continue;
      if (kind != Component::Kind::kStorage) {
        report_->Warn(*node, fmt::format("'{}' has no effect on what is no storage", type));
      } else {
        ReadTyped(type, level, Fields(*node, "a constraint", report_));
      }
    }
    if (const Node* spatial = fields.Take("spatial")) {
      // The fan-out of a component is below the level above it.
      const bool above = kind != Component::Kind::kFanout && level.value() > 0;
      ReadTyped("spatial", above ? LevelId(level.value() - 1) : level,
                Fields(*spatial, "a constraint", report_));
    }
    fields.RefuseRest();
  }

  // Where a file gives remainders somewhere, loops elsewhere have none.
  void CloseRemainders() {
    if (remainders_.empty()) return;
    const auto close = [this](const std::string& at) {
      if (at.empty() || remainders_.contains(at)) return;
      Constraint constraint;
      constraint.at = at;
      constraint.remainders = 1;
      architecture_->constraints.push_back(std::move(constraint));
    };
    for (const Level& level : architecture_->levels) {
      close(level.name);
      close(level.fanout.name);
    }
  }

  void AddBypass(LevelId level, const std::vector<std::string>& tensors) {
    Level& target = architecture_->levels[level];
    for (const std::string& tensor : tensors) {
      if (target.keep && target.keep->contains(tensor)) continue;
      if (!target.bypass) target.bypass = TensorNameSet();
      if (!target.bypass->contains(tensor)) target.bypass->names.push_back(tensor);
    }
  }

 private:
  // {target, type, …}, or the old {target, constraints: [{type, attributes: {…}}]}.
  void ReadEntry(const Node& entry) {
    Fields fields(entry, "a constraint", report_);
    const Node* target = fields.Take({"target", "name"});
    const Node* nested = fields.Take("constraints");
    if (target == nullptr) {
      report_->Error(entry, "a constraint has no target");
      return;
    }
    if (nested == nullptr) {
      ReadOne(*target, std::move(fields));
      return;
    }
    fields.RefuseRest();
    for (const Node& one : nested->items) {
      Fields inner(one, "a constraint", report_);
      ReadOne(*target, std::move(inner));
    }
  }

  void ReadOne(const Node& target, Fields fields) {
    const Node* type = fields.Take("type");
    const Node* attributes = fields.Take("attributes");
    if (type == nullptr || !type->IsScalar()) {
      report_->Error(fields.node(), "a constraint has no type");
      return;
    }
    const auto level = type->text == "spatial" ? FanoutOf(target)
                                               : FindLevelTarget(*architecture_, target, report_);
    if (!level) return;
    if (attributes != nullptr) {
      fields.RefuseRest();
      ReadTyped(type->text, *level, Fields(*attributes, "a constraint", report_));
    } else {
      ReadTyped(type->text, *level, std::move(fields));
    }
  }

  std::optional<LevelId> FanoutOf(const Node& target) {
    const size_t before = report_->errors.size();
    const auto levels = FindFanoutTargets(*architecture_, target, own_fanouts_, report_);
    if (levels.size() == 1) return levels.front();
    if (levels.size() > 1) {
      report_->Error(
          target,
          fmt::format("below '{}' are the fan-outs of {} containers", target.text, levels.size()),
          fmt::format("name the container: '{}', …", architecture_->levels[levels.front()].name));
    } else if (report_->errors.size() == before) {
      report_->Warn(target, fmt::format("'{}' has no fan-out; its spatial constraint has no effect",
                                        target.text));
    }
    return std::nullopt;
  }

  void ReadTyped(const std::string& type, LevelId level, Fields fields) {
    if (type == "temporal" || type == "spatial") {
      ReadLoops(type == "spatial", level, &fields);
    } else if (type == "datatype" || type == "bypass" || type == "dataspace") {
      ReadTensors(level, &fields);
    } else if (type == "utilization" || type == "parallelism") {
      ReadUtilization(level, &fields);
    } else if (type == "max_overbooked_proportion") {
      fields.Ignore({"proportion"});
      report_->Warn(fields.node(), "overbooking is not modelled");
    } else {
      report_->Error(fields.node(), fmt::format("unknown type of constraint '{}'", type),
                     SuggestionHint(type, {"temporal", "spatial", "datatype", "bypass", "dataspace",
                                           "utilization", "parallelism"}));
      return;
    }
    fields.RefuseRest();
  }

  bool KnowsDim(const Node& at, const std::string& dim) {
    if (problem_ == nullptr || FindDim(*problem_, dim)) return true;
    report_->Error(at, fmt::format("'{}' is not a dimension of the problem", dim),
                   SuggestionHint(dim, dims_));
    return false;
  }

  void ReadLoops(bool spatial, LevelId level, Fields* fields) {
    const Level& target = architecture_->levels[level];
    Constraint constraint;
    constraint.at = spatial && !target.fanout.name.empty() ? target.fanout.name : target.name;
    constraint.place = fields->node().Place();
    if (const Node* node = fields->Take("factors")) ReadFactorBounds(*node, &constraint);
    if (const Node* node = fields->Take("factors_only")) {
      if (!node->IsSequence() || !node->items.empty()) {
        ReadFactorBounds(*node, &constraint);
        constraint.default_factor = FactorBound{"", Relation::kEqual, 1};
      }
    }
    ReadDefaults(fields, &constraint);
    if (const Node* node = fields->Take("remainders")) {
      if (const auto most = TakePositive(*node, "remainders")) {
        constraint.remainders = *most;
        remainders_.insert(constraint.at);
      }
    }
    const Node* split = spatial ? fields->Take("split") : nullptr;
    const Node* permutation = fields->Take("permutation");
    if (permutation != nullptr) ReadOrder(*permutation, split, spatial, &constraint);
    if (split != nullptr && permutation == nullptr) ReadSplit(*split, 0, {}, &constraint);
    for (const char* key :
         {"no_reuse", "no_link_transfer", "no_temporal_reuse", "no_multicast_no_reduction",
          "rmw_first_update", "rmw_on_first_writeback", "no_iteration_over_dataspaces",
          "must_iterate_over_dataspaces", "maximize_dims", "maximize_dims_capacity"}) {
      const Node* node = fields->Take(key);
      if (node == nullptr || (node->IsSequence() && node->items.empty())) continue;
      report_->Warn(*node, fmt::format("'{}' is not translated", key));
    }
    Constraint nothing;
    nothing.at = constraint.at;
    if (constraint == nothing) return;
    if (spatial && target.fanout.name.empty()) {
      report_->Warn(fields->node(), "a spatial constraint without a fan-out has no effect");
    } else {
      architecture_->constraints.push_back(std::move(constraint));
    }
  }

  std::optional<int64_t> TakePositive(const Node& node, const char* key) {
    const auto value = report_->Take(AsInt(node, key));
    if (value && *value >= 1) return value;
    if (value) report_->Error(node, fmt::format("'{}' must be at least 1", key));
    return std::nullopt;
  }

  // Limits of the dimensions that the factors do not name. Where there are both, the first becomes
  // a constraint by itself.
  void ReadDefaults(Fields* fields, Constraint* constraint) {
    const std::pair<const char*, Relation> keys[] = {{"default_max_factor", Relation::kAtMost},
                                                     {"default_min_factor", Relation::kAtLeast}};
    for (const auto& [key, relation] : keys) {
      const Node* node = fields->Take(key);
      const auto value = node == nullptr ? std::nullopt : TakePositive(*node, key);
      if (!value) continue;
      if (constraint->default_factor) architecture_->constraints.push_back(*constraint);
      constraint->default_factor = FactorBound{"", relation, *value};
    }
  }

  void ReadFactorBounds(const Node& node, Constraint* constraint) {
    for (const WrittenFactor& factor : ReadFactors(node, report_)) {
      if (!KnowsDim(node, factor.dim)) continue;
      int64_t steps = factor.end;
      if (steps == 0 && problem_ != nullptr) {  // in constraints, the whole dimension
        steps = problem_->dims[*FindDim(*problem_, factor.dim)].bound;
      } else if (steps == 0) {
        report_->Warn(node, fmt::format("'{}=0', the whole dimension, is not translated without a "
                                        "problem",
                                        factor.dim));
        continue;
      }
      if (factor.residual != factor.end) {
        report_->Warn(node, fmt::format("the residual of '{}' is not translated", factor.dim));
      }
      if (!factors_.emplace(constraint->at, factor.dim, factor.relation).second) {
        report_->Error(node, fmt::format("the factor of '{}' at '{}' is constrained twice",
                                         factor.dim, constraint->at));
      }
      constraint->factors.push_back({factor.dim, factor.relation, steps});
    }
  }

  // "RS_K": R innermost, then S; K outermost.
  void ReadOrder(const Node& node, const Node* split, bool spatial, Constraint* constraint) {
    const auto names = ReadPermutation(node, dims_, report_);
    const auto gap = std::find(names.begin(), names.end(), "_");
    for (const std::string& name : names) {
      if (name != "_") KnowsDim(node, name);
    }
    if (spatial && split != nullptr) {
      ReadSplit(*split, names.size(), names, constraint);
      return;
    }
    if (spatial) return;  // the order of lanes makes no difference; the axes are free
    constraint->innermost.assign(names.begin(), gap);
    if (gap != names.end())
      constraint->outermost.assign(names.rbegin(), names.rend() - (gap + 1 - names.begin()));
  }

  // The first `split` dimensions of the permutation lie on X, the others on Y.
  void ReadSplit(const Node& node, size_t listed, const std::vector<std::string>& names,
                 Constraint* constraint) {
    const auto split = report_->Take(AsInt(node, "split"));
    if (!split) return;
    if (*split < 0) {
      report_->Error(node, "split must not be negative");
    } else if (listed > 0 && static_cast<uint64_t>(*split) <= listed &&
               std::find(names.begin(), names.end(), "_") == names.end()) {
      const auto middle = names.begin() + static_cast<std::ptrdiff_t>(*split);
      constraint->x.emplace(names.begin(), middle);
      constraint->y.emplace(middle, names.end());
      for (const std::string& dim : dims_) {  // those that are not listed come after the others
        if (std::find(names.begin(), names.end(), dim) == names.end())
          constraint->y->push_back(dim);
      }
    } else if (*split == 0) {
      constraint->x.emplace();
    } else if (dims_.empty() || static_cast<uint64_t>(*split) >= dims_.size()) {
      constraint->y.emplace();
    } else {
      report_->Warn(node, "'split' without a permutation of the dimensions is not translated");
    }
  }

  void ReadTensors(LevelId level, Fields* fields) {
    Level& target = architecture_->levels[level];
    const auto names = [&](const char* key) {
      const Node* node = fields->Take(key);
      auto list = node == nullptr ? std::vector<std::string>() : ReadNames(*node, key, report_);
      for (const std::string& name : list) {
        if (problem_ == nullptr || FindTensor(*problem_, name)) continue;
        report_->Error(*node, fmt::format("'{}' is not a data space of the problem", name),
                       SuggestionHint(name, TensorNames(*problem_)));
      }
      return list;
    };
    auto keep = names("keep");
    auto bypass = names("bypass");
    const auto keep_only = names("keep_only");
    const auto bypass_only = names("bypass_only");
    AddComplement(fields->node(), keep_only, &keep, &bypass);
    AddComplement(fields->node(), bypass_only, &bypass, &keep);
    if (const Node* node = fields->Take("no_coalesce")) {
      report_->Warn(*node, "'no_coalesce' is not translated");
    }
    for (const std::string& tensor : bypass) {
      if (std::find(keep.begin(), keep.end(), tensor) == keep.end()) continue;
      report_->Error(fields->node(),
                     fmt::format("'{}' both keeps and bypasses '{}'", target.name, tensor));
    }
    if (IsContainerFanout(target)) return;  // it bypasses everything anyway
    if (keep_levels_) {
      Constraint constraint;
      constraint.at = target.name;
      constraint.keep = std::move(keep);
      constraint.bypass = std::move(bypass);
      constraint.place = fields->node().Place();
      architecture_->constraints.push_back(std::move(constraint));
      return;
    }
    if (!bypass.empty() && target.keep) target.keep->all = false;
    for (std::string& tensor : keep) {
      if (!target.keep->contains(tensor)) target.keep->names.push_back(std::move(tensor));
    }
    AddBypass(level, bypass);
  }

  // `only` goes to `here`, every other tensor to `there`.
  void AddComplement(const Node& at, const std::vector<std::string>& only,
                     std::vector<std::string>* here, std::vector<std::string>* there) {
    if (only.empty()) return;
    here->insert(here->end(), only.begin(), only.end());
    if (problem_ == nullptr) {
      report_->Warn(at, "without a problem, 'only' has no effect on other tensors");
      return;
    }
    for (const std::string& tensor : TensorNames(*problem_)) {
      if (std::find(only.begin(), only.end(), tensor) == only.end()) there->push_back(tensor);
    }
  }

  // Timeloop's two words for one thing: the share of the lanes above a level that must be busy.
  void ReadUtilization(LevelId level, Fields* fields) {
    const Node* least = fields->Take("min");
    if (least == nullptr) return;
    const auto value = report_->Take(AsDouble(*least, "min"));
    if (!value) return;
    if (*value < 0 || *value > 1) {
      report_->Warn(*least, "a least utilisation outside 0 … 1 is not translated");
      return;
    }
    std::vector<std::string> fanouts;
    for (LevelId l : Ids(architecture_->levels)) {
      const Fanout& fanout = architecture_->levels[l].fanout;
      if (l < level && fanout.x * fanout.y > 1) fanouts.push_back(fanout.name);
    }
    const Fanout& below = architecture_->levels[level].fanout;
    if (fanouts.empty() && below.x * below.y > 1) fanouts.push_back(below.name);
    if (fanouts.empty()) report_->Warn(*least, "there are no lanes to be used; it has no effect");
    if (fanouts.size() > 1 && *value < 1) {
      report_->Warn(*least, "the share of all lanes is asked of every fan-out by itself");
    }
    for (const std::string& fanout : fanouts) {
      Constraint constraint;
      constraint.at = fanout;
      constraint.min_utilization = *value;
      constraint.place = least->Place();
      architecture_->constraints.push_back(std::move(constraint));
    }
  }

  bool own_fanouts_;
  bool keep_levels_;
  const Problem* problem_;
  Architecture* architecture_;
  Report* report_;
  std::vector<std::string> dims_;
  std::set<std::string> remainders_;  // levels and fan-outs that give them
  std::set<std::tuple<std::string, std::string, Relation>> factors_;  // at, dimension, relation
};

}  // namespace

void ReadConstraints(const Sections& sections, const ArchitectureFile& file, const Problem* problem,
                     Architecture* architecture, Report* report) {
  ConstraintReader reader(file.is_nodes, false, problem, architecture, report);
  for (size_t i = 0; i < file.components.size(); ++i) {
    const Component& component = file.components[i];
    if (component.constraints != nullptr) {
      reader.ReadNodeConstraints(*component.constraints, LevelId(i), component.kind);
    }
    if (i < architecture->levels.size()) reader.AddBypass(LevelId(i), component.kept_by_peers);
  }
  if (const Node* own = sections.architecture->Find("constraints")) reader.ReadSection(*own);
  for (const Node* section : sections.constraints) reader.ReadSection(*section);
  reader.CloseRemainders();
}

std::vector<Constraint> ReadConstraints(const Sections& sections, const Architecture& architecture,
                                        const Problem* problem, Report* report) {
  Architecture with_constraints = architecture;
  with_constraints.constraints.clear();
  // Levels that stand for containers come from nodes, whose fan-outs are named by what is below.
  const bool own_fanouts = std::any_of(with_constraints.levels.begin(),
                                       with_constraints.levels.end(), IsContainerFanout);
  ConstraintReader reader(own_fanouts, true, problem, &with_constraints, report);
  for (const Node* section : sections.constraints) reader.ReadSection(*section);
  reader.CloseRemainders();
  return std::move(with_constraints.constraints);
}

}  // namespace inlay::io::timeloop

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
  ConstraintReader(bool own_fanouts, const Problem* problem, Architecture* architecture,
                   Report* report)
      : own_fanouts_(own_fanouts), problem_(problem), architecture_(architecture), report_(report) {
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
      ReadUtilization(type == "parallelism", level, &fields);
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
    if (const Node* node = fields->Take("factors")) ReadFactorBounds(*node, &constraint);
    const Node* split = spatial ? fields->Take("split") : nullptr;
    const Node* permutation = fields->Take("permutation");
    if (permutation != nullptr) ReadOrder(*permutation, split, spatial, &constraint);
    if (split != nullptr && permutation == nullptr) ReadSplit(*split, 0, {}, &constraint);
    for (const char* key :
         {"remainders", "default_max_factor", "default_min_factor", "factors_only", "no_reuse",
          "no_link_transfer", "no_temporal_reuse", "no_multicast_no_reduction", "rmw_first_update",
          "rmw_on_first_writeback", "no_iteration_over_dataspaces", "must_iterate_over_dataspaces",
          "maximize_dims", "maximize_dims_capacity"}) {
      const Node* node = fields->Take(key);
      if (node == nullptr || (node->IsSequence() && node->items.empty())) continue;
      report_->Warn(*node, fmt::format("'{}' is not translated", key));
    }
    const bool empty = constraint.factors.empty() && !constraint.x && !constraint.y &&
                       constraint.innermost.empty() && constraint.outermost.empty();
    if (empty) return;
    if (spatial && target.fanout.name.empty()) {
      report_->Warn(fields->node(), "a spatial constraint without a fan-out has no effect");
    } else {
      architecture_->constraints.push_back(std::move(constraint));
    }
  }

  void ReadFactorBounds(const Node& node, Constraint* constraint) {
    for (const WrittenFactor& factor : ReadFactors(node, report_)) {
      if (!KnowsDim(node, factor.dim)) continue;
      if (factor.end == 0) {
        report_->Warn(
            node, fmt::format("'{}=0', the rest of the dimension, is not translated", factor.dim));
        continue;
      }
      if (factor.residual != factor.end) {
        report_->Warn(node, fmt::format("the residual of '{}' is not translated", factor.dim));
      }
      if (!factors_.emplace(constraint->at, factor.dim, factor.relation).second) {
        report_->Error(node, fmt::format("the factor of '{}' at '{}' is constrained twice",
                                         factor.dim, constraint->at));
      }
      constraint->factors.push_back({factor.dim, factor.relation, factor.end});
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

  void ReadUtilization(bool of_lanes, LevelId level, Fields* fields) {
    const Node* least = fields->Take("min");
    if (least == nullptr) return;
    const auto value = report_->Take(AsDouble(*least, "min"));
    if (!value) return;
    if (*value < 0 || *value > 1) {
      report_->Warn(*least, "a least utilisation outside 0 … 1 is not translated");
      return;
    }
    const Level& target = architecture_->levels[level];
    Constraint constraint;
    constraint.at = of_lanes && !target.fanout.name.empty() ? target.fanout.name : target.name;
    constraint.min_utilization = *value;
    architecture_->constraints.push_back(std::move(constraint));
  }

  bool own_fanouts_;
  const Problem* problem_;
  Architecture* architecture_;
  Report* report_;
  std::vector<std::string> dims_;
  std::set<std::tuple<std::string, std::string, Relation>> factors_;  // at, dimension, relation
};

}  // namespace

void ReadConstraints(const Sections& sections, const ArchitectureFile& file, const Problem* problem,
                     Architecture* architecture, Report* report) {
  ConstraintReader reader(file.is_nodes, problem, architecture, report);
  for (size_t i = 0; i < file.components.size(); ++i) {
    const Component& component = file.components[i];
    if (component.constraints != nullptr) {
      reader.ReadNodeConstraints(*component.constraints, LevelId(i), component.kind);
    }
    if (i < architecture->levels.size()) reader.AddBypass(LevelId(i), component.kept_by_peers);
  }
  if (const Node* own = sections.architecture->Find("constraints")) reader.ReadSection(*own);
  for (const Node* section : sections.constraints) reader.ReadSection(*section);
}

}  // namespace inlay::io::timeloop

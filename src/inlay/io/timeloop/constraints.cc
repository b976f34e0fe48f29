#include "inlay/io/timeloop/constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/core/roles.h"
#include "inlay/io/name_places.h"
#include "inlay/io/timeloop/loop_constraints.h"
#include "inlay/io/timeloop/targets.h"

namespace inlay::io::timeloop {
namespace {

constexpr const char* kEverything = "*";

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class ConstraintReader {
 public:
  struct Form {
    bool own_fanouts = false;  // fan-outs are named by what is below them
    bool own_reader = false;   // Timeloop reads the file without its front end
    bool keep_levels = false;  // what is kept and bypassed becomes constraints of their own
  };
  ConstraintReader(Form form, const Problem* problem, const std::vector<Problem>& layers,
                   Architecture* architecture, Report* report)
      : form_(form),
        problem_(problem),
        architecture_(architecture),
        report_(report),
        loops_(problem, layers, form.own_reader, architecture, report) {}

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

  void CloseRemainders() { loops_.CloseRemainders(); }

  // Where tensors of the problem stand by position for names that were read, which are the
  // problem's own from here on.
  void WarnOfPositions(const std::vector<Node>& documents) const {
    if (problem_ == nullptr || Has(RolesOf(*problem_), "")) return;
    Architecture named;
    named.name = architecture_->name;
    Level level;
    level.keep = TensorNameSet{false, names_};
    named.levels.push_back(std::move(level));
    for (Diagnostic& found : CheckRoles(*problem_, named)) {
      if (found.severity != Severity::kWarning) continue;
      SetPlace(PlaceOfTensors(documents, *problem_), &found);
      report_->warnings.push_back(std::move(found));
    }
  }

  // What other branches keep; names that mean nothing were reported there.
  void AddBypassOfPeers(LevelId level, const std::vector<std::string>& kept) {
    if (problem_ == nullptr || Has(kept, kEverything)) return AddBypass(level, kept);
    std::vector<std::string> tensors;
    for (const std::string& name : kept) {
      for (const TensorId t : TensorsMeantBy(*problem_, name)) {
        tensors.push_back(problem_->tensors[t].name);
      }
    }
    AddBypass(level, tensors);
  }

  void AddBypass(LevelId level, const std::vector<std::string>& tensors) {
    Level& target = architecture_->levels[level];
    for (const std::string& tensor : tensors) {
      if (target.keep && target.keep->lists(tensor)) continue;
      if (!target.bypass) target.bypass = TensorNameSet();
      if (tensor == kEverything) {
        target.bypass->all = true;
      } else if (!target.bypass->contains(tensor)) {
        target.bypass->names.push_back(tensor);
      }
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
    const auto levels = FindFanoutTargets(*architecture_, target, form_.own_fanouts, report_);
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
      loops_.Read(type == "spatial", level, &fields);
    } else if (type == "datatype" || type == "bypass" || type == "bypassing" ||
               type == "dataspace") {
      ReadTensors(level, &fields);
    } else if (type == "utilization" || type == "parallelism") {
      ReadUtilization(level, &fields);
    } else if (type == "max_overbooked_proportion") {
      fields.Ignore({"proportion"});
      report_->Warn(fields.node(), "overbooking is not modelled");
    } else if (type == "no_link_transfer" || type == "no_multicast" || type == "no_reduction" ||
               type == "no_multicast_no_reduction") {
      fields.Ignore({"datatypes"});
      report_->Warn(fields.node(), fmt::format("'{}' is not translated", type),
                    "counts are those without it");
    } else {
      report_->Error(fields.node(), fmt::format("unknown type of constraint '{}'", type),
                     SuggestionHint(type, {"temporal", "spatial", "datatype", "bypass", "dataspace",
                                           "utilization", "parallelism"}));
      return;
    }
    fields.RefuseRest();
  }

  // The names under a key; "*" stands for all tensors, and for itself where they are not known.
  std::vector<std::string> TakeTensors(const char* key, Fields* fields) {
    const Node* node = fields->Take(key);
    if (node == nullptr) return {};
    auto names = ReadNames(*node, key, report_);
    if (problem_ == nullptr) return names;
    if (Has(names, kEverything)) return TensorNames(*problem_);
    return Meant(names, *node);
  }

  // The names that the problem has for the tensors that are meant.
  std::vector<std::string> Meant(const std::vector<std::string>& names, const Node& at) {
    std::vector<std::string> meant;
    for (const std::string& name : names) {
      names_.push_back(name);
      const auto tensors = TensorsMeantBy(*problem_, name);
      for (const TensorId t : tensors) {
        if (!Has(meant, problem_->tensors[t].name)) meant.push_back(problem_->tensors[t].name);
      }
      if (!tensors.empty() || MayLack(*problem_, name)) continue;
      std::vector<std::string> known = TensorNames(*problem_);
      for (const std::string& role : RolesOf(*problem_)) {
        if (!role.empty() && !Has(known, role)) known.push_back(role);
      }
      report_->Error(at, fmt::format("'{}' is not a data space of the problem", name),
                     SuggestionHint(name, known));
    }
    return meant;
  }

  void ReadTensors(LevelId level, Fields* fields) {
    auto keep = TakeTensors("keep", fields);
    auto bypass = TakeTensors("bypass", fields);
    const auto keep_only = TakeTensors("keep_only", fields);
    const auto bypass_only = TakeTensors("bypass_only", fields);
    AddComplement(keep_only, &keep, &bypass);
    AddComplement(bypass_only, &bypass, &keep);
    for (const char* key : {"no_coalesce", "passthrough"}) {
      const Node* node = fields->Take(key);
      if (node == nullptr || (node->IsSequence() && node->items.empty())) continue;
      report_->Warn(*node, fmt::format("'{}' is not translated", key),
                    "counts are those without it");
    }
    if (IsContainerFanout(architecture_->levels[level])) return;  // it bypasses everything anyway
    for (const std::string& tensor : keep) Say(level, tensor, true, fields->node());
    for (const std::string& tensor : bypass) Say(level, tensor, false, fields->node());
    if (form_.keep_levels) {
      Constraint constraint;
      constraint.at = architecture_->levels[level].name;
      constraint.keep = std::move(keep);
      constraint.bypass = std::move(bypass);
      constraint.place = fields->node().Place();
      RefuseEverything(constraint, fields->node());
      architecture_->constraints.push_back(std::move(constraint));
    } else {
      SetTensors(level, keep, bypass);
    }
  }

  // The first word on a tensor at a level holds; another one is an error.
  void Say(LevelId level, const std::string& tensor, bool keep, const Node& at) {
    const auto [said, is_new] = tensors_.emplace(std::pair(level.value(), tensor), keep);
    if (is_new || said->second == keep) return;
    report_->Error(at, fmt::format("'{}' both keeps and bypasses '{}'",
                                   architecture_->levels[level].name, tensor));
  }

  void RefuseEverything(const Constraint& constraint, const Node& at) {
    if (!Has(constraint.keep, kEverything) && !Has(constraint.bypass, kEverything)) return;
    report_->Error(at, "'*', and 'only', need the problem to say which data spaces there are",
                   "give the file with the problem together with this one, or name them");
  }

  void SetTensors(LevelId level, const std::vector<std::string>& keep,
                  const std::vector<std::string>& bypass) {
    Level& target = architecture_->levels[level];
    for (const std::string& tensor : keep) {
      if (tensor == kEverything) {
        target.keep->all = true;
      } else if (!target.keep->lists(tensor)) {
        target.keep->names.push_back(tensor);
      }
    }
    AddBypass(level, bypass);
  }

  // `only` goes to `here`, every other tensor to `there`.
  void AddComplement(const std::vector<std::string>& only, std::vector<std::string>* here,
                     std::vector<std::string>* there) const {
    if (only.empty()) return;
    here->insert(here->end(), only.begin(), only.end());
    if (problem_ == nullptr) {
      there->emplace_back(kEverything);
      return;
    }
    for (const std::string& tensor : TensorNames(*problem_)) {
      if (!Has(only, tensor)) there->push_back(tensor);
    }
  }

  // Timeloop's two words for one thing: the share of all lanes that must be busy, given at the
  // innermost level. The shares of the fan-outs multiply, so none of them may be smaller.
  void ReadUtilization(LevelId level, Fields* fields) {
    const Node* least = fields->Take("min");
    const auto value = least == nullptr ? std::nullopt : report_->Take(AsDouble(*least, "min"));
    if (least == nullptr) report_->Error(fields->node(), "the constraint has no 'min'");
    if (!value) return;
    if (level.value() + 1 != architecture_->levels.size()) {
      report_->Error(*least,
                     fmt::format("parallelism is constrained at the innermost level, not at '{}'",
                                 architecture_->levels[level].name),
                     fmt::format("write 'target: {}'", architecture_->levels.back().name));
    }
    if (std::exchange(parallelism_, true)) {
      report_->Error(*least, "the parallelism is constrained twice");
    }
    if (*value < 0 || *value > 1) {
      report_->Error(*least, "a least utilisation must be from 0 to 1");
      return;
    }
    size_t fanouts = 0;
    for (const Level& at : architecture_->levels) {
      if (at.fanout.x * at.fanout.y == 1) continue;
      ++fanouts;
      Constraint constraint;
      constraint.at = at.fanout.name;
      constraint.min_utilization = *value;
      constraint.place = least->Place();
      architecture_->constraints.push_back(std::move(constraint));
    }
    if (fanouts == 0) report_->Warn(*least, "there are no lanes to be used; it has no effect");
    if (fanouts > 1 && *value > 0 && *value < 1) {
      report_->Warn(*least, "the share of all lanes is asked of every fan-out by itself",
                    "the search goes over a larger mapspace than Timeloop's");
    }
  }

  Form form_;
  const Problem* problem_;
  Architecture* architecture_;
  Report* report_;
  LoopConstraintReader loops_;
  std::vector<std::string> names_;                          // of tensors, as they were read
  std::map<std::pair<size_t, std::string>, bool> tensors_;  // level, tensor: whether it is kept
  bool parallelism_ = false;                                // whether it has been constrained
};

}  // namespace

void ReadConstraints(const Sections& sections, const ArchitectureFile& file, const Problem* problem,
                     const std::vector<Problem>& layers, Architecture* architecture,
                     Report* report) {
  for (const Level& level : architecture->levels) {
    if (!IsContainerFanout(level)) continue;
    Constraint constraint;  // Timeloop's front end gives containers no loops in time
    constraint.at = level.name;
    constraint.loops.emplace();
    architecture->constraints.push_back(std::move(constraint));
  }
  ConstraintReader reader({.own_fanouts = file.is_nodes, .own_reader = !file.is_nodes}, problem,
                          layers, architecture, report);
  for (size_t i = 0; i < file.components.size(); ++i) {
    const Component& component = file.components[i];
    if (component.constraints != nullptr) {
      reader.ReadNodeConstraints(*component.constraints, LevelId(i), component.kind);
    }
    if (i < architecture->levels.size())
      reader.AddBypassOfPeers(LevelId(i), component.kept_by_peers);
  }
  if (const Node* own = sections.architecture->Find("constraints")) reader.ReadSection(*own);
  for (const Node* section : sections.constraints) reader.ReadSection(*section);
  reader.CloseRemainders();
  reader.WarnOfPositions(sections.documents);
}

std::vector<Constraint> ReadConstraints(const Sections& sections, const Architecture& architecture,
                                        const Problem* problem, const std::vector<Problem>& layers,
                                        Report* report) {
  Architecture with_constraints = architecture;
  with_constraints.constraints.clear();
  // Levels that stand for containers come from nodes, whose fan-outs are named by what is below.
  const bool own_fanouts = std::any_of(with_constraints.levels.begin(),
                                       with_constraints.levels.end(), IsContainerFanout);
  ConstraintReader reader({.own_fanouts = own_fanouts, .keep_levels = true}, problem, layers,
                          &with_constraints, report);
  for (const Node* section : sections.constraints) reader.ReadSection(*section);
  reader.CloseRemainders();
  reader.WarnOfPositions(sections.documents);
  return std::move(with_constraints.constraints);
}

}  // namespace inlay::io::timeloop

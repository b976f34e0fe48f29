#include "inlay/io/timeloop/directives.h"

#include <fmt/format.h>

#include <utility>

#include "inlay/base/suggest.h"

namespace inlay::io::timeloop {
namespace {

// What Timeloop's own counting would honour and ours does not know.
void WarnAboutSwitches(Fields* fields, Report* report) {
  for (const char* key :
       {"no_reuse", "no_temporal_reuse", "no_link_transfer", "no_multicast_no_reduction",
        "rmw_first_update", "rmw_on_first_writeback", "no_coalesce", "passthrough"}) {
    const Node* node = fields->Take(key);
    if (node == nullptr || (node->IsSequence() && node->items.empty())) continue;
    report->Warn(*node, fmt::format("'{}' is not modelled", key));
  }
  fields->Ignore({"remainders", "default_max_factor", "default_min_factor", "factors_only"});
}

std::optional<Directive::Type> TypeOf(const Node& node) {
  if (node.text == "temporal") return Directive::Type::kTemporal;
  if (node.text == "spatial") return Directive::Type::kSpatial;
  if (node.text == "datatype" || node.text == "bypass" || node.text == "bypassing" ||
      node.text == "dataspace") {
    return Directive::Type::kTensors;
  }
  return std::nullopt;
}

// A type that only constraints have: a mapping says everything already.
bool IsConstraintType(const std::string& type) {
  for (const char* known :
       {"utilization", "parallelism", "max_overbooked_proportion", "no_link_transfer",
        "no_multicast", "no_reduction", "no_multicast_no_reduction"}) {
    if (type == known) return true;
  }
  return false;
}

std::optional<Directive> ReadDirective(const Node& node, Report* report) {
  Fields fields(node, "a directive", report);
  Directive directive;
  directive.node = &node;
  directive.target = fields.Take("target");
  const Node* type = fields.Take("type");
  if (directive.target == nullptr || type == nullptr || !type->IsScalar()) {
    report->Error(node, "a directive needs a 'target' and a 'type'");
    return std::nullopt;
  }
  if (type->text == "skew") {
    report->Warn(node, "skews are not modelled");
    return std::nullopt;
  }
  if (IsConstraintType(type->text)) {
    report->Warn(*type, fmt::format("'{}' has no effect on a mapping", type->text));
    return std::nullopt;
  }
  const auto known = TypeOf(*type);
  if (!known) {
    report->Error(*type, fmt::format("unknown type of directive '{}'", type->text),
                  SuggestionHint(type->text, {"temporal", "spatial", "datatype", "bypass",
                                              "dataspace", "skew"}));
    return std::nullopt;
  }
  directive.type = *known;
  if (directive.type == Directive::Type::kTensors) {
    if (const Node* keep = fields.Take("keep")) directive.keep = ReadNames(*keep, "keep", report);
    if (const Node* bypass = fields.Take("bypass")) {
      directive.bypass = ReadNames(*bypass, "bypass", report);
    }
  } else {
    directive.factors_node = fields.Take("factors");
    if (directive.factors_node != nullptr) {
      directive.factors = ReadFactors(*directive.factors_node, report);
    }
    directive.permutation = fields.Take("permutation");
    if (directive.type == Directive::Type::kSpatial) {
      if (const Node* split = fields.Take("split")) {
        directive.split = report->Take(AsInt(*split, "split"));
        if (directive.split.value_or(0) < 0) report->Error(*split, "split must not be negative");
      }
    }
  }
  WarnAboutSwitches(&fields, report);
  fields.RefuseRest();
  return directive;
}

}  // namespace

std::vector<Directive> ReadDirectives(const Node& list, Report* report) {
  std::vector<Directive> directives;
  if (!list.IsSequence()) {
    report->Error(list, "a mapping must be a list of directives",
                  "such as '- {target: DRAM, type: temporal, factors: C=4, permutation: C}'");
    return directives;
  }
  for (const Node& node : list.items) {
    if (auto directive = ReadDirective(node, report)) directives.push_back(*std::move(directive));
  }
  return directives;
}

}  // namespace inlay::io::timeloop

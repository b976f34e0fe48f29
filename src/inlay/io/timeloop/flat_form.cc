#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/io/timeloop/components.h"

namespace inlay::io::timeloop {
namespace {

// Here the attributes stand beside the name, or below 'attributes' as in the later forms.
Component ReadEntry(const Node& node, Component::Kind kind, std::string default_name,
                    const ComponentContext& context, Report* report) {
  Component component;
  component.kind = kind;
  component.node = &node;
  component.scope = context.variables;
  component.name = std::move(default_name);
  const Node* name = node.Find("name");
  if (name != nullptr && name->IsScalar()) {
    const auto ranged = ParseRangedName(name->text);
    if (ranged) component.name = ranged->name;
  }
  if (component.name.empty()) report->Error(node, "a storage level has no name");
  const Node* class_name = node.Find("class");
  if (class_name != nullptr) component.class_name = class_name->text;
  const Node* subclass = node.Find("subclass");
  if (subclass != nullptr) component.subclass_name = subclass->text;
  const Node* attributes = node.Find("attributes");
  component.attributes = attributes != nullptr && attributes->IsMapping() ? attributes : &node;
  component.scope.Push(*component.attributes);
  ResolveMesh(&component, std::nullopt, report);
  return component;
}

}  // namespace

std::vector<Component> ReadFlatForm(const Node& section, const ComponentContext& context,
                                    Report* report) {
  std::vector<Component> components;
  Fields fields(section, "the architecture", report);
  const Node* arithmetic = fields.Take("arithmetic");
  const Node* storage = fields.Take("storage");
  fields.Ignore({"version", "name", "constraints"});
  fields.RefuseRest();
  if (arithmetic == nullptr || storage == nullptr) {
    report->Error(section, "an architecture without 'version' needs 'arithmetic' and 'storage'",
                  "say 'version: 0.3' if it has 'subtree', 'version: 0.4' if it has 'nodes'");
    return components;
  }
  if (!storage->IsSequence() || storage->items.empty()) {
    report->Error(*storage, "storage must be a list of levels, innermost first");
    return components;
  }
  for (auto item = storage->items.rbegin(); item != storage->items.rend(); ++item) {
    if (!item->IsMapping()) {
      report->Error(*item, "a storage level must be a mapping, {name: …, entries: …}");
      continue;
    }
    components.push_back(ReadEntry(*item, Component::Kind::kStorage, "", context, report));
  }
  if (!arithmetic->IsMapping()) {
    report->Error(*arithmetic, "arithmetic must be a mapping, {instances: …}");
    return components;
  }
  components.push_back(ReadEntry(*arithmetic, Component::Kind::kCompute, "MAC", context, report));
  return components;
}

}  // namespace inlay::io::timeloop

#include <fmt/format.h>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/io/timeloop/components.h"

namespace inlay::io::timeloop {
namespace {

// Walks down the only branch of a tree.
class TreeReader {
 public:
  TreeReader(const ComponentContext& context, Report* report)
      : context_(context), report_(report), scope_(context.variables) {}

  std::vector<Component> Read(const Node& section) {
    Fields fields(section, "the architecture", report_);
    fields.Ignore({"version", "name", "constraints"});
    const Node* level = SubtreeOf(&fields);
    fields.RefuseRest();
    if (level == nullptr) report_->Error(section, "the architecture has no 'subtree'");
    while (level != nullptr) level = ReadLevel(*level);
    return std::move(components_);
  }

 private:
  // The single child, or nullptr.
  const Node* SubtreeOf(Fields* fields) {
    const Node* list = fields->Take("subtree");
    if (list == nullptr) return nullptr;
    if (!list->IsSequence() || list->items.size() != 1) {
      report_->Error(*list, "a subtree must be a list with exactly one entry",
                     "Timeloop knows chains of levels only");
      return nullptr;
    }
    return &list->items.front();
  }

  std::optional<RangedName> NameOf(const Node& node, Fields* fields) {
    const Node* name = fields->Take("name");
    if (name == nullptr || !name->IsScalar()) {
      report_->Error(node, "a part of the architecture has no name");
      return std::nullopt;
    }
    auto ranged = ParseRangedName(name->text);
    if (!ranged) {
      report_->Error(*name, fmt::format("cannot read the name '{}'", name->text),
                     "write 'PE[0..167]' for 168 instances");
    }
    return ranged;
  }

  const Node* ReadLevel(const Node& node) {
    Fields fields(node, "a level of the tree", report_);
    const auto name = NameOf(node, &fields);
    if (name) Multiply(node, name->count);
    const Node* attributes = fields.Take("attributes");
    if (attributes != nullptr && attributes->IsMapping()) {
      inherited_.push_back(attributes);
      scope_.Push(*attributes);
    }
    if (const Node* local = fields.Take("local")) {
      if (!local->IsSequence()) report_->Error(*local, "local must be a list of components");
      for (const Node& item : local->items) ReadComponent(item);
    }
    const Node* below = SubtreeOf(&fields);
    fields.Ignore({"class", "version"});
    fields.RefuseRest();
    return below;
  }

  void Multiply(const Node& node, int64_t count) {
    const auto product = CheckedMultiply(instances_, count);
    if (!product) report_->Error(node, "the number of instances does not fit into 64 bits");
    instances_ = product.value_or(1);
  }

  void ReadComponent(const Node& item) {
    Fields fields(item, "a component", report_);
    const auto name = NameOf(item, &fields);
    const Node* class_name = fields.Take("class");
    const Node* attributes = fields.Take("attributes");
    const Node* enabled = fields.Take("enabled");
    const Node* subclass = fields.Take("subclass");
    WarnOfSparse(fields.Take("sparse_optimizations"), report_);
    fields.Ignore({"required_actions", "area_scale", "area_share", "energy_scale", "constraints"});
    fields.RefuseRest();
    if (!name) return;
    if (class_name == nullptr || !class_name->IsScalar()) {
      report_->Error(item, fmt::format("'{}' has no class", name->name));
      return;
    }
    if (enabled != nullptr && !report_->Take(AsBool(*enabled, "enabled")).value_or(true)) return;
    const auto instances = CheckedMultiply(instances_, name->count);
    if (!instances) {
      report_->Error(item, "the number of instances does not fit into 64 bits");
      return;
    }
    Component component;
    component.name = name->name;
    component.class_name = class_name->text;
    component.node = &item;
    component.inherited = inherited_;
    component.scope = scope_;
    if (subclass != nullptr) component.subclass_name = subclass->text;
    FindDefinition(context_, &component);
    if (attributes != nullptr && attributes->IsMapping()) {
      component.attributes = attributes;
      component.scope.Push(*attributes);
    }
    Place(std::move(component), *class_name, *instances);
  }

  void Place(Component component, const Node& class_name, int64_t instances) {
    switch (ClassifyClass(component.class_name)) {
      case ClassKind::kStorage:
        component.kind =
            IsLoweredContainer(component) ? Component::Kind::kFanout : Component::Kind::kStorage;
        break;
      case ClassKind::kCompute:
        component.kind = Component::Kind::kCompute;
        break;
      case ClassKind::kNetwork:
        report_->Warn(*component.node, fmt::format("network '{}' is not modelled", component.name),
                      "transfers between levels cost nothing by themselves");
        return;
      case ClassKind::kNothing:
        return;
      case ClassKind::kUnknown:
        ReportUnknownClass(class_name, component.class_name, report_);
        return;
    }
    ResolveMesh(&component, instances, report_);
    components_.push_back(std::move(component));
  }

  const ComponentContext& context_;
  Report* report_;
  Scope scope_;
  std::vector<const Node*> inherited_;
  int64_t instances_ = 1;
  std::vector<Component> components_;
};

}  // namespace

std::vector<Component> ReadTreeForm(const Node& section, const ComponentContext& context,
                                    Report* report) {
  return TreeReader(context, report).Read(section);
}

}  // namespace inlay::io::timeloop

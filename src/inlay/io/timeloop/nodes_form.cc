#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/suggest.h"
#include "inlay/io/timeloop/components.h"

namespace inlay::io::timeloop {
namespace {

// Walks the nodes in order; each is inside the ones before it.
class NodesReader {
 public:
  NodesReader(const ComponentContext& context, Report* report)
      : context_(context), report_(report), scope_(context.variables) {}

  std::vector<Component> Read(const Node& section) {
    Fields fields(section, "the architecture", report_);
    fields.Ignore({"version", "name", "constraints"});
    const Node* nodes = fields.Take("nodes");
    fields.RefuseRest();
    if (nodes != nullptr) ReadList(*nodes, false);
    return std::move(components_);
  }

 private:
  void ReadList(const Node& list, bool parallel) {
    if (!list.IsSequence()) {
      report_->Error(list, "nodes must be a list");
      return;
    }
    for (const Node& node : list.items) ReadNode(node, parallel);
  }

  static std::string TagOf(const Node& node) {
    if (!node.tag.empty()) return node.tag;
    if (node.Find("nodes") != nullptr) return "!Hierarchical";
    return node.Find("class") != nullptr ? "!Component" : "!Container";
  }

  void ReadNode(const Node& node, bool parallel) {
    const std::string tag = TagOf(node);
    if (tag == "!Component" || tag == "!Element") {  // the latter in early 0.4 files
      ReadLeaf(node, parallel, true);
    } else if (tag == "!Container") {
      ReadLeaf(node, parallel, false);
    } else if (tag == "!Parallel") {
      ReadParallel(node);
    } else if (tag == "!Hierarchical" || tag == "!Pipelined") {
      ReadBranch(node, parallel);
    } else if (tag != "!Nothing") {
      report_->Error(node, fmt::format("unknown tag '{}'", tag),
                     SuggestionHint(tag, {"!Container", "!Component", "!Parallel", "!Hierarchical",
                                          "!Pipelined", "!Nothing"}));
    }
  }

  void ReadBranch(const Node& node, bool parallel) {
    Fields fields(node, "a branch", report_);
    const Node* nodes = fields.Take("nodes");
    fields.Ignore({"name"});
    fields.RefuseRest();
    if (nodes != nullptr) ReadList(*nodes, parallel);
  }

  // Each tensor is kept in one branch only: what one keeps, the others bypass.
  void ReadParallel(const Node& node) {
    const size_t first = components_.size();
    ReadBranch(node, true);
    for (size_t i = first; i < components_.size(); ++i) {
      for (size_t j = first; j < components_.size(); ++j) {
        if (i == j) continue;
        for (std::string& tensor : KeptBy(components_[j])) {
          components_[i].kept_by_peers.push_back(std::move(tensor));
        }
      }
    }
  }

  std::vector<std::string> KeptBy(const Component& component) {
    const Node* dataspace =
        component.constraints == nullptr ? nullptr : component.constraints->Find("dataspace");
    if (dataspace == nullptr) return {};
    const Node* keep = dataspace->Find("keep");
    if (keep == nullptr) keep = dataspace->Find("keep_only");
    Report ignored;  // reported where the constraint itself is read
    return keep == nullptr ? std::vector<std::string>() : ReadNames(*keep, "keep", &ignored);
  }

  // Multiplies the mesh by the node's fan-out and says whether it has one.
  bool ReadSpatial(const Node* spatial) {
    if (spatial == nullptr) return false;
    Fields fields(*spatial, "spatial", report_);
    const Node* x = fields.Take("meshX");
    const Node* y = fields.Take("meshY");
    fields.RefuseRest();
    const int64_t fanout_x = ReadCount(x, "meshX");
    const int64_t fanout_y = ReadCount(y, "meshY");
    next_x_ = CheckedMultiply(mesh_x_, fanout_x).value_or(0);
    next_y_ = CheckedMultiply(mesh_y_, fanout_y).value_or(0);
    if (next_x_ == 0 || next_y_ == 0) {
      report_->Error(*spatial, "the number of instances does not fit into 64 bits");
      next_x_ = mesh_x_;
      next_y_ = mesh_y_;
    }
    return fanout_x > 1 || fanout_y > 1;
  }

  int64_t ReadCount(const Node* node, std::string_view what) {
    if (node == nullptr) return 1;
    const auto count = report_->Take(EvaluateInt(*node, what, scope_));
    if (count && *count < 1) {
      report_->Error(*node, fmt::format("{} must be at least 1, found {}", what, *count));
      return 1;
    }
    return count.value_or(1);
  }

  void ReadLeaf(const Node& node, bool parallel, bool is_component) {
    Fields fields(node, is_component ? "a component" : "a container", report_);
    const Node* name = fields.Take("name");
    Component component;
    component.node = &node;
    component.constraints = fields.Take("constraints");
    const Node* attributes = fields.Take("attributes");
    const Node* enabled = fields.Take("enabled");
    const Node* spatial = fields.Take("spatial");
    const Node* class_name = is_component ? fields.Take("class") : nullptr;
    const Node* subclass = is_component ? fields.Take("subclass") : nullptr;
    WarnOfSparse(fields.Take("sparse_optimizations"), report_);
    fields.Ignore({"required_actions", "area_scale", "area_share", "energy_scale", "networks"});
    fields.RefuseRest();
    if (name == nullptr || !name->IsScalar()) {
      report_->Error(node, "a node has no name");
      return;
    }
    if (enabled != nullptr && !report_->Take(AsBool(*enabled, "enabled")).value_or(true)) return;
    component.name = name->text;
    next_x_ = mesh_x_;
    next_y_ = mesh_y_;
    const bool has_fanout = ReadSpatial(spatial);
    if (parallel && (has_fanout || !is_component)) {
      report_->Error(
          node,
          fmt::format("'{}' is a container or has a fan-out inside a !Parallel", component.name),
          "only plain components can be peers");
    }
    if (attributes != nullptr && !attributes->IsMapping()) attributes = nullptr;
    component.attributes = attributes;
    if (subclass != nullptr) component.subclass_name = subclass->text;
    if (is_component) {
      mesh_x_ = next_x_;
      mesh_y_ = next_y_;
      PlaceComponent(std::move(component), class_name);
    } else {
      PlaceContainer(std::move(component), has_fanout);
    }
  }

  void PlaceContainer(Component component, bool has_fanout) {
    if (component.attributes != nullptr) {
      inherited_.push_back(component.attributes);
      scope_.Push(*component.attributes);
    }
    if (has_fanout) {
      component.kind = Component::Kind::kFanout;
      component.name = fmt::format("inter_{}_spatial", component.name);
      component.attributes = nullptr;
      component.mesh_x = mesh_x_;
      component.mesh_y = mesh_y_;
      components_.push_back(std::move(component));
    } else if (component.constraints != nullptr) {
      report_->Warn(*component.constraints,
                    fmt::format("container '{}' has no fan-out; its constraints have no effect",
                                component.name));
    }
    mesh_x_ = next_x_;
    mesh_y_ = next_y_;
  }

  void PlaceComponent(Component component, const Node* class_name) {
    if (class_name == nullptr || !class_name->IsScalar()) {
      report_->Error(*component.node, fmt::format("'{}' has no class", component.name));
      return;
    }
    component.class_name = class_name->text;
    FindDefinition(context_, &component);
    component.inherited = inherited_;
    component.scope = scope_;
    if (component.attributes != nullptr) component.scope.Push(*component.attributes);
    component.mesh_x = mesh_x_;
    component.mesh_y = mesh_y_;
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
        ReportUnknownClass(*class_name, component.class_name, report_);
        return;
    }
    components_.push_back(std::move(component));
  }

  const ComponentContext& context_;
  Report* report_;
  Scope scope_;
  std::vector<const Node*> inherited_;
  int64_t mesh_x_ = 1, mesh_y_ = 1;
  int64_t next_x_ = 1, next_y_ = 1;  // inside the node at hand
  std::vector<Component> components_;
};

}  // namespace

std::vector<Component> ReadNodesForm(const Node& section, const ComponentContext& context,
                                     Report* report) {
  return NodesReader(context, report).Read(section);
}

}  // namespace inlay::io::timeloop

#include "inlay/io/onnx/propagate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "inlay/base/mention.h"
#include "inlay/base/suggest.h"
#include "inlay/core/graph.h"
#include "inlay/io/onnx/inline.h"

namespace inlay::io::onnx {
namespace {

constexpr size_t kMostNodeErrors = 50;

// Operators whose outputs differ from run to run whatever their inputs.
bool IsRandom(const std::string& type) {
  return type.starts_with("Random") || type == "Bernoulli" || type == "Multinomial";
}

class Propagator {
 public:
  Propagator(const std::string& file, const DimValues& dims) : file_(file), dims_(dims) {}

  Result<Propagated> Run(Model model) {
    const auto opset = model.opsets.find("");
    if (opset != model.opsets.end()) result_.opset = opset->second;
    Declare(model.graph);
    CollectNames(model.graph);
    for (const ValueInfo& output : model.graph.outputs) result_.outputs.push_back(output.name);
    if (model.graph.nodes.empty()) Error("the graph has no nodes");
    if (result_.outputs.empty()) Error("the graph has no outputs");
    auto nodes = InlineFunctions(file_, std::move(model));
    if (!nodes) Append(nodes.error(), &errors_);
    const bool complete = errors_.empty();
    if (complete) Process(*std::move(nodes), 0);
    CheckDims(complete);
    if (!errors_.empty()) return Fail(std::move(errors_));
    return std::move(result_);
  }

 private:
  void Error(std::string message, std::string hint = "") {
    if (errors_.size() >= kMostNodeErrors) return;
    errors_.push_back(MakeError({file_, 0, 0}, std::move(message), std::move(hint)));
  }

  // The extent by its number, or by the value that the user gives its name.
  std::optional<int64_t> ExtentOf(const Extent& extent, const std::string& place) const {
    if (extent.value >= 0) return extent.value;
    for (const std::string& name : {extent.symbol, place}) {
      const auto given = name.empty() ? dims_.end() : dims_.find(name);
      if (given != dims_.end()) return given->second;
    }
    return std::nullopt;
  }

  void Declare(const ModelGraph& graph) {
    for (const TensorData& constant : graph.constants) {
      if (constant.name.empty()) continue;
      result_.known[constant.name] = {constant.shape, constant.elements, true};
    }
    for (const ValueInfo& input : graph.inputs) {
      if (result_.known.contains(input.name)) continue;  // before IR 4, constants are inputs too
      result_.inputs.push_back(input.name);
      result_.known[input.name].shape = InputShape(input);
    }
    for (const auto* list : {&graph.values, &graph.outputs}) {
      for (const ValueInfo& value : *list) {
        if (value.shape) stated_[value.name] = *value.shape;
      }
    }
  }

  std::optional<Shape> InputShape(const ValueInfo& input) {
    if (!input.shape) {
      Error(fmt::format("input '{}' has no shape, or is no tensor", input.name),
            "export the model with the shapes of its inputs");
      return std::nullopt;
    }
    Shape shape;
    bool complete = true;
    for (size_t i = 0; i < input.shape->size(); ++i) {
      const Extent& extent = (*input.shape)[i];
      const std::string place = fmt::format("{}.{}", input.name, i);
      const auto value = ExtentOf(extent, place);
      complete = complete && value;
      shape.push_back(value.value_or(0));
      if (value) continue;
      const std::string& name = extent.symbol.empty() ? place : extent.symbol;
      if (!asked_.insert(name).second) continue;
      Error(extent.symbol.empty()
                ? fmt::format("extent {} of input '{}' is not known", i, input.name)
                : fmt::format("input '{}' has a symbolic dimension '{}'", input.name, name),
            "give its value: " + Mention("dim", name + "=1"));
    }
    if (complete && !WordsOf(shape)) {
      Error(fmt::format("input '{}' has more words than 64 bits can count", input.name));
    }
    return complete ? std::optional<Shape>(shape) : std::nullopt;
  }

  void CollectNames(const ModelGraph& graph) {
    for (const auto* list : {&graph.inputs, &graph.outputs, &graph.values}) {
      for (const ValueInfo& value : *list) {
        for (size_t i = 0; value.shape && i < value.shape->size(); ++i) {
          const Extent& extent = (*value.shape)[i];
          if (extent.value >= 0) continue;
          dim_names_.insert(extent.symbol.empty() ? fmt::format("{}.{}", value.name, i)
                                                  : extent.symbol);
        }
      }
    }
  }

  // Places of values that depend on data are known only after all nodes have been gone through.
  void CheckDims(bool complete) {
    for (const auto& [name, value] : dims_) {
      if (dim_names_.contains(name)) continue;
      if (!complete && name.find('.') != std::string::npos) continue;
      Error(fmt::format("{}: the model has no symbolic dimension '{}'", Mention("dim", name), name),
            dim_names_.empty() ? "all its dimensions are numbers"
                               : SuggestionHint(name, {dim_names_.begin(), dim_names_.end()}));
    }
  }

  // Whether every name that is read is there or written, by one node only; else it is reported.
  bool CheckNames(const std::vector<ModelNode>& nodes,
                  const std::unordered_map<std::string, size_t>& producers) {
    const size_t before = errors_.size();
    for (const ModelNode& node : nodes) {
      for (const std::string& name : NamesRead(node)) {
        if (producers.contains(name) || result_.known.contains(name)) continue;
        Error(fmt::format("{} reads '{}', which nothing writes", Describe(node), name));
        if (errors_.size() >= kMostNodeErrors) return false;
      }
    }
    return errors_.size() == before;
  }

  std::optional<std::vector<size_t>> Order(const std::vector<ModelNode>& nodes) {
    std::unordered_map<std::string, size_t> producers;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const std::string& name : nodes[i].outputs) {
        if (name.empty()) continue;
        if (result_.known.contains(name) || !producers.emplace(name, i).second) {
          Error(fmt::format("{} writes '{}', which is there already", Describe(nodes[i]), name));
        }
      }
    }
    if (!CheckNames(nodes, producers)) return std::nullopt;
    std::vector<std::vector<size_t>> needs(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const std::string& name : NamesRead(nodes[i])) {
        const auto producer = producers.find(name);
        if (producer != producers.end()) needs[i].push_back(producer->second);
      }
    }
    auto order = OrderByNeeds(needs);
    if (order) return *std::move(order);
    std::string cycle;
    constexpr size_t kMostNamed = 5;
    for (size_t i = 0; i < order.error().size() && i < kMostNamed; ++i) {
      cycle += Describe(nodes[order.error()[i]]) + " needs ";
    }
    Error("the graph has a cycle: " + cycle +
          (order.error().size() > kMostNamed ? "others, which need " : "") +
          Describe(nodes[order.error().front()]));
    return std::nullopt;
  }

  void Process(std::vector<ModelNode> nodes, int depth) {
    const auto order = Order(nodes);
    if (!order) return;
    for (const size_t i : *order) {
      if (errors_.size() >= kMostNodeErrors) return;
      if (nodes[i].type == "If" && TakeBranch(nodes[i], depth)) continue;
      Infer(std::move(nodes[i]));
    }
  }

  // Replaces an If by the branch that its condition takes, where it is known.
  bool TakeBranch(const ModelNode& node, int depth) {
    constexpr int kDeepest = 64;
    const auto condition =
        node.inputs.empty() ? result_.known.end() : result_.known.find(node.inputs.front());
    if (depth >= kDeepest || condition == result_.known.end() || !condition->second.elements ||
        condition->second.elements->values.size() != 1) {
      return false;
    }
    const bool taken = condition->second.elements->values.front() != 0;
    const Attribute* branch = node.Find(taken ? "then_branch" : "else_branch");
    if (branch == nullptr || !branch->graph) return false;
    ModelGraph body = RenameBody(*branch->graph, {}, fmt::format("@if{}", ++branches_));
    for (const TensorData& constant : body.constants) {
      result_.known[constant.name] = {constant.shape, constant.elements, true};
    }
    for (const ValueInfo& value : body.values) {
      if (value.shape) stated_[value.name] = *value.shape;
    }
    for (size_t i = 0; i < node.outputs.size() && i < body.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      body.nodes.push_back({"", "", "Identity", {body.outputs[i].name}, {node.outputs[i]}, {}});
    }
    Process(std::move(body.nodes), depth + 1);
    return true;
  }

  void Infer(ModelNode node) {
    Step step;
    step.rule = FindRule(node);
    std::vector<const KnownValue*> inputs;
    bool constant = !IsRandom(node.type);
    for (const std::string& name : node.inputs) {
      const KnownValue* input = name.empty() ? nullptr : &result_.known.at(name);
      constant = constant && (input == nullptr || input->constant);
      inputs.push_back(input);
    }
    for (const Attribute& attribute : node.attributes) constant = constant && !attribute.graph;
    Call call(node, result_.opset, std::move(inputs));
    if (step.rule != nullptr) step.rule->rule(&call);
    if (call.fault()) AddFault(node, *call.fault());
    std::vector<KnownValue> outputs = call.TakeOutputs();
    const std::string unknown_since = UnknownSince(node);
    step.folded = true;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      KnownValue& output = outputs[i];
      if (!output.shape) output.shape = StatedShape(node.outputs[i], output.open);
      output.constant = constant || output.elements.has_value();
      // Vectors with a stated shape may hold the shape that is missing.
      const bool holds_unknown = !output.elements && (!output.shape || output.shape->size() <= 1);
      if (holds_unknown) output.unknown_since = unknown_since;
      if (!output.shape && unknown_since.empty()) output.unknown_since = node.outputs[i];
      step.folded = step.folded && output.constant;
      result_.known[node.outputs[i]] = std::move(output);
    }
    step.node = std::move(node);
    result_.steps.push_back(std::move(step));
  }

  // The first value whose shape is missing, of those that the node's inputs wait for.
  std::string UnknownSince(const ModelNode& node) const {
    for (const std::string& name : node.inputs) {
      if (name.empty()) continue;
      const std::string& since = result_.known.at(name).unknown_since;
      if (!since.empty()) return since;
    }
    return "";
  }

  // Nodes of one operator with the same fault have one cause, or look as if: one error for all.
  void AddFault(const ModelNode& node, const std::string& fault) {
    const auto [known, added] = faults_.try_emplace({node.type, fault}, errors_.size(), node, 0);
    auto& [error, first, others] = known->second;
    if (added) return Error(fmt::format("{}: {}", Describe(node), fault));
    if (error >= errors_.size()) return;
    ++others;
    errors_[error].message = fmt::format("{} and {} more: {}", Describe(first), others, fault);
  }

  // What the file says, else what the operator leaves open, with the values that the user gives.
  std::optional<Shape> StatedShape(const std::string& name, const std::optional<Shape>& open) {
    std::vector<Extent> extents;
    if (const auto stated = stated_.find(name); stated != stated_.end()) {
      extents = stated->second;
    } else if (open) {
      for (const int64_t extent : *open) extents.push_back({extent, ""});
    } else {
      return std::nullopt;
    }
    Shape shape;
    for (size_t i = 0; i < extents.size(); ++i) {
      const std::string place = fmt::format("{}.{}", name, i);
      const auto extent = ExtentOf(extents[i], place);
      if (extents[i].value < 0) {
        dim_names_.insert(place);
        const std::string& called = extents[i].symbol.empty() ? place : extents[i].symbol;
        if (!extent) result_.open.emplace(name, called);
      }
      shape.push_back(extent.value_or(0));
    }
    if (result_.open.contains(name)) return std::nullopt;
    if (!WordsOf(shape)) return std::nullopt;
    return shape;
  }

  const std::string& file_;
  const DimValues& dims_;
  Propagated result_;
  std::unordered_map<std::string, std::vector<Extent>> stated_;
  std::set<std::string> asked_, dim_names_;
  Diagnostics errors_;
  // By operator and fault: the place among the errors, the first such node, how many more.
  std::map<std::pair<std::string, std::string>, std::tuple<size_t, ModelNode, int>> faults_;
  int branches_ = 0;
};

}  // namespace

Result<Propagated> Propagate(const std::string& file, Model model, const DimValues& dims) {
  return Propagator(file, dims).Run(std::move(model));
}

std::string Describe(const ModelNode& node) {
  std::string name = node.name;
  if (name.empty() && !node.outputs.empty()) name = node.outputs.front();
  return fmt::format("node '{}' ({})", name, node.type);
}

}  // namespace inlay::io::onnx

#include "inlay/io/onnx/inline.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace inlay::io::onnx {
namespace {

using Names = std::map<std::string, std::string>;

void Rename(const Names& names, std::string* name) {
  const auto found = names.find(*name);
  if (found != names.end()) *name = found->second;
}

void RenameNode(const Names& names, ModelNode* node);

// A graph inside a node: names that it declares itself hide those of outside.
std::shared_ptr<const ModelGraph> Renamed(const ModelGraph& graph, Names names) {
  auto copy = std::make_shared<ModelGraph>(graph);
  for (const ValueInfo& input : graph.inputs) names.erase(input.name);
  for (const TensorData& constant : graph.constants) names.erase(constant.name);
  for (const ModelNode& node : graph.nodes) {
    for (const std::string& output : node.outputs) names.erase(output);
  }
  for (ModelNode& node : copy->nodes) RenameNode(names, &node);
  for (ValueInfo& output : copy->outputs) Rename(names, &output.name);
  return copy;
}

void RenameNode(const Names& names, ModelNode* node) {
  for (std::string& input : node->inputs) Rename(names, &input);
  for (std::string& output : node->outputs) Rename(names, &output);
  for (Attribute& attribute : node->attributes) {
    if (attribute.graph) attribute.graph = Renamed(*attribute.graph, names);
  }
}

void CollectReads(const ModelNode& node, std::vector<std::string>* names) {
  for (const std::string& input : node.inputs) {
    if (!input.empty()) names->push_back(input);
  }
  for (const Attribute& attribute : node.attributes) {
    if (!attribute.graph) continue;
    const ModelGraph& graph = *attribute.graph;
    std::set<std::string> own;
    for (const ValueInfo& input : graph.inputs) own.insert(input.name);
    for (const TensorData& constant : graph.constants) own.insert(constant.name);
    for (const ModelNode& inner : graph.nodes)
      own.insert(inner.outputs.begin(), inner.outputs.end());
    std::vector<std::string> inside;
    for (const ModelNode& inner : graph.nodes) CollectReads(inner, &inside);
    for (const ValueInfo& output : graph.outputs) inside.push_back(output.name);
    for (std::string& name : inside) {
      if (!own.contains(name)) names->push_back(std::move(name));
    }
  }
}

class Inliner {
 public:
  Inliner(const std::string& file, const std::vector<Function>& functions) : file_(file) {
    for (const Function& function : functions) {
      functions_.emplace(std::pair(function.domain, function.name), &function);
    }
  }

  void Add(ModelNode node, int depth) {
    constexpr size_t kMostNodes = 1'000'000;
    constexpr int kDeepest = 64;
    if (!errors_.empty()) return;
    const auto function = functions_.find({node.domain, node.type});
    if (function == functions_.end()) {
      nodes_.push_back(std::move(node));
    } else if (depth >= kDeepest || nodes_.size() >= kMostNodes) {
      errors_.push_back(MakeError(
          {file_, 0, 0}, fmt::format("function '{}' calls itself, or too many others", node.type)));
    } else {
      Call(*function->second, node, depth);
    }
  }

  Result<std::vector<ModelNode>> Finish() {
    if (!errors_.empty()) return Fail(std::move(errors_));
    return std::move(nodes_);
  }

 private:
  void Call(const Function& function, const ModelNode& caller, int depth) {
    const std::string suffix = fmt::format("@{}", ++calls_);
    Names names;
    for (const ModelNode& node : function.nodes) {
      for (const std::string& output : node.outputs) {
        if (!output.empty()) names[output] = output + suffix;
      }
    }
    const auto bind = [&names](const auto& formal, const auto& actual, bool absent_is_empty) {
      for (size_t i = 0; i < formal.size(); ++i) {
        const bool there = i < actual.size() && !actual[i].empty();
        if (there || absent_is_empty) names[formal[i]] = there ? actual[i] : "";
      }
    };
    bind(function.inputs, caller.inputs, true);
    bind(function.outputs, caller.outputs, false);
    for (ModelNode node : function.nodes) {
      RenameNode(names, &node);
      if (!node.name.empty()) node.name += suffix;
      Resolve(caller, &node);
      Add(std::move(node), depth + 1);
    }
  }

  // Attributes that refer to those of the call become these, or go.
  static void Resolve(const ModelNode& caller, ModelNode* node) {
    std::vector<Attribute> attributes;
    for (Attribute& attribute : node->attributes) {
      if (attribute.refers_to.empty()) {
        attributes.push_back(std::move(attribute));
      } else if (const Attribute* given = caller.Find(attribute.refers_to)) {
        attributes.push_back(*given);
        attributes.back().name = attribute.name;
      }
    }
    node->attributes = std::move(attributes);
  }

  const std::string& file_;
  std::map<std::pair<std::string, std::string>, const Function*> functions_;
  std::vector<ModelNode> nodes_;
  Diagnostics errors_;
  int calls_ = 0;
};

}  // namespace

Result<std::vector<ModelNode>> InlineFunctions(const std::string& file, Model model) {
  if (model.functions.empty()) return std::move(model.graph.nodes);
  Inliner inliner(file, model.functions);
  for (ModelNode& node : model.graph.nodes) inliner.Add(std::move(node), 0);
  return inliner.Finish();
}

ModelGraph RenameBody(ModelGraph body, const Names& given, const std::string& suffix) {
  Names names = given;
  for (TensorData& constant : body.constants) {
    names.emplace(constant.name, constant.name + suffix);
    Rename(names, &constant.name);
  }
  for (const ModelNode& node : body.nodes) {
    for (const std::string& output : node.outputs) {
      if (!output.empty()) names.emplace(output, output + suffix);
    }
  }
  for (ModelNode& node : body.nodes) {
    RenameNode(names, &node);
    if (!node.name.empty()) node.name += suffix;
  }
  for (ValueInfo& output : body.outputs) Rename(names, &output.name);
  for (ValueInfo& value : body.values) Rename(names, &value.name);
  return body;
}

std::vector<std::string> NamesRead(const ModelNode& node) {
  std::vector<std::string> names;
  CollectReads(node, &names);
  return names;
}

}  // namespace inlay::io::onnx

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/mention.h"
#include "inlay/core/graph.h"
#include "inlay/io/onnx/onnx.h"
#include "inlay/io/onnx/propagate.h"
#include "inlay/io/onnx/window.h"

namespace inlay::io {
namespace onnx {
namespace {

// "resnet50" of "models/resnet50.onnx". Exporters call nearly every graph the same.
std::string StemOf(const std::string& file) {
  const size_t slash = file.rfind('/');
  const std::string last = slash == std::string::npos ? file : file.substr(slash + 1);
  return last.substr(0, last.rfind('.'));
}

// Makes the graph from what is known: leaves out constants and nodes whose outputs are not needed,
// and turns nodes that move no data into views.
class GraphMaker {
 public:
  GraphMaker(const std::string& file, Propagated model) : file_(file), model_(std::move(model)) {}

  Result<WithWarnings<Graph>> Make() {
    FindCopies();
    MarkNeeded();
    graph_.name = StemOf(file_);
    for (const std::string& name : model_.inputs) AddValue(name, ValueRole::kInput);
    for (const Step& step : model_.steps) {
      if (IsLive(step)) AddWeights(step);
    }
    for (const std::string& name : model_.outputs) AddConstantOutput(Original(name));
    for (const Step& step : model_.steps) {
      if (IsLive(step)) AddStep(step);
      if (step.folded && step.node.type != "Constant") ++graph_.folded_nodes;
    }
    for (const std::string& name : model_.outputs) {
      const auto id = ids_.find(Original(name));
      if (id != ids_.end()) graph_.outputs.push_back(id->second);
      if (id == ids_.end() && errors_.empty() && missing_.empty()) {
        Error(fmt::format("nothing writes the output '{}'", name));
      }
    }
    ReportMissing();
    if (errors_.empty() && graph_.nodes.empty()) {
      Error("nothing is left to run: no output depends on an input");
    }
    if (errors_.empty()) {
      for (const Fault& fault : Validate(graph_)) Error(fault.message, fault.hint);
    }
    if (!errors_.empty()) return Fail(std::move(errors_));
    WarnOfUnknown();
    return WithWarnings<Graph>{std::move(graph_), std::move(warnings_)};
  }

 private:
  void Error(std::string message, std::string hint = "") {
    constexpr size_t kMostErrors = 50;
    if (errors_.size() >= kMostErrors) return;
    errors_.push_back(MakeError({file_, 0, 0}, std::move(message), std::move(hint)));
  }

  const KnownValue& KnownOf(const std::string& name) const { return model_.known.at(name); }

  // A constant that is a copy of another one is that one.
  void FindCopies() {
    for (const Step& step : model_.steps) {
      const ModelNode& node = step.node;
      if (!step.folded || step.rule == nullptr || step.rule->op != Op::kView) continue;
      if (node.inputs.empty() || node.inputs[0].empty() || node.outputs.empty()) continue;
      const std::string& source = Original(node.inputs[0]);
      if (KnownOf(source).shape == KnownOf(node.outputs[0]).shape) {
        copies_.emplace(node.outputs[0], source);
      }
    }
  }

  const std::string& Original(const std::string& name) const {
    const auto copy = copies_.find(name);
    return copy == copies_.end() ? name : copy->second;
  }

  bool IsLive(const Step& step) const {
    if (step.folded) return false;
    return std::any_of(step.node.outputs.begin(), step.node.outputs.end(),
                       [this](const std::string& name) { return needed_.contains(name); });
  }

  void MarkNeeded() {
    for (const std::string& name : model_.outputs) needed_.insert(name);
    for (auto step = model_.steps.rbegin(); step != model_.steps.rend(); ++step) {
      if (!IsLive(*step)) continue;
      for (const std::string& name : Operands(*step)) needed_.insert(name);
    }
  }

  static Op OpOf(const Step& step) { return step.rule == nullptr ? Op::kOther : step.rule->op; }

  // The tensors that a node reads. A single constant number belongs to the instruction, and an
  // empty one is another way to leave an input out.
  std::vector<std::string> Operands(const Step& step) const {
    std::vector<std::string> operands;
    const bool compute = InfoOf(OpOf(step)).op_class == OpClass::kCompute;
    for (size_t i = 0; i < step.node.inputs.size(); ++i) {
      const std::string& name = Original(step.node.inputs[i]);
      if (name.empty() || (step.rule != nullptr && !step.rule->reads[i])) continue;
      const KnownValue& known = KnownOf(name);
      const auto words = known.shape ? WordsOf(*known.shape) : std::nullopt;
      if (known.constant && words && *words <= 1 && !(compute && *words == 1)) continue;
      const bool twice = std::find(operands.begin(), operands.end(), name) != operands.end();
      if (compute || !twice) operands.push_back(name);
    }
    return operands;
  }

  bool AddValue(const std::string& name, ValueRole role) {
    if (ids_.contains(name)) return true;
    const KnownValue& known = KnownOf(name);
    if (!known.shape) return false;
    ids_.emplace(name, ValueId(graph_.values.size()));
    graph_.values.push_back({name, *known.shape, role, {}});
    return true;
  }

  void AddWeights(const Step& step) {
    for (const std::string& name : Operands(step)) {
      if (KnownOf(name).constant && !AddValue(name, ValueRole::kWeight)) AddMissing(name);
    }
  }

  void AddConstantOutput(const std::string& name) {
    const auto known = model_.known.find(name);
    if (known == model_.known.end() || !known->second.constant) return;
    if (!AddValue(name, ValueRole::kWeight)) AddMissing(name);
  }

  void AddStep(const Step& step) {
    NodeSpec spec;
    spec.name = NameFor(step.node);
    spec.op = OpOf(step);
    std::vector<Shape> shapes;
    for (const std::string& name : Operands(step)) {
      const auto id = ids_.find(name);
      if (id == ids_.end()) return;  // reported where it went missing
      spec.inputs.push_back(id->second);
      shapes.push_back(*KnownOf(name).shape);
    }
    for (const std::string& name : step.node.outputs) {
      if (name.empty() || !needed_.contains(name)) continue;
      if (!KnownOf(name).shape) return AddMissing(name);
      spec.outputs.push_back({name, KnownOf(name).shape});
    }
    if (!FillAttributes(step, shapes, &spec)) return;
    Simplify(step, shapes, &spec);
    const std::vector<NodeSpec::Output> outputs = spec.outputs;
    const auto added = AddNode(std::move(spec), &graph_);
    if (!added) {
      return Error(fmt::format("{}: {}", Describe(step.node), added.error().message),
                   added.error().hint);
    }
    const GraphNode& node = graph_.nodes.back();
    for (size_t i = 0; i < outputs.size(); ++i) ids_.emplace(outputs[i].name, node.outputs[i]);
    if (step.rule == nullptr) ++unknown_[step.node.type].first;
    if (step.rule == nullptr && unknown_[step.node.type].second.empty()) {
      unknown_[step.node.type].second = node.name;
    }
  }

  // A shape that is missing, whatever else is missing because of it.
  struct MissingShape {
    const Step* step = nullptr;  // that writes the value
    std::string name;
    std::string needed;  // the value that the graph needs: the same one, or one that follows
    int others = 0;      // further nodes of the same operator, where that is not known
  };

  // Keeps where the shape of `name` went missing, once.
  void AddMissing(const std::string& name) {
    const std::string& since = KnownOf(name).unknown_since;
    if (!missing_names_.insert(since).second) return;
    const auto writer =
        std::find_if(model_.steps.begin(), model_.steps.end(), [&](const Step& step) {
          const auto& outputs = step.node.outputs;
          return std::find(outputs.begin(), outputs.end(), since) != outputs.end();
        });
    INLAY_CHECK(writer != model_.steps.end());
    const auto same = std::find_if(missing_.begin(), missing_.end(), [&](const auto& other) {
      return writer->rule == nullptr && other.step->node.type == writer->node.type;
    });
    if (same != missing_.end()) {
      ++same->others;
    } else {
      missing_.push_back({&*writer, since, name, 0});
    }
  }

  void ReportMissing() {
    for (const MissingShape& missing : missing_) {
      const Step& step = *missing.step;
      const auto open = model_.open.find(missing.name);
      std::string message = fmt::format(
          "the shape of '{}', which {} writes, is neither in the file nor can it be "
          "inferred",
          missing.name, Describe(step.node));
      if (missing.needed != missing.name) {
        message += fmt::format("; that of '{}' depends on it", missing.needed);
      }
      if (missing.others > 0) {
        message += fmt::format("; the same holds for {} more nodes of '{}'", missing.others,
                               step.node.type);
      }
      Error(std::move(message),
            open != model_.open.end() ? "give what is open: " + Mention("dim", open->second + "=1")
            : step.rule == nullptr
                ? fmt::format("operator '{}' is not known; export the model with its shapes",
                              step.node.type)
                : "it depends on data; export the model with shapes, or without this node");
    }
  }

  // Node names of a file may be empty or not unique.
  std::string NameFor(const ModelNode& node) {
    std::string name = node.name.empty() ? node.outputs.front() : node.name;
    if (name.empty()) name = node.type;
    std::string unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
    return unique;
  }

  bool FillAttributes(const Step& step, const std::vector<Shape>& shapes, NodeSpec* spec) {
    const Call call(step.node, 0, {});
    switch (spec->op) {
      case Op::kConv:
      case Op::kConvTranspose: {
        if (shapes.size() < 2) break;
        const auto attributes = ConvAttributes(call, shapes[0], shapes[1]);
        if (!attributes) {
          Error(fmt::format("{}: {}", Describe(step.node), attributes.error()));
          return false;
        }
        spec->attributes = *attributes;
        break;
      }
      case Op::kGemm:
        spec->attributes.transpose_a = call.Integer("transA", 0) != 0;
        spec->attributes.transpose_b = call.Integer("transB", 0) != 0;
        break;
      case Op::kEinsum:
        spec->attributes.equation = EquationOf(call);
        break;
      case Op::kLstm:
      case Op::kGru:
      case Op::kRnn:
        spec->attributes.batch_first = call.Integer("layout", 0) != 0;
        break;
      case Op::kElementwise:
      case Op::kNorm:
      case Op::kPool:
      case Op::kReduce:
        spec->attributes.function = FunctionOf(step);
        if (spec->op == Op::kPool) spec->attributes.window = call.Integers("kernel_shape");
        if (spec->op == Op::kNorm) SetAxes(step, shapes, spec);
        break;
      case Op::kSoftmax:
        SetAxes(step, shapes, spec);
        break;
      default:
        break;
    }
    return true;
  }

  void SetAxes(const Step& step, const std::vector<Shape>& shapes, NodeSpec* spec) const {
    if (shapes.empty()) return;
    const Call call(step.node, model_.opset, {});
    spec->attributes.axes = RowAxes(call, shapes.front().size());
  }

  NodeFunction FunctionOf(const Step& step) const {
    if (step.rule == nullptr) return NodeFunction::kAny;
    const NodeFunction function = FunctionOfType(step.node.type);
    if (function != NodeFunction::kPow || step.node.inputs.size() < 2) return function;
    // A square is a product.
    const auto& exponent = KnownOf(Original(step.node.inputs[1])).elements;
    const bool square = exponent && exponent->values.size() == 1 && exponent->values[0] == 2;
    return square ? NodeFunction::kMul : function;
  }

  // What moves nothing is a view, and what multiplies nothing computes nothing.
  static void Simplify(const Step& step, const std::vector<Shape>& shapes, NodeSpec* spec) {
    const bool one_to_one = shapes.size() == 1 && spec->outputs.size() == 1;
    const auto same = [&] { return one_to_one && shapes[0] == spec->outputs[0].shape; };
    switch (spec->op) {
      case Op::kView:
        if (!one_to_one) spec->op = Op::kElementwise;  // a dropout with its mask: any function
        break;
      case Op::kTranspose:
        if (step.node.type == "Transpose" && one_to_one && KeepsOrder(step.node, shapes[0])) {
          spec->op = Op::kView;
        }
        break;
      case Op::kConcat:
      case Op::kPad:
      case Op::kExpand:
        if (same()) spec->op = Op::kView;
        break;
      case Op::kEinsum:
        if (shapes.size() < 2) {
          spec->op = Op::kReduce;
          spec->attributes = {};
        }
        break;
      default:
        break;
    }
  }

  // Whether a transposition leaves dimensions of more than one element in their order.
  static bool KeepsOrder(const ModelNode& node, const Shape& shape) {
    const Attribute* perm = node.Find("perm");
    int64_t last = -1;
    for (size_t i = 0; i < shape.size(); ++i) {
      const int64_t axis = perm != nullptr && i < perm->integers.size()
                               ? perm->integers[i]
                               : static_cast<int64_t>(shape.size() - 1 - i);
      const size_t at = AxisOf(axis, shape.size()).value_or(0);
      if (shape[at] == 1) continue;
      if (static_cast<int64_t>(at) < last) return false;
      last = static_cast<int64_t>(at);
    }
    return true;
  }

  void WarnOfUnknown() {
    for (const auto& [type, count_and_first] : unknown_) {
      const auto& [count, first] = count_and_first;
      warnings_.push_back(MakeWarning(
          {file_, 0, 0},
          count == 1 ? fmt::format("operator '{}' of node '{}' is not known", type, first)
                     : fmt::format("operator '{}' of {} nodes, the first is '{}', is not known",
                                   type, count, first),
          "it counts as a memory node: its inputs are read, its outputs written, its arithmetic is "
          "left out"));
    }
  }

  const std::string& file_;
  Propagated model_;
  Graph graph_;
  std::unordered_map<std::string, std::string> copies_;
  std::set<std::string> needed_;
  std::unordered_map<std::string, ValueId> ids_;
  std::set<std::string> names_;
  std::map<std::string, std::pair<int, std::string>> unknown_;  // how many, the first
  std::vector<MissingShape> missing_;
  std::set<std::string> missing_names_;
  Diagnostics errors_, warnings_;
};

}  // namespace
}  // namespace onnx

Result<WithWarnings<Graph>> ReadOnnx(const std::string& file, std::string_view bytes,
                                     const DimValues& dims) {
  auto model = onnx::ParseModel(file, bytes);
  if (!model) return Fail(std::move(model.error()));
  auto propagated = onnx::Propagate(file, *std::move(model), dims);
  if (!propagated) return Fail(std::move(propagated.error()));
  return onnx::GraphMaker(file, *std::move(propagated)).Make();
}

}  // namespace inlay::io

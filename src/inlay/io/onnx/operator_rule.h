#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/operator.h"
#include "inlay/io/onnx/model.h"

namespace inlay::io::onnx {

// What is known of a value before any run.
struct KnownValue {
  std::optional<Shape> shape;
  std::optional<Elements> elements;  // as many as the shape says
  bool constant = false;             // the same in every run
  std::optional<Shape> open = {};    // instead of `shape`: -1 for extents that depend on data
  // Where something of it is not known because the shape of an earlier value is not: that value;
  // its own name where it is the first. "": no shape is missing before it.
  std::string unknown_since = {};
};

// One node, with what is known of its inputs; an operator's rule fills in the outputs. What a rule
// cannot tell it leaves open; what contradicts the operator's definition it reports.
class Call {
 public:
  // The node must outlive the call; a null input is left out.
  Call(const ModelNode& node, int64_t opset, std::vector<const KnownValue*> inputs)
      : node_(&node), opset_(opset), inputs_(std::move(inputs)), outputs_(node.outputs.size()) {}

  const std::string& type() const { return node_->type; }
  const ModelNode& node() const { return *node_; }
  int64_t opset() const { return opset_; }

  // What is known of the i-th input; null where there is none or nothing is known.
  const Shape* ShapeAt(size_t i) const;
  const Elements* ElementsAt(size_t i) const;
  bool Has(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  size_t input_count() const { return inputs_.size(); }
  // The elements of an input as whole numbers; nullopt where they are not known.
  std::optional<std::vector<int64_t>> WholeAt(size_t i) const;
  // The shapes of all inputs from the i-th that are there; nullopt where one is not known.
  std::optional<std::vector<Shape>> ShapesFrom(size_t i) const;

  int64_t Integer(std::string_view attribute, int64_t otherwise) const;
  std::vector<int64_t> Integers(std::string_view attribute) const;  // empty if there are none
  std::string Text(std::string_view attribute) const;
  // An attribute in old opsets, the i-th input in new ones; nullopt where it is not known.
  std::optional<std::vector<int64_t>> AttributeOrInput(std::string_view attribute, size_t i) const;

  size_t output_count() const { return outputs_.size(); }
  const KnownValue& output(size_t i) const { return outputs_[i]; }
  std::vector<KnownValue> TakeOutputs() { return std::move(outputs_); }
  // Outputs that the node has not are passed over.
  void SetShape(size_t output, Shape shape);
  void SetOpen(size_t output, Shape shape);  // extents of -1 depend on data
  // The elements too, where they are few enough to be kept.
  void Set(size_t output, Shape shape, Elements elements);

  void Fail(std::string message) { fault_ = std::move(message); }
  const std::optional<std::string>& fault() const { return fault_; }

 private:
  const ModelNode* node_;
  int64_t opset_;
  std::vector<const KnownValue*> inputs_;
  std::vector<KnownValue> outputs_;
  std::optional<std::string> fault_;
};

using Rule = void (*)(Call* call);

// Which inputs of an operator are tensors that it reads; the others steer it (a shape, axes,
// scales) and are known beforehand.
struct ReadInputs {
  uint32_t inputs = ~uint32_t{0};  // bit i: the i-th; the last bit also for all further ones
  bool operator[](size_t i) const { return ((inputs >> (i < 31 ? i : 31)) & 1) != 0; }
};
inline constexpr ReadInputs kFirstOnly = {1};

struct OpRule {
  std::string_view type;
  Op op = Op::kOther;
  Rule rule = nullptr;
  ReadInputs reads = {};
};

// One table per file; FindRule looks through all of them. Types of other domains than ONNX's own
// share the table: they are assumed to mean the same by the same name.
std::vector<OpRule> ElementwiseRules();
std::vector<OpRule> MatrixRules();
std::vector<OpRule> WindowRules();
std::vector<OpRule> ReductionRules();
std::vector<OpRule> LayoutRules();
std::vector<OpRule> IndexRules();
std::vector<OpRule> SourceRules();
const OpRule* FindRule(const ModelNode& node);

// What the nodes of an operator compute that does not multiply.
NodeFunction FunctionOfType(std::string_view type);

// The dimensions of the rows of a softmax or a norm (OpAttributes).
std::vector<int64_t> RowAxes(const Call& call, size_t rank);

// An axis from -rank to rank-1 as one from 0; nullopt where it is none.
std::optional<size_t> AxisOf(int64_t axis, size_t rank);
// A double as a whole number, saturated.
int64_t ToWhole(double value);

// What a matrix product of any form multiplies, as an einsum: that of an Einsum, or one with the
// transpositions of a FusedMatMul.
std::string EquationOf(const Call& call);

// Rules that several tables share.
void SameAsFirst(Call* call);  // every output has the shape of the first input

}  // namespace inlay::io::onnx

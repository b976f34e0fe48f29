#include "inlay/core/operator.h"

#include <algorithm>

#include "inlay/base/check.h"
#include "inlay/base/fields.h"

namespace inlay {

const OpInfo& InfoOf(Op op) {
  const OpInfo& info = kOperators.at(static_cast<size_t>(op));
  INLAY_CHECK(info.op == op);
  return info;
}

std::optional<Op> OpFromName(std::string_view name) {
  const auto* found = std::find_if(kOperators.begin(), kOperators.end(),
                                   [name](const OpInfo& info) { return info.name == name; });
  if (found == kOperators.end()) return std::nullopt;
  return found->op;
}

bool MayCompute(Op op, NodeFunction function) {
  using F = NodeFunction;
  if (function == F::kAny) return true;
  const bool is_norm = function >= F::kLayer;  // the last ones
  switch (op) {
    case Op::kElementwise:
      return !is_norm && function != F::kMean;
    case Op::kNorm:
      return is_norm;
    case Op::kPool:
    case Op::kReduce:
      return function == F::kMax || function == F::kAdd || function == F::kMean;
    default:
      return false;
  }
}

const Structure& StructureOf(const OpAttributes*) {
  static constexpr KeyTraits kLeftOut = {.unless_default = true};
  static constexpr KeyTraits kPerDimension = {.by_hand = true};
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&OpAttributes::equation>("equation", "of an einsum, such as 'bij,bjk->bik'",
                                     {.text = TextForm::kTitle, .unless_default = true}),
      KeyOf<&OpAttributes::groups>("groups", "of a convolution (default {})", kLeftOut),
      KeyOf<&OpAttributes::stride>("stride", "of a convolution (default 1)", kPerDimension),
      KeyOf<&OpAttributes::dilation>("dilation", "of a convolution (default 1)", kPerDimension),
      ByHand("pads", "zeros around the input of a convolution (default 0)"),
      KeyOf<&OpAttributes::transpose_a>(
          "transpose_a", "whether a gemm transposes its first input (default {})", kLeftOut),
      KeyOf<&OpAttributes::transpose_b>(
          "transpose_b", "whether a gemm transposes its second input (default {})", kLeftOut),
      KeyOf<&OpAttributes::batch_first>(
          "batch_first", "whether the batch of a recurrent layer stands before time (default {})",
          kLeftOut),
      KeyOf<&OpAttributes::function>(
          "function",
          "what an elementwise node, a norm, a pool or a reduction computes (default {})",
          kLeftOut),
      ByHand("window", "of a pool: its extents"),
      ByHand(
          "axes",
          "of a softmax, or of a norm of rows: the dimensions of a row, counted from 0 (default: "
          "the last)"),
  });
  return DescribeKeys<OpAttributes, kKeys>("a node");
}

std::vector<size_t> RowDimensions(const OpAttributes& attributes, size_t rank) {
  if (!attributes.axes.empty()) return {attributes.axes.begin(), attributes.axes.end()};
  if (rank == 0) return {};
  return {rank - 1};
}

}  // namespace inlay

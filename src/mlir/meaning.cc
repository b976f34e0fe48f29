#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>
#include <mlir/IR/BuiltinAttributes.h>

#include <algorithm>

#include "mlir/linalg_meaning.h"
#include "mlir/operations.h"
#include "mlir/types.h"

namespace inlay::plugin {
namespace {

using mlir::linalg::LinalgOp;

Shape ShapeOf(mlir::Value value) { return LayoutOf(value.getType())->shape; }

std::vector<int64_t> Integers(mlir::Operation* operation, llvm::StringRef name) {
  const auto attribute = operation->getAttrOfType<mlir::DenseI64ArrayAttr>(name);
  if (!attribute) return {};
  return attribute.asArrayRef().vec();
}

// [N, spatial…, C] as [N, C, spatial…].
Shape ChannelsFirst(const Shape& shape) {
  Shape moved = shape;
  std::rotate(moved.begin() + 1, moved.end() - 1, moved.end());
  return moved;
}

// Pads of a spatial dimension stand side by side: before, after.
void SetWindow(mlir::Operation* operation, OpAttributes* attributes) {
  attributes->stride = Integers(operation, "stride");
  attributes->dilation = Integers(operation, "dilation");
  const std::vector<int64_t> pads = Integers(operation, "pad");
  for (size_t i = 0; i + 1 < pads.size(); i += 2) {
    attributes->pads_before.push_back(pads[i]);
    attributes->pads_after.push_back(pads[i + 1]);
  }
}

Meaning TosaConvolution(mlir::Operation* operation) {
  Meaning meaning{.op = Op::kConv};
  SetWindow(operation, &meaning.attributes);
  meaning.factors = {{0U, ChannelsFirst(ShapeOf(operation->getOperand(0)))},
                     {1U, ChannelsFirst(ShapeOf(operation->getOperand(1)))}};
  meaning.output = ChannelsFirst(ShapeOf(operation->getResult(0)));
  return meaning;
}

// Weights are [R, S, C, M]: M filters for each channel.
Meaning TosaDepthwise(mlir::Operation* operation) {
  Meaning meaning = TosaConvolution(operation);
  const Shape weights = ShapeOf(operation->getOperand(1));
  meaning.attributes.groups = weights[2];
  meaning.factors[1].second = {weights[2] * weights[3], 1, weights[0], weights[1]};
  return meaning;
}

// Weights are [K, R, S, C]; what the output has besides the products is no work.
Meaning TosaTransposed(mlir::Operation* operation) {
  Meaning meaning{.op = Op::kConvTranspose};
  meaning.attributes.stride = Integers(operation, "stride");
  const Shape weights = ShapeOf(operation->getOperand(1));
  meaning.factors = {{0U, ChannelsFirst(ShapeOf(operation->getOperand(0)))},
                     {1U, {weights[3], weights[0], weights[1], weights[2]}}};
  meaning.output = ChannelsFirst(ShapeOf(operation->getResult(0)));
  return meaning;
}

Meaning TosaProduct(mlir::Operation* operation, Op op) {
  Meaning meaning{.op = op};
  meaning.attributes.transpose_b = op == Op::kGemm;  // fully_connected: weights are [K, C]
  meaning.factors = {{0U, ShapeOf(operation->getOperand(0))},
                     {1U, ShapeOf(operation->getOperand(1))}};
  meaning.output = ShapeOf(operation->getResult(0));
  return meaning;
}

// Of tosa.
constexpr llvm::StringLiteral kElementwise =
    "abs add arithmetic_right_shift bitwise_and bitwise_not bitwise_or bitwise_xor cast "
    "ceil clamp clz cos equal erf exp floor greater greater_equal identity int_div log "
    "logical_and logical_left_shift logical_not logical_or logical_right_shift "
    "logical_xor maximum minimum mul negate pow reciprocal rescale rsqrt select sigmoid "
    "sin sub table tanh";

// Those that only move elements, by name. In place is what computes element by element; operands
// that are stretched have fewer elements, and are no candidates.
Op MovementOpOf(mlir::Operation* operation) {
  static const llvm::StringMap<Op> kOps = [] {
    llvm::StringMap<Op> ops;
    llvm::SmallVector<llvm::StringRef> names;
    kElementwise.split(names, ' ');
    for (const llvm::StringRef name : names) ops["tosa." + name.str()] = Op::kElementwise;
    for (const char* name : {"all", "any", "max", "min", "prod", "sum"}) {
      ops[std::string("tosa.reduce_") + name] = Op::kReduce;
    }
    ops["tosa.argmax"] = Op::kReduce;
    ops["tosa.avg_pool2d"] = ops["tosa.max_pool2d"] = Op::kPool;
    ops["tosa.concat"] = ops["tensor.concat"] = Op::kConcat;
    ops["tosa.slice"] = ops["tensor.extract_slice"] = Op::kSlice;
    ops["tosa.gather"] = ops["tensor.gather"] = Op::kGather;
    ops["tosa.scatter"] = Op::kScatter;
    ops["tosa.resize"] = Op::kResize;
    ops["tosa.transpose"] = ops["linalg.transpose"] = Op::kTranspose;
    ops["tosa.pad"] = ops["tensor.pad"] = Op::kPad;
    ops["tosa.tile"] = ops["linalg.broadcast"] = Op::kExpand;
    ops["memref.copy"] = Op::kElementwise;
    return ops;
  }();
  const auto found = kOps.find(operation->getName().getStringRef());
  if (found != kOps.end()) return found->second;
  return mlir::OpTrait::hasElementwiseMappableTraits(operation) ? Op::kElementwise : Op::kOther;
}

// Whether equal indices mean equal places in two values of as many elements. Tensors have no places
// yet.
bool LieAlike(mlir::Value a, mlir::Value b) {
  const auto first = llvm::dyn_cast<mlir::MemRefType>(a.getType());
  const auto second = llvm::dyn_cast<mlir::MemRefType>(b.getType());
  if (!first || !second) return !first && !second;
  llvm::SmallVector<int64_t> strides[2];
  int64_t offsets[2] = {0, 0};
  if (mlir::failed(mlir::getStridesAndOffset(first, strides[0], offsets[0])) ||
      mlir::failed(mlir::getStridesAndOffset(second, strides[1], offsets[1]))) {
    return false;
  }
  const auto known = [](int64_t stride) { return !mlir::ShapedType::isDynamic(stride); };
  return first.getShape() == second.getShape() && strides[0] == strides[1] &&
         offsets[0] == offsets[1] && known(offsets[0]) && llvm::all_of(strides[0], known);
}

// Of an operation that computes element by element and has what it writes as its last operand, or
// as its result.
bool CanBeInPlace(mlir::Operation* operation) {
  if (operation->getNumResults() > 0) return true;
  const mlir::Value written = operation->getOperands().back();
  return llvm::all_of(operation->getOperands(), [&](mlir::Value operand) {
    const auto layout = LayoutOf(operand.getType());
    return !layout || ElementsOf(layout->shape) != ElementsOf(ShapeOf(written)) ||
           LieAlike(operand, written);
  });
}

Meaning MovesOnly(mlir::Operation* operation) {
  Op op = MovementOpOf(operation);
  const auto linalg = llvm::dyn_cast<LinalgOp>(operation);
  if (op == Op::kOther && linalg) op = MovementOpOf(linalg);
  return {.op = op == Op::kElementwise && !CanBeInPlace(operation) ? Op::kOther : op};
}

}  // namespace

Meaning MeaningOf(mlir::Operation* operation) {
  const llvm::StringRef name = operation->getName().getStringRef();
  if (name == "tosa.conv2d" || name == "tosa.conv3d") return TosaConvolution(operation);
  if (name == "tosa.depthwise_conv2d") return TosaDepthwise(operation);
  if (name == "tosa.transpose_conv2d") return TosaTransposed(operation);
  if (name == "tosa.matmul") return TosaProduct(operation, Op::kMatmul);
  if (name == "tosa.fully_connected") return TosaProduct(operation, Op::kGemm);
  if (const auto linalg = llvm::dyn_cast<LinalgOp>(operation)) {
    if (auto meaning = ProductOf(linalg)) return *std::move(meaning);
  }
  return MovesOnly(operation);
}

}  // namespace inlay::plugin

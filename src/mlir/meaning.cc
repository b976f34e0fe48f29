#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>
#include <mlir/Dialect/Linalg/IR/LinalgInterfaces.h>
#include <mlir/IR/BuiltinAttributes.h>

#include <algorithm>

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

// Weights are [K, R, S, C]; what the output has beside the products is no work.
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

// Those that only move elements, by name. In place is what computes element by element; operands
// that are stretched have fewer elements, and are no candidates.
Op MovesAs(mlir::Operation* operation) {
  static const llvm::StringMap<Op> kOps = [] {
    llvm::StringMap<Op> ops;
    for (const char* name : {"abs",
                             "add",
                             "arithmetic_right_shift",
                             "bitwise_and",
                             "bitwise_not",
                             "bitwise_or",
                             "bitwise_xor",
                             "cast",
                             "ceil",
                             "clamp",
                             "clz",
                             "cos",
                             "equal",
                             "erf",
                             "exp",
                             "floor",
                             "greater",
                             "greater_equal",
                             "identity",
                             "int_div",
                             "log",
                             "logical_and",
                             "logical_left_shift",
                             "logical_not",
                             "logical_or",
                             "logical_right_shift",
                             "logical_xor",
                             "maximum",
                             "minimum",
                             "mul",
                             "negate",
                             "pow",
                             "reciprocal",
                             "rescale",
                             "rsqrt",
                             "select",
                             "sigmoid",
                             "sin",
                             "sub",
                             "table",
                             "tanh"}) {
      ops[std::string("tosa.") + name] = Op::kElementwise;
    }
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

// The loops of a structured operation by what they do in a product of two operands.
struct ProductLoops {
  int64_t batch = 1, rows = 1, columns = 1, reduced = 1;
  bool is_product = true;
};

ProductLoops LoopsOf(LinalgOp linalg) {
  const auto maps = linalg.getIndexingMapsArray();
  const auto extents = linalg.getStaticLoopRanges();
  ProductLoops loops;
  for (unsigned d = 0; d < linalg.getNumLoops(); ++d) {
    const bool a = maps[0].isFunctionOfDim(d), b = maps[1].isFunctionOfDim(d);
    const bool c = maps.back().isFunctionOfDim(d);
    const int64_t extent = extents[d];
    if (a && b) {
      (c ? loops.batch : loops.reduced) *= extent;
    } else if (c && (a || b)) {
      (a ? loops.rows : loops.columns) *= extent;
    } else {
      loops.is_product = false;
    }
  }
  return loops;
}

bool Multiplies(LinalgOp linalg) {
  return llvm::any_of(linalg.getBlock()->getOperations(), [](mlir::Operation& operation) {
    const llvm::StringRef name = operation.getName().getStringRef();
    return name == "arith.mulf" || name == "arith.muli" || name == "complex.mul";
  });
}

std::optional<Meaning> LinalgProduct(LinalgOp linalg) {
  const llvm::StringRef name = linalg->getName().getStringRef();
  const bool quantized =
      name == "linalg.quantized_matmul" || name == "linalg.quantized_batch_matmul";
  if (!quantized && !mlir::linalg::isaContractionOpInterface(linalg)) return std::nullopt;
  const ProductLoops loops = LoopsOf(linalg);
  if (!loops.is_product || !Multiplies(linalg)) return std::nullopt;
  Meaning meaning{.op = Op::kMatmul};
  meaning.factors = {{0U, {loops.batch, loops.rows, loops.reduced}},
                     {1U, {loops.batch, loops.reduced, loops.columns}}};
  meaning.output = {loops.batch, loops.rows, loops.columns};
  return meaning;
}

std::optional<Meaning> LinalgConvolution(LinalgOp linalg) {
  if (!mlir::linalg::isaConvolutionOpInterface(linalg) || !Multiplies(linalg)) return std::nullopt;
  const auto dims = mlir::linalg::inferConvolutionDims(linalg);
  if (mlir::failed(dims)) return std::nullopt;
  const auto extents = linalg.getStaticLoopRanges();
  const auto product = [&](llvm::ArrayRef<unsigned> loops) {
    int64_t result = 1;
    for (const unsigned d : loops) result *= extents[d];
    return result;
  };
  const int64_t batch = product(dims->batch), groups = product(dims->depth);
  const int64_t filters = product(dims->outputChannel), channels = product(dims->inputChannel);
  Meaning meaning{.op = Op::kConv};
  meaning.attributes.groups = groups;
  meaning.attributes.stride.assign(dims->strides.begin(), dims->strides.end());
  meaning.attributes.dilation.assign(dims->dilations.begin(), dims->dilations.end());
  Shape input = {batch, groups * channels}, weights = {groups * filters, channels};
  meaning.output = {batch, groups * filters};
  const mlir::AffineMap map = linalg.getIndexingMapsArray()[0];
  const Shape given = ShapeOf(linalg->getOperand(0));
  for (const unsigned d : dims->outputImage) {
    meaning.output.push_back(extents[d]);
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      if (map.getResult(i).isFunctionOfDim(d)) input.push_back(given[i]);
    }
  }
  for (const unsigned d : dims->filterLoop) weights.push_back(extents[d]);
  meaning.factors = {{0U, std::move(input)}, {1U, std::move(weights)}};
  return meaning;
}

// Whether both maps lead to the same place; along a loop of one step 0 is as good as its number.
bool SamePlaces(mlir::AffineMap a, mlir::AffineMap b, llvm::ArrayRef<int64_t> extents) {
  const auto at_start = [&](mlir::AffineExpr expression) {
    const auto loop = llvm::dyn_cast<mlir::AffineDimExpr>(expression);
    const auto number = llvm::dyn_cast<mlir::AffineConstantExpr>(expression);
    return (loop && extents[loop.getPosition()] == 1) || (number && number.getValue() == 0);
  };
  if (a.getNumResults() != b.getNumResults()) return false;
  for (unsigned i = 0; i < a.getNumResults(); ++i) {
    const bool starts = at_start(a.getResult(i)) && at_start(b.getResult(i));
    if (a.getResult(i) != b.getResult(i) && !starts) return false;
  }
  return true;
}

// In place is safe where what is written at a point needs nothing but what lies there.
Op MovesAs(LinalgOp linalg) {
  if (linalg.getNumReductionLoops() > 0) {
    return mlir::linalg::isaConvolutionOpInterface(linalg) ? Op::kPool : Op::kReduce;
  }
  const auto maps = linalg.getIndexingMapsArray();
  const auto extents = linalg.getStaticLoopRanges();
  const mlir::Value written = linalg.getDpsInits().front();
  for (size_t i = 0; i + 1 < maps.size(); ++i) {
    const mlir::Value operand = linalg->getOperand(static_cast<unsigned>(i));
    const auto layout = LayoutOf(operand.getType());
    if (!layout || ElementsOf(layout->shape) != ElementsOf(ShapeOf(written))) continue;
    if (!SamePlaces(maps[i], maps.back(), extents)) return Op::kTranspose;
  }
  const bool apart = linalg->getNumRegions() == 1 && AccessesOf(linalg).size() <= maps.size();
  return apart && linalg.getNumDpsInits() == 1 ? Op::kElementwise : Op::kOther;
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
  Op op = MovesAs(operation);
  const auto linalg = llvm::dyn_cast<LinalgOp>(operation);
  if (op == Op::kOther && linalg) op = MovesAs(linalg);
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
    if (auto product = LinalgProduct(linalg)) return *std::move(product);
    if (auto convolution = LinalgConvolution(linalg)) return *std::move(convolution);
  }
  return MovesOnly(operation);
}

}  // namespace inlay::plugin

#include "mlir/linalg_meaning.h"

#include <llvm/ADT/STLExtras.h>

#include <utility>

#include "mlir/types.h"

namespace inlay::plugin {
namespace {

using mlir::linalg::LinalgOp;

Shape ShapeOf(mlir::Value value) { return LayoutOf(value.getType())->shape; }

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

std::optional<Meaning> MatrixProduct(LinalgOp linalg) {
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

std::optional<Meaning> Convolution(LinalgOp linalg) {
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

}  // namespace

std::optional<Meaning> ProductOf(LinalgOp linalg) {
  auto product = MatrixProduct(linalg);
  return product ? std::move(product) : Convolution(linalg);
}

Op MovementOpOf(LinalgOp linalg) {
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

}  // namespace inlay::plugin

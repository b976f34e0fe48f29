#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/enum_names.h"
#include "inlay/base/structure.h"

namespace inlay {

// The extents of a tensor, outermost first, each from 0; none: a scalar.
using Shape = std::vector<int64_t>;

// What a node of a network does, as far as memories can tell. Any source's operators end up as one
// of these.
enum class Op {
  kConv,
  kConvTranspose,
  kGemm,
  kMatmul,
  kEinsum,
  kLstm,
  kGru,
  kRnn,
  kElementwise,
  kNorm,
  kSoftmax,
  kPool,
  kReduce,
  kConcat,
  kSplit,
  kSlice,
  kGather,
  kResize,
  kTranspose,
  kPad,
  kExpand,
  kScatter,
  kSort,
  kOther,
  kView,
};

enum class OpClass {
  kCompute,  // multiplies and adds: solves problems of the cost model
  kMemory,   // reads its inputs and writes its outputs; its arithmetic costs nothing besides that
  kView,     // its output is its input by another shape; nothing moves
};

// What a memory node computes, one operation per element.
enum class ElementWork {
  kNone,     // it only moves words
  kWritten,  // one for each that it writes
  kRead,     // one for each that it reads: many become one
};

struct OpInfo {
  Op op;
  std::string_view name;  // in the native format
  OpClass op_class;
  std::string_view sentence;
  ElementWork element_work = ElementWork::kNone;
  // The output may take the place of an input of as many words whose last use this is.
  bool in_place = false;
  // Reads of its first input only as many words as it writes.
  bool reads_part = false;
};

// In the order of the enumeration.
inline constexpr std::array kOperators = {
    OpInfo{Op::kConv, "conv", OpClass::kCompute, "a convolution of inputs [x, weights, bias]"},
    OpInfo{Op::kConvTranspose, "conv_transpose", OpClass::kCompute,
           "a transposed convolution of inputs [x, weights, bias]"},
    OpInfo{Op::kGemm, "gemm", OpClass::kCompute, "a product of two matrices [a, b, bias]"},
    OpInfo{Op::kMatmul, "matmul", OpClass::kCompute,
           "products of stacked matrices [a, b], broadcast"},
    OpInfo{Op::kEinsum, "einsum", OpClass::kCompute, "a sum of products by an equation"},
    OpInfo{Op::kLstm, "lstm", OpClass::kCompute,
           "a recurrent layer of inputs [x, weights, recurrence, …]"},
    OpInfo{Op::kGru, "gru", OpClass::kCompute, "the same with three gates"},
    OpInfo{Op::kRnn, "rnn", OpClass::kCompute, "the same with one gate"},
    OpInfo{Op::kElementwise, "elementwise", OpClass::kMemory, "any function of single elements",
           ElementWork::kWritten, true},
    OpInfo{Op::kNorm, "norm", OpClass::kMemory, "a normalisation", ElementWork::kWritten, true},
    OpInfo{Op::kSoftmax, "softmax", OpClass::kMemory, "a softmax", ElementWork::kWritten, true},
    OpInfo{Op::kPool, "pool", OpClass::kMemory, "a pooling", ElementWork::kRead},
    OpInfo{Op::kReduce, "reduce", OpClass::kMemory, "a sum, mean, maximum … along dimensions",
           ElementWork::kRead},
    OpInfo{Op::kConcat, "concat", OpClass::kMemory, "inputs one after the other"},
    OpInfo{Op::kSplit, "split", OpClass::kMemory, "an input in parts"},
    OpInfo{Op::kSlice, "slice", OpClass::kMemory, "a part of an input", ElementWork::kNone, false,
           true},
    OpInfo{Op::kGather, "gather", OpClass::kMemory, "rows of the first input by indices",
           ElementWork::kNone, false, true},
    OpInfo{Op::kResize, "resize", OpClass::kMemory, "an interpolation", ElementWork::kWritten},
    OpInfo{Op::kTranspose, "transpose", OpClass::kMemory, "another order of the dimensions"},
    OpInfo{Op::kPad, "pad", OpClass::kMemory, "a border around an input"},
    OpInfo{Op::kExpand, "expand", OpClass::kMemory, "an input repeated along dimensions"},
    OpInfo{Op::kScatter, "scatter", OpClass::kMemory, "an input with parts replaced",
           ElementWork::kNone, true},
    OpInfo{Op::kSort, "sort", OpClass::kMemory, "a sorting, or the largest elements",
           ElementWork::kRead},
    OpInfo{Op::kOther, "other", OpClass::kMemory, "anything else that reads its inputs once",
           ElementWork::kWritten},
    OpInfo{Op::kView, "view", OpClass::kView, "the same words by another shape"},
};

const OpInfo& InfoOf(Op op);
std::optional<Op> OpFromName(std::string_view name);

// What a node that does not multiply computes: docs/reference/vector-units.md says which operations
// these are. Of elementwise nodes, norms, pools and reductions.
enum class NodeFunction : uint8_t {
  kAny,  // not known
  kAdd,
  kMul,
  kMax,
  kDiv,
  kSqrt,
  kExp,
  kLog,
  kTanh,
  kErf,
  kSin,
  kLogic,
  kClip,
  kPow,
  kSigmoid,
  kSilu,
  kGelu,
  kGeluTanh,
  kSoftplus,
  kHardSigmoid,
  kHardSwish,
  kLeaky,
  kElu,
  kMean,
  kLayer,
  kRms,
  kBatch,
  kInstance,
};
template <>
inline constexpr auto kNames<NodeFunction> =
    std::to_array<EnumName<NodeFunction>>({{NodeFunction::kAny, "any"},
                                           {NodeFunction::kAdd, "add"},
                                           {NodeFunction::kMul, "mul"},
                                           {NodeFunction::kMax, "max"},
                                           {NodeFunction::kDiv, "div"},
                                           {NodeFunction::kSqrt, "sqrt"},
                                           {NodeFunction::kExp, "exp"},
                                           {NodeFunction::kLog, "log"},
                                           {NodeFunction::kTanh, "tanh"},
                                           {NodeFunction::kErf, "erf"},
                                           {NodeFunction::kSin, "sin"},
                                           {NodeFunction::kLogic, "logic"},
                                           {NodeFunction::kClip, "clip"},
                                           {NodeFunction::kPow, "pow"},
                                           {NodeFunction::kSigmoid, "sigmoid"},
                                           {NodeFunction::kSilu, "silu"},
                                           {NodeFunction::kGelu, "gelu"},
                                           {NodeFunction::kGeluTanh, "gelu_tanh"},
                                           {NodeFunction::kSoftplus, "softplus"},
                                           {NodeFunction::kHardSigmoid, "hard_sigmoid"},
                                           {NodeFunction::kHardSwish, "hard_swish"},
                                           {NodeFunction::kLeaky, "leaky"},
                                           {NodeFunction::kElu, "elu"},
                                           {NodeFunction::kMean, "mean"},
                                           {NodeFunction::kLayer, "layer"},
                                           {NodeFunction::kRms, "rms"},
                                           {NodeFunction::kBatch, "batch"},
                                           {NodeFunction::kInstance, "instance"}});

// Whether a node of the operator may compute this.
bool MayCompute(Op op, NodeFunction function);

// What an operator needs to know besides its operands. Unused by most.
struct OpAttributes {
  // Of a convolution, an entry per spatial dimension; empty: all 1, or 0 for the padding.
  std::vector<int64_t> stride, dilation, pads_before, pads_after;
  int64_t groups = 1;
  bool transpose_a = false, transpose_b = false;  // gemm
  std::string equation;                           // einsum: "bij,bjk->bik"
  bool batch_first = false;                       // lstm, gru, rnn: batch before time
  NodeFunction function = NodeFunction::kAny;     // see there
  std::vector<int64_t> window;                    // pool: its extents; empty: not known
  std::vector<int64_t> axes;  // softmax, norm: the dimensions of its rows; empty: the last
  bool operator==(const OpAttributes&) const = default;
};
const Structure& StructureOf(const OpAttributes*);

// The dimensions of the rows of a softmax or of a norm of rows, of an input of so many dimensions.
std::vector<size_t> RowDimensions(const OpAttributes& attributes, size_t rank);

}  // namespace inlay

#include "inlay/core/op_work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/einsum.h"
#include "inlay/core/op_conv.h"
#include "inlay/core/shapes.h"

namespace inlay {
namespace {

OpWork MatrixWork(const GemmShape& shape) {
  OpWork work;
  work.kind = shape.g > 1 ? "matmul" : "gemm";
  work.problem = MakeGemm("", shape);
  work.input = 0;
  work.weight = 1;
  work.writes_output = true;
  return work;
}

struct Product {
  GemmShape shape;
  Shape output;
};

tl::expected<Product, Fault> GemmOf(const OpAttributes& attributes,
                                    const std::vector<Shape>& inputs) {
  if (inputs.size() < 2 || inputs[0].size() != 2 || inputs[1].size() != 2) {
    return FailWhole("a gemm needs two matrices");
  }
  const Shape &a = inputs[0], &b = inputs[1];
  const int64_t rows = a[attributes.transpose_a ? 1 : 0], c = a[attributes.transpose_a ? 0 : 1];
  const int64_t columns = b[attributes.transpose_b ? 0 : 1];
  const int64_t other = b[attributes.transpose_b ? 1 : 0];
  if (c != other) {
    return FailWhole(
        fmt::format("a gemm of {} and {}: {} is not {}", ToString(a), ToString(b), c, other));
  }
  return Product{{1, rows, columns, c}, {rows, columns}};
}

// Dimensions that only one operand has are as good as more rows or more columns of it.
tl::expected<Product, Fault> MatmulOf(const std::vector<Shape>& inputs) {
  if (inputs.size() < 2 || inputs[0].empty() || inputs[1].empty()) {
    return FailWhole("a matmul needs two tensors of at least one dimension");
  }
  Shape a = inputs[0], b = inputs[1];
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  const auto mismatch = [&] {
    return FailWhole(fmt::format("a matmul of {} and {}: the shapes do not fit",
                                 ToString(inputs[0]), ToString(inputs[1])));
  };
  if (a.back() != b[b.size() - 2]) return mismatch();
  Product product;
  GemmShape& shape = product.shape;
  shape = {1, a[a.size() - 2], b.back(), a.back()};
  const size_t batch = std::max(a.size(), b.size()) - 2;
  for (size_t i = 0; i < batch; ++i) {
    const size_t from_end = batch - i + 2;
    const int64_t of_a = a.size() < from_end ? 1 : a[a.size() - from_end];
    const int64_t of_b = b.size() < from_end ? 1 : b[b.size() - from_end];
    if (of_a != of_b && of_a != 1 && of_b != 1) return mismatch();
    // No overflow: a factor of the words of an operand, or of the output.
    (of_a == of_b ? shape.g : of_b == 1 ? shape.p : shape.k) *= of_a == 1 ? of_b : of_a;
    product.output.push_back(of_a == 1 ? of_b : of_a);
  }
  if (!row) product.output.push_back(a[a.size() - 2]);
  if (!column) product.output.push_back(b.back());
  return product;
}

struct Recurrent {
  int64_t steps, batch, input, hidden, directions, gates;
};

struct RecurrentForm {
  int64_t gates;      // each is a function of the sum of two products
  int64_t combining;  // functions that make the new state of them
  int64_t state;      // words of the state that these read and write, per element
};

RecurrentForm FormOf(Op op) {
  switch (op) {
    case Op::kLstm:
      return {4, 5, 3};  // c = f * c + i * g, h = o * tanh(c)
    case Op::kGru:
      return {3, 5, 2};  // h = (1 - z) * n + z * h, with r * h in n
    default:
      return {1, 0, 1};
  }
}

tl::expected<Recurrent, Fault> RecurrentOf(Op op, const OpAttributes& attributes,
                                           const std::vector<Shape>& inputs) {
  const int64_t gates = FormOf(op).gates;
  if (inputs.size() < 3 || inputs[0].size() != 3 || inputs[1].size() != 3 ||
      inputs[2].size() != 3) {
    return FailWhole(
        "a recurrent layer needs an input, weights and recurrence of three dimensions");
  }
  const Shape &x = inputs[0], &w = inputs[1], &r = inputs[2];
  const Recurrent layer = {x[attributes.batch_first ? 1 : 0],
                           x[attributes.batch_first ? 0 : 1],
                           x[2],
                           r[2],
                           w[0],
                           gates};
  const bool fits = w[2] == x[2] && r[0] == w[0] && r[1] == w[1] && r[2] <= w[1] &&
                    CheckedMultiply(r[2], gates) == w[1];
  if (fits) return layer;
  return FailWhole(fmt::format("{} with weights {} and recurrence {}: the shapes do not fit",
                               ToString(x), ToString(w), ToString(r)),
                   fmt::format("expected [T, B, I], [D, {0}*H, I] and [D, {0}*H, H]", gates));
}

// All steps of the input at once, then step by step what comes from the step before.
std::vector<OpWork> RecurrentWorks(const Recurrent& layer) {
  OpWork from_input = MatrixWork(
      {1, layer.steps * layer.batch, layer.directions * layer.gates * layer.hidden, layer.input});
  from_input.part = "input";
  from_input.writes_output = false;
  OpWork from_before =
      MatrixWork({layer.directions, layer.batch, layer.gates * layer.hidden, layer.hidden});
  from_before.part = "recurrence";
  from_before.kind = "gemm";
  from_before.repeat = layer.steps;
  from_before.input.reset();
  from_before.weight = 2;
  from_before.writes_output = false;
  return {from_input, from_before};
}

bool IsEmpty(const Shape& shape) { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

Fault EmptyOperand() {
  return {"", "a product with a tensor of no words", "a computation needs extents of at least 1"};
}

tl::expected<std::vector<OpWork>, Fault> ProductWorks(const tl::expected<Product, Fault>& product) {
  if (!product) return tl::unexpected(product.error());
  return std::vector<OpWork>{MatrixWork(product->shape)};
}

tl::expected<std::vector<OpWork>, Fault> One(tl::expected<OpWork, Fault> work) {
  if (!work) return tl::unexpected(work.error());
  return std::vector<OpWork>{*std::move(work)};
}

// More than 64 bits of words would make the products below overflow, also where another extent is
// 0.
tl::expected<void, Fault> CheckWords(const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) {
    Shape positive = shape;
    std::replace(positive.begin(), positive.end(), int64_t{0}, int64_t{1});
    if (WordsOf(positive)) continue;
    return FailWhole(
        fmt::format("a tensor {} has more words than 64 bits can count", ToString(shape)));
  }
  return {};
}

}  // namespace

std::string ToString(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::optional<Shape> Broadcast(const std::vector<Shape>& shapes) {
  Shape result;
  for (const Shape& shape : shapes) {
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t& extent = result[result.size() - shape.size() + i];
      if (extent == 1) extent = shape[i];
      if (shape[i] != extent && shape[i] != 1) return std::nullopt;
    }
  }
  return result;
}

tl::expected<std::optional<Shape>, Fault> OutputShape(Op op, const OpAttributes& attributes,
                                                      const std::vector<Shape>& inputs) {
  const auto from = [](auto result, auto member) -> tl::expected<std::optional<Shape>, Fault> {
    if (!result) return tl::unexpected(result.error());
    return std::optional<Shape>(member(*result));
  };
  const auto whole = [](const Shape& shape) { return shape; };
  const auto output = [](const Product& product) { return product.output; };
  if (const auto counted = CheckWords(inputs); !counted) return tl::unexpected(counted.error());
  switch (op) {
    case Op::kConv:
      return from(ConvOutput(attributes, inputs), whole);
    case Op::kConvTranspose:
      return from(ConvTransposeOutput(attributes, inputs), whole);
    case Op::kGemm:
      return from(GemmOf(attributes, inputs), output);
    case Op::kMatmul:
      return from(MatmulOf(inputs), output);
    case Op::kEinsum:
      return from(ParseEinsum(attributes.equation, inputs),
                  [](const Einsum& einsum) { return OutputShape(einsum); });
    case Op::kLstm:
    case Op::kGru:
    case Op::kRnn:
      return from(RecurrentOf(op, attributes, inputs), [&](const Recurrent& r) {
        return attributes.batch_first ? Shape{r.batch, r.steps, r.directions, r.hidden}
                                      : Shape{r.steps, r.directions, r.batch, r.hidden};
      });
    case Op::kElementwise:
      if (const auto shape = Broadcast(inputs)) return shape;
      return FailWhole("the shapes of the inputs do not fit together",
                       "extents must be the same, or 1");
    case Op::kNorm:
    case Op::kSoftmax:
      if (inputs.empty()) return FailWhole("an input is missing");
      return std::optional<Shape>(inputs.front());
    default:
      return std::optional<Shape>();
  }
}

tl::expected<std::vector<OpWork>, Fault> WorksOf(Op op, const OpAttributes& attributes,
                                                 const std::vector<Shape>& inputs,
                                                 const Shape& output) {
  if (InfoOf(op).op_class != OpClass::kCompute) return std::vector<OpWork>();
  if (const auto counted = CheckWords(inputs); !counted) return tl::unexpected(counted.error());
  if (const auto counted = CheckWords({output}); !counted) return tl::unexpected(counted.error());
  if (std::any_of(inputs.begin(), inputs.end(), IsEmpty) || IsEmpty(output)) {
    return tl::unexpected(EmptyOperand());
  }
  switch (op) {
    case Op::kConv:
      return One(ConvWork(attributes, inputs, output));
    case Op::kConvTranspose:
      return One(ConvTransposeWork(attributes, inputs, output));
    case Op::kGemm:
      return ProductWorks(GemmOf(attributes, inputs));
    case Op::kMatmul:
      return ProductWorks(MatmulOf(inputs));
    case Op::kEinsum: {
      const auto einsum = ParseEinsum(attributes.equation, inputs);
      if (!einsum) return tl::unexpected(einsum.error());
      return EinsumWorks(*einsum);
    }
    default: {
      const auto layer = RecurrentOf(op, attributes, inputs);
      if (!layer) return tl::unexpected(layer.error());
      return RecurrentWorks(*layer);
    }
  }
}

std::optional<GateWork> GatesOf(Op op, const OpAttributes& attributes,
                                const std::vector<Shape>& inputs) {
  if (op != Op::kLstm && op != Op::kGru && op != Op::kRnn) return std::nullopt;
  const auto layer = RecurrentOf(op, attributes, inputs);
  if (!layer) return std::nullopt;
  const auto of_states = [&](int64_t times) {
    return WordsOf({times, layer->steps, layer->directions, layer->batch, layer->hidden})
        .value_or(INT64_MAX);
  };
  const RecurrentForm form = FormOf(op);
  return GateWork{of_states(2 * form.gates + form.combining),
                  of_states(2 * form.gates + form.state)};
}

}  // namespace inlay

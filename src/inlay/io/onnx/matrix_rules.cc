#include "inlay/core/op_work.h"
#include "inlay/io/onnx/operator_rule.h"

namespace inlay::io::onnx {
namespace {

void SetDerived(Call* call, Op op, const OpAttributes& attributes,
                const std::vector<Shape>& inputs) {
  const auto output = OutputShape(op, attributes, inputs);
  if (!output) return call->Fail(output.error().message);
  if (*output) call->SetShape(0, **output);
}

void Gemm(Call* call) {
  const Shape* a = call->ShapeAt(0);
  const Shape* b = call->ShapeAt(1);
  if (a == nullptr || b == nullptr) return;
  OpAttributes attributes;
  attributes.transpose_a = call->Integer("transA", 0) != 0;
  attributes.transpose_b = call->Integer("transB", 0) != 0;
  SetDerived(call, Op::kGemm, attributes, {*a, *b});
}

template <size_t kSecond>
void MatMul(Call* call) {
  const Shape* a = call->ShapeAt(0);
  const Shape* b = call->ShapeAt(kSecond);
  if (a != nullptr && b != nullptr) SetDerived(call, Op::kMatmul, {}, {*a, *b});
}

void Einsum(Call* call) {
  const auto shapes = call->ShapesFrom(0);
  if (!shapes) return;
  OpAttributes attributes;
  attributes.equation = EquationOf(*call);
  SetDerived(call, Op::kEinsum, attributes, *shapes);
}

// Y, Y_h and, of an LSTM, Y_c.
template <Op kOp>
void Recurrent(Call* call) {
  const auto shapes = call->ShapesFrom(0);
  if (!shapes) return;
  OpAttributes attributes;
  attributes.batch_first = call->Integer("layout", 0) != 0;
  const auto output = OutputShape(kOp, attributes, *shapes);
  if (!output) return call->Fail(output.error().message);
  const Shape& all = **output;
  const Shape last =
      attributes.batch_first ? Shape{all[0], all[2], all[3]} : Shape{all[1], all[2], all[3]};
  call->SetShape(0, all);
  call->SetShape(1, last);
  call->SetShape(2, last);
}

}  // namespace

std::string EquationOf(const Call& call) {
  if (call.type() == "Einsum") return call.Text("equation");
  const bool a = call.Integer("transA", 0) != 0, b = call.Integer("transB", 0) != 0;
  return std::string(a ? "...ji" : "...ij") + (b ? ",...kj" : ",...jk") + "->...ik";
}

std::vector<OpRule> MatrixRules() {
  return {{"Gemm", Op::kGemm, Gemm},
          {"FusedGemm", Op::kGemm, Gemm},
          {"MatMul", Op::kMatmul, MatMul<1>},
          {"MatMulInteger", Op::kMatmul, MatMul<1>, {0b11}},
          {"QLinearMatMul", Op::kMatmul, MatMul<3>, {0b1001}},
          {"Einsum", Op::kEinsum, Einsum},
          {"FusedMatMul", Op::kEinsum, Einsum},
          {"LSTM", Op::kLstm, Recurrent<Op::kLstm>},
          {"GRU", Op::kGru, Recurrent<Op::kGru>},
          {"RNN", Op::kRnn, Recurrent<Op::kRnn>}};
}

}  // namespace inlay::io::onnx

#include "inlay/core/shapes.h"

#include <utility>
#include <vector>

#include "inlay/core/units.h"

namespace inlay {
namespace {

Rank Single(DimId dim) { return {{{dim, 1}}}; }

constexpr KeyTraits kRequired = {.required = true};
constexpr KeyTraits kUnlessDefault = {.unless_default = true};

constexpr Field kN = KeyOf<&ConvShape::n>("N", "batch (default {})", kUnlessDefault);
constexpr Field kP = KeyOf<&ConvShape::p>("P", "output rows", kRequired);
constexpr Field kQ = KeyOf<&ConvShape::q>("Q", "output columns", kRequired);
constexpr Field kR = KeyOf<&ConvShape::r>("R", "kernel rows", kRequired);
constexpr Field kS = KeyOf<&ConvShape::s>("S", "kernel columns", kRequired);
constexpr Field kStride = KeyOf<&ConvShape::stride_h, &ConvShape::stride_w>(
    "stride", "stride both ways (default {})", kUnlessDefault);
constexpr Field kStrideH = KeyOf<&ConvShape::stride_h>("stride_h", "stride of the rows");
constexpr Field kStrideW = KeyOf<&ConvShape::stride_w>("stride_w", "stride of the columns");
constexpr Field kDilation = KeyOf<&ConvShape::dilation_h, &ConvShape::dilation_w>(
    "dilation", "dilation both ways (default {})", kUnlessDefault);
constexpr Field kDilationH = KeyOf<&ConvShape::dilation_h>("dilation_h", "dilation of the rows");
constexpr Field kDilationW = KeyOf<&ConvShape::dilation_w>("dilation_w", "dilation of the columns");

constexpr Field kRows = KeyOf<&GemmShape::p>("P", "rows of the result", kRequired);
constexpr Field kColumns = KeyOf<&GemmShape::k>("K", "columns of the result", kRequired);
constexpr Field kReduced = KeyOf<&GemmShape::c>("C", "length of the sums", kRequired);

}  // namespace

const Structure& ConvKeys() {
  static constexpr auto kKeys = std::to_array<Field>(
      {kN,
       KeyOf<&ConvShape::g>("G", "groups; K and C are then per group (default {})", kUnlessDefault),
       KeyOf<&ConvShape::k>("K", "output channels", kRequired),
       KeyOf<&ConvShape::c>("C", "input channels", kRequired), kP, kQ, kR, kS, kStride, kStrideH,
       kStrideW, kDilation, kDilationH, kDilationW});
  return DescribeKeys<ConvShape, kKeys>("a convolution");
}

const Structure& DepthwiseKeys() {
  static constexpr auto kKeys =
      std::to_array<Field>({kN, KeyOf<&ConvShape::g>("G", "channels", kRequired), kP, kQ, kR, kS,
                            kStride, kStrideH, kStrideW, kDilation, kDilationH, kDilationW});
  return DescribeKeys<ConvShape, kKeys>("a depthwise convolution");
}

const Structure& GemmKeys() {
  static constexpr auto kKeys = std::to_array<Field>({kRows, kColumns, kReduced});
  return DescribeKeys<GemmShape, kKeys>("a gemm");
}

const Structure& MatmulKeys() {
  static constexpr auto kKeys = std::to_array<Field>(
      {KeyOf<&GemmShape::g>("G", "independent products", kRequired), kRows, kColumns, kReduced});
  return DescribeKeys<GemmShape, kKeys>("a batched matmul");
}

Problem MakeConv(std::string name, const ConvShape& shape) {
  Problem problem;
  problem.name = std::move(name);
  const auto add = [&problem](const char* dim, int64_t bound) {
    problem.dims.push_back({dim, bound});
    return DimId(problem.dims.size() - 1);
  };
  const DimId n = add("N", shape.n);
  std::vector<Rank> group;
  if (shape.g > 1) group.push_back(Single(add("G", shape.g)));
  const DimId k = add("K", shape.k), c = add("C", shape.c), p = add("P", shape.p),
              q = add("Q", shape.q);
  const DimId r = add("R", shape.r), s = add("S", shape.s);
  Tensor weights{"Weights", group, false};
  for (DimId d : {k, c, r, s}) weights.ranks.push_back(Single(d));
  Tensor inputs{"Inputs", {Single(n)}, false};
  Tensor outputs{"Outputs", {Single(n)}, true};
  for (const Rank& rank : group) {
    inputs.ranks.push_back(rank);
    outputs.ranks.push_back(rank);
  }
  inputs.ranks.push_back(Single(c));
  inputs.ranks.push_back({{{p, shape.stride_h}, {r, shape.dilation_h}}});
  inputs.ranks.push_back({{{q, shape.stride_w}, {s, shape.dilation_w}}});
  for (DimId d : {k, p, q}) outputs.ranks.push_back(Single(d));
  problem.tensors = {weights, inputs, outputs};
  return problem;
}

Problem MakeGemm(std::string name, const GemmShape& shape) {
  Problem problem;
  problem.name = std::move(name);
  const auto add = [&problem](const char* dim, int64_t bound) {
    problem.dims.push_back({dim, bound});
    return DimId(problem.dims.size() - 1);
  };
  std::vector<Rank> group;
  if (shape.g > 1) group.push_back(Single(add("G", shape.g)));
  const DimId p = add("P", shape.p), k = add("K", shape.k), c = add("C", shape.c);
  const auto tensor = [&group](const char* tensor_name, DimId a, DimId b, bool is_output) {
    Tensor result{tensor_name, group, is_output};
    result.ranks.push_back(Single(a));
    result.ranks.push_back(Single(b));
    return result;
  };
  problem.tensors = {tensor("Weights", k, c, false), tensor("Inputs", p, c, false),
                     tensor("Outputs", p, k, true)};
  return problem;
}

}  // namespace inlay

#include "inlay/core/shapes.h"

#include <utility>
#include <vector>

namespace inlay {
namespace {

Rank Single(DimId dim) { return {{{dim, 1}}}; }

}  // namespace

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

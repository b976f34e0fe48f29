#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "inlay/core/shapes.h"
#include "inlay/io/native/keys.h"
#include "inlay/io/native/projection.h"
#include "inlay/io/native/write.h"

namespace inlay::io {
namespace {

// The dimensions and tensors of a problem, each line behind `indent`.
std::string EinsumBody(const Problem& problem, std::string_view indent) {
  FlowObject dims;
  for (const Dimension& dim : problem.dims) dims.Add(dim.name, fmt::format("{}", dim.bound));
  std::string text = fmt::format("{}dims: {}\n{}tensors:\n", indent, dims.ToString(), indent);
  for (const Tensor& tensor : problem.tensors) {
    text += fmt::format("{}  {}: \"{}\"\n", indent, Scalar(tensor.name),
                        ProjectionText(problem, tensor));
  }
  FlowObject roles;
  for (const Tensor& tensor : problem.tensors) {
    if (!tensor.role.empty()) roles.Add(Scalar(tensor.name), Scalar(tensor.role));
  }
  if (!roles.empty()) text += fmt::format("{}roles: {}\n", indent, roles.ToString());
  return text;
}

int64_t BoundOf(const Problem& problem, std::string_view dim) {
  const auto id = FindDim(problem, dim);
  return id ? problem.dims[*id].bound : 1;
}

// The coefficient of a dimension in the inputs, where strides and dilations stand.
int64_t CoefficientOf(const Problem& problem, std::string_view dim) {
  const auto id = FindDim(problem, dim);
  const auto inputs = FindTensor(problem, "Inputs");
  if (!id || !inputs) return 1;
  for (const Rank& rank : problem.tensors[*inputs].ranks) {
    for (const Term& term : rank.terms) {
      if (term.dim == *id) return term.coefficient;
    }
  }
  return 1;
}

// The shape from which the reader makes this very problem; nullopt if there is none.
std::optional<std::string> ConvText(const Layer& layer) {
  const Problem& problem = layer.problem;
  ConvShape conv;
  conv.n = BoundOf(problem, "N");
  conv.g = BoundOf(problem, "G");
  conv.k = BoundOf(problem, "K");
  conv.c = BoundOf(problem, "C");
  conv.p = BoundOf(problem, "P");
  conv.q = BoundOf(problem, "Q");
  conv.r = BoundOf(problem, "R");
  conv.s = BoundOf(problem, "S");
  conv.stride_h = CoefficientOf(problem, "P");
  conv.stride_w = CoefficientOf(problem, "Q");
  conv.dilation_h = CoefficientOf(problem, "R");
  conv.dilation_w = CoefficientOf(problem, "S");
  if (MakeConv(layer.name, conv) != problem) return std::nullopt;
  const bool depthwise = layer.kind == "depthwise";
  if (depthwise && (conv.k != 1 || conv.c != 1)) return std::nullopt;
  // 'stride' where it says both 'stride_h' and 'stride_w'; so with dilations.
  const bool one_stride = conv.stride_h == conv.stride_w;
  const bool one_dilation = conv.dilation_h == conv.dilation_w;
  const auto both_ways = [=](std::string_view key) -> std::optional<std::string> {
    const bool one_way = key.ends_with("_h") || key.ends_with("_w");
    if (key.starts_with("stride") && one_way == one_stride) return "";
    if (key.starts_with("dilation") && one_way == one_dilation) return "";
    return std::nullopt;
  };
  return FlowText(depthwise ? DepthwiseKeys() : ConvKeys(), &conv, both_ways).ToString();
}

std::optional<std::string> GemmText(const Layer& layer) {
  const Problem& problem = layer.problem;
  const GemmShape gemm = {BoundOf(problem, "G"), BoundOf(problem, "P"), BoundOf(problem, "K"),
                          BoundOf(problem, "C")};
  if (MakeGemm(layer.name, gemm) != problem) return std::nullopt;
  const bool batched = layer.kind == "matmul";
  if (!batched && gemm.g != 1) return std::nullopt;
  return FlowText(batched ? MatmulKeys() : GemmKeys(), &gemm).ToString();
}

std::string LayerText(const Layer& layer) {
  std::optional<std::string> shape;
  if (layer.kind == "conv" || layer.kind == "depthwise") shape = ConvText(layer);
  if (layer.kind == "gemm" || layer.kind == "matmul") shape = GemmText(layer);
  if (shape) {
    FlowObject line;
    line.Add("name", Scalar(layer.name)).Add(layer.kind, *shape);
    if (layer.repeat != 1) line.Add("repeat", fmt::format("{}", layer.repeat));
    return fmt::format("  - {}\n", line.ToString());
  }
  std::string text = fmt::format("  - name: {}\n", Scalar(layer.name));
  if (layer.repeat != 1) text += fmt::format("    repeat: {}\n", layer.repeat);
  return text + "    einsum:\n" + EinsumBody(layer.problem, "      ");
}

}  // namespace

std::string DocumentStart(std::string_view kind, std::string_view name) {
  std::string text = fmt::format("format: inlay/1\n{}:\n", kind);
  if (!name.empty()) text += fmt::format("  name: {}\n", Scalar(name));
  return text;
}

std::string WriteNative(const Problem& problem) {
  return DocumentStart("problem", problem.name) + EinsumBody(problem, "  ");
}

std::string WriteNative(const Network& network) {
  std::string text = DocumentStart("layers", network.name) + "  layers:\n";
  for (const Layer& layer : network.layers) text += LayerText(layer);
  return text;
}

}  // namespace inlay::io

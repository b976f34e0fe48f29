#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "inlay/core/shapes.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {
namespace {

constexpr Key kN = {"N", "batch (default 1)", &kPositiveInteger};
constexpr Key kP = {"P", "output rows", &kPositiveInteger, true};
constexpr Key kQ = {"Q", "output columns", &kPositiveInteger, true};
constexpr Key kR = {"R", "kernel rows", &kPositiveInteger, true};
constexpr Key kS = {"S", "kernel columns", &kPositiveInteger, true};
constexpr Key kStride = {"stride", "stride both ways (default 1)", &kPositiveInteger};
constexpr Key kStrideH = {"stride_h", "stride of the rows", &kPositiveInteger};
constexpr Key kStrideW = {"stride_w", "stride of the columns", &kPositiveInteger};
constexpr Key kDilation = {"dilation", "dilation both ways (default 1)", &kPositiveInteger};
constexpr Key kDilationH = {"dilation_h", "dilation of the rows", &kPositiveInteger};
constexpr Key kDilationW = {"dilation_w", "dilation of the columns", &kPositiveInteger};

constexpr std::array kConvKeys = {
    kN,
    Key{"G", "groups; K and C are then per group (default 1)", &kPositiveInteger},
    Key{"K", "output channels", &kPositiveInteger, true},
    Key{"C", "input channels", &kPositiveInteger, true},
    kP,
    kQ,
    kR,
    kS,
    kStride,
    kStrideH,
    kStrideW,
    kDilation,
    kDilationH,
    kDilationW};
constexpr std::array kDepthwiseKeys = {kN,         Key{"G", "channels", &kPositiveInteger, true},
                                       kP,         kQ,
                                       kR,         kS,
                                       kStride,    kStrideH,
                                       kStrideW,   kDilation,
                                       kDilationH, kDilationW};
constexpr Key kRows = {"P", "rows of the result", &kPositiveInteger, true};
constexpr Key kColumns = {"K", "columns of the result", &kPositiveInteger, true};
constexpr Key kReduced = {"C", "length of the sums", &kPositiveInteger, true};
constexpr std::array kGemmKeys = {kRows, kColumns, kReduced};
constexpr std::array kMatmulKeys = {Key{"G", "independent products", &kPositiveInteger, true},
                                    kRows, kColumns, kReduced};

constinit const Type kConv = {.form = Form::kObject, .what = "a convolution", .keys = kConvKeys};
constinit const Type kDepthwise = {
    .form = Form::kObject, .what = "a depthwise convolution", .keys = kDepthwiseKeys};
constinit const Type kGemm = {.form = Form::kObject, .what = "a gemm", .keys = kGemmKeys};
constinit const Type kMatmul = {
    .form = Form::kObject, .what = "a batched matmul", .keys = kMatmulKeys};

constexpr std::array<std::string_view, 5> kShapes = {"conv", "depthwise", "gemm", "matmul",
                                                     "einsum"};
constexpr std::array kLayerKeys = {
    Key{"name", "the name of the layer", &kTitle, true},
    Key{kShapes[0], "a convolution; sizes of the output, so padding does not matter", &kConv},
    Key{kShapes[1], "a convolution of every channel by itself", &kDepthwise},
    Key{kShapes[2], "a matrix product", &kGemm},
    Key{kShapes[3], "several matrix products of one size", &kMatmul},
    Key{kShapes[4], "anything else, as a problem without a name", &kEinsumType},
    Key{"repeat", "how often the network runs the layer (default 1)", &kPositiveInteger}};
constinit const Type kLayer = {
    .form = Form::kObject, .what = "a layer", .keys = kLayerKeys, .exactly_one = kShapes};
constinit const Type kLayerList = {
    .form = Form::kList, .what = "a list of layers", .element = &kLayer};
constexpr std::array kLayersKeys = {
    Key{"name", "what the network is called in results", &kFreeText},
    Key{"layers", "the layers, in the order they run", &kLayerList, true}};
constinit const Type kLayersType = {
    .form = Form::kObject, .what = "a list of layers", .keys = kLayersKeys};

// `key` for both directions, or `key`_h and `key`_w.
std::pair<int64_t, int64_t> BothWays(const Node& shape, const std::string& key,
                                     Diagnostics* diagnostics) {
  const int64_t both = PositiveOr(shape, key, 1);
  for (const char* suffix : {"_h", "_w"}) {
    const Node* one_way = shape.Find(key + suffix);
    if (one_way == nullptr || shape.Find(key) == nullptr) continue;
    diagnostics->push_back(
        one_way->Error(fmt::format("both '{0}' and '{0}{1}' are given", key, suffix),
                       fmt::format("'{0}' is both '{0}_h' and '{0}_w'", key)));
  }
  return {PositiveOr(shape, key + "_h", both), PositiveOr(shape, key + "_w", both)};
}

Problem BuildConv(const Node& shape, const std::string& name, Diagnostics* diagnostics) {
  ConvShape conv;
  const std::pair<const char*, int64_t ConvShape::*> dims[] = {
      {"N", &ConvShape::n}, {"G", &ConvShape::g}, {"K", &ConvShape::k}, {"C", &ConvShape::c},
      {"P", &ConvShape::p}, {"Q", &ConvShape::q}, {"R", &ConvShape::r}, {"S", &ConvShape::s}};
  for (const auto& [key, member] : dims) conv.*member = PositiveOr(shape, key, 1);
  std::tie(conv.stride_h, conv.stride_w) = BothWays(shape, "stride", diagnostics);
  std::tie(conv.dilation_h, conv.dilation_w) = BothWays(shape, "dilation", diagnostics);
  return MakeConv(name, conv);
}

Problem BuildGemm(const Node& shape, const std::string& name) {
  return MakeGemm(name, {PositiveOr(shape, "G", 1), PositiveOr(shape, "P", 1),
                         PositiveOr(shape, "K", 1), PositiveOr(shape, "C", 1)});
}

void ReadLayer(const Node& node, Places* places, Reading* reading, Network* network) {
  Layer layer;
  layer.name = TextOr(node, "name");
  layer.repeat = PositiveOr(node, "repeat", 1);
  const std::string where = "layers." + layer.name;
  places->Set(where, node);
  for (const std::string_view kind : kShapes) {
    const Node* shape = node.Find(kind);
    if (shape == nullptr || !shape->IsMapping()) continue;
    layer.kind = kind;
    for (const auto& [key, value] : shape->entries) places->Set(where + ".dims." + key.text, value);
    if (kind == "einsum") {
      auto problem = BuildProblem(*shape, layer.name, where + ".", places, &reading->diagnostics);
      layer.problem = problem ? *std::move(problem) : MakeGemm(layer.name, {});
    } else if (kind == "gemm" || kind == "matmul") {
      layer.problem = BuildGemm(*shape, layer.name);
    } else {
      layer.problem = BuildConv(*shape, layer.name, &reading->diagnostics);
    }
    network->layers.push_back(std::move(layer));
    return;
  }
}

void ReadLayers(const Node& node, Reading* reading) {
  const Node* layers = node.Find("layers");
  if (layers == nullptr || !layers->IsSequence()) return;
  Places places(node);
  places.Set("layers", *layers);
  Network network;
  network.name = TextOr(node, "name");
  for (const Node& layer : layers->items) {
    if (layer.IsMapping()) ReadLayer(layer, &places, reading, &network);
  }
  if (network.layers.empty() && !reading->KindIsClean()) return;
  places.Report(Validate(network), &reading->diagnostics);
  reading->inputs.network = std::move(network);
}

}  // namespace

Kind LayersKind() { return {"layers", "a network as a list of layers", &kLayersType, ReadLayers}; }

}  // namespace inlay::io

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "inlay/core/shapes.h"
#include "inlay/io/native/keys.h"

namespace inlay::io {
namespace {

constexpr std::array<std::string_view, 5> kShapes = {"conv", "depthwise", "gemm", "matmul",
                                                     "einsum"};
const Type& LayersType() {
  static const std::array layer_keys = {
      Key{"name", "the name of the layer", &kTitle, true},
      Key{kShapes[0], "a convolution; sizes of the output, so padding does not matter",
          &TypeOf(ConvKeys())},
      Key{kShapes[1], "a convolution of every channel by itself", &TypeOf(DepthwiseKeys())},
      Key{kShapes[2], "a matrix product", &TypeOf(GemmKeys())},
      Key{kShapes[3], "several matrix products of one size", &TypeOf(MatmulKeys())},
      Key{kShapes[4], "anything else, as a problem without a name", &kEinsumType},
      Key{"repeat", "how often the network runs the layer (default 1)", &kPositiveInteger}};
  static const Type layer = {
      .form = Form::kObject, .what = "a layer", .keys = layer_keys, .exactly_one = kShapes};
  static const Type list = {.form = Form::kList, .what = "a list of layers", .element = &layer};
  static const std::array keys = {Key{"name", "what the network is called in results", &kFreeText},
                                  Key{"layers", "the layers, in the order they run", &list, true}};
  static const Type type = {.form = Form::kObject, .what = "a list of layers", .keys = keys};
  return type;
}

// `key` for both directions, or `key`_h and `key`_w.
void CheckBothWays(const Node& shape, const std::string& key, Diagnostics* diagnostics) {
  for (const char* suffix : {"_h", "_w"}) {
    const Node* one_way = shape.Find(key + suffix);
    if (one_way == nullptr || shape.Find(key) == nullptr) continue;
    diagnostics->push_back(
        one_way->Error(fmt::format("both '{0}' and '{0}{1}' are given", key, suffix),
                       fmt::format("'{0}' is both '{0}_h' and '{0}_w'", key)));
  }
}

Problem BuildConv(const Node& shape, const std::string& name, Diagnostics* diagnostics) {
  ConvShape conv;
  ReadKeys(shape, ConvKeys(), {}, &conv, diagnostics);
  CheckBothWays(shape, "stride", diagnostics);
  CheckBothWays(shape, "dilation", diagnostics);
  return MakeConv(name, conv);
}

Problem BuildGemm(const Node& shape, const std::string& name, Diagnostics* diagnostics) {
  GemmShape gemm;
  ReadKeys(shape, MatmulKeys(), {}, &gemm, diagnostics);
  return MakeGemm(name, gemm);
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
    places->SetEntries(where + ".dims.", *shape);
    if (kind == "einsum") {
      auto problem = BuildProblem(*shape, layer.name, where + ".", places, &reading->diagnostics);
      layer.problem = problem ? *std::move(problem) : MakeGemm(layer.name, {});
    } else if (kind == "gemm" || kind == "matmul") {
      layer.problem = BuildGemm(*shape, layer.name, &reading->diagnostics);
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

Kind LayersKind() { return {"layers", "a network as a list of layers", &LayersType(), ReadLayers}; }

}  // namespace inlay::io

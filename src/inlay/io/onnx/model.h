#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/operator.h"

namespace inlay::io::onnx {

// An ONNX model as far as its graph goes, without the library that reads the file. Weights are
// shapes; only small tensors, from which shapes may be computed, have their elements.

inline constexpr int64_t kMostElements = 1 << 16;  // of a tensor whose elements are kept

// The elements of a small tensor, in order. Whole numbers up to 2^53 are exact; larger ones serve
// as "to the end" only.
struct Elements {
  bool whole = true;  // of an integer or boolean type
  std::vector<double> values;
};

struct TensorData {
  std::string name;
  Shape shape;
  std::optional<Elements> elements;
};

struct Extent {
  int64_t value = -1;  // negative: not known
  std::string symbol;  // "" if it has no name
};

// What the file says about a value.
struct ValueInfo {
  std::string name;
  std::optional<std::vector<Extent>> shape;
};

struct ModelGraph;

struct Attribute {
  std::string name;
  std::string refers_to;  // in the body of a function: the attribute of the call; else ""
  std::optional<int64_t> integer;
  std::string text;
  std::vector<int64_t> integers;
  std::vector<double> reals;  // also a single one
  std::optional<TensorData> tensor;
  std::shared_ptr<const ModelGraph> graph;
};

struct ModelNode {
  std::string name;  // may be empty
  std::string domain, type;
  std::vector<std::string> inputs, outputs;  // "": left out
  std::vector<Attribute> attributes;

  const Attribute* Find(std::string_view attribute) const;
};

struct ModelGraph {
  std::vector<ModelNode> nodes;
  std::vector<TensorData> constants;  // initializers
  std::vector<ValueInfo> inputs, outputs, values;
};

// A node of this domain and type stands for these nodes.
struct Function {
  std::string domain, name;
  std::vector<std::string> inputs, outputs;
  std::vector<ModelNode> nodes;
};

struct Model {
  ModelGraph graph;
  std::vector<Function> functions;
  std::map<std::string, int64_t> opsets;  // by domain; "" is ONNX's own
};

// Reads a model from the bytes of a file. Names that are no UTF-8 are made such.
Result<Model> ParseModel(const std::string& file, std::string_view bytes);

}  // namespace inlay::io::onnx

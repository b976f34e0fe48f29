#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "inlay/base/result.h"
#include "inlay/core/graph.h"

namespace inlay::io {

// Values for the symbolic dimensions of a model by name; "input.2" is the third extent of an input
// where it has no name.
using DimValues = std::map<std::string, int64_t>;

// Reads an ONNX model, of any producer, as a graph: opsets 7 to 21 and what is like them, nodes in
// any order, weights absent or present. What can be computed from constants is a weight, what
// shapes are computed from is gone; so is what no output needs. Operators that are not known are
// kept as memory nodes, with a warning; a shape that is neither in the file nor can be inferred is
// an error, as is a name in `dims` that the model has not.
Result<WithWarnings<Graph>> ReadOnnx(const std::string& file, std::string_view bytes,
                                     const DimValues& dims);

}  // namespace inlay::io

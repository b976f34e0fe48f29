#pragma once

#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/onnx/model.h"

namespace inlay::io::onnx {

// The nodes of the graph, calls of the model's own functions replaced by their bodies. Values
// inside a call get names of their own. Functions that call themselves are an error.
Result<std::vector<ModelNode>> InlineFunctions(const std::string& file, Model model);

// A body with every value renamed that is its own: "name" + `suffix`, or what `given` says. Names
// from outside stay.
ModelGraph RenameBody(ModelGraph body, const std::map<std::string, std::string>& given,
                      const std::string& suffix);

// The names that a node reads: its inputs, and what the graphs inside it take from outside.
std::vector<std::string> NamesRead(const ModelNode& node);

}  // namespace inlay::io::onnx

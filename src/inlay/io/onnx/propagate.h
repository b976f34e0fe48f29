#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/onnx/model.h"
#include "inlay/io/onnx/onnx.h"
#include "inlay/io/onnx/operator_rule.h"

namespace inlay::io::onnx {

struct Step {
  ModelNode node;
  const OpRule* rule = nullptr;  // null: not known
  // All of its outputs are the same in every run: its operands are constants, or only shapes of
  // others.
  bool folded = false;
};

// A model whose values are known as far as they can be.
struct Propagated {
  std::vector<std::string> inputs, outputs;  // the graph's; constants are no inputs
  std::vector<Step> steps;                   // in an order in which they can run
  int64_t opset = 13;                        // of ONNX's own operators
  std::unordered_map<std::string, KnownValue> known;
  // Values whose shape is stated but for some extents, with the name of the first of these.
  std::unordered_map<std::string, std::string> open;
};

// Puts the nodes in order and goes through them, with shapes and, where they are few and do not
// depend on the run, elements. An If whose condition is known is replaced by its branch.
Result<Propagated> Propagate(const std::string& file, Model model, const DimValues& dims);

// "node 'x' (Conv)"; a node without a name is called by its first output.
std::string Describe(const ModelNode& node);

}  // namespace inlay::io::onnx

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inlay/io/timeloop/factors.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io::timeloop {

// One directive of a mapping, read but not yet bound to a problem.
struct Directive {
  enum class Type { kTemporal, kSpatial, kTensors };
  Type type = Type::kTemporal;
  const Node* node = nullptr;
  const Node* target = nullptr;
  const Node* factors_node = nullptr;
  std::vector<WrittenFactor> factors;
  const Node* permutation = nullptr;
  std::optional<int64_t> split;
  std::vector<std::string> keep, bypass;
};

std::vector<Directive> ReadDirectives(const Node& list, Report* report);

}  // namespace inlay::io::timeloop

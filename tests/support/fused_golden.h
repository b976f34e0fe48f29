#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fused_case.h"

namespace inlay::testing {

// The problem of a case of tests/golden/fused/*.json: `dims` "m=4 n=4" and `einsums`.
inline FusedProblem FusedOfGolden(const nlohmann::json& c) {
  std::vector<std::pair<std::string, int64_t>> dims;
  std::istringstream texts(c["dims"].get<std::string>());
  for (std::string text; texts >> text;) {
    const size_t equal = text.find('=');
    dims.emplace_back(text.substr(0, equal), std::stoll(text.substr(equal + 1)));
  }
  return FusedOfTexts(dims, c["einsums"].get<std::vector<std::string>>());
}

}  // namespace inlay::testing

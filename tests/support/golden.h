#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/paths.h"

namespace inlay::testing {

// A golden file, by its path below tests/golden.
inline nlohmann::json LoadGolden(const std::string& path) {
  std::ifstream file(std::string(INLAY_SOURCE_DIR) + "/tests/golden/" + path);
  return nlohmann::json::parse(file);
}

}  // namespace inlay::testing

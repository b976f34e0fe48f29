#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay::golden {

// One case of tests/golden/timeloop, built from the `case` object of its expected file rather than
// from the YAML, so that cost tests do not hang on the reader.
struct TimeloopCase {
  std::string id;
  bool imperfect = false;
  Problem problem;
  Architecture architecture;
  Mapping mapping;
  nlohmann::json result;    // what Timeloop prints
  nlohmann::json variants;  // what it prints with a rule switched off
};

// All cases, by file name.
const std::vector<TimeloopCase>& TimeloopCases();

}  // namespace inlay::golden

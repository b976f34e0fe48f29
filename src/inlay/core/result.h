#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inlay/base/options.h"
#include "inlay/core/cost.h"
#include "inlay/core/mapping.h"

namespace inlay {

// "exact", "timeloop", "thistle".
const char* Name(Semantics semantics);
std::optional<Semantics> SemanticsFromName(std::string_view name);
// "literal", "elide".
const char* Name(Accounting accounting);
std::optional<Accounting> AccountingFromName(std::string_view name);
// "none", "read", "write", "shared".
const char* Name(CycleLimit limit);
std::optional<CycleLimit> CycleLimitFromName(std::string_view name);

// A file or a built-in that went into a result.
struct InputRecord {
  std::string role;  // "problem", "arch", "mapping", "case", "workload", …
  std::string name;  // as the user wrote it
  std::string hash;  // of its text
  bool operator==(const InputRecord&) const = default;
};

// What every result begins with.
struct ResultHeader {
  std::string command;
  std::string version;  // of the tool
  std::vector<InputRecord> inputs;
  std::vector<std::pair<std::string, OptionValue>> options;  // those that can change the answer
  bool operator==(const ResultHeader&) const = default;
};

// The cost of one mapping under one semantics, with the names that its numbers belong to.
struct EvalResult {
  ResultHeader header;
  Semantics semantics = Semantics::kExact;
  std::string problem;
  std::string architecture;
  Mapspace mapspace = Mapspace::kPerfect;
  std::vector<std::string> mapping;  // the nest, in native lines
  IndexedVector<TensorId, std::string> tensors;
  IndexedVector<LevelId, std::string> levels;
  Cost cost;
  bool numeric_check = false;  // walk: the computation was executed and its result is right
  double seconds = 0;          // measured
};

}  // namespace inlay

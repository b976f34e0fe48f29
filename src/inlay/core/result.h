#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/structure.h"
#include "inlay/core/cost.h"
#include "inlay/core/mapping.h"
#include "inlay/core/shown_hardware.h"

namespace inlay {

inline constexpr const char* kResultFormat = "inlay/result/1";

// A file or a built-in that went into a result.
struct InputRecord {
  std::string role;  // "problem", "arch", "mapping", "case", "workload", …
  std::string name;  // as the user wrote it
  std::string hash;  // of its text
  bool operator==(const InputRecord&) const = default;
};
const Structure& StructureOf(const InputRecord*);

// What every result begins with.
struct ResultHeader {
  std::string command;
  std::string version;  // of the tool
  std::vector<InputRecord> inputs;
  std::vector<std::pair<std::string, OptionValue>> options;  // those that can change the answer
  std::string format = kResultFormat;
  bool operator==(const ResultHeader&) const = default;
};
const Structure& StructureOf(const ResultHeader*);

// Words that one instance moves: a fraction where instances differ.
struct InstanceCounts {
  double reads = 0, fills = 0, updates = 0, drains = 0;
  bool operator==(const InstanceCounts&) const = default;
};
const Structure& StructureOf(const InstanceCounts*);
const Structure& StructureOf(const Counts*);

// A Cost with names instead of indices: what results say of levels and compute.
struct TensorResult {
  bool kept = false;
  int64_t tile_words = 0;
  int64_t instances = 0;
  InstanceCounts per_instance;
  Counts total;
  double energy_pj = 0;
  int64_t moves = 0;  // of its tiles, where time has more keys than rates
  bool operator==(const TensorResult&) const = default;
};
struct LevelResult {
  std::string name;
  int64_t cycles = 0;
  CycleLimit limit = CycleLimit::kNone;
  double energy_pj = 0;
  std::vector<std::pair<std::string, TensorResult>> tensors;
  std::optional<double> filled = {};  // share of its usable capacity; none: unbounded
  double engine_cycles = 0;           // of moving tiles; 0: it has no engine
  bool operator==(const LevelResult&) const = default;
};
struct ComputeResult {
  int64_t operations = 0;
  int64_t instances = 0;
  int64_t lanes = 0;
  int64_t cycles = 0;
  double energy_pj = 0;
  bool operator==(const ComputeResult&) const = default;
};
const Structure& StructureOf(const TensorResult*);
const Structure& StructureOf(const LevelResult*);
const Structure& StructureOf(const ComputeResult*);
std::vector<LevelResult> LevelResultsOf(const Problem& problem, const Architecture& architecture,
                                        const Cost& cost);
ComputeResult ComputeResultOf(const Cost& cost);
// Puts in how full the mapping makes every level; of several partitions the fullest counts.
void SetFilled(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
               std::vector<LevelResult>* levels);

// What a cost says of time besides cycles, as far as the architecture has keys for it
// (docs/reference/time.md).
struct TimeResult {
  double start_cycles = 0;
  bool limited_by_power = false;
  double idle_pj = 0;
  std::optional<double> seconds, watts, tops, tops_per_watt;
  bool operator==(const TimeResult&) const = default;
};
const Structure& StructureOf(const TimeResult*);
TimeResult TimeResultOf(const Cost& cost);

// The cost of one mapping under one semantics: what result.json of `eval` and `walk` says.
struct EvalResult {
  struct Measured {
    double seconds = 0;
    bool operator==(const Measured&) const = default;
  };
  ResultHeader header;
  Semantics semantics = Semantics::kExact;
  std::string problem;
  std::string architecture;
  Mapspace mapspace = Mapspace::kPerfect;
  int64_t operations = 0;
  std::optional<int64_t> padded_operations;
  int64_t cycles = 0;
  double energy_pj = 0;
  double utilization = 0;
  int64_t offchip_words = 0;
  TimeResult time = {};
  std::string numeric_check;  // walk: "ok", the computation was executed and its result is right
  std::vector<LevelResult> levels;
  ComputeResult compute;
  std::vector<std::string> mapping;  // the nest, in native lines
  std::optional<ShownArchitecture> hardware;
  Measured measured;
  bool operator==(const EvalResult&) const = default;
};
const Structure& StructureOf(const EvalResult::Measured*);
const Structure& StructureOf(const EvalResult*);
// Puts what a mapping costs into a result.
void SetCost(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
             const Cost& cost, EvalResult* result);

}  // namespace inlay

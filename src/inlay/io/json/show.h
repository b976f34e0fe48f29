#pragma once

#include <string>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/machine.h"
#include "inlay/core/mix.h"
#include "inlay/core/network.h"
#include "inlay/core/network_totals.h"
#include "inlay/core/problem.h"
#include "inlay/core/result.h"
#include "inlay/core/study.h"
#include "inlay/core/systolic.h"
#include "inlay/core/technology.h"

namespace inlay::io {

// Results of `show`. A network is at the top level of the result, as the contract says; everything
// else has a key of its own.
struct ShowResult {
  ResultHeader header;
  const Network* network = nullptr;
  NetworkTotals totals;  // of the network
  const Problem* problem = nullptr;
  const Architecture* architecture = nullptr;
  const Machine* machine = nullptr;
  const Accelerator* accelerator = nullptr;
  const Mix* mix = nullptr;
  const Technology* technology = nullptr;
  const Study* study = nullptr;
  const std::vector<std::string>* mapping = nullptr;  // native lines
};
std::string WriteShowResult(const ShowResult& result);

// Results of `systolic`.
struct SystolicLayer {
  std::string name;
  int64_t repeat = 1;
  SystolicCost cost;
};
struct SystolicResult {
  ResultHeader header;
  SystolicArray array;
  std::vector<SystolicLayer> layers;
  int64_t total_operations = 0;  // over all repeats
  int64_t total_cycles = 0;
  double total_utilization = 0;  // share of the elements' cycles that does an operation
  double seconds = 0;            // measured
};
std::string WriteSystolicResult(const SystolicResult& result);

// Results of `mapspace`. Decimal numbers as text; they may be larger than JSON readers can hold.
struct MapspaceLayer {
  std::string name;
  int64_t repeat = 1;
  std::string size, tilings, orders, bypass;  // size = tilings × orders × bypass
};
struct MapspaceResult {
  ResultHeader header;
  std::string mapspace;
  std::vector<MapspaceLayer> layers;
  double seconds = 0;  // measured
};
// The four numbers of a single layer stand at the top level, as the contract says.
std::string WriteMapspaceResult(const MapspaceResult& result);

// Results of `list`.
struct ListedBuiltin {
  std::string kind;  // "architecture", "network", …
  std::string name;
  std::string sentence;
};
struct ListResult {
  ResultHeader header;
  std::vector<ListedBuiltin> builtins;
};
std::string WriteListResult(const ListResult& result);

}  // namespace inlay::io

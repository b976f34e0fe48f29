#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/map_result.h"
#include "inlay/core/result.h"

namespace inlay {

// What result.json of `codesign` says.

// One architecture with what runs on it.
struct ArchitectureResult {
  std::string name;
  std::vector<std::pair<std::string, double>> attributes;  // what was chosen
  std::optional<double> area_um2;
  std::vector<LayerResult> layers;
  MapTotals total;  // of these layers, every repeat counted
};

struct CodesignResult {
  ResultHeader header;
  std::string workload;
  std::string scope;    // "layer", "network", "hetero:2", …
  size_t searched = 0;  // architectures in the space
  std::vector<ArchitectureResult> architectures;
  std::optional<Certificate> certificate;
  std::optional<ArchitectureResult> baseline;  // without layers
  bool interrupted = false;
  double seconds = 0;  // measured
  int threads = 1;     // measured: no figure depends on it
};

}  // namespace inlay

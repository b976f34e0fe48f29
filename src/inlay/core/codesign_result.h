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
  std::optional<ShownArchitecture> hardware;
  int64_t lanes = 1;
  // By level, outer to inner, and of the compute.
  std::vector<std::pair<std::string, double>> area_parts_um2, energy_parts_pj;
  // Method gp: the optimum of the layers' programs in real numbers, of the first metric; none where
  // the sum over layers is no such thing.
  std::optional<double> relaxed;
};

const Structure& StructureOf(const ArchitectureResult*);

// What the answer rests on.
struct CodesignEffort {
  size_t searches = 0, pairs = 0;  // of a layer and an architecture: searched (gp: rounded), all
  size_t programs = 0;             // gp: solved
};
const Structure& StructureOf(const CodesignEffort*);

// The answer of another method to the same question.
struct ComparedMethod {
  std::string method;
  std::vector<ArchitectureResult> architectures;
  std::optional<double> gap;  // of the objective: how much more it is than the answer's
};
const Structure& StructureOf(const ComparedMethod*);

// A certificate; that of a front has no objective and no bound.
struct CodesignCertificate {
  CertificateStatus status = CertificateStatus::kHeuristic;
  std::optional<double> objective, lower_bound;
  double gap = 0;
  Objective proven;
  std::optional<size_t> open;  // of a front: architectures that may still add to it or beat some
};
const Structure& StructureOf(const CodesignCertificate*);

struct CodesignResult {
  ResultHeader header;
  std::string workload;
  std::string method;                 // "exact", "gp"
  std::string scope;                  // "layer", "network", "hetero:2", …
  size_t architectures_in_space = 0;  // architectures in the space
  std::vector<ArchitectureResult> architectures;
  std::optional<CodesignCertificate> certificate;
  std::optional<ArchitectureResult> baseline;  // without layers
  std::optional<ComparedMethod> compared;
  bool interrupted = false;
  double seconds = 0;                          // measured
  int threads = 1;                             // measured: no figure depends on it
  double search_seconds = 0;                   // measured: without baseline and comparison
  CodesignEffort use;                          // measured
  std::optional<CodesignEffort> compared_use;  // measured: of the comparison
  std::vector<SearchMoment> progress = {};     // measured: of the metric
  // Not in the file.
  std::string metric;      // the first of the objective
  bool tie_break = false;  // the objective has more than one
  std::optional<double> area_budget_um2;
  bool time_limit_reached = false;  // that is why it was interrupted
};
const Structure& StructureOf(const CodesignResult*);

}  // namespace inlay

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/cost.h"
#include "inlay/core/fault.h"
#include "inlay/core/mapping.h"
#include "inlay/core/objective.h"
#include "inlay/core/problem.h"
#include "inlay/core/result.h"

namespace inlay {

// What is known about an answer.
enum class CertificateStatus : uint8_t {
  kOptimal,    // no mapping of the mapspace is better
  kBounded,    // none is better than lower_bound
  kHeuristic,  // the strategy proves nothing
};
const char* Name(CertificateStatus status);  // "optimal", "bounded", "heuristic"

struct Certificate {
  CertificateStatus status = CertificateStatus::kHeuristic;
  double objective = 0;    // the first metric of the answer
  double lower_bound = 0;  // of the first metric; equal to it if optimal, 0 if heuristic
  double gap = 0;          // (objective − lower_bound) / objective
  bool operator==(const Certificate&) const = default;
};

// A mapping and what it costs.
struct Solution {
  Problem problem;  // what is computed; larger than what was asked for in the mapspace `padded`
  Mapping mapping;
  Cost cost;
};

// Measured or dependent on luck; outside every comparison.
struct SearchEffort {
  double seconds = 0;
  int64_t nodes = 0;        // partial mappings looked at
  int64_t evaluations = 0;  // complete mappings evaluated
};

// A point that no other mapping beats in all three.
struct FrontPoint {
  int64_t footprint_words = 0;  // of the on-chip level next to the outermost
  int64_t offchip_words = 0;
  int64_t cycles = 0;
  Solution solution;
};

// What a search says about one layer.
struct LayerAnswer {
  std::optional<Solution> best;   // none: infeasible, or stopped before the first one
  std::vector<FrontPoint> front;  // with a front asked for, instead of best; by footprint
  Certificate certificate;
  bool interrupted = false;  // stopped by the user or the time limit
  Faults infeasible;         // why there is no mapping, if that is proven
  std::optional<double> points_visited, points_in_space;  // dnnopt
  SearchEffort effort;
};

}  // namespace inlay

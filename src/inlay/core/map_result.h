#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/fault.h"
#include "inlay/core/graph_result.h"
#include "inlay/core/mapping.h"
#include "inlay/core/node_coverage.h"
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
template <>
inline constexpr auto kNames<CertificateStatus> =
    std::to_array<EnumName<CertificateStatus>>({{CertificateStatus::kOptimal, "optimal"},
                                                {CertificateStatus::kBounded, "bounded"},
                                                {CertificateStatus::kHeuristic, "heuristic"}});

struct Certificate {
  CertificateStatus status = CertificateStatus::kHeuristic;
  double objective = 0;    // the first metric of the answer
  double lower_bound = 0;  // of the first metric; equal to it if optimal, 0 if heuristic
  double gap = 0;          // (objective − lower_bound) / objective
  Objective proven = {};   // metrics of the objective, from its first on, in which none is better
  bool operator==(const Certificate&) const = default;
};
const Structure& StructureOf(const Certificate*);

// A mapping and what it costs.
struct Solution {
  Problem problem;  // what is computed; larger than what was asked for in the mapspace `padded`
  Mapping mapping;
  Cost cost;
};

// How far a search had come at a moment: the first metric of the best so far, and a bound on it.
struct SearchMoment {
  double seconds = 0;  // since it began
  std::optional<double> incumbent, bound;
  bool operator==(const SearchMoment&) const = default;
};
const Structure& StructureOf(const SearchMoment*);

// Measured or dependent on luck; outside every comparison.
struct SearchEffort {
  double seconds = 0;
  int64_t nodes = 0;                        // partial mappings looked at
  int64_t evaluations = 0;                  // complete mappings evaluated
  std::vector<SearchMoment> progress = {};  // in the order of time; a few dozen at most
  bool operator==(const SearchEffort&) const = default;
};
const Structure& StructureOf(const SearchEffort*);

// A point that no other mapping beats in all three.
struct FrontPoint {
  int64_t footprint_words = 0;  // of the on-chip level next to the outermost
  int64_t offchip_words = 0;
  int64_t cycles = 0;
  Solution solution;
};

// What DNNOPT's own model says about the mapping it chose; the cost of the mapping is another
// thing.
struct DnnoptFigures {
  struct Block {
    std::string dim;
    int64_t bound = 1;
    int64_t size = 1;
    bool operator==(const Block&) const = default;
  };
  std::vector<Block> order;                        // of the loops over blocks, outer to inner
  IndexedVector<TensorId, int64_t> offchip_words;  // to and from the outermost level
  int64_t total_offchip_words = 0;
  int64_t array_cycles = 0;  // of a systolic array, block after block; index of the last cycle
  int64_t stall_cycles = 0;  // waited for the next block; 0 where the outermost level has no limit
  bool operator==(const DnnoptFigures&) const = default;
};

// What a search says about one layer.
struct LayerAnswer {
  std::optional<Solution> best;   // none: infeasible, or stopped before the first one
  std::vector<FrontPoint> front;  // with a front asked for, instead of best; by footprint
  Certificate certificate;
  bool interrupted = false;  // stopped by the user or the time limit
  bool begun = true;         // false: stopped before the search of this layer began
  Faults infeasible;         // why there is no mapping, if that is proven
  Faults unsupported;        // why the strategy cannot search this layer
  // dnnopt: blocks × orders whose off-chip words were counted; blocks of any size × all orders.
  std::optional<double> points_visited, points_in_space;
  std::optional<DnnoptFigures> dnnopt;
  SearchEffort effort;
};

// What the nodes that run on vector units take, one after the other.
struct VectorTotals {
  int64_t nodes = 0;
  int64_t operations = 0;
  double energy_pj = 0;
  int64_t cycles = 0;
  int64_t offchip_words = 0;
  bool operator==(const VectorTotals&) const = default;
};
const Structure& StructureOf(const VectorTotals*);

// Of a whole network, every repeat of a layer counted.
struct MapTotals {
  double energy_pj = 0;
  int64_t cycles = 0;
  double edp = 0;                                  // of the two above: pJ × cycles
  std::optional<Certificate> certificate = {};     // of these sums, where they were to be the least
  std::optional<double> seconds = {}, watts = {};  // where the architecture has a clock
  std::optional<VectorTotals> vector = {};         // in these sums; none: nothing is counted there
  bool operator==(const MapTotals&) const = default;
};
const Structure& StructureOf(const MapTotals*);

// What follows is what result.json of `map` says, with names and texts instead of indices.

struct LayerCost {
  double energy_pj = 0;
  int64_t cycles = 0;
  double edp = 0;  // pJ × cycles
  int64_t offchip_words = 0;
  double utilization = 0;
  double pj_per_op = 0;
  std::optional<int64_t> padded_operations;
  std::string limited_by;        // "compute", "reads of GLB": what the cycles wait for
  std::string most_energy_in;    // the level, or the compute unit, that takes the largest share …
  double most_energy_share = 0;  // … of the energy
  std::optional<double> ops_per_offchip_word = {};  // none: no word moves off chip
  TimeResult time = {};
  bool operator==(const LayerCost&) const = default;
};
const Structure& StructureOf(const LayerCost*);
// All but limited_by, which is a text for people.
LayerCost LayerCostOf(const Problem& asked_for, const Architecture& architecture, const Cost& cost);

// One entry of a Timeloop mapping.
struct TimeloopDirective {
  std::string target;
  std::string type;                       // "temporal", "spatial", "bypass"
  std::string factors, permutation;       // temporal, spatial: "K=4 C=2,1", "KC", innermost first
  std::optional<int64_t> split;           // spatial
  std::vector<std::string> keep, bypass;  // bypass
  bool operator==(const TimeloopDirective&) const = default;
};
using TimeloopDirectives = std::vector<TimeloopDirective>;
const Structure& StructureOf(const TimeloopDirective*);

struct FrontPointResult {
  int64_t footprint_words = 0;
  int64_t offchip_words = 0;
  int64_t cycles = 0;
  std::vector<std::string> mapping;  // native lines
  bool operator==(const FrontPointResult&) const = default;
};
const Structure& StructureOf(const FrontPointResult*);

// DnnoptFigures with names.
struct DnnoptResult {
  std::vector<DnnoptFigures::Block> order;
  std::vector<std::pair<std::string, int64_t>> offchip_words;  // of each tensor
  int64_t total_offchip_words = 0;
  int64_t array_cycles = 0;
  int64_t stall_cycles = 0;
  bool operator==(const DnnoptResult&) const = default;
};
const Structure& StructureOf(const DnnoptFigures::Block*);
const Structure& StructureOf(const DnnoptResult*);

// The problem that is computed; larger than what was asked for in the mapspace `padded`.
struct ProblemResult {
  std::vector<std::pair<std::string, int64_t>> dims;
  std::vector<std::string> tensors;  // "Inputs[N, C, 2*P + R]"
  bool operator==(const ProblemResult&) const = default;
};
const Structure& StructureOf(const ProblemResult*);

// What a mapping moves at every level.
struct LayerCounts {
  ProblemResult problem;
  std::vector<LevelResult> levels;
  ComputeResult compute;
  bool operator==(const LayerCounts&) const = default;
};
const Structure& StructureOf(const LayerCounts*);
LayerCounts LayerCountsOf(const Architecture& architecture, const Solution& solution);

struct LayerResult {
  std::string name;
  int64_t repeat = 1;
  int64_t operations = 0;
  std::string same_as;  // the layer of the same problem that was searched; empty: this one was
  std::optional<std::vector<FrontPointResult>> front;  // where one was asked for
  std::optional<LayerCost> cost;           // none: a front was asked for, or there is no answer
  std::optional<Certificate> certificate;  // with a cost or a front
  std::vector<std::string> mapping;        // native lines; empty: as cost
  std::optional<LayerCounts> counts;       // of that mapping
  std::optional<TimeloopDirectives> timeloop_mapping;  // none where Timeloop cannot express it …
  std::string timeloop_note;                           // … because of this
  std::vector<std::string> reasons;                    // why there is no answer
  std::optional<double> points_visited, points_in_space;  // dnnopt
  std::optional<DnnoptResult> dnnopt;
  bool interrupted = false;  // by the user or the time limit
  bool searched = true;      // false: interrupted before its search began
  SearchEffort measured;
  bool operator==(const LayerResult&) const = default;
};
const Structure& StructureOf(const LayerResult*);

// A node that runs on vector units.
struct VectorNodeResult {
  std::string name;
  std::string kind;  // the operator
  std::string function = {};
  int64_t operations = 0;
  double energy_pj = 0;
  int64_t cycles = 0;
  std::optional<double> seconds = {};
  int64_t offchip_words = 0;
  std::string limited_by;
  std::string held_in = {};  // the level that holds the rows it reads several times
  bool operator==(const VectorNodeResult&) const = default;
};
const Structure& StructureOf(const VectorNodeResult*);

struct MapResult {
  struct Measured {
    double seconds = 0;
    int threads = 1;  // no figure depends on it
    bool operator==(const Measured&) const = default;
  };
  ResultHeader header;
  std::string workload;
  std::string architecture;
  bool interrupted = false;  // by the user
  std::vector<LayerResult> layers;
  std::optional<MapTotals> total;             // where every layer has an answer
  std::optional<NodeCoverage> coverage = {};  // of a network that is a graph
  std::vector<VectorNodeResult> vector_nodes = {};
  std::optional<GraphResult> graph = {};  // the same
  std::optional<ShownArchitecture> hardware;
  Measured measured;
  bool operator==(const MapResult&) const = default;
};
const Structure& StructureOf(const MapResult::Measured*);
const Structure& StructureOf(const MapResult*);
// Fronts were asked for instead of mappings.
bool HasFronts(const MapResult& result);

}  // namespace inlay

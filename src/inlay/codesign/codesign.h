#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/stop.h"
#include "inlay/codesign/search_group.h"
#include "inlay/core/architecture_space.h"
#include "inlay/core/codesign_result.h"
#include "inlay/core/network.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// For what an architecture is chosen.
enum class Scope : uint8_t {
  kLayer,     // one for every layer
  kNetwork,   // one for all layers together
  kDominant,  // one for all layers, but chosen for the layer with the largest share (the paper)
  kPareto,    // all that no other beats in energy, cycles and area of the whole network
  kHetero,    // at most so many for all layers, each layer on the one that suits it
};
template <>
inline constexpr auto kNames<Scope> = std::to_array<EnumName<Scope>>({{Scope::kLayer, "layer"},
                                                                      {Scope::kNetwork, "network"},
                                                                      {Scope::kDominant,
                                                                       "dominant"},
                                                                      {Scope::kPareto, "pareto"},
                                                                      {Scope::kHetero, "hetero"}});

// How architectures and mappings are found.
enum class Method : uint8_t {
  kExact,  // every architecture searched or ruled out
  kGp,     // Thistle's geometric programs: no proof
};
template <>
inline constexpr auto kNames<Method> = std::to_array<EnumName<Method>>({{Method::kExact, "exact"},
                                                                        {Method::kGp, "gp"}});

struct CodesignTask {
  Network network;
  ArchitectureSpace space;  // valid
  Mapspace mapspace = Mapspace::kPerfect;
  std::vector<Constraint> constraints;  // on mappings, besides those of the architecture
  // Whether all architectures have the problems' names for tensors; otherwise see ForLayer.
  bool tensor_names_resolved = true;
  MapOptions options;  // strategy exact
  Method method = Method::kExact;
  Scope scope = Scope::kLayer;
  int most_architectures = 2;  // kHetero
};

// The mappings of a layer onto an architecture of the task, with the layer's names of tensors.
tl::expected<Space, Faults> SpaceOf(const CodesignTask& task, const Problem& problem,
                                    const Architecture& architecture, Mapspace mapspace);

// A layer on an architecture.
struct LayerDesign {
  size_t layer = 0;  // of the network
  Solution solution;
  // kGp: the least optimum of the layer's programs in real numbers, of the first metric.
  std::optional<double> relaxed = {};
};

// One architecture with what runs on it.
struct Design {
  ArchitectureChoice choice;
  std::vector<LayerDesign> layers;
  double energy_pj = 0;  // of these layers, every repeat counted
  int64_t cycles = 0;
};

struct CodesignAnswer {
  std::vector<Design> designs;  // by the first layer of each; a front by energy
  // What is proven of the objective over all layers: the sum of energies or cycles; for edp sum ×
  // sum, and with kLayer the sum of the designs' edp.
  // For a front: whether it is whole, with a gap (ColumnFront) and no objective. None where some
  // layer has no design.
  std::optional<Certificate> certificate;
  size_t architectures = 0;  // in the space
  size_t open = 0;  // kPareto: architectures that may still add to the front or beat some of it
  CodesignEffort use;
  Faults infeasible;   // why there is no design
  Faults unsupported;  // why the search cannot do it
  bool interrupted = false;
  SearchEffort effort;
};

// Progress of a running search.
struct CodesignProgress {
  size_t done = 0, all = 0;  // layers (kLayer) or architectures
  std::optional<double> incumbent;
};
using CodesignProgressSink = std::function<void(const CodesignProgress&)>;

// The best architectures of the space and the best mappings on them, proven over the whole space
// and mapspace; the best so far once it is stopped. Among equals the architecture that
// ListArchitectures names first; for kHetero see BestColumnSubset. How: docs/reference/codesign.md.
// Processes with the same task can share the work of kExact for kLayer, kNetwork and kDominant; the
// answer is the leader's, those of the others are empty.
CodesignAnswer Codesign(const CodesignTask& task, const StopFlag& stop,
                        const CodesignProgressSink& progress = {}, SearchGroup* group = nullptr);

}  // namespace inlay

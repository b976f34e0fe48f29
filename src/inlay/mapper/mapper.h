#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "inlay/base/stop.h"
#include "inlay/core/map_result.h"
#include "inlay/core/systolic.h"
#include "inlay/mapspace/space.h"

namespace inlay {

enum class Strategy : uint8_t { kExact, kRandom, kDnnopt, kGp };
template <>
inline constexpr auto kNames<Strategy> =
    std::to_array<EnumName<Strategy>>({{Strategy::kExact, "exact"},
                                       {Strategy::kRandom, "random"},
                                       {Strategy::kDnnopt, "dnnopt"},
                                       {Strategy::kGp, "gp"}});

// Timeloop's stopping rules; 0: never.
struct RandomOptions {
  int64_t victory_condition = 3000;  // mappings in a row that do not improve
  int64_t timeout = 100000;          // invalid mappings in a row
  int64_t search_size = 0;           // valid mappings in all
};
const Structure& StructureOf(const RandomOptions*);

// DNNOPT's switches.
struct DnnoptOptions {
  enum class Exit : uint8_t { kSafe, kLiteral, kNone } exit = Exit::kSafe;
  enum class Stride : uint8_t { kArray, kOne } stride = Stride::kArray;
  enum class Optimize : uint8_t { kOrder, kBlock, kBoth } optimize = Optimize::kBoth;
  Dataflow dataflow = Dataflow::kOutputStationary;
};
const Structure& StructureOf(const DnnoptOptions*);
template <>
inline constexpr auto kNames<DnnoptOptions::Exit> =
    std::to_array<EnumName<DnnoptOptions::Exit>>({{DnnoptOptions::Exit::kSafe, "safe"},
                                                  {DnnoptOptions::Exit::kLiteral, "literal"},
                                                  {DnnoptOptions::Exit::kNone, "none"}});
template <>
inline constexpr auto kNames<DnnoptOptions::Stride> =
    std::to_array<EnumName<DnnoptOptions::Stride>>({{DnnoptOptions::Stride::kArray, "array"},
                                                    {DnnoptOptions::Stride::kOne, "one"}});
template <>
inline constexpr auto kNames<DnnoptOptions::Optimize> =
    std::to_array<EnumName<DnnoptOptions::Optimize>>({{DnnoptOptions::Optimize::kOrder, "order"},
                                                      {DnnoptOptions::Optimize::kBlock, "block"},
                                                      {DnnoptOptions::Optimize::kBoth, "both"}});

// Thistle's rounding.
struct GpOptions {
  int nearest = 3;               // divisors tried for every tile, the closest to the real size
  int nearest_sizes = 3;         // co-design: values tried for every size, the closest likewise
  double least_utilization = 0;  // of compute lanes; candidates below it are dropped
};

struct FrontOptions {
  TensorSet onchip;  // operands that already lie on chip: their off-chip words are free
};

// Of what the objective is to be the least: of every layer, or of all together. That differs for
// edp: the product of sums is not least where every layer's own product is.
enum class MinimisedOf : uint8_t { kLayers, kNetwork };
template <>
inline constexpr auto kNames<MinimisedOf> = std::to_array<EnumName<MinimisedOf>>(
    {{MinimisedOf::kLayers, "layers"}, {MinimisedOf::kNetwork, "network"}});

struct MapOptions {
  Objective objective = {Metric::kEdp};
  Strategy strategy = Strategy::kExact;
  Semantics semantics = Semantics::kExact;  // exact or thistle
  Accounting accounting = Accounting::kElide;
  std::optional<double> time_limit_seconds;  // per layer
  int threads = 1;                           // in a network: of all layers together
  uint64_t seed = 1;
  RandomOptions random;
  DnnoptOptions dnnopt;
  GpOptions gp;
  std::optional<FrontOptions> front;
  MinimisedOf of = MinimisedOf::kLayers;  // MapNetwork; kNetwork: strategy exact, no front
  // One value per metric of the objective: a mapping that is not better is not asked for. A search
  // may use it, and then end without one, which is no proof that there is none at all.
  std::optional<std::vector<double>> cutoff;
};

// Progress of a running search. The sink is called from the searching threads, never by two at
// once.
struct MapProgress {
  size_t layer = 0;                        // of the network
  std::optional<double> incumbent, bound;  // first metric
  bool done = false;                       // with this layer
};
using MapProgressSink = std::function<void(const MapProgress&)>;

// What the strategy asked for cannot do; empty if nothing.
Faults CheckOptions(const MapOptions& options);

// The best mapping of one layer. The options pass CheckOptions. Deterministic whenever it ends by
// proof, at any number of threads.
LayerAnswer MapLayer(const Space& space, const MapOptions& options, const StopFlag& stop,
                     const MapProgressSink& progress = {});

}  // namespace inlay

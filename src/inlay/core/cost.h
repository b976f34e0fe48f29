#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/enum_names.h"
#include "inlay/core/ids.h"

namespace inlay {

enum class Semantics { kExact, kTimeloop, kThistle };
template <>
inline constexpr auto kNames<Semantics> =
    std::to_array<EnumName<Semantics>>({{Semantics::kExact, "exact"},
                                        {Semantics::kTimeloop, "timeloop"},
                                        {Semantics::kThistle, "thistle"}});

// thistle only: is the first read of a partial sum counted?
enum class Accounting { kLiteral, kElide };
template <>
inline constexpr auto kNames<Accounting> = std::to_array<EnumName<Accounting>>(
    {{Accounting::kLiteral, "literal"}, {Accounting::kElide, "elide"}});

// Words moved at one level for one tensor.
struct Counts {
  int64_t reads = 0;    // sent inward
  int64_t fills = 0;    // received from outside
  int64_t updates = 0;  // received from inside
  int64_t drains = 0;   // sent outward; 0 where the semantics do not count them
  bool operator==(const Counts&) const = default;
};

// What one instance does is total / instances: a fraction under `exact`, exactly what Timeloop
// prints (a whole number) under `timeloop`.
struct TensorCost {
  bool kept = false;
  int64_t tile_words = 0;  // the largest tile of one instance
  int64_t instances = 0;   // ever active (timeloop: utilised on average, truncated)
  Counts total;            // over all instances
  double energy_pj = 0;
  // How often lane 0 of a level that an outer one feeds gets another tile; counted only where the
  // architecture says more of time than rates (docs/reference/time.md), else 0.
  int64_t moves = 0;
};

// Which transfer a level's cycles come from.
enum class CycleLimit { kNone, kRead, kWrite, kShared };
template <>
inline constexpr auto kNames<CycleLimit> =
    std::to_array<EnumName<CycleLimit>>({{CycleLimit::kNone, "none"},
                                         {CycleLimit::kRead, "read"},
                                         {CycleLimit::kWrite, "write"},
                                         {CycleLimit::kShared, "shared"}});

struct LevelCost {
  IndexedVector<TensorId, TensorCost> tensors;
  int64_t cycles = 0;
  CycleLimit limit = CycleLimit::kNone;  // none: no bandwidth given, or it does not slow the array
  double energy_pj = 0;                  // tensors and leakage
  double engine_cycles = 0;              // its engine works for moving tiles; 0: it has none
};

struct Cost {
  int64_t operations =
      0;               // product of the bounds; timeloop: what Timeloop reports, which may be wrong
  int64_t cycles = 0;  // the largest of compute and all levels; with keys of time, more
  int64_t compute_cycles = 0;  // steps of lane 0
  int64_t compute_lanes_used = 0;
  int64_t compute_lanes = 0;  // in the machine
  double compute_energy_pj = 0;
  double energy_pj = 0;
  double utilization = 0;     // operations / (lanes × cycles)
  int64_t offchip_words = 0;  // to and from the outermost level
  std::optional<int64_t> padded_operations;
  double start_cycles = 0;               // of the cycles: launch, and the first words of streams
  bool limited_by_power = false;         // the cycles are those that the dynamic energy takes
  double idle_pj = 0;                    // of the energy: what the machine draws whatever it does
  std::optional<double> seconds, watts;  // where the architecture has a clock
  IndexedVector<LevelId, LevelCost> levels;
};

}  // namespace inlay

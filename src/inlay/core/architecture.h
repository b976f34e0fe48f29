#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/core/constraint.h"
#include "inlay/core/fault.h"
#include "inlay/core/ids.h"
#include "inlay/core/technology.h"
#include "inlay/core/vector_unit.h"

namespace inlay {

// pJ per access of one block of words.
struct AccessEnergy {
  double read_pj = 0;
  double fill_pj = 0;    // a word that comes from the outer side
  double update_pj = 0;  // a word that comes from the inner side
  bool operator==(const AccessEnergy&) const = default;
};
const Structure& StructureOf(const AccessEnergy*);

// How the network below a level delivers a tile that several lanes need at the same step.
enum class Multicast {
  kNone,  // one read per lane
  kTile,  // one read for all lanes that enter the same box from the same previous box
};
template <>
inline constexpr auto kNames<Multicast> =
    std::to_array<EnumName<Multicast>>({{Multicast::kTile, "tile"},
                                        {Multicast::kNone, "none"},
                                        {Multicast::kTile, "true"},
                                        {Multicast::kNone, "false"}});

// Whether a level gets its next tile while the present one is worked on (docs/reference/time.md).
enum class Overlap {
  kStream,  // words come when they are needed
  kDouble,  // a second buffer is loaded meanwhile
  kNone,    // work waits while tiles are moved
};
template <>
inline constexpr auto kNames<Overlap> = std::to_array<EnumName<Overlap>>(
    {{Overlap::kStream, "stream"}, {Overlap::kDouble, "double"}, {Overlap::kNone, "none"}});

// The array below a level: x × y children per instance. 1 × 1 means a single child.
struct Fanout {
  std::string name;  // may be empty when 1 × 1
  int64_t x = 1;
  int64_t y = 1;
  Multicast multicast = Multicast::kTile;
  bool reduce = true;      // sums of lanes with the same output tile are added on the way out
  double skew_cycles = 0;  // from the first lane's words to the last lane's, there and back
  bool operator==(const Fanout&) const = default;
};
const Structure& StructureOf(const Fanout*);

// The part of a level that only one tensor may use.
struct Partition {
  std::string tensor;
  std::optional<int64_t> capacity_words;  // none: unbounded
  int word_bits = 16;
  std::optional<MemoryKind> kind = std::nullopt;  // none: the level's
  bool operator==(const Partition&) const = default;
};
const Structure& StructureOf(const Partition*);

// A tensor whose words are wider or narrower than the level's.
struct TensorBits {
  std::string tensor;
  int word_bits = 16;
  bool operator==(const TensorBits&) const = default;
};

// What a level does with a tensor.
enum class KeepRule {
  kKeep,    // must hold it
  kBypass,  // must not
  kFree,    // the mapping decides
};

// A list of tensor names, or all of them.
struct TensorNameSet {
  bool all = false;
  std::vector<std::string> names;
  bool contains(std::string_view name) const;
  bool lists(std::string_view name) const;  // by its name
  bool empty() const { return !all && names.empty(); }
  bool operator==(const TensorNameSet&) const = default;
};
template <>
inline constexpr bool kHasOwnSyntax<TensorNameSet> = true;

struct Level {
  std::string name;
  MemoryKind kind = MemoryKind::kSram;
  int word_bits = 16;
  std::optional<int64_t>
      capacity_words;                 // words of word_bits, shared by all tensors; none: unbounded
  std::vector<Partition> partitions;  // or one part per tensor; tensors without a part are bypassed
  std::vector<TensorBits> tensor_bits;  // exceptions to word_bits; capacity is then counted in bits
  int64_t block_words = 1;              // words per access
  double buffering = 1;  // 2 = double-buffered: usable capacity = ⌊capacity / buffering⌋
  // Words per cycle per instance (of each partition where there are partitions); none: unlimited.
  std::optional<double> read_bandwidth, write_bandwidth, shared_bandwidth;
  std::optional<AccessEnergy> energy;  // none: by technology and size
  MemoryPorts ports = MemoryPorts::kReadOrWrite;
  std::string dram = {};            // the technology's kind of memory off chip; empty: its first
  double leakage_pj_per_cycle = 0;  // per instance
  double latency_cycles = 0;        // from a request to the first word sent inward
  double transfer_cycles = 0;       // of its engine, per tile moved, besides the words
  Overlap overlap = Overlap::kStream;
  // Neither: all are kept. A name in one of them goes before an 'all' in the other.
  std::optional<TensorNameSet> keep, bypass;
  std::string note;  // for people
  Fanout fanout;     // below this level
  // One memory with the level outside: they share room and ports, and leak once. Never in files; so
  // that a mapping may have loops between the tensors of one memory (ExpandUneven).
  bool same_memory_as_outer = false;
  bool operator==(const Level&) const = default;
};
const Structure& StructureOf(const Level*);

struct Compute {
  std::string name = "mac";
  int word_bits = 16;
  std::optional<double> energy_pj;  // per operation; none: by technology
  std::string type = {};  // of its numbers, by the technology: "bf16"; empty: integers of word_bits
  bool operator==(const Compute&) const = default;
};
const Structure& StructureOf(const Compute*);

struct Architecture {
  std::string name;
  std::optional<Technology> technology;
  IndexedVector<LevelId, Level> levels;  // outer to inner
  Compute compute;
  std::optional<double> clock_hz;       // none: time is in cycles only
  double launch_cycles = 0;             // of a layer, before the first request
  std::optional<double> power_limit_w;  // what it draws at most; the limit includes idle_w
  double idle_w = 0;                    // whatever it does
  std::vector<Constraint> constraints;
  VectorUnits vector_units;
  bool operator==(const Architecture&) const = default;
};
const Structure& StructureOf(const Architecture*);

// Everything that is wrong with an architecture by itself: no level, names used twice, sizes,
// fan-outs and bandwidths below 1 or not finite, energies negative, not finite, or neither given
// nor derivable, a tensor both kept and bypassed.
Faults Validate(const Architecture& architecture);

// Whether it says more of time than the rates of its levels: any key of docs/reference/time.md but
// the clock. Only `exact` semantics know what these mean.
bool HasTimeKeys(const Architecture& architecture);
// What to say where something else is to be computed of such an architecture; `what` begins the
// sentence: "'timeloop' semantics".
Fault TimeKeysFault(const std::string& what);

std::optional<LevelId> FindLevel(const Architecture& architecture, std::string_view name);
std::vector<std::string> LevelNames(const Architecture& architecture);
int WordBitsOf(const Level& level, std::string_view tensor);
KeepRule KeepRuleOf(const Level& level, std::string_view tensor);

inline constexpr int64_t kMostLanes = int64_t{1} << 40;
// Instances of a level in the whole machine: the product of the fan-outs outside it. One past the
// last level gives the number of compute lanes.
int64_t Instances(const Architecture& architecture, LevelId level);
int64_t ComputeLanes(const Architecture& architecture);
// Of each of its vector units.
int64_t VectorInstances(const Architecture& architecture);

// The energy of one access to a tensor in a level: given outright, or by technology from the size
// of the level (of the tensor's partition where there are partitions) and its word bits.
AccessEnergy EnergyOf(const Architecture& architecture, LevelId level, std::string_view tensor);
double ComputeEnergyPj(const Architecture& architecture);

// What one instance of a level leaks, by the technology's table; 0 where that does not say.
double LeakageUw(const Architecture& architecture, LevelId level);

// Levels beyond the largest or below the smallest memory that the technology's tables know: what
// their figures are is an extrapolation.
Faults Extrapolated(const Architecture& architecture);

// Area of all instances, by technology; nullopt without one.
std::optional<double> AreaUm2(const Architecture& architecture);

}  // namespace inlay

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/ids.h"

namespace inlay {

// Something that computes. Either a peak rate, and then an operand that lies off chip is read once;
// or an architecture, and then the mapper says how often it is read.
struct ComputeUnit {
  std::string name;
  double macs_per_second = 0;  // 0 where there is an architecture
  std::optional<Architecture> architecture;
  // Of nodes that do not multiply; none: they take the time of their bytes, or an architecture
  // has vector units.
  std::optional<double> vector_ops_per_second = {};
  bool operator==(const ComputeUnit&) const = default;
};
const Structure& StructureOf(const ComputeUnit*);

// A memory on chip that a compiler manages.
struct Scratchpad {
  std::string name;
  int64_t bytes = 0;
  int64_t alignment_bytes = 1;             // every address is a multiple of it
  std::optional<double> bytes_per_second;  // none: unlimited
  double pj_per_byte = 0;
  std::vector<UnitId> reached_by;  // units that read and write it, in order, none twice
  bool operator==(const Scratchpad&) const = default;
};
const Structure& StructureOf(const Scratchpad*);

// The way to the memory off chip, which holds everything.
struct OffChip {
  std::optional<double> bytes_per_second;  // none: unlimited
  double pj_per_byte = 0;
  bool operator==(const OffChip&) const = default;
};
const Structure& StructureOf(const OffChip*);

struct Dma {
  int64_t engines = 1;                         // transfers at a time
  std::vector<std::pair<PadId, PadId>> moves;  // between pads only these, both ways
  bool operator==(const Dma&) const = default;
};
const Structure& StructureOf(const Dma*);

// What a scratchpad plan is made for.
struct Machine {
  std::string name;
  double clock_hz = 1e9;
  IndexedVector<UnitId, ComputeUnit> units;
  IndexedVector<PadId, Scratchpad> pads;
  OffChip offchip;
  Dma dma;
  bool operator==(const Machine&) const = default;
};
const Structure& StructureOf(const Machine*);

// Everything that is wrong with a machine: names used twice, no unit, rates and sizes that are not
// positive, a pad that no unit reaches, moves from a pad to itself or given twice.
Faults Validate(const Machine& machine);

// A finite number above 0.
bool IsPositive(double value);

std::optional<UnitId> FindUnit(const Machine& machine, std::string_view name);
std::optional<PadId> FindPad(const Machine& machine, std::string_view name);

// The machine that an architecture makes: all of it as one unit, its outermost memory on chip as
// the pad, its outermost level as the way off chip. A fault where the level below the outermost is
// not one memory of bounded size. `clock_hz` turns words per cycle into bytes per second.
tl::expected<Machine, Fault> MachineFrom(const Architecture& architecture, double clock_hz);

}  // namespace inlay

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"

namespace inlay {

// A number of an architecture that is to be chosen.
struct FreeAttribute {
  enum class Kind : uint8_t { kCapacityWords, kFanoutX, kFanoutY };
  std::string name;  // "SRAM.capacity", "PEs.x"
  LevelId level;     // that has it, or whose fan-out has it
  Kind kind = Kind::kCapacityWords;
  // What it may be, ascending. Empty, at one fan-out: as many lanes as the area leaves room for.
  std::vector<int64_t> values;
  bool operator==(const FreeAttribute&) const = default;
};

// What all of an architecture may take; none: no limit.
struct Budget {
  std::optional<double> area_um2;
  std::optional<int64_t> sram_words;  // of all levels of kind sram, all instances
  bool operator==(const Budget&) const = default;
};

// A family of architectures: one for every choice of the free attributes that keeps to the budget.
struct ArchitectureSpace {
  Architecture base;  // the free attributes hold any value
  std::vector<FreeAttribute> free;
  Budget budget;
};

struct ArchitectureChoice {
  std::vector<int64_t> values;  // as the space's free attributes
  Architecture architecture;
  std::optional<double> area_um2;  // none without a technology
};

// Powers of two from min to max, both of them included if they are ones.
std::vector<int64_t> PowersOfTwo(int64_t min, int64_t max);

// What is wrong with a space: an attribute without values, or with values below 1, two that are to
// fill the area, an area without a technology.
Faults Validate(const ArchitectureSpace& space);

// Every architecture of a valid space, the last attribute changing fastest. A fault where the
// budget allows none; it says what the smallest one takes.
tl::expected<std::vector<ArchitectureChoice>, Faults> ListArchitectures(
    const ArchitectureSpace& space);

}  // namespace inlay

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/attribute.h"
#include "inlay/core/budget.h"
#include "inlay/core/fault.h"

namespace inlay {

// A number of an architecture that is to be chosen.
struct FreeAttribute {
  std::string name;  // "SRAM.capacity", "PEs.x"
  Attribute attribute;
  // What it may be, ascending. Empty, at one fan-out: as many lanes as the budgets leave room for.
  std::vector<double> values;
  bool operator==(const FreeAttribute&) const = default;
};

// A family of architectures: one for every choice of the free attributes that keeps to the budget.
struct ArchitectureSpace {
  Architecture base;  // the free attributes hold any value
  std::vector<FreeAttribute> free;
  Budget budget;
};

struct ArchitectureChoice {
  std::vector<double> values;  // as the space's free attributes
  Architecture architecture;
  std::optional<double> area_um2;  // none without a technology
};

// The most values of one attribute, and the most choices of all together, before the budget.
inline constexpr size_t kMostFreeValues = 4096;
inline constexpr size_t kMostChoices = size_t{1} << 17;

// Powers of two from min to max, both of them included if they are ones.
std::vector<double> PowersOfTwo(double min, double max);

// What is wrong with a space: an attribute without values or with values that it cannot have, two
// that are to fill the budget, too many choices, a budget that the architecture cannot be measured
// by.
Faults Validate(const ArchitectureSpace& space);

// Every architecture of a valid space, the last attribute changing fastest. A fault where the
// budget allows none; it says what the smallest one takes.
tl::expected<std::vector<ArchitectureChoice>, Faults> ListArchitectures(
    const ArchitectureSpace& space);

}  // namespace inlay

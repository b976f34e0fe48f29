#pragma once

#include <string>
#include <vector>

#include "inlay/core/architecture_space.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {

// What may stand in place of a number: "{free: pow2, min: 4, max: 4096}".
extern const Type kFreeType;
// What architectures may take, in the file of a family.
extern const Type kBudgetType;

bool IsFree(const Node& value);

// Reads everything that is free in an entry of `levels`, a level, a fan-out or the compute, which
// the architecture already has under this name; it gets the least values. Where the context allows
// no families, each is an error instead.
void ReadFreeAttributes(const Node& entry, const std::string& name, Reading* reading,
                        Places* places, Architecture* architecture,
                        std::vector<FreeAttribute>* free);

// `architecture` has all its levels.
Budget BuildBudget(const Node& node, const Architecture& architecture, Places* places,
                   Diagnostics* diagnostics);

// "PEs.x * registers.capacity + SRAM.capacity <= 65536"
Parsed<Limit> ParseLimit(std::string_view text, const Architecture& architecture);

}  // namespace inlay::io

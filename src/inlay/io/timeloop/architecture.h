#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/io/timeloop/components.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/timeloop/sections.h"

namespace inlay::io::timeloop {

struct ArchitectureFile {
  std::optional<Architecture> architecture;  // none if it has errors
  Architecture by_class;                     // the same as its classes say, without energies
  std::string format;                        // "timeloop-2019", …
  bool is_nodes = false;                     // the 0.4 form with nodes
  std::vector<Component> components;         // the levels in order, the compute last
};

// The section `architecture` in any of its forms, with the energies of the ERT. What a level does
// with tensors is left to the mapping, except that the outermost keeps all and the fan-out of a
// container none.
ArchitectureFile ReadArchitecture(const Sections& sections, const Scope& variables, Report* report);

}  // namespace inlay::io::timeloop

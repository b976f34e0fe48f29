#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/structure.h"
#include "inlay/core/architecture.h"

namespace inlay {

// The energies of an architecture besides those that a technology would give it.

struct RepricedMemory {
  AccessEnergy given;
  std::optional<AccessEnergy> priced = {};  // none: the technology cannot price it
};
struct RepricedCompute {
  double given_pj = 0;
  std::optional<double> priced_pj = {};
};
struct Repricing {
  std::string technology;
  std::vector<std::pair<std::string, RepricedMemory>> levels = {};  // and "level.tensor" of parts
  RepricedCompute compute = {};
};
const Structure& StructureOf(const Repricing*);

// `bare` is the same architecture with the kinds of memory and compute that are to be priced,
// whether or not it has energies.
Repricing Reprice(const Architecture& given, Architecture bare, const Technology& technology);

}  // namespace inlay

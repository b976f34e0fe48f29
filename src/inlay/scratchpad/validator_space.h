#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/ids.h"
#include "inlay/core/machine.h"

namespace inlay {

// Bytes of a pad that are taken: addresses [address, address + bytes) in the steps from … to − 1.
struct TakenSpace {
  std::string where;  // in the plan, for faults
  std::string what;   // "tensor 'x'"
  PadId pad;
  int64_t address = 0, bytes = 0;
  int64_t from = 0, to = 0;
  ValueId tensor;
  bool workspace = false;  // and then no tensor
};

// One tensor that takes the place of another in a step: they may share their bytes there.
struct InPlacePair {
  ValueId read, written;
  int64_t step = 0;
  bool operator==(const InPlacePair&) const = default;
};

// Every space has its pad's alignment and ends within it, and no two share a byte in any step but
// for the pairs.
Faults CheckSpaces(const Machine& machine, std::vector<TakenSpace> spaces,
                   const std::vector<InPlacePair>& pairs);

}  // namespace inlay

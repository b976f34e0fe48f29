#pragma once

#include <string>

#include "inlay/core/fault.h"

namespace inlay {

enum class MemoryKind { kDram, kSram, kRegister };

// constant + linear·words + root·√words
struct SizeFunction {
  double constant = 0;
  double linear = 0;
  double root = 0;
  double At(double words) const;
  bool operator==(const SizeFunction&) const = default;
};

// Energy of one access, and area of the whole memory, as functions of its size in words of
// `word_bits`.
struct MemoryTechnology {
  SizeFunction energy_pj;
  SizeFunction area_um2;
  bool operator==(const MemoryTechnology&) const = default;
};

struct Technology {
  std::string name;
  int word_bits = 16;  // energies and areas scale with (actual word bits) / word_bits
  double mac_energy_pj = 0;
  double mac_area_um2 = 0;
  MemoryTechnology dram, sram, reg;
  const MemoryTechnology& Of(MemoryKind kind) const;
  bool operator==(const Technology&) const = default;
};

Faults Validate(const Technology& technology);

}  // namespace inlay

#pragma once

#include <array>
#include <string>

#include "inlay/base/enum_names.h"
#include "inlay/base/structure.h"
#include "inlay/core/fault.h"

namespace inlay {

enum class MemoryKind { kDram, kSram, kRegister };
template <>
inline constexpr auto kNames<MemoryKind> =
    std::to_array<EnumName<MemoryKind>>({{MemoryKind::kDram, "dram"},
                                         {MemoryKind::kSram, "sram"},
                                         {MemoryKind::kRegister, "register"}});

// constant + linear·words + root·√words
struct SizeFunction {
  double constant = 0;
  double linear = 0;
  double root = 0;
  double At(double words) const;
  bool operator==(const SizeFunction&) const = default;
};
template <>
inline constexpr bool kHasOwnSyntax<SizeFunction> = true;
const Structure& StructureOf(const SizeFunction*);

// Energy of one access, and area of the whole memory, as functions of its size in words of
// `word_bits`.
struct MemoryTechnology {
  SizeFunction energy_pj;
  SizeFunction area_um2;
  bool operator==(const MemoryTechnology&) const = default;
};
const Structure& StructureOf(const MemoryTechnology*);

struct Technology {
  std::string name;
  int word_bits = 16;  // energies and areas scale with (actual word bits) / word_bits
  double mac_energy_pj = 0;
  double mac_area_um2 = 0;
  MemoryTechnology dram, sram, reg;
  const MemoryTechnology& Of(MemoryKind kind) const;
  bool operator==(const Technology&) const = default;
};
const Structure& StructureOf(const Technology*);

Faults Validate(const Technology& technology);

}  // namespace inlay

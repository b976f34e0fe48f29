#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// What a memory on chip can do in one cycle.
enum class MemoryPorts {
  kReadOrWrite,
  kReadAndWrite,
};
template <>
inline constexpr auto kNames<MemoryPorts> = std::to_array<EnumName<MemoryPorts>>(
    {{MemoryPorts::kReadOrWrite, "1rw"}, {MemoryPorts::kReadAndWrite, "1r1w"}});

// A memory whose figures are known: a row of a table (core/memory_table.h).
struct KnownMemory {
  int64_t capacity_bytes = 0;
  int width_bits = 0;  // of one access
  MemoryPorts ports = MemoryPorts::kReadOrWrite;
  double read_pj = 0, write_pj = 0;  // of one access
  double leakage_uw = 0;
  double area_um2 = 0;
  bool operator==(const KnownMemory&) const = default;
};
const Structure& StructureOf(const KnownMemory*);

// Energy of one access, and area of the whole memory: as functions of its size in words of the
// technology's `word_bits`, or from a table of known memories.
struct MemoryTechnology {
  SizeFunction energy_pj;
  SizeFunction area_um2;
  std::vector<KnownMemory> table = {};  // empty: by the functions
  std::string source = {};              // for people: where the figures are from
  bool operator==(const MemoryTechnology&) const = default;
};
const Structure& StructureOf(const MemoryTechnology*);

// A kind of memory off chip, whose energy does not depend on its size.
struct DramKind {
  std::string name;
  double pj_per_bit = 0;
  std::optional<double> bytes_per_second = {};  // of one channel or stack
  std::string per = {};                         // what has that bandwidth: "a stack"
  std::string source = {};
  bool operator==(const DramKind&) const = default;
};
const Structure& StructureOf(const DramKind*);

// A multiply-accumulate unit for one type of number.
struct Arithmetic {
  std::string type;  // "int8", "bf16"
  double energy_pj = 0;
  double area_um2 = 0;
  std::string source = {};
  bool operator==(const Arithmetic&) const = default;
};
const Structure& StructureOf(const Arithmetic*);

struct Wire {
  double pj_per_bit_mm = 0;
  std::string source = {};
  bool operator==(const Wire&) const = default;
};
const Structure& StructureOf(const Wire*);

struct Technology {
  std::string name;
  std::optional<double> node_nm;
  std::string note;    // for people
  int word_bits = 16;  // energies and areas by functions scale with (actual word bits) / word_bits
  double mac_energy_pj = 0;
  double mac_area_um2 = 0;
  std::vector<Arithmetic> arithmetic;  // by type; empty: the mac's figures
  std::optional<Wire> wire;
  MemoryTechnology dram, sram, reg;
  std::vector<DramKind> dram_kinds;  // the first where a level names none; empty: dram's figures
  const MemoryTechnology& Of(MemoryKind kind) const;
  bool operator==(const Technology&) const = default;
};
const Structure& StructureOf(const Technology*);

// By name; null: there is none.
const DramKind* FindDram(const Technology& technology, std::string_view name);
const Arithmetic* FindArithmetic(const Technology& technology, std::string_view type);

// Energy and area of a multiply-accumulate unit. Without a type it works on integers: where the
// technology has them by width (int8, int32), what lies between two widths follows the power law
// through them, what lies outside that of the nearest two; else the mac's figures scale with the
// bits.
struct UnitFigures {
  double energy_pj = 0, area_um2 = 0;
};
UnitFigures FiguresOfMac(const Technology& technology, std::string_view type, int word_bits);

// Integers of a width between those of the technology are a type, too.
bool HasType(const Technology& technology, std::string_view type);
bool HasIntegers(const Technology& technology);

// Where the faults of a row of a table are: "sram.table.…", the same for rows that are equal.
std::string TableRowPlace(std::string_view memory, const KnownMemory& row);

// Tables are in the order of InTableOrder.
Faults Validate(const Technology& technology);

}  // namespace inlay

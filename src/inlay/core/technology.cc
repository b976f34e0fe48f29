#include "inlay/core/technology.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

#include "inlay/core/memory_table.h"
#include "inlay/core/units.h"

namespace inlay {
namespace {

const Structure& MacKeys() {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Technology::mac_energy_pj>(
          "energy", "the energy of one multiply-accumulate",
          {.required = true, .unit = &kEnergyUnits, .what = "an energy such as '2.2 pJ'"}),
      KeyOf<&Technology::mac_area_um2>("area", "the area of one unit; 0 if left out",
                                       {.unit = &kAreaUnits, .unless_default = true}),
  });
  return DescribeKeys<Technology, kKeys>("the multiplier's figures");
}
constexpr ValueType kMac = StructType(MacKeys);

bool ShowsMac(const void* owner) {
  const auto& technology = fields::As<Technology>(owner);
  return !HasIntegers(technology) || technology.mac_energy_pj != 0 || technology.mac_area_um2 != 0;
}
bool HasNoDramKinds(const void* technology) {
  return fields::As<Technology>(technology).dram_kinds.empty();
}

bool HasNoTable(const void* memory) { return fields::As<MemoryTechnology>(memory).table.empty(); }

constexpr int64_t kMostAccessBits = int64_t{1} << 20;
constexpr std::string_view kInteger = "int";

// The bits of "int8"; nullopt of other types.
std::optional<int> IntegerBits(std::string_view type) {
  if (!type.starts_with(kInteger)) return std::nullopt;
  type.remove_prefix(kInteger.size());
  int bits = 0;
  const auto end = std::from_chars(type.data(), type.data() + type.size(), bits);
  if (end.ec != std::errc() || end.ptr != type.data() + type.size() || bits < 1) {
    return std::nullopt;
  }
  return bits;
}

// A power of the bits through two of the widths that are known.
double ThroughWidths(double low_bits, double low, double high_bits, double high, double bits) {
  if (!(low > 0) || !(high > 0))
    return low + (high - low) * (bits - low_bits) / (high_bits - low_bits);
  return low * std::pow(bits / low_bits, std::log(high / low) / std::log(high_bits / low_bits));
}

// Of integers as wide as `bits`; nullopt where the technology has none.
std::optional<UnitFigures> FiguresOfIntegers(const Technology& technology, int bits) {
  std::vector<std::pair<int, UnitFigures>> known;
  for (const Arithmetic& unit : technology.arithmetic) {
    const auto width = IntegerBits(unit.type);
    if (width) known.push_back({*width, {unit.energy_pj, unit.area_um2}});
  }
  if (known.empty()) return std::nullopt;
  const auto by_bits = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::sort(known.begin(), known.end(), by_bits);
  for (const auto& [width, figures] : known) {
    if (width == bits) return figures;
  }
  if (known.size() == 1) {
    const double scale = static_cast<double>(bits) / known.front().first;
    return UnitFigures{known.front().second.energy_pj * scale,
                       known.front().second.area_um2 * scale};
  }
  auto high = known.begin() + 1;
  while (high + 1 != known.end() && high->first < bits) ++high;
  const auto low = high - 1;
  const auto at = [&](double UnitFigures::*figure) {
    return std::max(0.0, ThroughWidths(low->first, low->second.*figure, high->first,
                                       high->second.*figure, bits));
  };
  return UnitFigures{at(&UnitFigures::energy_pj), at(&UnitFigures::area_um2)};
}

bool IsFigure(double value) { return std::isfinite(value) && value >= 0; }
bool IsPositiveFigure(double value) { return std::isfinite(value) && value > 0; }

// What a fault of a row says of it, and the place of the row.
std::string NameOf(const KnownMemory& row) {
  return fmt::format("{} B, {} bits, {}", row.capacity_bytes, row.width_bits, Name(row.ports));
}

void ValidateRow(const KnownMemory& row, const std::string& where, Faults* faults) {
  if (row.capacity_bytes < 1 || row.width_bits < 1) {
    faults->push_back({where, "a memory's capacity and width must be positive", ""});
  }
  if (!IsPositiveFigure(row.read_pj) || !IsPositiveFigure(row.write_pj)) {
    faults->push_back({where, "the energies of a memory of a table must be positive",
                       "what is between rows follows from their logarithms"});
  }
  if (!IsFigure(row.leakage_uw) || !IsFigure(row.area_um2)) {
    faults->push_back({where, "a leakage and an area must be finite and not negative", ""});
  }
}

void ValidateTable(const std::string& memory, const std::vector<KnownMemory>& table,
                   Faults* faults) {
  for (size_t i = 0; i < table.size(); ++i) {
    const KnownMemory& row = table[i];
    const std::string where = TableRowPlace(memory, row);
    ValidateRow(row, where, faults);
    const auto same_width = [&row](const KnownMemory& other) {
      return other.ports == row.ports && other.width_bits == row.width_bits;
    };
    const bool before = i > 0 && same_width(table[i - 1]);
    const bool after = i + 1 < table.size() && same_width(table[i + 1]);
    if (before && table[i - 1].capacity_bytes == row.capacity_bytes) {
      faults->push_back({where, "the table has a memory twice: " + NameOf(row), "leave one out"});
    }
    if (!before && !after) {
      faults->push_back({where,
                         fmt::format("the table has only one memory with accesses of {} bits ({})",
                                     row.width_bits, Name(row.ports)),
                         "give two capacities or more of every width: what others cost follows "
                         "from the nearest two"});
    }
  }
}

void ValidateMemory(const std::string& name, const MemoryTechnology& memory, Faults* faults) {
  const SizeFunction& e = memory.energy_pj;
  const SizeFunction& a = memory.area_um2;
  for (double value : {e.constant, e.linear, e.root, a.constant, a.linear, a.root}) {
    if (IsFigure(value)) continue;
    faults->push_back({name, "energies and areas must be finite and not negative", ""});
    break;
  }
  if (!memory.table.empty() && (e != SizeFunction() || a != SizeFunction())) {
    faults->push_back({name, fmt::format("'{}' has both a table and formulas", name),
                       "leave out 'energy' and 'area'"});
  }
  ValidateTable(name, memory.table, faults);
}

// `names` are those of a list; each may be there once.
void ValidateNames(const std::string& list, const std::vector<std::string>& names, Faults* faults) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    faults->push_back({list, fmt::format("'{}' has '{}' twice", list, name), "leave one out"});
  }
}

}  // namespace

const Structure& StructureOf(const SizeFunction*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&SizeFunction::constant>("constant", "whatever the size", {.may_be_negative = true}),
      Row<&SizeFunction::linear>("linear", "times the words", {.may_be_negative = true}),
      Row<&SizeFunction::root>("root", "times the square root of the words",
                               {.may_be_negative = true}),
  });
  return Describe<SizeFunction, kFields>("SizeFunction");
}

const Structure& StructureOf(const KnownMemory*) {
  static constexpr KeyTraits kEnergy = {
      .required = true, .unit = &kEnergyUnits, .what = "an energy such as '2.2 pJ'"};
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&KnownMemory::capacity_bytes>("capacity", "what it holds",
                                          {.required = true, .unit = &kByteUnits})
          .InResults("capacity_bytes"),
      KeyOf<&KnownMemory::width_bits>(
          "width", "the bits of one access",
          {.required = true, .what = "a number of bits", .maximum = kMostAccessBits})
          .InResults("width_bits"),
      KeyOf<&KnownMemory::ports>("ports",
                                 "1rw: one read or one write at a time; 1r1w: one of each "
                                 "(default {})",
                                 {.unless_default = true})
          .InResults(),
      KeyOf<&KnownMemory::read_pj>("read", "of one read", kEnergy).InResults("read_pj"),
      KeyOf<&KnownMemory::write_pj>("write", "of one write", kEnergy).InResults("write_pj"),
      KeyOf<&KnownMemory::leakage_uw>("leakage",
                                      "of the whole memory, whether it works or not; 0 if left out",
                                      {.unit = &kLeakagePowerUnits, .unless_default = true})
          .InResults("leakage_uw"),
      KeyOf<&KnownMemory::area_um2>("area", "of the whole memory; 0 if left out",
                                    {.unit = &kAreaUnits, .unless_default = true})
          .InResults("area_um2"),
  });
  return Describe<KnownMemory, kKeys>(
      "KnownMemory", "a memory such as '{capacity: 8 KiB, width: 64, read: 8 pJ, write: 8 pJ}'");
}

const Structure& StructureOf(const DramKind*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&DramKind::name>("kind", "the name that levels give as their 'dram'",
                             {.required = true, .text = TextForm::kName})
          .InResults(),
      KeyOf<&DramKind::pj_per_bit>("energy", "of a bit read or written",
                                   {.required = true, .unit = &kBitEnergyUnits})
          .InResults("pj_per_bit"),
      KeyOf<&DramKind::bytes_per_second>("bandwidth", "the most of one channel or stack",
                                         {.unit = &kPerSecondRateUnits})
          .InResults("bytes_per_second"),
      KeyOf<&DramKind::per>("per", "what has that bandwidth", {.unless_default = true})
          .InResults("per", {.presence = Presence::kUnlessDefault}),
      KeyOf<&DramKind::source>("source", "where the figures are from", {.unless_default = true})
          .InResults("source", {.presence = Presence::kUnlessDefault}),
  });
  return Describe<DramKind, kKeys>("DramKind",
                                   "a kind of memory such as '{kind: hbm3, energy: 4 pJ/bit}'");
}

const Structure& StructureOf(const Arithmetic*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Arithmetic::type>("type",
                               "int and the bits (int8), of which the widths between follow, or "
                               "any other name (bf16), which a compute gives as its 'type'",
                               {.required = true, .text = TextForm::kName})
          .InResults(),
      KeyOf<&Arithmetic::energy_pj>(
          "energy", "of one multiplication and addition",
          {.required = true, .unit = &kEnergyUnits, .what = "an energy such as '2.2 pJ'"})
          .InResults("energy_pj"),
      KeyOf<&Arithmetic::area_um2>("area", "of one unit; 0 if left out",
                                   {.unit = &kAreaUnits, .unless_default = true})
          .InResults("area_um2"),
      KeyOf<&Arithmetic::source>("source", "where the figures are from", {.unless_default = true})
          .InResults("source", {.presence = Presence::kUnlessDefault}),
  });
  return Describe<Arithmetic, kKeys>("Arithmetic", "a unit such as '{type: bf16, energy: 0.3 pJ}'");
}

const Structure& StructureOf(const Wire*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Wire::pj_per_bit_mm>("energy", "of a bit of random data over a millimetre",
                                  {.required = true, .unit = &kWireEnergyUnits})
          .InResults("pj_per_bit_mm"),
      KeyOf<&Wire::source>("source", "where the figure is from", {.unless_default = true})
          .InResults("source", {.presence = Presence::kUnlessDefault}),
  });
  return Describe<Wire, kKeys>("Wire", "a wire such as '{energy: 0.1 pJ/bit/mm}'");
}

const Structure& StructureOf(const MemoryTechnology*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&MemoryTechnology::energy_pj>(
          "energy", "the energy of one access to a word, by the size of the memory in words",
          {.unit = &kEnergyUnits, .what = "an energy such as '128 pJ' or '9.06719e-3 pJ * words'"})
          .InResults("energy_pj", {.applies = HasNoTable}),
      KeyOf<&MemoryTechnology::area_um2>(
          "area", "the area of the memory, by its size in words; 0 if left out",
          {.unit = &kAreaUnits,
           .what = "an area such as '6.806 um2 * words'",
           .unless_default = true})
          .InResults("area_um2", {.applies = HasNoTable}),
      KeyOf<&MemoryTechnology::table>("table",
                                      "instead of both: memories whose figures are known, between "
                                      "which those of others are interpolated",
                                      {.what = "a list of memories", .unless_default = true})
          .InResults("table", {.presence = Presence::kUnlessDefault}),
      KeyOf<&MemoryTechnology::source>("source", "where the figures are from",
                                       {.unless_default = true})
          .InResults("source", {.presence = Presence::kUnlessDefault}),
  });
  return Describe<MemoryTechnology, kKeys>("MemoryTechnology", "a memory's figures");
}

const Structure& StructureOf(const Technology*) {
  static constexpr Field kMacGroup = [] {
    Field group = GroupOf(kMac, "mac",
                          "the multiply-accumulate unit; only where 'arithmetic' has no integers");
    group.traits.applies = ShowsMac;
    return group;
  }();
  static constexpr Field kDram = [] {
    Field memory = KeyOf<&Technology::dram>("dram", "memories of kind dram");
    memory.traits.applies = HasNoDramKinds;
    return memory;
  }();
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Technology::name>("name", "the name that architectures refer to",
                               {.required = true, .text = TextForm::kTitle}),
      KeyOf<&Technology::node_nm>("node", "the size of its features", {.unit = &kLengthUnits}),
      KeyOf<&Technology::note>("note", "a line for people, which 'inlay show' prints",
                               {.unless_default = true}),
      KeyOf<&Technology::word_bits>(
          "word_bits",
          "the word width that 'mac', 'energy' and 'area' are for; others scale with it (default "
          "{})",
          kWordBitsTraits),
      kMacGroup,
      KeyOf<&Technology::arithmetic>("arithmetic", "multiply-accumulate units by type",
                                     {.what = "a list of units", .unless_default = true}),
      KeyOf<&Technology::wire>("wire", "wires on chip"),
      KeyOf<&Technology::reg>("register", "memories of kind register", {.required = true}),
      KeyOf<&Technology::sram>("sram", "memories of kind sram", {.required = true}),
      kDram,
      KeyOf<&Technology::dram_kinds>(
          "dram_kinds",
          "instead of 'dram': kinds of memory off chip; the first where a level names none",
          {.what = "a list of kinds", .unless_default = true}),
  });
  return DescribeKeys<Technology, kKeys>("a technology");
}

double SizeFunction::At(double words) const {
  return constant + linear * words + root * std::sqrt(words);
}

const MemoryTechnology& Technology::Of(MemoryKind kind) const {
  if (kind == MemoryKind::kDram) return dram;
  return kind == MemoryKind::kSram ? sram : reg;
}

const DramKind* FindDram(const Technology& technology, std::string_view name) {
  for (const DramKind& kind : technology.dram_kinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

const Arithmetic* FindArithmetic(const Technology& technology, std::string_view type) {
  for (const Arithmetic& unit : technology.arithmetic) {
    if (unit.type == type) return &unit;
  }
  return nullptr;
}

bool HasIntegers(const Technology& technology) {
  return std::any_of(technology.arithmetic.begin(), technology.arithmetic.end(),
                     [](const Arithmetic& unit) { return IntegerBits(unit.type).has_value(); });
}

UnitFigures FiguresOfMac(const Technology& technology, std::string_view type, int word_bits) {
  if (!type.empty()) {
    if (const Arithmetic* unit = FindArithmetic(technology, type)) {
      return {unit->energy_pj, unit->area_um2};
    }
    word_bits = IntegerBits(type).value_or(word_bits);
  }
  if (const auto figures = FiguresOfIntegers(technology, word_bits)) return *figures;
  const double scale = static_cast<double>(word_bits) / technology.word_bits;
  return {technology.mac_energy_pj * scale, technology.mac_area_um2 * scale};
}

bool HasType(const Technology& technology, std::string_view type) {
  return FindArithmetic(technology, type) != nullptr ||
         (IntegerBits(type) && HasIntegers(technology));
}

std::string TableRowPlace(std::string_view memory, const KnownMemory& row) {
  return fmt::format("{}.table.{}/{}/{}", memory, row.capacity_bytes, row.width_bits,
                     Name(row.ports));
}

Faults Validate(const Technology& technology) {
  Faults faults;
  if (technology.word_bits < 1) {
    faults.push_back({"word_bits", "word_bits must be a whole number from 1", ""});
  }
  if (technology.node_nm && !IsPositiveFigure(*technology.node_nm)) {
    faults.push_back({"node", "a node must be a positive size", "write for example '45 nm'"});
  }
  if (!IsFigure(technology.mac_energy_pj) || !IsFigure(technology.mac_area_um2)) {
    faults.push_back({"mac", "energies and areas must be finite and not negative", ""});
  }
  ValidateMemory("dram", technology.dram, &faults);
  ValidateMemory("sram", technology.sram, &faults);
  ValidateMemory("register", technology.reg, &faults);
  std::vector<std::string> names;
  for (const Arithmetic& unit : technology.arithmetic) {
    names.push_back(unit.type);
    if (IsFigure(unit.energy_pj) && IsFigure(unit.area_um2)) continue;
    faults.push_back({"arithmetic", "energies and areas must be finite and not negative", ""});
  }
  ValidateNames("arithmetic", names, &faults);
  names.clear();
  for (const DramKind& kind : technology.dram_kinds) {
    names.push_back(kind.name);
    if (IsFigure(kind.pj_per_bit)) continue;
    faults.push_back({"dram_kinds", "energies must be finite and not negative", ""});
  }
  ValidateNames("dram_kinds", names, &faults);
  if (technology.wire && !IsFigure(technology.wire->pj_per_bit_mm)) {
    faults.push_back({"wire", "energies must be finite and not negative", ""});
  }
  return faults;
}

}  // namespace inlay

#include "inlay/core/technology.h"

#include <cmath>
#include <initializer_list>
#include <utility>

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

const Structure& StructureOf(const MemoryTechnology*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&MemoryTechnology::energy_pj>(
          "energy", "the energy of one access to a word, by the size of the memory in words",
          {.required = true,
           .unit = &kEnergyUnits,
           .what = "an energy such as '128 pJ' or '9.06719e-3 pJ * words'"})
          .InResults("energy_pj"),
      KeyOf<&MemoryTechnology::area_um2>(
          "area", "the area of the memory, by its size in words; 0 if left out",
          {.unit = &kAreaUnits,
           .what = "an area such as '6.806 um2 * words'",
           .unless_default = true})
          .InResults("area_um2"),
  });
  return Describe<MemoryTechnology, kKeys>("MemoryTechnology", "a memory's figures");
}

const Structure& StructureOf(const Technology*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Technology::name>("name", "the name that architectures refer to",
                               {.required = true, .text = TextForm::kTitle}),
      KeyOf<&Technology::word_bits>(
          "word_bits", "the word width that the figures are for; others scale with it (default {})",
          kWordBitsTraits),
      GroupOf(kMac, "mac", "the multiply-accumulate unit", {.required = true}),
      KeyOf<&Technology::reg>("register", "memories of kind register", {.required = true}),
      KeyOf<&Technology::sram>("sram", "memories of kind sram", {.required = true}),
      KeyOf<&Technology::dram>("dram", "memories of kind dram", {.required = true}),
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

Faults Validate(const Technology& technology) {
  Faults faults;
  if (technology.word_bits < 1) {
    faults.push_back({"word_bits", "word_bits must be a whole number from 1", ""});
  }
  const auto check = [&faults](const std::string& where, std::initializer_list<double> values) {
    for (double value : values) {
      if (std::isfinite(value) && value >= 0) continue;
      faults.push_back({where, "energies and areas must be finite and not negative", ""});
      return;
    }
  };
  check("mac", {technology.mac_energy_pj, technology.mac_area_um2});
  const std::pair<const char*, const MemoryTechnology*> memories[] = {
      {"dram", &technology.dram}, {"sram", &technology.sram}, {"register", &technology.reg}};
  for (const auto& [name, memory] : memories) {
    const SizeFunction& e = memory->energy_pj;
    const SizeFunction& a = memory->area_um2;
    check(name, {e.constant, e.linear, e.root, a.constant, a.linear, a.root});
  }
  return faults;
}

}  // namespace inlay

#include "inlay/core/technology.h"

#include <cmath>
#include <initializer_list>
#include <utility>

namespace inlay {

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

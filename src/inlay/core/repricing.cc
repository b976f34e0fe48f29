#include "inlay/core/repricing.h"

#include "inlay/base/fields.h"

namespace inlay {

// Tables of what only this one shows.
const Structure& StructureOf(const RepricedMemory*);
const Structure& StructureOf(const RepricedCompute*);

const Structure& StructureOf(const RepricedMemory*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&RepricedMemory::given>("given", "what counts"),
      Row<&RepricedMemory::priced>("priced", "by the technology; none: it has no price for it"),
  });
  return Describe<RepricedMemory, kFields>("RepricedMemory");
}

const Structure& StructureOf(const RepricedCompute*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&RepricedCompute::given_pj>("given_pj", "what counts"),
      Row<&RepricedCompute::priced_pj>("priced_pj", "by the technology; none: it has no price"),
  });
  return Describe<RepricedCompute, kFields>("RepricedCompute");
}

const Structure& StructureOf(const Repricing*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Repricing::technology>("technology", "whose figures the other energies are"),
      Row<&Repricing::levels>("levels",
                              "energies of an access, by level, or level.tensor of parts"),
      Row<&Repricing::compute>("compute", "of an operation"),
  });
  return Describe<Repricing, kFields>("Repricing");
}

Repricing Reprice(const Architecture& given, Architecture bare, const Technology& technology) {
  Repricing repricing{.technology = technology.name};
  bare.technology = technology;
  for (LevelId l : Ids(given.levels)) {
    Level& level = bare.levels[l];
    level.energy.reset();
    if (FindDram(technology, level.dram) == nullptr) level.dram.clear();
    Architecture alone;
    alone.technology = technology;
    alone.levels.push_back(level);
    alone.levels[LevelId(0)].fanout = Fanout();
    alone.compute.name.clear();
    const bool has_price = Validate(alone).empty();
    const auto add = [&](const std::string& name, const std::string& tensor) {
      RepricedMemory memory{.given = EnergyOf(given, l, tensor)};
      if (has_price) memory.priced = EnergyOf(bare, l, tensor);
      repricing.levels.emplace_back(name, memory);
    };
    if (given.levels[l].partitions.empty()) add(level.name, "");
    for (const Partition& part : given.levels[l].partitions) {
      add(level.name + "." + part.tensor, part.tensor);
    }
  }
  const Compute& compute = bare.compute;
  repricing.compute.given_pj = ComputeEnergyPj(given);
  if (compute.type.empty() || HasType(technology, compute.type)) {
    repricing.compute.priced_pj =
        FiguresOfMac(technology, compute.type, compute.word_bits).energy_pj;
  }
  return repricing;
}

}  // namespace inlay

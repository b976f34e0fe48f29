#include <array>
#include <string>

#include "inlay/io/native/quantity.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {
namespace {

constinit const Type kEnergy = {.form = Form::kText,
                                .what = "an energy such as '2.2 pJ'",
                                .check = CheckBy<ParseEnergyPj>,
                                .pattern = EnergyPattern};
constinit const Type kArea = {.form = Form::kText,
                              .what = "an area such as '1239.5 um2'",
                              .check = CheckBy<ParseAreaUm2>,
                              .pattern = AreaPattern};
constinit const Type kEnergyFunction = {
    .form = Form::kText,
    .what = "an energy such as '128 pJ' or '9.06719e-3 pJ * words'",
    .check = CheckBy<ParseEnergyFunction>,
    .pattern = EnergyFunctionPattern};
constinit const Type kAreaFunction = {.form = Form::kText,
                                      .what = "an area such as '6.806 um2 * words'",
                                      .check = CheckBy<ParseAreaFunction>,
                                      .pattern = AreaFunctionPattern};

constexpr std::array kMacKeys = {
    Key{"energy", "the energy of one multiply-accumulate", &kEnergy, true},
    Key{"area", "the area of one unit; 0 if left out", &kArea}};
constinit const Type kMac = {
    .form = Form::kObject, .what = "the multiplier's figures", .keys = kMacKeys};

constexpr std::array kMemoryKeys = {
    Key{"energy", "the energy of one access to a word, by the size of the memory in words",
        &kEnergyFunction, true},
    Key{"area", "the area of the memory, by its size in words; 0 if left out", &kAreaFunction}};
constinit const Type kMemory = {
    .form = Form::kObject, .what = "a memory's figures", .keys = kMemoryKeys};

constexpr std::array kTechnologyKeys = {
    Key{"name", "the name that architectures refer to", &kTitle, true},
    Key{"word_bits", "the word width that the figures are for; others scale with it (default 16)",
        &kWordBits},
    Key{"mac", "the multiply-accumulate unit", &kMac, true},
    Key{"register", "memories of kind register", &kMemory, true},
    Key{"sram", "memories of kind sram", &kMemory, true},
    Key{"dram", "memories of kind dram", &kMemory, true}};

MemoryTechnology BuildMemory(const Node& technology, std::string_view key) {
  MemoryTechnology memory;
  const Node* node = technology.Find(key);
  if (node == nullptr || !node->IsMapping()) return memory;
  memory.energy_pj = ParsedKey<ParseEnergyFunction>(*node, "energy").value_or(SizeFunction());
  memory.area_um2 = ParsedKey<ParseAreaFunction>(*node, "area").value_or(SizeFunction());
  return memory;
}

void ReadTechnology(const Node& node, Reading* reading) {
  if (!node.IsMapping()) return;
  Places places(node);
  Technology technology = BuildTechnology(node, "", &places);
  places.Report(Validate(technology), &reading->diagnostics);
  reading->inputs.technology = std::move(technology);
}

}  // namespace

constinit const Type kTechnologyType = {
    .form = Form::kObject, .what = "a technology", .keys = kTechnologyKeys};

Technology BuildTechnology(const Node& node, const std::string& prefix, Places* places) {
  for (const auto& [key, value] : node.entries) places->Set(prefix + key.text, value);
  Technology technology;
  technology.name = TextOr(node, "name");
  technology.word_bits = WordBitsOr(node, "word_bits", technology.word_bits);
  if (const Node* mac = node.Find("mac"); mac != nullptr && mac->IsMapping()) {
    technology.mac_energy_pj = ParsedKey<ParseEnergyPj>(*mac, "energy").value_or(0);
    technology.mac_area_um2 = ParsedKey<ParseAreaUm2>(*mac, "area").value_or(0);
  }
  technology.reg = BuildMemory(node, "register");
  technology.sram = BuildMemory(node, "sram");
  technology.dram = BuildMemory(node, "dram");
  return technology;
}

Kind TechnologyKind() {
  return {"technology", "energies and areas by the size of a memory", &kTechnologyType,
          ReadTechnology};
}

}  // namespace inlay::io

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "inlay/core/memory_table.h"
#include "inlay/io/native/keys.h"

namespace inlay::io {
namespace {

// What must be there where something else is not.
void RequireKey(const Node& node, const char* key, Diagnostics* diagnostics) {
  if (node.Find(key) != nullptr) return;
  const Structure& table = StructureOf(static_cast<const Technology*>(nullptr));
  diagnostics->push_back(node.Error(fmt::format("{} needs the key '{}'", table.what, key),
                                    fmt::format("'{}': {}", key, FindKey(table, key)->sentence)));
}
void RequireKeys(const Node& node, const Technology& technology, Diagnostics* diagnostics) {
  if (!HasIntegers(technology)) RequireKey(node, "mac", diagnostics);
  const Node* kinds = node.Find("dram_kinds");
  if (kinds == nullptr) return RequireKey(node, "dram", diagnostics);
  const Node* dram = node.Find("dram");
  if (kinds->IsSequence() && kinds->items.empty()) {
    diagnostics->push_back(kinds->Error("'dram_kinds' needs at least one kind", "leave it out"));
  } else if (dram != nullptr) {
    diagnostics->push_back(dram->Error("'dram' is not used beside 'dram_kinds'", "leave it out"));
  }
}

// A memory has a table or formulas. Rows are held in the order of the table, whatever the order of
// the file.
void ReadTable(const Node& node, const std::string& key, const std::string& prefix,
               MemoryTechnology* memory, Places* places, Diagnostics* diagnostics) {
  const Node* of = node.Find(key);
  if (of == nullptr || !of->IsMapping()) return;
  const Node* rows = of->Find("table");
  if (rows == nullptr) {
    if (of->Find("energy") == nullptr) {
      diagnostics->push_back(
          of->Error(fmt::format("'{}' does not say what an access costs", key),
                    "give 'energy', or a 'table' of memories whose figures are known"));
    }
    return;
  }
  if (!rows->IsSequence()) return;
  if (rows->items.empty()) {
    diagnostics->push_back(rows->Error("a table needs at least two memories"));
  }
  size_t row = 0;
  for (const Node& item : rows->items) {
    if (!item.IsMapping()) continue;
    places->Set(prefix + TableRowPlace(key, memory->table[row++]), item);
  }
  std::stable_sort(memory->table.begin(), memory->table.end(), InTableOrder);
}

void ReadTechnology(const Node& node, Reading* reading) {
  if (!node.IsMapping()) return;
  Places places(node);
  Technology technology = BuildTechnology(node, "", &places, &reading->diagnostics);
  places.Report(Validate(technology), &reading->diagnostics);
  reading->inputs.technology = std::move(technology);
}

}  // namespace

Technology BuildTechnology(const Node& node, const std::string& prefix, Places* places,
                           Diagnostics* diagnostics) {
  places->SetEntries(prefix, node);
  const bool checked = !HasErrors(*diagnostics);
  Technology technology;
  Diagnostics none;  // its units depend on nothing: Check has reported all that is wrong
  ReadKeys(node, {}, &technology, &none);
  RequireKeys(node, technology, diagnostics);
  ReadTable(node, "register", prefix, &technology.reg, places, diagnostics);
  ReadTable(node, "sram", prefix, &technology.sram, places, diagnostics);
  ReadTable(node, "dram", prefix, &technology.dram, places, diagnostics);
  if (!checked) {  // of tables whose rows have faults, nothing more is said
    for (MemoryTechnology* memory : {&technology.reg, &technology.sram, &technology.dram}) {
      memory->table.clear();
    }
  }
  return technology;
}

Kind TechnologyKind() {
  return {"technology", "energies and areas by the size of a memory", &TypeOf<Technology>(),
          ReadTechnology};
}

}  // namespace inlay::io

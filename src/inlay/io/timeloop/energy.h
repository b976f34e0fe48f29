#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "inlay/core/architecture.h"
#include "inlay/io/timeloop/expression.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io::timeloop {

// The energies of one component's actions, pJ.
struct EnergyTable {
  const Node* node = nullptr;
  std::map<std::string, double> actions;
  // The first of these actions that the table has.
  std::optional<double> Of(std::initializer_list<std::string_view> actions_by_priority) const;
};

// An energy reference table: component name (the last part of "system.chip.PE.rf[1..168]") → table.
class EnergyTables {
 public:
  static EnergyTables Read(const Node& ert, const Scope& scope, Report* report);
  const EnergyTable* Find(const std::string& component) const;

 private:
  std::map<std::string, EnergyTable> tables_;
};

// "system.DRAM[1..1]" → "DRAM".
std::string ComponentOfTable(std::string_view name);

// What Timeloop assumes where files give no energies (its built-in "PAT"), pJ per access of a
// block.
double DefaultAccessEnergy(const Level& level, int64_t cluster_size);
double DefaultComputeEnergy(int word_bits);

}  // namespace inlay::io::timeloop

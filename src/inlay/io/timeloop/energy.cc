#include "inlay/io/timeloop/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::io::timeloop {
namespace {

// Reads an ERT: tables as a list (0.3, 0.4) or as a mapping (0.2).
class ErtReader {
 public:
  ErtReader(const Scope& scope, Report* report) : scope_(scope), report_(report) {}

  std::map<std::string, EnergyTable> Read(const Node& ert) {
    Fields fields(ert, "the ERT", report_);
    fields.Ignore({"version"});
    const Node* tables = fields.Take("tables");
    fields.RefuseRest();
    if (tables == nullptr) {
      report_->Error(ert, "the ERT has no 'tables'");
    } else if (tables->IsSequence()) {
      for (const Node& item : tables->items) ReadListed(item);
    } else if (tables->IsMapping()) {
      for (const auto& [name, actions] : tables->entries) ReadMapped(name, actions);
    } else {
      report_->Error(*tables, "tables must be a list of {name: …, actions: […]}");
    }
    return std::move(tables_);
  }

 private:
  EnergyTable& TableFor(const Node& name) {
    const std::string component = ComponentOfTable(name.text);
    EnergyTable& table = tables_[component];
    if (table.node != nullptr) {
      report_->Warn(name, fmt::format("a second table for '{}'; this one counts", component));
    }
    table = {&name, {}};
    return table;
  }

  void ReadListed(const Node& item) {
    Fields fields(item, "a table of the ERT", report_);
    const Node* name = fields.Take("name");
    const Node* actions = fields.Take("actions");
    if (name == nullptr || !name->IsScalar()) {
      report_->Error(item, "a table of the ERT has no name");
      return;
    }
    EnergyTable& table = TableFor(*name);
    if (actions == nullptr) return;
    if (!actions->IsSequence()) {
      report_->Error(*actions, "actions must be a list of {name: …, energy: …}");
      return;
    }
    for (const Node& action : actions->items) {
      const Node* action_name = action.Find("name");
      if (action_name == nullptr || !action_name->IsScalar()) {
        report_->Error(action, "an action has no name");
        continue;
      }
      AddEnergy(action, action_name->text, &table);
    }
  }

  void ReadMapped(const Node& name, const Node& actions) {
    EnergyTable& table = TableFor(name);
    for (const auto& [action, value] : actions.entries) {
      if (value.IsSequence()) {
        for (const Node& item : value.items) AddEnergy(item, action.text, &table);
      } else {
        AddEnergy(value, action.text, &table);
      }
    }
  }

  // The most expensive variant of an action counts.
  void AddEnergy(const Node& action, const std::string& name, EnergyTable* table) {
    const Node* node = action.Find("energy");
    if (node == nullptr) return;
    const auto energy = report_->Take(EvaluateNumber(*node, "energy", scope_));
    if (!energy) return;
    if (*energy < 0) {
      report_->Error(*node, fmt::format("the energy of '{}' is negative", name));
      return;
    }
    const auto [entry, is_new] = table->actions.emplace(name, *energy);
    if (!is_new) entry->second = std::max(entry->second, *energy);
  }

  const Scope& scope_;
  Report* report_;
  std::map<std::string, EnergyTable> tables_;
};

}  // namespace

std::optional<double> EnergyTable::Of(
    std::initializer_list<std::string_view> actions_by_priority) const {
  for (const std::string_view action : actions_by_priority) {
    const auto found = actions.find(std::string(action));
    if (found != actions.end()) return found->second;
  }
  return std::nullopt;
}

EnergyTables EnergyTables::Read(const Node& ert, const Scope& scope, Report* report) {
  EnergyTables result;
  result.tables_ = ErtReader(scope, report).Read(ert);
  for (const auto& [component, table] : result.tables_) {
    const bool is_wire = component == "wire" || component == "Wire";
    if (is_wire && table.Of({"transfer_random"}).value_or(0) > 0) {
      report->Warn(*table.node, "wires are not modelled; their energy is left out");
    }
  }
  return result;
}

const EnergyTable* EnergyTables::Find(const std::string& component) const {
  const auto found = tables_.find(component);
  return found == tables_.end() ? nullptr : &found->second;
}

std::string ComponentOfTable(std::string_view name) {
  std::string plain;
  bool in_range = false;
  for (const char c : name) {
    if (c == '[') in_range = true;
    if (!in_range) plain += c;
    if (c == ']') in_range = false;
  }
  return plain.substr(plain.rfind('.') + 1);
}

double DefaultAccessEnergy(const Level& level, int64_t cluster_size) {
  const double bits = static_cast<double>(level.word_bits) * static_cast<double>(level.block_words);
  if (level.kind == MemoryKind::kDram) return 200.0 * bits / 16;
  if (!level.capacity_words) return 0;
  // Linear through (0.5 KB, 1 pJ) and (100 KB, 6 pJ) per 16 bits.
  const double width = bits * static_cast<double>(cluster_size);
  const auto height = static_cast<double>(CeilDiv(*level.capacity_words, level.block_words));
  const double kilobytes = width * height / (8 * 1024);
  const double per_16_bits = (6.0 - 1.0) / (100.0 - 0.5) * (kilobytes - 0.5) + 1.0;
  return per_16_bits * width / 16 / static_cast<double>(cluster_size);
}

double DefaultComputeEnergy(int word_bits) { return (word_bits / 16.0) * (word_bits / 16.0); }

}  // namespace inlay::io::timeloop

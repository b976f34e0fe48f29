#include "inlay/scratchpad/named_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/scratchpad/fused_step.h"

namespace inlay {
namespace {

// Names of one kind of thing, to be looked up.
template <typename Id>
class NameTable {
 public:
  NameTable(std::string what, Faults* faults) : what_(std::move(what)), faults_(faults) {}
  void Add(const std::string& name, Id id) { ids_.emplace(name, id); }
  std::optional<Id> Find(const std::string& where, const std::string& name) const {
    const auto found = ids_.find(name);
    if (found != ids_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [other, id] : ids_) names.push_back(other);
    faults_->push_back(
        {where, "there is no " + what_ + " '" + name + "'", SuggestionHint(name, names)});
    return std::nullopt;
  }
  bool Has(const std::string& name) const { return ids_.count(name) > 0; }

 private:
  std::string what_;
  std::map<std::string, Id> ids_;
  Faults* faults_;
};

std::vector<NamedPlan::Step::Beside> BesideOf(const PlanProblem& problem, const PlanNode& node) {
  std::vector<NamedPlan::Step::Beside> named;
  for (const PlanNode::Beside& beside : node.beside) {
    named.push_back({beside.name, problem.machine.units[beside.unit].name});
  }
  return named;
}

// The nodes of a fused step behind the first.
std::vector<std::string> FusedWith(const PlanNode& node) {
  if (!node.fused) return {};
  return {node.fused->names.begin() + 1, node.fused->names.end()};
}

// The unit that reads or writes a tensor in a step; the first of several.
UnitId UnitOf(const PlanNode& node, UnitId first, ValueId tensor) {
  for (const PlanNode::Beside& beside : node.beside) {
    if (std::find(beside.tensors.begin(), beside.tensors.end(), tensor) != beside.tensors.end()) {
      return beside.unit;
    }
  }
  return first;
}

class PlanBuilder {
 public:
  PlanBuilder(const PlanProblem& problem, const NamedPlan& named)
      : problem_(problem), named_(named) {
    for (const PlanNode& node : problem.nodes) {
      nodes_.Add(node.name, node.node);
      step_of_.emplace(node.name, &node);
    }
    for (const PlanNode& node : problem.nodes) {
      for (const Operand& operand : node.operands) {
        tensors_.Add(problem.tensors[operand.tensor].name, operand.tensor);
      }
    }
    for (PadId p : Ids(problem.machine.pads)) pads_.Add(problem.machine.pads[p].name, p);
    for (UnitId u : Ids(problem.machine.units)) units_.Add(problem.machine.units[u].name, u);
  }

  tl::expected<Plan, Faults> Build() {
    if (named_.cut_tables > 0) {
      faults_.push_back(
          {"cut_tables",
           "the plan has tilings of a search that was cut short, which only that search knew",
           "make the plan again with more time for it, or without a limit"});
    }
    for (const NamedPlan::Step& step : named_.steps) AddStep(step);
    for (const NamedPlan::Residency& residency : named_.residencies) AddStay(residency);
    for (const NamedPlan::Copy& copy : named_.transfers) AddTransfer(copy);
    if (!faults_.empty()) return tl::unexpected(std::move(faults_));
    return std::move(plan_);
  }

 private:
  void AddStep(const NamedPlan::Step& named) {
    const std::string where = fmt::format("steps[{}]", plan_.steps.size());
    PlanStep step;
    step.node = nodes_.Find(where, named.node).value_or(NodeId());
    step.unit = units_.Find(where, named.unit).value_or(UnitId());
    CheckBeside(where, named);
    CheckFused(where, named);
    if (named.tiling < 0) faults_.push_back({where, "a tiling is counted from 0", ""});
    step.tiling = static_cast<size_t>(std::max<int64_t>(0, named.tiling));
    if (named.workspace) {
      step.workspace_address = named.workspace->address;
      step.workspace_bytes = named.workspace->bytes;
      const auto pad = pads_.Find(where + ".workspace", named.workspace->memory);
      if (pad && step.unit.value() < problem_.workspace_pad.size() &&
          *pad != problem_.workspace_pad[step.unit]) {
        faults_.push_back({where + ".workspace",
                           "the workspaces of '" + named.unit + "' do not lie in '" +
                               named.workspace->memory + "'",
                           "they lie in the largest memory that it reaches"});
      }
    }
    plan_.steps.push_back(step);
  }

  // What runs side by side follows from network and machine; another choice is another problem.
  void CheckBeside(const std::string& where, const NamedPlan::Step& named) {
    const auto node = step_of_.find(named.node);
    if (node == step_of_.end()) return;  // reported
    const std::vector<NamedPlan::Step::Beside> expected = BesideOf(problem_, *node->second);
    if (named.beside == expected) return;
    std::string names;
    for (const NamedPlan::Step::Beside& beside : expected) {
      names += fmt::format("{}'{}' on '{}'", names.empty() ? "" : ", ", beside.node, beside.unit);
    }
    faults_.push_back(
        {where + ".beside",
         fmt::format("beside '{}' the step runs {}", named.node, names.empty() ? "nothing" : names),
         "which nodes run side by side follows from the network and the machine; make "
         "the plan again"});
  }

  // The problem is one with the plan's fused steps.
  void CheckFused(const std::string& where, const NamedPlan::Step& named) {
    const auto node = step_of_.find(named.node);
    if (node == step_of_.end() || named.fused == FusedWith(*node->second)) return;
    faults_.push_back({where + ".fused", "the step has other nodes", ""});
  }

  void AddStay(const NamedPlan::Residency& named) {
    const std::string where = fmt::format("residencies[{}]", plan_.residencies.size());
    plan_.residencies.push_back({tensors_.Find(where, named.tensor).value_or(ValueId()),
                                 pads_.Find(where, named.memory).value_or(PadId()), named.address,
                                 named.bytes, named.from, named.to});
  }

  // The end of a transfer on chip: a pad; or a unit, which is none.
  std::optional<PadId> OnChip(const std::string& where, const std::string& name, bool or_unit) {
    if (or_unit && units_.Has(name)) return std::nullopt;
    return pads_.Find(where, name);
  }
  void OffChip(const std::string& where, const std::string& name) {
    if (name == kOffChipName) return;
    faults_.push_back({where, std::string("expected '") + kOffChipName + "', found '" + name + "'",
                       "fetches and prefetches come from off chip, write-backs go there"});
  }

  void AddTransfer(const NamedPlan::Copy& named) {
    const std::string where = fmt::format("transfers[{}]", plan_.transfers.size());
    Transfer transfer;
    transfer.tensor = tensors_.Find(where, named.tensor).value_or(ValueId());
    transfer.kind = named.kind;
    transfer.bytes = named.bytes;
    transfer.step = named.start;
    switch (named.kind) {
      case TransferKind::kFetch:
      case TransferKind::kPrefetch:
        OffChip(where + ".from", named.from);
        transfer.to = OnChip(where + ".to", named.to, named.kind == TransferKind::kFetch);
        break;
      case TransferKind::kWriteBack:
        transfer.from = OnChip(where + ".from", named.from, true);
        OffChip(where + ".to", named.to);
        break;
      case TransferKind::kMove:
        transfer.from = OnChip(where + ".from", named.from, false);
        transfer.to = OnChip(where + ".to", named.to, false);
        break;
    }
    plan_.transfers.push_back(transfer);
  }

  const PlanProblem& problem_;
  const NamedPlan& named_;
  Plan plan_;
  Faults faults_;
  std::map<std::string, const PlanNode*> step_of_;
  NameTable<NodeId> nodes_{"node", &faults_};
  NameTable<ValueId> tensors_{"tensor", &faults_};
  NameTable<PadId> pads_{"memory", &faults_};
  NameTable<UnitId> units_{"unit", &faults_};
};

}  // namespace

NamedPlan NamedPlanOf(const PlanProblem& problem, const Plan& plan) {
  const Machine& machine = problem.machine;
  NamedPlan named;
  std::map<NodeId, const PlanNode*> nodes;
  for (const PlanNode& node : problem.nodes) nodes[node.node] = &node;
  for (const PlanStep& step : plan.steps) {
    const PlanNode& node = *nodes.at(step.node);
    NamedPlan::Step entry{node.name,
                          machine.units[step.unit].name,
                          BesideOf(problem, node),
                          FusedWith(node),
                          {},
                          // The tree of a fused step says all of its tiling.
                          node.fused ? 0 : static_cast<int64_t>(step.tiling),
                          std::nullopt,
                          std::nullopt};
    if (step.workspace_bytes > 0) {
      entry.workspace = {machine.pads[problem.workspace_pad[step.unit]].name,
                         step.workspace_address, step.workspace_bytes};
    }
    named.order.push_back(entry.node);
    named.order.insert(named.order.end(), entry.fused.begin(), entry.fused.end());
    for (const auto& beside : entry.beside) named.order.push_back(beside.node);
    named.steps.push_back(std::move(entry));
  }
  for (const Residency& residency : plan.residencies) {
    named.residencies.push_back({problem.tensors[residency.tensor].name,
                                 machine.pads[residency.pad].name, residency.address,
                                 residency.bytes, residency.from, residency.to});
  }
  for (const Transfer& t : plan.transfers) {
    const PlanStep& step = plan.steps[static_cast<size_t>(t.step)];
    const std::string& unit = machine.units[UnitOf(*nodes.at(step.node), step.unit, t.tensor)].name;
    const bool out = t.kind == TransferKind::kWriteBack;
    const auto name = [&](const std::optional<PadId>& pad, bool on_chip) {
      return pad ? machine.pads[*pad].name : on_chip ? unit : std::string(kOffChipName);
    };
    named.transfers.push_back({problem.tensors[t.tensor].name, name(t.from, out), name(t.to, !out),
                               t.bytes, t.step, t.step + 1, t.kind});
  }
  return named;
}

tl::expected<Plan, Faults> PlanOf(const PlanProblem& problem, const NamedPlan& named) {
  return PlanBuilder(problem, named).Build();
}

std::vector<MemoryUse> MemoryUseOf(const PlanProblem& problem, const Plan& plan,
                                   const std::vector<StepFigures>& steps) {
  std::vector<MemoryUse> memories;
  for (PadId p : Ids(problem.machine.pads)) {
    // Addresses that a step holds; those that two tensors share in place count once.
    std::vector<std::vector<std::pair<int64_t, int64_t>>> held(plan.steps.size());
    MemoryUse use;
    use.name = problem.machine.pads[p].name;
    use.bytes = problem.machine.pads[p].bytes;
    for (const Residency& residency : plan.residencies) {
      if (residency.pad != p) continue;
      ++use.residencies;
      for (int64_t s = residency.from; s < residency.to; ++s) {
        held[static_cast<size_t>(s)].emplace_back(residency.address, residency.bytes);
      }
    }
    double byte_seconds = 0, seconds = 0;
    for (size_t s = 0; s < plan.steps.size(); ++s) {
      std::sort(held[s].begin(), held[s].end());
      held[s].erase(std::unique(held[s].begin(), held[s].end()), held[s].end());
      const PlanStep& step = plan.steps[s];
      int64_t bytes = problem.workspace_pad[step.unit] == p ? step.workspace_bytes : 0;
      for (const auto& [address, size] : held[s]) bytes += size;
      if (bytes > use.peak_bytes) use.peak_step = static_cast<int64_t>(s);
      use.peak_bytes = std::max(use.peak_bytes, bytes);
      byte_seconds += static_cast<double>(bytes) * steps[s].seconds;
      seconds += steps[s].seconds;
    }
    use.mean_bytes = seconds > 0 ? byte_seconds / seconds : 0;
    memories.push_back(std::move(use));
  }
  return memories;
}

std::vector<std::string> UnusedUnits(const PlanProblem& problem) {
  IndexedVector<UnitId, uint8_t> used(problem.machine.units.size(), 0);
  for (const PlanNode& node : problem.nodes) {
    used[node.unit] = 1;
    for (const PlanNode::Beside& beside : node.beside) used[beside.unit] = 1;
  }
  std::vector<std::string> names;
  for (const UnitId u : Ids(used)) {
    if (used[u] == 0) names.push_back(problem.machine.units[u].name);
  }
  return names;
}

std::vector<std::string> TooLargeTensors(const PlanProblem& problem) {
  IndexedVector<ValueId, uint8_t> used(problem.tensors.size(), 0), fits(problem.tensors.size(), 0);
  for (const PlanNode& node : problem.nodes) {
    for (const Operand& operand : node.operands) {
      used[operand.tensor] = 1;
      for (PadId p : Ids(problem.machine.pads)) {
        const Scratchpad& pad = problem.machine.pads[p];
        const bool may = Reaches(problem.machine, node.unit, p) &&
                         AlignedBytes(pad, problem.tensors[operand.tensor].bytes) <= pad.bytes;
        if (may) fits[operand.tensor] = 1;
      }
    }
  }
  std::vector<std::string> names;
  for (ValueId v : Ids(used)) {
    if (used[v] != 0 && fits[v] == 0) names.push_back(problem.tensors[v].name);
  }
  return names;
}

}  // namespace inlay

#include "inlay/scratchpad/validator_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace inlay {
namespace {

class Indexer {
 public:
  Indexer(const PlanProblem& problem, const Plan& plan) : problem_(problem), plan_(plan) {
    index_.step_count = static_cast<int64_t>(plan.steps.size());
    index_.uses.resize(problem.tensors.size());
    index_.residencies.resize(problem.tensors.size());
    index_.transfers.resize(plan.steps.size());
  }

  tl::expected<PlanIndex, Faults> Make() {
    IndexSteps();
    CheckNeeds();
    for (size_t i = 0; i < plan_.residencies.size(); ++i) IndexResidency(i);
    for (size_t i = 0; i < plan_.transfers.size(); ++i) IndexTransfer(i);
    CheckOnePlaceAtATime();
    if (!faults_.empty()) return tl::unexpected(std::move(faults_));
    return std::move(index_);
  }

 private:
  void Add(std::string where, std::string message, std::string hint = "") {
    faults_.push_back({std::move(where), std::move(message), std::move(hint)});
  }

  void IndexSteps() {
    std::map<NodeId, const PlanNode*> missing;
    for (const PlanNode& node : problem_.nodes) missing[node.node] = &node;
    std::set<NodeId> known;
    for (const PlanNode& node : problem_.nodes) known.insert(node.node);
    for (int64_t s = 0; s < index_.step_count; ++s) {
      const PlanStep& step = plan_.steps[static_cast<size_t>(s)];
      const std::string where = fmt::format("steps[{}]", s);
      const auto found = missing.find(step.node);
      if (found == missing.end()) {
        const bool twice = known.contains(step.node);
        Add(where, twice ? "its node has run before" : "there is no such node",
            "a plan runs every node but the views once");
        continue;
      }
      const PlanNode& node = *found->second;
      missing.erase(found);
      index_.nodes.push_back(&node);
      if (step.unit != node.unit) Add(where, "node '" + node.name + "' runs on another unit");
      if (step.tiling >= node.tilings.size()) {
        Add(where, fmt::format("node '{}' has no tiling {}", node.name, step.tiling),
            fmt::format("it has {}", node.tilings.size()));
      }
      for (const Operand& operand : node.operands) {
        index_.uses[operand.tensor].push_back({s, operand.written});
      }
    }
    for (const auto& [id, node] : missing) {
      Add("steps", "node '" + node->name + "' does not run");
    }
  }

  void CheckNeeds() {
    for (ValueId v : Ids(index_.uses)) {
      const auto& uses = index_.uses[v];
      if (!problem_.tensors[v].produced || uses.empty() || uses.front().written) continue;
      Add(fmt::format("steps[{}]", uses.front().step),
          "tensor '" + problem_.tensors[v].name + "' is read before a node has written it",
          "a node runs after those whose outputs it reads");
    }
  }

  bool CheckTensor(const std::string& where, ValueId v) {
    if (v.value() < problem_.tensors.size() && !index_.uses[v].empty()) return true;
    Add(where, "there is no such tensor, or no node uses it", "views lie where their tensors do");
    return false;
  }
  bool CheckPad(const std::string& where, PadId p) {
    if (p.value() < problem_.machine.pads.size()) return true;
    Add(where, "there is no such memory");
    return false;
  }

  void IndexResidency(size_t i) {
    const Residency& residency = plan_.residencies[i];
    const std::string where = fmt::format("residencies[{}]", i);
    if (!CheckTensor(where, residency.tensor) || !CheckPad(where, residency.pad)) return;
    const PlanTensor& tensor = problem_.tensors[residency.tensor];
    if (residency.from < 0 || residency.from >= residency.to || residency.to > index_.step_count) {
      return Add(
          where,
          fmt::format("tensor '{}' lies there from step {} to {}", tensor.name, residency.from,
                      residency.to),
          fmt::format("steps are 0 to {}, and a residency lasts at least one", index_.step_count));
    }
    const int64_t bytes = AlignedBytes(problem_.machine.pads[residency.pad], tensor.bytes);
    if (residency.bytes != bytes) {
      Add(where, fmt::format("tensor '{}' takes {} bytes there, not {}", tensor.name, bytes,
                             residency.bytes));
    }
    index_.residencies[residency.tensor].push_back(i);
  }

  void IndexTransfer(size_t i) {
    const Transfer& transfer = plan_.transfers[i];
    const std::string where = fmt::format("transfers[{}]", i);
    if (!CheckTensor(where, transfer.tensor)) return;
    if (transfer.from && !CheckPad(where, *transfer.from)) return;
    if (transfer.to && !CheckPad(where, *transfer.to)) return;
    if (transfer.step < 0 || transfer.step >= index_.step_count) {
      return Add(where, fmt::format("there is no step {}", transfer.step));
    }
    const bool from = transfer.from.has_value(), to = transfer.to.has_value();
    const auto sound = [&] {
      switch (transfer.kind) {
        case TransferKind::kFetch:
          return !from;
        case TransferKind::kPrefetch:
          return !from && to;
        case TransferKind::kWriteBack:
          return !to;
        case TransferKind::kMove:
          return from && to;
      }
      return false;
    };
    if (!sound()) {
      return Add(where, fmt::format("a {} does not go from there to there", Name(transfer.kind)),
                 "fetches and prefetches come from off chip, write-backs go there, moves are "
                 "between memories");
    }
    const auto key =
        std::tuple(transfer.step, transfer.tensor, transfer.kind, transfer.from, transfer.to);
    if (!seen_.insert(key).second) return Add(where, "the transfer is listed twice");
    index_.transfers[static_cast<size_t>(transfer.step)].push_back(i);
  }

  void CheckOnePlaceAtATime() {
    std::set<std::tuple<int64_t, ValueId, PadId, PadId>> moves;
    for (const Transfer& t : plan_.transfers) {
      if (t.kind == TransferKind::kMove && t.from && t.to) {
        moves.emplace(t.step, t.tensor, *t.from, *t.to);
      }
    }
    for (auto& residencies : index_.residencies) {
      std::sort(residencies.begin(), residencies.end(), [&](size_t a, size_t b) {
        return std::pair(plan_.residencies[a].from, a) < std::pair(plan_.residencies[b].from, b);
      });
      for (size_t k = 1; k < residencies.size(); ++k) {
        const Residency& before = plan_.residencies[residencies[k - 1]];
        const Residency& after = plan_.residencies[residencies[k]];
        if (before.to <= after.from) continue;
        const bool moved =
            before.to == after.from + 1 && before.from < after.from &&
            moves.contains(std::tuple(after.from, after.tensor, before.pad, after.pad));
        if (moved) continue;
        Add(fmt::format("residencies[{}]", residencies[k]),
            fmt::format("tensor '{}' lies in two places in step {}",
                        problem_.tensors[after.tensor].name, after.from),
            "it may only in the step that moves it from the one to the other");
      }
    }
  }

  const PlanProblem& problem_;
  const Plan& plan_;
  PlanIndex index_;
  std::set<std::tuple<int64_t, ValueId, TransferKind, std::optional<PadId>, std::optional<PadId>>>
      seen_;
  Faults faults_;
};

}  // namespace

std::vector<size_t> PlanIndex::ResidenciesAt(const Plan& plan, ValueId tensor, int64_t step) const {
  std::vector<size_t> found;
  for (size_t i : residencies[tensor]) {
    if (plan.residencies[i].from <= step && step < plan.residencies[i].to) found.push_back(i);
  }
  return found;
}

bool PlanIndex::IsUsedAt(ValueId tensor, int64_t step) const {
  return std::any_of(uses[tensor].begin(), uses[tensor].end(),
                     [&](const Use& use) { return use.step == step; });
}

bool PlanIndex::IsUsedBefore(ValueId tensor, int64_t step) const {
  return !uses[tensor].empty() && uses[tensor].front().step < step;
}

int64_t PlanIndex::NextUse(ValueId tensor, int64_t step) const {
  return std::find_if(uses[tensor].begin(), uses[tensor].end(),
                      [&](const Use& use) { return use.step > step; })
      ->step;
}

bool PlanIndex::IsUsedAfter(ValueId tensor, int64_t step) const {
  return !uses[tensor].empty() && uses[tensor].back().step > step;
}

tl::expected<PlanIndex, Faults> IndexPlan(const PlanProblem& problem, const Plan& plan) {
  return Indexer(problem, plan).Make();
}

}  // namespace inlay

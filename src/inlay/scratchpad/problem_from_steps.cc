#include "inlay/scratchpad/problem_from_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "inlay/scratchpad/unit_assignment.h"

namespace inlay {
namespace {

constexpr int64_t kMostTensorBytes = int64_t{1} << 50;  // of a tensor: sums of many stay in 64 bits

class StepsReader {
 public:
  StepsReader(Machine machine, const std::vector<PlanTensor>& tensors, bool weights_stay) {
    problem_.workspace_pad = WorkspacePads(machine);
    problem_.machine = std::move(machine);
    problem_.weights_stay = weights_stay;
    for (const PlanTensor& tensor : tensors) problem_.tensors.push_back(tensor);
    ready_.assign(tensors.size(), 0);
  }

  tl::expected<PlanProblem, Faults> Read(const std::vector<StepSpec>& steps) {
    CheckMachine();
    CheckTensors();
    if (steps.empty()) Add("nodes", "there are no nodes");
    std::set<std::string> names;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (!names.insert(steps[i].name).second) {
        Add("nodes", "there are two nodes '" + steps[i].name + "'");
      }
      AddNode(i, steps[i]);
    }
    for (ValueId v : Ids(problem_.tensors)) {
      if (ready_[v] == 0) Add("tensors", "no node writes '" + problem_.tensors[v].name + "'");
    }
    if (!faults_.empty()) return tl::unexpected(std::move(faults_));
    return std::move(problem_);
  }

 private:
  void Add(std::string where, std::string message) {
    faults_.push_back({std::move(where), std::move(message), ""});
  }

  void CheckMachine() {
    for (const ComputeUnit& unit : problem_.machine.units) {
      if (!unit.architecture) continue;
      Add("machine", "unit '" + unit.name + "' has an architecture, which needs whole problems");
    }
  }

  void CheckTensors() {
    std::set<std::string> names;
    for (ValueId v : Ids(problem_.tensors)) {
      const PlanTensor& tensor = problem_.tensors[v];
      if (!names.insert(tensor.name).second) {
        Add("tensors", "there are two tensors '" + tensor.name + "'");
      }
      if (tensor.bytes < 1 || tensor.bytes > kMostTensorBytes) {
        Add("tensors",
            fmt::format("tensor '{}' has {} bytes, not 1 to 2^50", tensor.name, tensor.bytes));
      }
      if (!tensor.produced) ready_[v] = 1;
    }
  }

  void AddNode(size_t index, const StepSpec& step) {
    PlanNode node;
    node.name = step.name;
    node.node = NodeId(index);
    node.unit = UnitFor(problem_.machine, step.macs > 0);
    if (step.writes.empty()) Add("nodes", "node '" + step.name + "' writes nothing");
    if (step.macs < 0) Add("nodes", "node '" + step.name + "' has less than no work");
    for (ValueId v : step.reads) AddOperand(step, v, false, &node);
    for (ValueId v : step.writes) AddOperand(step, v, true, &node);
    Tiling tiling;
    for (const Operand& operand : node.operands) {
      tiling.operands.push_back({problem_.tensors[operand.tensor].bytes, 0});
    }
    const double peak = problem_.machine.units[node.unit].macs_per_second;
    tiling.compute_seconds = peak > 0 ? static_cast<double>(step.macs) / peak : 0;
    node.tilings.push_back(std::move(tiling));
    if (step.in_place && !step.writes.empty() && faults_.empty()) AddInPlace(step, &node);
    problem_.nodes.push_back(std::move(node));
  }

  void AddOperand(const StepSpec& step, ValueId v, bool written, PlanNode* node) {
    if (v.value() >= problem_.tensors.size()) {
      return Add("nodes", fmt::format("node '{}' names tensor {}, but there are {}", step.name,
                                      v.value(), problem_.tensors.size()));
    }
    const std::string& tensor = problem_.tensors[v].name;
    if (written && ready_[v] != 0) {
      return Add("nodes",
                 "node '" + step.name + "' writes '" + tensor + "', which is there already");
    }
    if (!written && ready_[v] == 0) {
      return Add("nodes", "node '" + step.name + "' reads '" + tensor + "' before it is written");
    }
    ready_[v] = 1;
    const auto same = [&](const Operand& operand) { return operand.tensor == v; };
    if (std::none_of(node->operands.begin(), node->operands.end(), same)) {
      node->operands.push_back({v, written});
    }
  }

  void AddInPlace(const StepSpec& step, PlanNode* node) const {
    const int64_t bytes = problem_.tensors[step.writes.front()].bytes;
    for (const Operand& operand : node->operands) {
      const PlanTensor& tensor = problem_.tensors[operand.tensor];
      if (!operand.written && !tensor.weight && tensor.bytes == bytes) {
        node->in_place.push_back(operand.tensor);
      }
    }
  }

  PlanProblem problem_;
  IndexedVector<ValueId, uint8_t> ready_;  // has its bytes: given, or written by now
  Faults faults_;
};

}  // namespace

tl::expected<PlanProblem, Faults> MakePlanProblem(Machine machine,
                                                  const std::vector<PlanTensor>& tensors,
                                                  const std::vector<StepSpec>& steps,
                                                  bool weights_stay) {
  return StepsReader(std::move(machine), tensors, weights_stay).Read(steps);
}

}  // namespace inlay

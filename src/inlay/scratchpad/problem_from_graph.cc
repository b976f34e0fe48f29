#include "inlay/scratchpad/problem_from_graph.h"

#include <algorithm>
#include <set>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/op_work.h"
#include "inlay/scratchpad/mapper_tilings.h"
#include "inlay/scratchpad/side_by_side.h"
#include "inlay/scratchpad/unit_assignment.h"
#include "inlay/scratchpad/vector_seconds.h"

namespace inlay {
namespace {

// Bytes of a network that are counted in all, every operand of every node at its largest: so far
// below the range of 64 bits that no plan's total can leave it.
constexpr int64_t kMostBytes = int64_t{1} << 56;

class ProblemMaker {
 public:
  ProblemMaker(const Graph& graph, const Machine& machine, const PlanSettings& settings)
      : graph_(graph), settings_(settings) {
    problem_.machine = machine;
    problem_.weights_stay = settings.weights_stay;
    problem_.workspace_pad = WorkspacePads(machine);
  }

  tl::expected<PlanProblem, Faults> Make(const StopFlag& stop) {
    AddTensors();
    for (NodeId n : Ids(graph_.nodes)) {
      const OpClass op_class = InfoOf(graph_.nodes[n].op).op_class;
      if (op_class == OpClass::kView) continue;
      AddNode(n, UnitFor(problem_.machine, op_class == OpClass::kCompute));
    }
    if (!faults_.empty()) return tl::unexpected(std::move(faults_));
    Faults faults = AddMapperTilings(graph_, settings_, stop, &problem_);
    if (!faults.empty()) return tl::unexpected(std::move(faults));
    if (settings_.side_by_side) MergeIndependentNodes(&problem_);
    return std::move(problem_);
  }

 private:
  void AddTensors() {
    problem_.tensors.resize(graph_.values.size());
    for (ValueId v : Ids(graph_.values)) {
      PlanTensor& tensor = problem_.tensors[v];
      tensor.name = graph_.values[v].name;
      if (graph_.values[v].alias_of) continue;
      tensor.bytes = BytesOf(WordsOf(graph_, v), BitsOf(settings_, v));
      tensor.produced = graph_.values[v].role == ValueRole::kActivation;
      tensor.weight = graph_.values[v].role == ValueRole::kWeight;
    }
    for (ValueId v : graph_.outputs) problem_.tensors[StorageOf(graph_, v)].needed_after = true;
  }

  // A node that only moves words, or one on a unit with a peak: every operand once. What a unit
  // with an architecture does instead comes from the tables.
  void AddNode(NodeId id, UnitId unit) {
    const GraphNode& node = graph_.nodes[id];
    PlanNode result = {node.name, id, unit, {}, {}, {}};
    Tiling tiling;
    const auto add = [&](ValueId value, int64_t words, bool written) {
      const ValueId tensor = StorageOf(graph_, value);
      if (!CheckSize(tensor)) return;
      const int64_t bytes = BytesOf(words, BitsOf(settings_, value));
      for (size_t i = 0; i < result.operands.size(); ++i) {
        if (result.operands[i].tensor != tensor) continue;
        tiling.operands[i].bytes = std::max(tiling.operands[i].bytes, bytes);
        return;
      }
      result.operands.push_back({tensor, written});
      tiling.operands.push_back({bytes, 0});
    };
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      add(node.inputs[i], WordsRead(graph_, node, i), false);
    }
    for (ValueId v : node.outputs) add(v, WordsOf(graph_, v), true);
    const ComputeUnit& computes = problem_.machine.units[unit];
    if (InfoOf(node.op).op_class == OpClass::kMemory) {
      tiling.compute_seconds = VectorSeconds(graph_, node, problem_.machine, unit).value_or(0);
    } else if (!computes.architecture) {
      double macs = 0;
      for (const Work& work : node.works) {
        macs += static_cast<double>(Operations(work.problem)) * static_cast<double>(work.repeat);
      }
      tiling.compute_seconds = macs / computes.macs_per_second;
    }
    result.tilings.push_back(std::move(tiling));
    AddInPlace(node, &result);
    problem_.nodes.push_back(std::move(result));
  }

  void AddInPlace(const GraphNode& node, PlanNode* result) const {
    const ValueId written = StorageOf(graph_, node.outputs.front());
    for (ValueId v : InPlaceCandidates(graph_, node)) {
      const ValueId tensor = StorageOf(graph_, v);
      if (problem_.tensors[tensor].bytes != problem_.tensors[written].bytes) continue;
      std::vector<ValueId>& listed = result->in_place;
      if (std::find(listed.begin(), listed.end(), tensor) == listed.end()) listed.push_back(tensor);
    }
  }

  // Constants without words are left out, as exporters give such for "nothing". False: no operand.
  bool CheckSize(ValueId v) {
    const PlanTensor& tensor = problem_.tensors[v];
    const std::string where = "values." + tensor.name;
    if (tensor.bytes == 0) {
      if (!tensor.weight && reported_.insert(v).second) {
        faults_.push_back({where,
                           "tensor '" + tensor.name + "' has no elements: its shape is " +
                               ToString(graph_.values[v].shape),
                           "give every dimension at least 1"});
      }
      return false;
    }
    total_ += tensor.bytes;
    if (total_ <= kMostBytes) return true;
    if (!too_large_) faults_.push_back({where, "the network moves more than 2^56 bytes", ""});
    too_large_ = true;
    total_ = 0;
    return true;
  }

  const Graph& graph_;
  const PlanSettings& settings_;
  PlanProblem problem_;
  std::set<ValueId> reported_;
  Int128 total_ = 0;
  bool too_large_ = false;
  Faults faults_;
};

}  // namespace

tl::expected<PlanProblem, Faults> MakePlanProblem(const Graph& graph, const Machine& machine,
                                                  const PlanSettings& settings,
                                                  const StopFlag& stop) {
  return ProblemMaker(graph, machine, settings).Make(stop);
}

}  // namespace inlay

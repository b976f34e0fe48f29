#include "tests/support/tiny_plan_problem.h"

#include <algorithm>
#include <string>
#include <vector>

#include "inlay/scratchpad/unit_assignment.h"
#include "tests/support/full_pad_problem.h"

namespace inlay::testing {
namespace {

constexpr int64_t kStep = 8;  // bytes that most sizes are a multiple of

// Bytes per second; often small whole numbers, so that times are equal now and then.
std::optional<double> RandomRate(Random& random, int64_t most) {
  if (Chance(random, 0.2)) return std::nullopt;
  return static_cast<double>(Pick(random, 1, most) * kStep);
}

// Each of two units has pads of its own, off chip is slow and dear: so tensors move.
void SetApart(Random& random, Machine* machine) {
  machine->dma.moves.clear();
  for (const PadId p : Ids(machine->pads)) {
    Scratchpad& pad = machine->pads[p];
    pad.bytes = Pick(random, 10, 30) * kStep;
    pad.reached_by = {UnitId(p.value() % 2)};
    pad.pj_per_byte = 0.25 * static_cast<double>(Pick(random, 0, 2));
    pad.bytes_per_second = RandomRate(random, 24);
    for (const PadId other : Ids(machine->pads)) {
      if (other < p) machine->dma.moves.emplace_back(other, p);
    }
  }
  machine->offchip.bytes_per_second = static_cast<double>(Pick(random, 1, 3) * kStep);
  machine->offchip.pj_per_byte = static_cast<double>(Pick(random, 4, 10));
}

Machine RandomMachine(Random& random, bool apart) {
  Machine machine;
  machine.name = "tiny";
  machine.clock_hz = 1;
  const int64_t units = !apart && Chance(random, 0.4) ? 1 : 2;
  for (int64_t u = 0; u < units; ++u) {
    ComputeUnit unit;
    unit.name = "u" + std::to_string(u);
    unit.macs_per_second = static_cast<double>(Pick(random, 1, 3));
    machine.units.push_back(unit);
  }
  const int64_t pads = !apart && Chance(random, 0.35) ? 1 : Chance(random, 0.8) ? 2 : 3;
  for (int64_t p = 0; p < pads; ++p) {
    Scratchpad pad;
    pad.name = "p" + std::to_string(p);
    pad.alignment_bytes = Chance(random, 0.4) ? 1 : Chance(random, 0.5) ? 16 : 64;
    pad.bytes = Pick(random, 4, Chance(random, 0.3) ? 40 : 20) * kStep;
    pad.bytes_per_second = RandomRate(random, 24);
    pad.pj_per_byte = 0.25 * static_cast<double>(Pick(random, 0, 8));
    for (UnitId u : Ids(machine.units)) {
      if (Chance(random, 0.65)) pad.reached_by.push_back(u);
    }
    if (pad.reached_by.empty()) {
      pad.reached_by.emplace_back(static_cast<size_t>(Pick(random, 0, units - 1)));
    }
    machine.pads.push_back(pad);
    for (PadId other : Ids(machine.pads)) {
      if (other.value() == static_cast<size_t>(p)) break;
      if (Chance(random, 0.7)) machine.dma.moves.emplace_back(other, PadId(static_cast<size_t>(p)));
    }
  }
  machine.offchip.bytes_per_second = RandomRate(random, 8);
  machine.offchip.pj_per_byte = 0.5 * static_cast<double>(Pick(random, 0, 20));
  machine.dma.engines = Pick(random, 1, 2);
  if (apart) SetApart(random, &machine);
  return machine;
}

class TinyGraph {
 public:
  TinyGraph(Random& random, bool apart) : random_(random), apart_(apart) {
    problem_.machine = RandomMachine(random, apart);
    problem_.workspace_pad = WorkspacePads(problem_.machine);
    problem_.weights_stay = Chance(random, 0.4);
    same_size_ = Chance(random, 0.3);
    tiled_ = Chance(random, 0.4);
  }

  PlanProblem Make() {
    const int64_t pads = static_cast<int64_t>(problem_.machine.pads.size());
    const int64_t most = pads == 1 ? 7 : pads == 2 ? 6 : 5;
    const int64_t nodes =
        apart_ ? Pick(random_, 3, most) : Pick(random_, 2, Chance(random_, 0.4) ? 3 : most);
    most_tensors_ = pads == 1 ? 11 : pads == 2 ? 10 : 8;
    for (int64_t i = Pick(random_, 1, 2); i > 0; --i) AddGiven(false);
    for (int64_t i = 0; i < nodes; ++i) AddNode(static_cast<size_t>(i), nodes - i - 1);
    for (PlanTensor& tensor : problem_.tensors) {
      if (tensor.weight) continue;
      const bool last = &tensor == &problem_.tensors.back();
      tensor.needed_after = Chance(random_, last ? 0.9 : tensor.produced ? 0.25 : 0.05);
    }
    for (PlanNode& node : problem_.nodes) AddTilings(&node);
    return std::move(problem_);
  }

 private:
  int64_t Bytes() {
    if (same_size_ && Chance(random_, 0.8)) return 6 * kStep;
    const int64_t bytes = Pick(random_, 1, 12) * kStep;
    return Chance(random_, 0.1) ? bytes - 3 : bytes;
  }

  ValueId AddTensor(const std::string& name, int64_t bytes) {
    PlanTensor tensor;
    tensor.name = name + std::to_string(problem_.tensors.size());
    tensor.bytes = bytes;
    problem_.tensors.push_back(tensor);
    return ValueId(problem_.tensors.size() - 1);
  }

  ValueId AddGiven(bool weight) {
    const ValueId v = AddTensor(weight ? "w" : "i", Bytes());
    problem_.tensors[v].weight = weight;
    return v;
  }

  void AddNode(size_t index, int64_t to_come) {
    PlanNode node;
    node.name = "n" + std::to_string(index);
    node.node = NodeId(index);
    node.unit = UnitId(static_cast<size_t>(
        Pick(random_, 0, static_cast<int64_t>(problem_.machine.units.size()) - 1)));
    int64_t spare = most_tensors_ - static_cast<int64_t>(problem_.tensors.size()) - to_come - 1;
    std::vector<ValueId> reads;
    for (int64_t i = Pick(random_, 1, 2); i > 0; --i) reads.push_back(Read());
    if (apart_ && index >= 2) {  // from before the last node: there is a step to move it in
      const PlanNode& writer =
          problem_.nodes[static_cast<size_t>(Pick(random_, 0, static_cast<int64_t>(index) - 2))];
      reads.push_back(writer.operands.back().tensor);
      node.unit = UnitId(1 - writer.unit.value());
    }
    if (spare > 0 && Chance(random_, 0.35)) {
      reads.push_back(AddGiven(true));
      --spare;
    }
    for (const ValueId v : reads) {
      const auto same = [&](const Operand& o) { return o.tensor == v; };
      if (std::none_of(node.operands.begin(), node.operands.end(), same)) {
        node.operands.push_back({v, false});
      }
    }
    const bool elementwise = Chance(random_, 0.5);
    const int64_t writes = spare > 0 && Chance(random_, 0.15) ? 2 : 1;
    for (int64_t i = 0; i < writes; ++i) {
      const int64_t bytes = elementwise && i == 0 ? problem_.tensors[reads.front()].bytes : Bytes();
      const ValueId v = AddTensor("t", bytes);
      problem_.tensors[v].produced = true;
      if (elementwise && i == 0) {
        for (const Operand& o : node.operands) {
          const PlanTensor& tensor = problem_.tensors[o.tensor];
          if (!tensor.weight && tensor.bytes == bytes) node.in_place.push_back(o.tensor);
        }
      }
      node.operands.push_back({v, true});
    }
    problem_.nodes.push_back(node);
  }

  // Mostly what is recent, now and then what is old: tensors are read several times.
  ValueId Read() {
    const auto count = static_cast<int64_t>(problem_.tensors.size());
    const int64_t oldest = Chance(random_, 0.5) ? std::max<int64_t>(0, count - 2) : 0;
    return ValueId(static_cast<size_t>(Pick(random_, oldest, count - 1)));
  }

  // About as long as the bytes take off chip, so that either can be the longer.
  double Seconds(const PlanNode& node) {
    int64_t bytes = 0;
    for (const Operand& o : node.operands) bytes += problem_.tensors[o.tensor].bytes;
    const double rate = problem_.machine.offchip.bytes_per_second.value_or(4 * kStep);
    return static_cast<double>(bytes) / rate * 0.25 * static_cast<double>(Pick(random_, 0, 6));
  }

  void AddTilings(PlanNode* node) {
    bool reaches = false;
    for (PadId p : Ids(problem_.machine.pads)) {
      reaches = reaches || Reaches(problem_.machine, node->unit, p);
    }
    const bool tiled = tiled_ && Chance(random_, 0.7);
    for (int64_t i = tiled ? Pick(random_, 1, 3) : 1; i > 0; --i) {
      Tiling tiling;
      tiling.compute_seconds = Seconds(*node);
      for (const Operand& o : node->operands) {
        OperandTraffic traffic{problem_.tensors[o.tensor].bytes, 0};
        if (tiled && Chance(random_, 0.5)) {
          traffic.bytes = traffic.bytes * Pick(random_, 1, 6) / 2;
        }
        if (tiled && reaches && Chance(random_, 0.6)) {
          traffic.workspace_bytes = Pick(random_, 1, 5) * kStep;
        }
        tiling.operands.push_back(traffic);
      }
      node->tilings.push_back(tiling);
    }
  }

  Random& random_;
  PlanProblem problem_;
  bool apart_, same_size_ = false, tiled_ = false;
  int64_t most_tensors_ = 0;
};

}  // namespace

PlanProblem TinyPlanProblem(Random& random) {
  const int64_t kind = Pick(random, 0, 9);
  if (kind >= 8) return FullPadProblem(random);
  return TinyGraph(random, /*apart=*/kind >= 5).Make();
}

}  // namespace inlay::testing

#include "tests/support/random_plan_problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace inlay::testing {
namespace {

class Maker {
 public:
  Maker(Random& random, const PlanProblemLimits& limits) : random_(random), limits_(limits) {}

  PlanProblem Make() {
    MakeMachine();
    const int64_t nodes =
        Pick(random_, std::min<int64_t>(3, limits_.most_nodes), limits_.most_nodes);
    AddTensor("input", false);
    if (Chance(random_, 0.4)) AddTensor("weight", true);
    for (int64_t i = 0; i < nodes; ++i) AddNode(i, nodes);
    problem_.weights_stay = Chance(random_, 0.3);
    return std::move(problem_);
  }

 private:
  void MakeMachine() {
    Machine& machine = problem_.machine;
    machine.name = "random";
    machine.clock_hz = 1e9;
    const int64_t units = Pick(random_, 1, 2);
    for (int64_t u = 0; u < units; ++u) machine.units.push_back({fmt::format("u{}", u), 1.0, {}});
    const int64_t most = limits_.pads == 1 ? 6 : limits_.pads == 2 ? 4 : 3;
    const bool apart = Chance(random_, 0.4);  // each unit has its own pads, and moves connect them
    for (size_t p = 0; p < limits_.pads; ++p) {
      Scratchpad pad;
      pad.name = fmt::format("p{}", p);
      pad.alignment_bytes = Pick(random_, 1, 3);
      pad.bytes = Pick(random_, 1, most) * pad.alignment_bytes;
      if (Chance(random_, 0.7)) pad.bytes_per_second = static_cast<double>(Pick(random_, 2, 16));
      pad.pj_per_byte = static_cast<double>(Pick(random_, 0, 2));
      for (size_t u = 0; u < machine.units.size(); ++u) {
        if (apart ? u == p % machine.units.size() : Chance(random_, 0.7))
          pad.reached_by.emplace_back(u);
      }
      if (pad.reached_by.empty()) pad.reached_by.emplace_back(0U);
      machine.pads.push_back(pad);
    }
    if (Chance(random_, 0.9)) machine.offchip.bytes_per_second = Chance(random_, 0.5) ? 1 : 0.5;
    machine.offchip.pj_per_byte = static_cast<double>(Pick(random_, 2, 8));
    machine.dma.engines = Pick(random_, 1, 2);
    for (size_t a = 0; a < limits_.pads; ++a) {
      for (size_t b = a + 1; b < limits_.pads; ++b) {
        if (apart || Chance(random_, 0.6)) machine.dma.moves.emplace_back(PadId(a), PadId(b));
      }
    }
    for (UnitId u : Ids(machine.units)) problem_.workspace_pad.push_back(LargestReached(u));
  }

  // PadId(0) where it reaches none: its tilings have no workspace then.
  PadId LargestReached(UnitId unit) const {
    PadId best(0);
    int64_t bytes = 0;
    for (PadId p : Ids(problem_.machine.pads)) {
      const Scratchpad& pad = problem_.machine.pads[p];
      if (!Reaches(problem_.machine, unit, p) || pad.bytes <= bytes) continue;
      best = p;
      bytes = pad.bytes;
    }
    return best;
  }

  ValueId AddTensor(const std::string& name, bool weight) {
    problem_.tensors.push_back({name, Pick(random_, 2, 7), false, weight, false});
    return ValueId(problem_.tensors.size() - 1);
  }

  void AddNode(int64_t i, int64_t nodes) {
    PlanNode node;
    node.name = fmt::format("n{}", i);
    node.node = NodeId(static_cast<size_t>(i));
    node.unit = UnitId(static_cast<size_t>(
        Pick(random_, 0, static_cast<int64_t>(problem_.machine.units.size()) - 1)));
    const auto before = static_cast<int64_t>(problem_.tensors.size());
    const int64_t reads = Pick(random_, 1, 2);
    for (int64_t r = 0; r < reads; ++r) {
      // More often what was written last than something older.
      const int64_t low = Chance(random_, 0.5) ? before - 1 : 0;
      const ValueId v(static_cast<size_t>(Pick(random_, low, before - 1)));
      const auto has = [&](const Operand& o) { return o.tensor == v; };
      if (std::none_of(node.operands.begin(), node.operands.end(), has)) {
        node.operands.push_back({v, false});
      }
    }
    if (Chance(random_, 0.3))
      node.operands.push_back({AddTensor(fmt::format("w{}", i), true), false});
    AddWritten(i, i + 1 == nodes, &node);
    AddTilings(&node);
    problem_.nodes.push_back(std::move(node));
  }

  void AddWritten(int64_t i, bool last, PlanNode* node) {
    const size_t reads = node->operands.size();
    const int64_t writes = Chance(random_, 0.15) ? 2 : 1;
    for (int64_t w = 0; w < writes; ++w) {
      const ValueId v = AddTensor(fmt::format("t{}{}", i, w == 0 ? "" : "b"), false);
      PlanTensor& tensor = problem_.tensors[v];
      tensor.produced = true;
      tensor.needed_after = last || Chance(random_, 0.15);
      node->operands.push_back({v, true});
    }
    PlanTensor& first = problem_.tensors[node->operands[reads].tensor];
    for (size_t r = 0; r < reads; ++r) {
      const PlanTensor& read = problem_.tensors[node->operands[r].tensor];
      if (!read.produced || !Chance(random_, 0.6)) continue;
      if (node->in_place.empty()) first.bytes = read.bytes;
      if (first.bytes == read.bytes) node->in_place.push_back(node->operands[r].tensor);
    }
  }

  void AddTilings(PlanNode* node) {
    const PadId pad_id = problem_.workspace_pad[node->unit];
    const Scratchpad& pad = problem_.machine.pads[pad_id];
    const bool may_work = limits_.tilings && Reaches(problem_.machine, node->unit, pad_id);
    const int64_t count = may_work ? Pick(random_, 1, 3) : 1;
    for (int64_t k = 0; k < count; ++k) {
      Tiling tiling;
      tiling.compute_seconds = static_cast<double>(Pick(random_, 0, Chance(random_, 0.3) ? 12 : 4));
      for (const Operand& operand : node->operands) {
        const int64_t bytes = problem_.tensors[operand.tensor].bytes;
        OperandTraffic traffic{bytes, 0};
        // Now and then a part is enough, or each byte is read more than once.
        if (!operand.written && Chance(random_, 0.1)) traffic.bytes = Pick(random_, 1, bytes);
        if (may_work && Chance(random_, 0.5)) traffic.bytes *= Pick(random_, 1, 3);
        if (k > 0 && Chance(random_, 0.7)) traffic.workspace_bytes = Pick(random_, 1, 2);
        tiling.operands.push_back(traffic);
      }
      // The first always fits: it has one byte for its tiles, or none.
      if (k == 0 && may_work && pad.bytes > 1 && Chance(random_, 0.3)) {
        tiling.operands.front().workspace_bytes = 1;
      }
      if (may_work && limits_.inside && Chance(random_, 0.6)) {
        tiling.inside.bytes = Pick(random_, 0, 9);
        if (k > 0) tiling.inside.workspace_bytes = Pick(random_, 0, 2);
      }
      node->tilings.push_back(std::move(tiling));
    }
  }

  Random& random_;
  const PlanProblemLimits& limits_;
  PlanProblem problem_;
};

}  // namespace

PlanProblem RandomPlanProblem(Random& random, const PlanProblemLimits& limits) {
  return Maker(random, limits).Make();
}

}  // namespace inlay::testing

#include "tests/support/plan_text.h"

#include <fmt/format.h>

#include <limits>

namespace inlay::testing {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

std::string Describe(const PlanProblem& problem) {
  const Machine& machine = problem.machine;
  std::string text =
      fmt::format("off chip {} B/s {} pJ/B, {} engines, weights {}\n",
                  machine.offchip.bytes_per_second.value_or(kNever), machine.offchip.pj_per_byte,
                  machine.dma.engines, problem.weights_stay ? "stay" : "do not stay");
  for (const Scratchpad& pad : machine.pads) {
    text +=
        fmt::format("pad {} {} B align {} {} B/s {} pJ/B units", pad.name, pad.bytes,
                    pad.alignment_bytes, pad.bytes_per_second.value_or(kNever), pad.pj_per_byte);
    for (const UnitId u : pad.reached_by) text += fmt::format(" {}", u.value());
    text += "\n";
  }
  for (const auto& [a, b] : machine.dma.moves) {
    text += fmt::format("moves {} {}\n", machine.pads[a].name, machine.pads[b].name);
  }
  for (const PlanTensor& t : problem.tensors) {
    text += fmt::format("tensor {} {} B{}{}{}\n", t.name, t.bytes, t.produced ? "" : " given",
                        t.weight ? " weight" : "", t.needed_after ? " output" : "");
  }
  for (const PlanNode& node : problem.nodes) {
    text += fmt::format("node {} unit {}:", node.name, node.unit.value());
    for (const Operand& o : node.operands) {
      text += fmt::format(" {}{}", o.written ? ">" : "", problem.tensors[o.tensor].name);
    }
    for (const ValueId v : node.in_place) {
      text += fmt::format(" (in place of {})", problem.tensors[v].name);
    }
    text += "\n";
    for (const Tiling& tiling : node.tilings) {
      text += fmt::format("  {} s", tiling.compute_seconds);
      for (const OperandTraffic& o : tiling.operands) {
        text += fmt::format(" {}/{}", o.bytes, o.workspace_bytes);
      }
      if (tiling.inside != OperandTraffic()) {
        text += fmt::format(" inside {}/{}", tiling.inside.bytes, tiling.inside.workspace_bytes);
      }
      text += "\n";
    }
  }
  return text;
}

std::string Describe(const PlanProblem& problem, const Plan& plan) {
  const auto pad = [&](const std::optional<PadId>& p) {
    return p ? problem.machine.pads[*p].name : std::string("-");
  };
  std::string text;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    text += fmt::format("step {} tiling {} workspace {} at {}\n", s, plan.steps[s].tiling,
                        plan.steps[s].workspace_bytes, plan.steps[s].workspace_address);
  }
  for (const Residency& residency : plan.residencies) {
    text += fmt::format("{} in {} at {} + {} [{}, {})\n", problem.tensors[residency.tensor].name,
                        pad(residency.pad), residency.address, residency.bytes, residency.from,
                        residency.to);
  }
  for (const Transfer& t : plan.transfers) {
    text += fmt::format("step {} {} {} {} -> {} {} B\n", t.step, Name(t.kind),
                        problem.tensors[t.tensor].name, pad(t.from), pad(t.to), t.bytes);
  }
  return text;
}

}  // namespace inlay::testing

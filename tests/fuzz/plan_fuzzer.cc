// Any text is either refused with a message or is a plan by names. Where its names are those of a
// small network on a machine with two pads, it is replayed: refused with reasons, or costed.
#include <cstddef>
#include <cstdint>
#include <string>

#include "inlay/base/check.h"
#include "inlay/io/json/plan.h"
#include "inlay/io/load.h"
#include "inlay/io/native/native.h"
#include "inlay/scratchpad/named_plan.h"
#include "inlay/scratchpad/problem_from_graph.h"
#include "inlay/scratchpad/validator.h"

namespace {

constexpr const char* kNetwork = R"(
format: inlay/1
network:
  name: small
  inputs: {x: [1, 4, 8, 8]}
  weights: {w: [4, 4, 3, 3]}
  nodes:
  - {name: a, op: conv, inputs: [x, w], output: y, pads: 1}
  - {name: b, op: elementwise, inputs: [y, x], output: z}
  outputs: [z]
)";

inlay::PlanProblem MakeProblem() {
  const auto inputs = inlay::io::ReadNative({{"small.yaml", kNetwork}});
  inlay::io::LoadRecord record;
  const auto machine = inlay::io::LoadMachine("onsram-2pads", &record);
  INLAY_CHECK(inputs && inputs->graph && machine);
  const inlay::StopFlag never;
  auto problem = inlay::MakePlanProblem(*inputs->graph, *machine, {}, never);
  INLAY_CHECK(problem.has_value());
  return *std::move(problem);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto named = inlay::io::ReadPlan({"fuzz", std::string(data, data + size)});
  if (!named) {
    INLAY_CHECK(HasErrors(named.error()));
    inlay::Format(named.error());
    return 0;
  }
  static const inlay::PlanProblem problem = MakeProblem();
  const auto plan = inlay::PlanOf(problem, *named);
  if (!plan) {
    INLAY_CHECK(!plan.error().empty());
    return 0;
  }
  const auto figures = inlay::Replay(problem, *plan);
  INLAY_CHECK(figures || !figures.error().empty());
  return 0;
}

// The native reader: every text is either refused with a message or read, and what is read can be
// written and read again. Fused mappings that are read are legal: the walker can execute them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "inlay/core/fused_outline.h"
#include "inlay/core/mapping.h"
#include "inlay/cost/fused/count.h"
#include "inlay/cost/fused_walker.h"
#include "inlay/io/native/native.h"

namespace {

using inlay::io::Inputs;
using inlay::io::NativeContext;
using inlay::io::Node;
using inlay::io::ReadNative;
using inlay::io::WriteNative;

// So that architectures that name one get past it.
NativeContext Context() {
  NativeContext context;
  context.find_technology = [](const std::string& name,
                               const Node& where) -> inlay::Result<inlay::Technology> {
    if (name != "thistle-45nm") return inlay::Fail(where.Error("unknown technology"));
    inlay::Technology technology;
    technology.name = name;
    return technology;
  };
  context.families = true;
  return context;
}

void Require(bool condition) {
  if (!condition) std::abort();
}

Inputs Again(const std::string& text) {
  auto inputs = ReadNative({{"again", text}}, Context());
  Require(inputs.has_value());
  return *std::move(inputs);
}

// Written by name, such a unit needs the file that its architecture came from.
bool HasArchitecture(const inlay::Machine& machine) {
  return std::any_of(machine.units.begin(), machine.units.end(),
                     [](const inlay::ComputeUnit& unit) { return unit.architecture.has_value(); });
}

void CheckMapping(const Inputs& inputs) {
  const auto mapping = inputs.mapping(*inputs.problem, *inputs.architecture);
  if (!mapping) {
    Require(!mapping.error().empty());
    return;
  }
  CheckCapacity(*inputs.problem, *inputs.architecture, *mapping);
  const Inputs again = Again(WriteNative(*inputs.problem, *inputs.architecture, *mapping));
  Require(again.mapping(*inputs.problem, *inputs.architecture).value() == *mapping);
}

void CheckFused(const Inputs& inputs) {
  constexpr int64_t kFewOperations = 2000;
  const inlay::FusedProblem& problem = inputs.fused->problem;
  const inlay::Architecture& architecture = *inputs.architecture;
  if (!CheckFusedArchitecture(problem, architecture).empty()) return;
  const auto tree = inputs.fused->tree(architecture);
  if (!tree) {
    Require(!tree.error().empty());
    return;
  }
  Require(Validate(problem, *tree).empty());
  const Inputs again = Again(WriteNative(problem, architecture, *tree));
  Require(again.fused->problem == problem);
  Require(again.fused->tree(architecture).value() == *tree);
  if (Operations(problem) > kFewOperations) return;
  const auto walk = WalkFused(problem, architecture, *tree);
  Require(walk && walk->numeric_check);
  Require(walk->counts == CountFused(problem, architecture, *tree).value());
}

// Where there are few, all can be listed; whatever is chosen can be written.
void CheckFamily(const inlay::ArchitectureSpace& family) {
  constexpr size_t kFew = 256;
  size_t choices = 1;
  for (const inlay::FreeAttribute& free : family.free) {
    choices *= std::max<size_t>(1, free.values.size());
    if (choices > kFew) return;
  }
  const auto all = ListArchitectures(family);
  if (!all) {
    Require(!all.error().empty());
    return;
  }
  const inlay::Architecture& last = all->back().architecture;
  Require(Again(WriteNative(last, Context())).architecture == last);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  inlay::io::LooksLikeNative({"fuzz", text});
  const auto inputs = ReadNative({{"fuzz", text}}, Context());
  if (!inputs) {
    Require(!inputs.error().empty());
    Format(inputs.error());
    return 0;
  }
  if (inputs->problem) Require(Again(WriteNative(*inputs->problem)).problem == inputs->problem);
  if (inputs->technology) {
    Require(Again(WriteNative(*inputs->technology)).technology == inputs->technology);
  }
  if (inputs->network) Require(Again(WriteNative(*inputs->network)).network == inputs->network);
  if (inputs->graph) Require(Again(WriteNative(*inputs->graph)).graph == inputs->graph);
  if (inputs->machine && !HasArchitecture(*inputs->machine)) {
    Require(Again(WriteNative(*inputs->machine)).machine == inputs->machine);
  }
  if (inputs->accelerator) {
    Require(Again(WriteNative(*inputs->accelerator)).accelerator == inputs->accelerator);
  }
  // The networks of a mix stand beside it; only the rest is written with it.
  if (inputs->mix) WriteNative(*inputs->mix);
  if (inputs->architecture) {
    Require(Again(WriteNative(*inputs->architecture, Context())).architecture ==
            inputs->architecture);
  }
  if (inputs->family) CheckFamily(*inputs->family);
  if (inputs->problem && inputs->architecture && inputs->mapping) CheckMapping(*inputs);
  if (inputs->fused && inputs->architecture) CheckFused(*inputs);
  return 0;
}

#include "inlay/core/plan_result.h"

#include "inlay/base/check.h"
#include "inlay/base/fields.h"

namespace inlay {
namespace {

constexpr double kMicroseconds = 1e6;

const Structure& HeadOfPlan() {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&NamedPlan::network>("network", "the network"),
      Row<&NamedPlan::machine>("machine", "what it runs on"),
      Row<&NamedPlan::bits>("bits", "of every element that tensor_bits does not name"),
      Row<&NamedPlan::tensor_bits>("tensor_bits",
                                   "bits of elements by what has them: inputs, weights, "
                                   "activations, kv, or a tensor",
                                   {.presence = Presence::kUnlessDefault}),
      Row<&NamedPlan::weights_stay>("weights_stay", "weights stay on chip between inferences"),
  });
  return Describe<NamedPlan, kFields>("PlanHead");
}

const Structure& BodyOfPlan() {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&NamedPlan::cut_tables>("cut_tables", "layers whose tilings a time limit cut short",
                                  {.presence = Presence::kUnlessDefault}),
      Row<&NamedPlan::order>("order", "the nodes in the order in which they run"),
      Row<&NamedPlan::steps>("steps",
                             "the run of one node each, of several side by side, or fused"),
      Row<&NamedPlan::residencies>("residencies", "which tensor lies where, from step to step"),
      Row<&NamedPlan::transfers>("transfers", "what is copied when"),
  });
  return Describe<NamedPlan, kFields>("PlanBody");
}

NamedPlan& Whole(NamedPlan& plan) { return plan; }

constexpr ValueType kHead = StructType(HeadOfPlan), kBody = StructType(BodyOfPlan);

}  // namespace

const Structure& StructureOf(const StepFigures*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&StepFigures::seconds>("latency_us", "time of the step", {.scale = kMicroseconds}),
      Row<&StepFigures::offchip_bytes>("offchip_bytes", "bytes to and from off chip"),
      Row<&StepFigures::limited_by>("limited_by", "what the step waits for"),
  });
  return Describe<StepFigures, kFields>("StepFigures");
}

const Structure& StructureOf(const NamedPlan::Workspace*) {
  using Workspace = NamedPlan::Workspace;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Workspace::memory>("memory", "where tiles of operands off chip lie"),
      Row<&Workspace::address>("address", "from this byte"),
      Row<&Workspace::bytes>("bytes", "so many bytes"),
  });
  return Describe<Workspace, kFields>("Workspace");
}

const Structure& StructureOf(const NamedPlan::Step::Beside*) {
  using Beside = NamedPlan::Step::Beside;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Beside::node>("node", "the node"),
      Row<&Beside::unit>("unit", "the unit that runs it"),
  });
  return Describe<Beside, kFields>("PlanBeside");
}

const Structure& StructureOf(const NamedPlan::Step*) {
  using Step = NamedPlan::Step;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Step::node>("node", "the node"),
      Row<&Step::unit>("unit", "the unit that runs it"),
      Row<&Step::beside>("beside", "further nodes of the step, each on an equal unit of its own",
                         {.presence = Presence::kUnlessDefault}),
      Row<&Step::fused>("fused", "further nodes of a fused step, on the same unit under one tree",
                        {.presence = Presence::kUnlessDefault}),
      Row<&Step::tree>("tree", "the loops and holds of a fused step: native lines",
                       {.presence = Presence::kUnlessDefault}),
      Row<&Step::tiling>("tiling", "which of the node's tilings"),
      Row<&Step::workspace>("workspace", "room for tiles of operands off chip"),
      Row<&Step::figures>("", "", {.inlined = true}),
  });
  return Describe<Step, kFields>("PlanStep");
}

const Structure& StructureOf(const NamedPlan::Residency*) {
  using Kept = NamedPlan::Residency;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Kept::tensor>("tensor", "the tensor"),
      Row<&Kept::memory>("memory", "the memory"),
      Row<&Kept::address>("address", "from this byte"),
      Row<&Kept::bytes>("bytes", "so many bytes"),
      Row<&Kept::from>("from", "the first step"),
      Row<&Kept::to>("to", "the step after the last"),
  });
  return Describe<Kept, kFields>("Residency");
}

const Structure& StructureOf(const NamedPlan::Copy*) {
  using Copy = NamedPlan::Copy;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Copy::tensor>("tensor", "the tensor"),
      Row<&Copy::from>("from", "a memory, offchip, or the unit that writes it"),
      Row<&Copy::to>("to", "a memory, offchip, or the unit that reads it"),
      Row<&Copy::bytes>("bytes", "so many bytes"),
      Row<&Copy::start>("start", "the step"),
      Row<&Copy::end>("end", "the step after"),
      Row<&Copy::kind>("kind", "why it is copied"),
  });
  return Describe<Copy, kFields>("Transfer");
}

const Structure& StructureOf(const NamedPlan*) {
  static constexpr auto kFields = std::to_array<Field>({
      RowOf<Whole>(kHead, "", "", {.inlined = true}),
      RowOf<Whole>(kBody, "", "", {.inlined = true}),
  });
  return Describe<NamedPlan, kFields>("Plan");
}

const Structure& StructureOf(const PlanFile*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&PlanFile::format>("format", "the format of plans", {.constant = kPlanFormat}),
      RowOf<&PlanFile::plan>(kHead, "", "", {.inlined = true}),
      Row<&PlanFile::figures>("", "", {.inlined = true}),
      RowOf<&PlanFile::plan>(kBody, "", "", {.inlined = true}),
  });
  return Describe<PlanFile, kFields>("PlanFile");
}

const Structure& StructureOf(const MemoryUse*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&MemoryUse::name>("name", "the memory"),
      Row<&MemoryUse::bytes>("bytes", "bytes that there are"),
      Row<&MemoryUse::peak_bytes>("peak_bytes", "most bytes in use"),
      Row<&MemoryUse::peak_step>("peak_step", "the first step with that many"),
      Row<&MemoryUse::mean_bytes>("mean_bytes", "bytes in use, averaged over time"),
  });
  return Describe<MemoryUse, kFields>("MemoryUse");
}

const Structure& StructureOf(const PlanCertificate*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&PlanCertificate::status>("status",
                                    "optimal: no plan is better; bounded: none is better "
                                    "than lower_bound; heuristic: nothing is proven"),
      Row<&PlanCertificate::objective>("objective", "the figure of the plan: µs, bytes or pJ"),
      Row<&PlanCertificate::lower_bound>("lower_bound", "no plan has less"),
      Row<&PlanCertificate::gap>("gap", "(objective − lower_bound) / objective"),
  });
  return Describe<PlanCertificate, kFields>("PlanCertificate");
}

const Structure& StructureOf(const PlanFusion*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&PlanFusion::steps>("steps", "fused steps, each of several nodes"),
      Row<&PlanFusion::nodes>("nodes", "nodes in these steps"),
      Row<&PlanFusion::candidates>("candidates", "runs of nodes of which a tree fits into the pad"),
      Row<&PlanFusion::unfused>("unfused", "the best plan without fused steps"),
      Row<&PlanFusion::unfused_certificate>("unfused_certificate",
                                            "what is proven of plans without fused steps"),
      Row<&PlanFusion::steps_certificate>("steps_certificate",
                                          "what is proven of plans of these steps and trees"),
      Row<&PlanFusion::fused>("fused", "the fused steps, with what their trees hold",
                              {.presence = Presence::kUnlessDefault}),
      Row<&PlanFusion::edges>("edges", "every tensor that nodes pass on, and its price",
                              {.presence = Presence::kUnlessDefault}),
  });
  return Describe<PlanFusion, kFields>("PlanFusion");
}

const Structure& StructureOf(const PlanResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&PlanResult::header>("", "", {.inlined = true}),
      RowOf<&PlanResult::plan>(kHead, "", "", {.inlined = true}),
      Row<&PlanResult::interrupted>("interrupted", "stopped by the user",
                                    {.presence = Presence::kUnlessDefault}),
      Row<&PlanResult::figures>("", "", {.inlined = true}),
      Row<&PlanResult::baseline>("baseline", "with nothing kept on chip"),
      Row<&PlanResult::certificate>("certificate", "what is proven about the plan"),
      Row<&PlanResult::fusion>("fusion", "what fusing nodes has changed",
                               {.presence = Presence::kUnlessDefault}),
      Row<&PlanResult::memories>("memories", "how full every memory is"),
      Row<&PlanResult::unused_units>("unused_units", "units of the machine that no node runs on",
                                     {.presence = Presence::kUnlessDefault}),
      Row<&PlanResult::coverage>("coverage",
                                 "which nodes multiply, and what the others amount to: their bytes "
                                 "take time, their operations none"),
      Row<&PlanResult::hardware>("hardware", "the units and memories of the machine"),
      Row<&PlanResult::graph>("graph", "the network that is planned"),
      RowOf<&PlanResult::plan>(kBody, "", "", {.inlined = true}),
      Row<&PlanResult::seconds>("seconds", "time of all", {.group = "measured"}),
      Row<&PlanResult::tables_seconds>("tables_seconds", "time of the mapper's tables",
                                       {.group = "measured"}),
      Row<&PlanResult::nodes>("nodes", "nodes of the search", {.group = "measured"}),
      Row<&PlanResult::threads>("threads", "threads that searched", {.group = "measured"}),
      Row<&PlanResult::progress>("progress", "how far the search had come, in order of time",
                                 {.presence = Presence::kUnlessDefault, .group = "measured"}),
  });
  return Describe<PlanResult, kFields>("PlanResult");
}

ElementBits BitsOf(const NamedPlan& plan) {
  ElementBits bits = {{kAllValues, plan.bits}};
  bits.insert(bits.end(), plan.tensor_bits.begin(), plan.tensor_bits.end());
  return bits;
}

void SetBits(const ElementBits& bits, NamedPlan* plan) {
  plan->bits = BitsOfAll(bits);
  plan->tensor_bits = bits;
  std::erase_if(plan->tensor_bits, [](const auto& entry) { return entry.first == kAllValues; });
}

void SetReplay(const PlanFigures& figures, const std::vector<StepFigures>& steps,
               PlanResult* result) {
  INLAY_CHECK(steps.size() == result->plan.steps.size());
  result->figures = figures;
  for (size_t i = 0; i < steps.size(); ++i) result->plan.steps[i].figures = steps[i];
}

PlanCertificate InUnitsOf(PlanObjective objective, const Certificate& certificate) {
  const double unit = objective == PlanObjective::kLatency ? kMicroseconds : 1;
  return {certificate.status, certificate.objective * unit, certificate.lower_bound * unit,
          certificate.gap};
}

void SetProof(const Certificate& certificate, const SearchEffort& effort, PlanResult* result) {
  const bool time = result->objective == PlanObjective::kLatency;
  result->certificate = InUnitsOf(result->objective, certificate);
  result->nodes = effort.nodes;
  result->progress = effort.progress;
  const double inverse = time ? 1 / kMicroseconds : 1;
  for (SearchMoment& moment : result->progress) {
    if (moment.incumbent) *moment.incumbent /= inverse;
    if (moment.bound) *moment.bound /= inverse;
  }
}

}  // namespace inlay

#include "capi/inlay.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/mention.h"
#include "inlay/io/json/plan.h"
#include "inlay/io/library/library.h"
#include "inlay/io/native/native.h"
#include "inlay/run/plan.h"
#include "inlay/scratchpad/problem_from_steps.h"

struct inlay_problem {
  inlay::PlanProblem problem;
};

struct inlay_plan {
  inlay::PlanResult result;
  inlay_figures figures = {};
  std::vector<size_t> order;
  std::vector<inlay_residency> residencies;
};

namespace {

using inlay::Fault;
using inlay::Faults;

char* Copy(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void SetError(char** error, const std::string& text) {
  if (error != nullptr) *error = Copy(text);
}

std::string Lines(const Faults& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    text += (text.empty() ? "" : "\n") + inlay::Spell(fault.message, inlay::kSettingSpelling);
    if (!fault.hint.empty()) text += " (" + inlay::Spell(fault.hint, inlay::kSettingSpelling) + ")";
  }
  return text;
}

// Runs what may throw: out of memory, or a fault of ours. NULL then.
template <typename Body>
auto Guarded(char** error, Body&& body) -> decltype(body()) {
  if (error != nullptr) *error = nullptr;
  try {
    return body();
  } catch (const std::exception& fault) {
    SetError(error, fault.what());
  }
  return nullptr;
}

inlay::Result<inlay::Machine> MachineOf(const char* text) {
  const std::string machine = text == nullptr ? "" : text;
  const bool is_text = machine.find('\n') != std::string::npos;
  const auto inputs = [&]() -> inlay::Result<inlay::io::Inputs> {
    if (!is_text) return inlay::io::LoadBuiltin(inlay::io::BuiltinKind::kMachine, machine);
    return inlay::io::ReadNative({{"machine", machine}}, inlay::io::BuiltinContext());
  }();
  if (!inputs) return inlay::Fail(inputs.error());
  if (inputs->machine) return *inputs->machine;
  return inlay::Fail(inlay::MakeError({}, "the text holds no machine"));
}

inlay::StepSpec SpecOf(const inlay_node& node) {
  inlay::StepSpec spec;
  spec.name = node.name == nullptr ? "" : node.name;
  spec.macs = node.macs;
  for (size_t i = 0; i < node.read_count; ++i) spec.reads.emplace_back(node.reads[i]);
  for (size_t i = 0; i < node.write_count; ++i) spec.writes.emplace_back(node.writes[i]);
  spec.in_place = node.in_place != 0;
  return spec;
}

inlay::PlanTensor TensorOf(const inlay_tensor& tensor) {
  return {tensor.name == nullptr ? "" : tensor.name, tensor.bytes, tensor.role == INLAY_ACTIVATION,
          tensor.role == INLAY_WEIGHT, tensor.is_output != 0};
}

// The options, or what is wrong with them.
std::string ReadOptions(const inlay_options& given, inlay::PlanOptions* options) {
  std::string wrong;
  if (given.strategy != nullptr) {
    const auto strategy = inlay::FromName<inlay::PlanStrategy>(given.strategy);
    if (!strategy) wrong += std::string("there is no strategy '") + given.strategy + "'";
    if (strategy) options->strategy = *strategy;
  }
  if (given.objective != nullptr) {
    const auto objective = inlay::FromName<inlay::PlanObjective>(given.objective);
    if (!objective) {
      wrong += (wrong.empty() ? "" : "\n") + std::string("there is no objective '") +
               given.objective + "'";
    }
    if (objective) options->objective = *objective;
  }
  options->reorder = given.reorder != 0;
  options->threads = std::max(1, given.threads);
  return wrong;
}

inlay_plan* NewPlan(inlay::run::SolvedPlan solved) {
  auto plan = std::make_unique<inlay_plan>();
  for (const inlay::PlanStep& step : solved.plan.steps) plan->order.push_back(step.node.value());
  for (const inlay::Residency& residency : solved.plan.residencies) {
    plan->residencies.push_back({residency.tensor.value(), residency.pad.value(), residency.address,
                                 residency.bytes, static_cast<size_t>(residency.from),
                                 static_cast<size_t>(residency.to)});
  }
  plan->result = std::move(solved.result);
  plan->result.plan.bits = 8;
  const inlay::PlanFigures& figures = plan->result.figures;
  plan->figures = {figures.latency_seconds, figures.offchip_bytes, figures.energy_pj,
                   solved.certificate.lower_bound};
  return plan.release();
}

}  // namespace

inlay_problem* inlay_problem_new(const inlay_tensor* tensors, size_t tensor_count,
                                 const inlay_node* nodes, size_t node_count, const char* machine,
                                 int weights_stay, char** error) {
  return Guarded(error, [&]() -> inlay_problem* {
    auto parsed = MachineOf(machine);
    if (!parsed) {
      SetError(error, inlay::Format(parsed.error()));
      return nullptr;
    }
    std::vector<inlay::PlanTensor> all;
    for (size_t i = 0; i < tensor_count; ++i) all.push_back(TensorOf(tensors[i]));
    std::vector<inlay::StepSpec> steps;
    for (size_t i = 0; i < node_count; ++i) steps.push_back(SpecOf(nodes[i]));
    auto problem = inlay::MakePlanProblem(*std::move(parsed), all, steps, weights_stay != 0);
    if (!problem) {
      SetError(error, Lines(problem.error()));
      return nullptr;
    }
    return new inlay_problem{*std::move(problem)};
  });
}

void inlay_problem_free(inlay_problem* problem) { delete problem; }

inlay_plan* inlay_plan_make(const inlay_problem* problem, const inlay_options* options,
                            char** error) {
  return Guarded(error, [&]() -> inlay_plan* {
    inlay::PlanOptions read;
    std::optional<double> seconds;
    if (options != nullptr) {
      const std::string wrong = ReadOptions(*options, &read);
      if (!wrong.empty()) {
        SetError(error, wrong);
        return nullptr;
      }
      if (options->seconds > 0) seconds = options->seconds;
    }
    const inlay::StopFlag stop;
    const inlay::Deadline deadline(stop, seconds);
    auto solved = inlay::run::Solve(problem->problem, read, deadline);
    if (solved) return NewPlan(*std::move(solved));
    const std::string why = Lines(solved.error());
    SetError(error, why.empty() ? inlay::run::kNoPlanInTime : why);
    return nullptr;
  });
}

void inlay_plan_free(inlay_plan* plan) { delete plan; }

inlay_figures inlay_plan_figures(const inlay_plan* plan) { return plan->figures; }

const size_t* inlay_plan_order(const inlay_plan* plan, size_t* count) {
  *count = plan->order.size();
  return plan->order.data();
}

const inlay_residency* inlay_plan_residencies(const inlay_plan* plan, size_t* count) {
  *count = plan->residencies.size();
  return plan->residencies.data();
}

char* inlay_plan_json(const inlay_plan* plan) {
  return Guarded(nullptr, [&] { return Copy(inlay::io::WritePlan(plan->result)); });
}

void inlay_string_free(char* text) { std::free(text); }

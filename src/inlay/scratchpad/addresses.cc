#include "inlay/scratchpad/addresses.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay {
namespace {

// What lies in one pad, as buffers in units of its alignment.
struct PadBuffers {
  std::vector<size_t> stays;  // of the plan; the first buffers
  std::vector<size_t> steps;  // whose workspaces lie here; the other buffers
  std::vector<Buffer> buffers;
};

PadBuffers BuffersIn(const PlanProblem& problem, const Plan& plan, PadId pad) {
  PadBuffers in;
  const int64_t unit = problem.machine.pads[pad].alignment_bytes;
  for (size_t i = 0; i < plan.stays.size(); ++i) {
    const Stay& stay = plan.stays[i];
    if (stay.pad != pad) continue;
    in.stays.push_back(i);
    in.buffers.push_back({{}, stay.from, stay.to, stay.bytes / unit});
  }
  for (size_t t = 0; t < plan.steps.size(); ++t) {
    const PlanStep& step = plan.steps[t];
    if (step.workspace_bytes == 0 || problem.workspace_pad[step.unit] != pad) continue;
    in.steps.push_back(t);
    const auto from = static_cast<int64_t>(t);
    in.buffers.push_back({{}, from, from + 1, step.workspace_bytes / unit});
  }
  return in;
}

// The buffers that take each other's place.
std::vector<std::pair<size_t, size_t>> InPlacePairs(const PlanProblem& problem,
                                                    const Choices& choices, const Plan& plan,
                                                    const PadBuffers& in) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < in.stays.size(); ++i) {
    const Stay& above = plan.stays[in.stays[i]];
    const auto t = static_cast<size_t>(above.from);
    const std::optional<ValueId> under = choices.in_place[t];
    const PlanNode& node = problem.nodes[choices.order[t]];
    if (!under || node.operands[FirstWritten(node)].tensor != above.tensor) continue;
    for (size_t j = 0; j < in.stays.size(); ++j) {
      const Stay& below = plan.stays[in.stays[j]];
      if (below.tensor == *under && below.to == above.from + 1) pairs.emplace_back(j, i);
    }
  }
  return pairs;
}

// The life of a buffer that first-fit puts outside of the capacity, the first in time.
std::pair<int64_t, int64_t> OutsideOf(const dsa::Problem& problem) {
  const dsa::Solution anywhere = dsa::FirstFit({problem.buffers, int64_t{1} << 61});
  INLAY_CHECK(anywhere.status == dsa::Status::kPlaced);
  const Buffer* first = nullptr;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    if (anywhere.offsets[i] + buffer.size <= problem.capacity) continue;
    if (first == nullptr || buffer.lower < first->lower) first = &buffer;
  }
  INLAY_CHECK(first != nullptr);  // else it was a placement
  return {first->lower, first->upper};
}

Misfit MisfitOf(const dsa::Problem& problem, const dsa::Merged& merged, const PadBuffers& in,
                const Plan& plan, PadId pad, bool infeasible, const dsa::Options& options) {
  Misfit misfit;
  misfit.pad = pad;
  std::vector<bool> member(problem.buffers.size());
  std::optional<dsa::InfeasibleWindow> window;
  if (infeasible) window = dsa::SmallestInfeasibleWindow(problem, options);
  if (window) {
    misfit.proven = true;
    misfit.from = window->lower;
    misfit.to = window->upper;
    for (const size_t i : window->members) member[i] = true;
  } else {
    std::tie(misfit.from, misfit.to) = OutsideOf(problem);
    member.assign(member.size(), true);
  }
  for (size_t i = 0; i < in.stays.size(); ++i) {
    const Stay& stay = plan.stays[in.stays[i]];
    if (!member[merged.group_of[i]] || stay.to <= misfit.from || stay.from >= misfit.to) continue;
    misfit.tensors.push_back(stay.tensor);
  }
  misfit.tensors.erase(std::unique(misfit.tensors.begin(), misfit.tensors.end()),
                       misfit.tensors.end());
  return misfit;
}

// By buffer, where it was in the other plan; none: it was not there, or not at one address.
std::vector<std::optional<int64_t>> KnownOffsets(const Plan& like, const Plan& plan,
                                                 const PadBuffers& in, const dsa::Merged& merged,
                                                 int64_t unit) {
  std::vector<std::optional<int64_t>> known(merged.buffers.size());
  std::vector<bool> unknown(merged.buffers.size());
  const auto tell = [&](size_t buffer, std::optional<int64_t> address) {
    const size_t group = merged.group_of[buffer];
    if (!address || (known[group] && *known[group] != *address / unit)) unknown[group] = true;
    if (address) known[group] = *address / unit;
  };
  for (size_t i = 0; i < in.stays.size(); ++i) {
    const Stay& stay = plan.stays[in.stays[i]];
    // Stays are sorted by tensor and begin.
    const auto at = std::lower_bound(like.stays.begin(), like.stays.end(), stay,
                                     [](const Stay& a, const Stay& b) {
                                       return std::tuple{a.tensor, a.from, a.to, a.pad} <
                                              std::tuple{b.tensor, b.from, b.to, b.pad};
                                     });
    const bool same = at != like.stays.end() && at->tensor == stay.tensor && at->pad == stay.pad &&
                      at->from == stay.from && at->to == stay.to;
    tell(i, same ? std::optional(at->address) : std::nullopt);
  }
  for (size_t i = 0; i < in.steps.size(); ++i) {
    const PlanStep& now = plan.steps[in.steps[i]];
    const PlanStep& then = like.steps[in.steps[i]];
    const bool same = now.workspace_bytes == then.workspace_bytes;
    tell(in.stays.size() + i, same ? std::optional(then.workspace_address) : std::nullopt);
  }
  for (size_t i = 0; i < known.size(); ++i) {
    if (unknown[i]) known[i].reset();
  }
  return known;
}

// Offsets for all buffers, most of them as they are known; nullopt: not found.
std::optional<std::vector<int64_t>> PatchedOffsets(const dsa::Problem& problem,
                                                   std::vector<std::optional<int64_t>> known,
                                                   const dsa::Options& options) {
  const std::vector<Buffer>& buffers = problem.buffers;
  int64_t steps = 0;
  for (const Buffer& buffer : buffers) steps = std::max(steps, buffer.upper);
  // By step: how many steps before it have something that is not known, or something free.
  const auto count = [&](const auto& counts) {
    std::vector<int64_t> sum(static_cast<size_t>(steps) + 1);
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (!counts(i)) continue;
      for (int64_t t = buffers[i].lower; t < buffers[i].upper; ++t) {
        sum[static_cast<size_t>(t) + 1] = 1;
      }
    }
    std::partial_sum(sum.begin(), sum.end(), sum.begin());
    return sum;
  };
  const auto meets = [&](const std::vector<int64_t>& sum, const Buffer& buffer) {
    return sum[static_cast<size_t>(buffer.upper)] > sum[static_cast<size_t>(buffer.lower)];
  };
  const std::vector<int64_t> changed = count([&](size_t i) { return !known[i]; });
  const std::vector<int64_t> freed = count([&](size_t i) { return meets(changed, buffers[i]); });
  dsa::Problem part{{}, problem.capacity};
  std::vector<size_t> members;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!meets(freed, buffers[i])) continue;
    members.push_back(i);
    part.buffers.push_back(buffers[i]);
    if (!meets(changed, buffers[i])) part.buffers.back().fixed = known[i];
  }
  const dsa::Solution solution = dsa::Solve(part, options);
  if (solution.status != dsa::Status::kPlaced) return std::nullopt;
  std::vector<int64_t> offsets(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) offsets[i] = known[i].value_or(0);
  for (size_t i = 0; i < members.size(); ++i) offsets[members[i]] = solution.offsets[i];
  return offsets;
}

void SetAddresses(const PadBuffers& in, const std::vector<int64_t>& offsets, int64_t unit,
                  Plan* plan) {
  for (size_t i = 0; i < in.stays.size(); ++i) plan->stays[in.stays[i]].address = offsets[i] * unit;
  for (size_t i = 0; i < in.steps.size(); ++i) {
    plan->steps[in.steps[i]].workspace_address = offsets[in.stays.size() + i] * unit;
  }
}

}  // namespace

std::optional<Misfit> GiveAddresses(const PlanProblem& problem, const Choices& choices, PadId pad,
                                    const dsa::Options& options, const Plan* like, Plan* plan) {
  const PadBuffers in = BuffersIn(problem, *plan, pad);
  const std::optional<dsa::Merged> merged =
      dsa::MergeInPlace(in.buffers, InPlacePairs(problem, choices, *plan, in));
  INLAY_CHECK(merged.has_value());  // only fixed addresses could contradict each other
  const int64_t unit = problem.machine.pads[pad].alignment_bytes;
  const dsa::Problem addresses{merged->buffers, problem.machine.pads[pad].bytes / unit};
  if (like != nullptr) {
    const auto offsets =
        PatchedOffsets(addresses, KnownOffsets(*like, *plan, in, *merged, unit), options);
    if (offsets) {
      SetAddresses(in, merged->OffsetsOfAll(*offsets), unit, plan);
      return std::nullopt;
    }
  }
  const dsa::Solution solution = dsa::Solve(addresses, options);
  if (solution.status != dsa::Status::kPlaced) {
    return MisfitOf(addresses, *merged, in, *plan, pad, solution.status == dsa::Status::kInfeasible,
                    options);
  }
  SetAddresses(in, merged->OffsetsOfAll(solution.offsets), unit, plan);
  return std::nullopt;
}

}  // namespace inlay

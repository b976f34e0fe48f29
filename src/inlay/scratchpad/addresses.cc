#include "inlay/scratchpad/addresses.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay {
namespace {

// What lies in one pad, as buffers in units of its alignment.
struct PadBuffers {
  std::vector<size_t> residencies;  // of the plan; the first buffers
  std::vector<size_t> steps;        // whose workspaces lie here; the other buffers
  std::vector<Buffer> buffers;
};

PadBuffers BuffersIn(const PlanProblem& problem, const Plan& plan, PadId pad, int64_t until) {
  PadBuffers in;
  const int64_t unit = problem.machine.pads[pad].alignment_bytes;
  for (size_t i = 0; i < plan.residencies.size(); ++i) {
    const Residency& residency = plan.residencies[i];
    if (residency.pad != pad || residency.from >= until) continue;
    in.residencies.push_back(i);
    in.buffers.push_back({{}, residency.from, residency.to, residency.bytes / unit});
  }
  for (size_t t = 0; t < plan.steps.size() && static_cast<int64_t>(t) < until; ++t) {
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
  std::map<std::pair<ValueId, int64_t>, size_t> ending;  // by tensor and end
  for (size_t j = 0; j < in.residencies.size(); ++j) {
    const Residency& residency = plan.residencies[in.residencies[j]];
    ending[{residency.tensor, residency.to}] = j;
  }
  for (size_t i = 0; i < in.residencies.size(); ++i) {
    const Residency& above = plan.residencies[in.residencies[i]];
    const auto t = static_cast<size_t>(above.from);
    const std::optional<ValueId> under = choices.in_place[t];
    const PlanNode& node = problem.nodes[choices.order[t]];
    if (!under || node.operands[FirstWritten(node)].tensor != above.tensor) continue;
    const auto below = ending.find({*under, above.from + 1});
    if (below != ending.end()) pairs.emplace_back(below->second, i);
  }
  return pairs;
}

// By first-fit in every order that it tries, however little time is left; the capacity is no limit.
// Fixed addresses may still be too hard.
dsa::Solution FitAnywhere(const dsa::Problem& problem) {
  return dsa::FirstFit({problem.buffers, int64_t{1} << 61});
}

// The life of a buffer that is not placed, or is outside of the capacity: the first in time.
std::pair<int64_t, int64_t> OutsideOf(const dsa::Problem& problem, const dsa::Solution& anywhere) {
  const bool placed = anywhere.status == dsa::Status::kPlaced;
  const Buffer* first = nullptr;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    if (placed && anywhere.offsets[i] + buffer.size <= problem.capacity) continue;
    if (first == nullptr || buffer.lower < first->lower) first = &buffer;
  }
  INLAY_CHECK(first != nullptr);  // else it was a placement
  return {first->lower, first->upper};
}

// Some of the merged buffers, and where some of them have to be.
struct Part {
  dsa::Problem problem;
  std::vector<size_t> members;  // by buffer of the problem: which of the merged ones
};

// `anywhere`: what first-fit has said, if it was asked; else there are no addresses.
Misfit MisfitOf(const Part& part, const dsa::Merged& merged, const PadBuffers& in, const Plan& plan,
                PadId pad, const std::optional<dsa::Solution>& anywhere,
                const dsa::Options& options) {
  const dsa::Problem& problem = part.problem;
  Misfit misfit;
  misfit.pad = pad;
  std::vector<bool> member(merged.buffers.size());
  std::optional<dsa::InfeasibleWindow> window;
  if (!anywhere) window = dsa::SmallestInfeasibleWindow(problem, options);
  if (window) {
    misfit.proven = true;
    misfit.from = window->lower;
    misfit.to = window->upper;
    for (const size_t i : window->members) member[part.members[i]] = true;
  } else {
    std::tie(misfit.from, misfit.to) =
        OutsideOf(problem, anywhere ? *anywhere : FitAnywhere(problem));
    for (const size_t i : part.members) member[i] = true;
  }
  for (size_t i = 0; i < in.residencies.size(); ++i) {
    const Residency& residency = plan.residencies[in.residencies[i]];
    if (!member[merged.group_of[i]] || residency.to <= misfit.from || residency.from >= misfit.to)
      continue;
    misfit.tensors.push_back(residency.tensor);
  }
  misfit.tensors.erase(std::unique(misfit.tensors.begin(), misfit.tensors.end()),
                       misfit.tensors.end());
  return misfit;
}

// By buffer, where it was in the other plan; none: it was not there, or not at one address.
std::vector<std::optional<int64_t>> KnownOffsets(const AddressHint& hint, const Plan& plan,
                                                 const PadBuffers& in, const dsa::Merged& merged,
                                                 int64_t unit) {
  const Plan& like = *hint.like;
  std::vector<std::optional<int64_t>> known(merged.buffers.size());
  std::vector<bool> unknown(merged.buffers.size());
  const auto set_known = [&](size_t buffer, std::optional<int64_t> address) {
    const size_t group = merged.group_of[buffer];
    if (!address || (known[group] && *known[group] != *address / unit)) unknown[group] = true;
    if (address) known[group] = *address / unit;
  };
  for (size_t i = 0; i < in.residencies.size(); ++i) {
    const Residency& residency = plan.residencies[in.residencies[i]];
    // Stays are sorted by tensor and begin.
    const auto at = std::lower_bound(like.residencies.begin(), like.residencies.end(), residency,
                                     [](const Residency& a, const Residency& b) {
                                       return std::tuple{a.tensor, a.from, a.to, a.pad} <
                                              std::tuple{b.tensor, b.from, b.to, b.pad};
                                     });
    const bool same = at != like.residencies.end() && at->tensor == residency.tensor &&
                      at->pad == residency.pad && at->from == residency.from &&
                      at->to == residency.to && residency.from < hint.known_until;
    set_known(i, same ? std::optional(at->address) : std::nullopt);
  }
  for (size_t i = 0; i < in.steps.size(); ++i) {
    const PlanStep& now = plan.steps[in.steps[i]];
    const PlanStep& then = like.steps[in.steps[i]];
    const bool same = now.workspace_bytes == then.workspace_bytes &&
                      static_cast<int64_t>(in.steps[i]) < hint.known_until;
    set_known(in.residencies.size() + i,
              same ? std::optional(then.workspace_address) : std::nullopt);
  }
  for (size_t i = 0; i < known.size(); ++i) {
    if (unknown[i]) known[i].reset();
  }
  return known;
}

// The buffers that live together with one that is not known, and those that live together with
// them; only these are fixed.
Part PartToPatch(const dsa::Problem& problem, const std::vector<std::optional<int64_t>>& known) {
  const std::vector<Buffer>& buffers = problem.buffers;
  int64_t steps = 0;
  for (const Buffer& buffer : buffers) steps = std::max(steps, buffer.upper);
  // By step: in how many steps before it a buffer of the kind lives.
  const auto count = [&](const auto& is_of_kind) {
    std::vector<int64_t> sum(static_cast<size_t>(steps) + 1);
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (!is_of_kind(i)) continue;
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
  Part part{{{}, problem.capacity}, {}};
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!meets(freed, buffers[i])) continue;
    part.members.push_back(i);
    part.problem.buffers.push_back(buffers[i]);
    if (!meets(changed, buffers[i])) part.problem.buffers.back().fixed = known[i];
  }
  return part;
}

void SetAddresses(const PadBuffers& in, const std::vector<int64_t>& offsets, int64_t unit,
                  Plan* plan) {
  for (size_t i = 0; i < in.residencies.size(); ++i)
    plan->residencies[in.residencies[i]].address = offsets[i] * unit;
  for (size_t i = 0; i < in.steps.size(); ++i) {
    plan->steps[in.steps[i]].workspace_address = offsets[in.residencies.size() + i] * unit;
  }
}

}  // namespace

std::optional<Misfit> GiveAddresses(const PlanProblem& problem, const Choices& choices, PadId pad,
                                    const dsa::Options& options, const AddressHint& hint,
                                    Plan* plan) {
  const PadBuffers in = BuffersIn(problem, *plan, pad, hint.until);
  const std::optional<dsa::Merged> merged =
      dsa::MergeInPlace(in.buffers, InPlacePairs(problem, choices, *plan, in));
  INLAY_CHECK(merged.has_value());  // only fixed addresses could contradict each other
  const int64_t unit = problem.machine.pads[pad].alignment_bytes;
  const size_t buffers = merged->buffers.size();
  Part part{{merged->buffers, problem.machine.pads[pad].bytes / unit},
            std::vector<size_t>(buffers)};
  std::iota(part.members.begin(), part.members.end(), size_t{0});
  std::vector<std::optional<int64_t>> known(buffers);
  if (hint.like != nullptr) {
    known = KnownOffsets(hint, *plan, in, *merged, unit);
    part = PartToPatch(part.problem, known);
  }
  dsa::Solution solution = dsa::Solve(part.problem, options);
  std::optional<dsa::Solution> anywhere;
  if (solution.status == dsa::Status::kUnknown) {  // perhaps it had no time to try first-fit
    anywhere = FitAnywhere(part.problem);
    const bool placed = anywhere->status == dsa::Status::kPlaced;
    if (placed && anywhere->height <= part.problem.capacity) solution = *anywhere;
  }
  if (solution.status != dsa::Status::kPlaced) {
    return MisfitOf(part, *merged, in, *plan, pad, anywhere, options);
  }
  std::vector<int64_t> offsets(buffers);
  for (size_t i = 0; i < buffers; ++i) offsets[i] = known[i].value_or(0);
  for (size_t i = 0; i < part.members.size(); ++i) offsets[part.members[i]] = solution.offsets[i];
  SetAddresses(in, merged->OffsetsOfAll(offsets), unit, plan);
  return std::nullopt;
}

}  // namespace inlay

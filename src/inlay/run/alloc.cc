#include "inlay/run/alloc.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/deadline.h"
#include "inlay/base/fields.h"
#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::run {
namespace {

// For each capacity that is tried in search of the least, where there is no time limit: seconds,
// not hours, because the last few bytes are often impossible to prove.
int64_t NodesToMinimize(size_t buffers) {
  constexpr int64_t kBudget = 8'000'000;
  const auto count = static_cast<int64_t>(std::max<size_t>(1, buffers));
  // With less than a node per buffer there is no placement.
  return std::clamp<int64_t>(kBudget / count, std::clamp<int64_t>(2 * count, 1000, 50'000), 50'000);
}

dsa::Solution Search(const std::vector<Buffer>& buffers, const AllocRequest& request,
                     const Deadline& deadline) {
  dsa::Options search;
  search.deadline = &deadline;
  search.seed = static_cast<uint64_t>(request.common.seed);
  if (request.capacity) return dsa::Solve({buffers, *request.capacity}, search);
  if (!request.common.time_limit) search.node_limit = NodesToMinimize(buffers.size());
  return dsa::Minimize(buffers, search);
}

// "" where fixed addresses do not collide.
std::string FixedFault(const std::vector<Buffer>& buffers) {
  dsa::Problem fixed{{}, std::numeric_limits<int64_t>::max()};
  std::vector<int64_t> offsets;
  for (const Buffer& b : buffers) {
    if (!b.fixed) continue;
    fixed.buffers.push_back(b);
    offsets.push_back(*b.fixed);
  }
  const Faults faults = dsa::CheckPlacement(fixed, offsets);
  return faults.empty() ? "" : faults.front().message;
}

// Why they do not fit; looked for during a second.
std::optional<AllocCause> FindCause(const AllocResult& result, const StopFlag& stop) {
  if (!result.capacity_given || !result.fixed_fault.empty()) return std::nullopt;
  const Deadline deadline(stop, 1.0);
  dsa::Options options;
  options.deadline = &deadline;
  const auto window = dsa::SmallestInfeasibleWindow({result.buffers, *result.capacity}, options);
  if (!window) return std::nullopt;
  AllocCause cause{window->lower, window->upper, {}, 0};
  for (const size_t member : window->members) {
    cause.buffers.push_back(result.buffers[member].id);
    cause.bytes += result.buffers[member].size;
  }
  return cause;
}

AllocResult ResultOf(const std::vector<Buffer>& buffers, const dsa::Solution& solution,
                     const AllocRequest& request) {
  AllocResult result;
  const dsa::PeakLoad peak = dsa::FindPeakLoad(buffers);
  result.peak_load = {peak.bytes, peak.lower, peak.upper};
  result.buffers = buffers;
  result.capacity_given = request.capacity.has_value();
  result.capacity = request.capacity;
  result.status = solution.status == dsa::Status::kPlaced       ? "placed"
                  : solution.status == dsa::Status::kInfeasible ? "infeasible"
                                                                : "timeout";
  if (solution.status == dsa::Status::kPlaced) {
    result.height = solution.height;
    if (!result.capacity_given) result.capacity = solution.height;
  }
  for (size_t i = 0; i < solution.offsets.size(); ++i) {
    result.offsets.emplace_back(result.buffers[i].id, solution.offsets[i]);
  }
  result.lower_bound = solution.lower_bound;
  result.nodes = solution.nodes;
  result.too_large = solution.too_large;
  return result;
}

}  // namespace

const Structure& StructureOf(const AllocRequest*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&AllocRequest::capacity>(
          "capacity",
          "the size of the memory, in the unit of the sizes; without it, the least that is enough",
          {.option = {.value_name = "N", .min = 0, .max = int64_t{1} << 62}}),
  });
  return Describe<AllocRequest, kFields>("AllocRequest");
}

Result<AllocInputs> Load(const AllocRequest* request) {
  AllocInputs inputs;
  auto buffers = io::LoadBuffers(request->buffers, &inputs.record);
  if (!buffers) return Fail(std::move(buffers.error()));
  inputs.buffers = *std::move(buffers);
  return inputs;
}

AllocResult Run(const AllocRequest& request, const AllocInputs& inputs, const StopFlag& stop) {
  const Deadline deadline(stop, request.common.time_limit);
  const dsa::Solution solution = Search(inputs.buffers, request, deadline);
  const double seconds = deadline.SecondsSinceStart();
  if (solution.status == dsa::Status::kPlaced) {
    INLAY_CHECK(dsa::CheckPlacement({inputs.buffers, solution.height}, solution.offsets).empty());
  }
  AllocResult result = ResultOf(inputs.buffers, solution, request);
  result.header = HeaderOf("alloc", request.common, inputs.record.inputs);
  result.interrupted = stop.Requested();
  result.seconds = seconds;
  if (solution.status == dsa::Status::kInfeasible) {
    result.fixed_fault = FixedFault(result.buffers);
    result.cause = FindCause(result, stop);
  }
  return result;
}

}  // namespace inlay::run

#include "inlay/report/alloc.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "cli/deliver.h"
#include "cli/session.h"
#include "inlay/base/check.h"
#include "inlay/base/deadline.h"
#include "inlay/base/version.h"
#include "inlay/core/alloc_result.h"
#include "inlay/io/json/document.h"
#include "inlay/io/load.h"
#include "inlay/io/minimalloc/minimalloc.h"
#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::cli {
namespace {

// For each capacity that is tried in search of the least, where there is no time limit: seconds,
// not hours, because the last few bytes are often impossible to prove.
int64_t NodesToMinimize(size_t buffers) {
  constexpr int64_t kBudget = 8'000'000;
  const auto count = static_cast<int64_t>(std::max<size_t>(1, buffers));
  // With less than a node per buffer there is no placement.
  return std::clamp<int64_t>(kBudget / count, std::clamp<int64_t>(2 * count, 1000, 50'000), 50'000);
}

dsa::Solution Search(const std::vector<Buffer>& buffers, const OptionValues& options,
                     const Deadline& deadline) {
  dsa::Options search;
  search.deadline = &deadline;
  search.seed = static_cast<uint64_t>(options.Integer("seed"));
  if (options.Has("capacity")) return dsa::Solve({buffers, options.Integer("capacity")}, search);
  if (!options.Has("time-limit")) search.node_limit = NodesToMinimize(buffers.size());
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

AllocResult ResultOf(std::vector<Buffer> buffers, const dsa::Solution& solution,
                     const OptionValues& options) {
  AllocResult result;
  const dsa::PeakLoad peak = dsa::FindPeakLoad(buffers);
  result.peak_load = {peak.bytes, peak.lower, peak.upper};
  result.buffers = std::move(buffers);
  result.capacity_given = options.Has("capacity");
  if (result.capacity_given) result.capacity = options.Integer("capacity");
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

ExitCode RunAlloc(const Invocation& invocation, Session* session) {
  io::LoadRecord record;
  auto buffers = io::LoadBuffers(invocation.arguments.front(), &record);
  if (!buffers) {
    session->Report(buffers.error());
    return kWrongInput;
  }
  session->Report(record.warnings);
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;

  const Deadline deadline(session->stop(), invocation.options.Seconds("time-limit"));
  const auto start = std::chrono::steady_clock::now();
  const dsa::Solution solution = Search(*buffers, invocation.options, deadline);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const bool placed = solution.status == dsa::Status::kPlaced;
  if (placed) {
    INLAY_CHECK(dsa::CheckPlacement({*buffers, solution.height}, solution.offsets).empty());
  }
  AllocResult result = ResultOf(std::move(*buffers), solution, invocation.options);
  result.header = {"alloc", std::string(kVersion), record.inputs, invocation.options.ForResult()};
  result.interrupted = session->Stopped();
  result.seconds = elapsed.count();
  std::vector<OutputFile> files;
  if (placed) {
    files.push_back({"offsets.csv", io::WriteMiniMalloc(result.buffers, solution.offsets)});
  } else if (result.status == "infeasible") {
    result.fixed_fault = FixedFault(result.buffers);
    result.cause = FindCause(result, session->stop());
  }
  std::string remarks;
  if (!placed) {
    const Diagnostic reason = MakeError({}, report::AllocReason(result), report::AllocHint(result));
    session->Report({reason});
    remarks = Format(reason);
  }
  const auto summary = [&](const TextStyle& style) {
    return report::AllocSummary(invocation.arguments.front(), result, style);
  };
  const ExitCode code =
      Deliver({io::WriteJson(result), summary, std::move(files), true, std::move(remarks)},
              &*folder, session);
  return code == kDone && !placed ? kNoAnswer : code;
}

}  // namespace

Command AllocCommand() {
  Option output = OutputFolderOption(
      "write result.json, summary.txt (always UTF-8) and offsets.csv, the table with the addresses "
      "in a column offset, into this folder; it must be new or empty");
  return {
      .name = "alloc",
      .sentence = "addresses for buffers with lifetimes",
      .usages = {"BUFFERS.csv --capacity N [OPTIONS]", "BUFFERS.csv [OPTIONS]"},
      .details =
          "Gives every buffer an address so that no two that live at the same time overlap: fast "
          "heuristics first, then an exact search, which ends with a placement or a proof that "
          "there "
          "is none. The table is MiniMalloc's: columns id, lower, upper, size, and if wanted "
          "alignment and offset (a fixed address); a buffer lives from lower up to, not including, "
          "upper.\n"
          "Without --capacity the least one is looked for and reported with a lower bound; without "
          "--time-limit too, what takes more than some seconds to prove stays open.\n"
          "Ends with code 1 if the buffers do not fit, and says when and by how much.",
      .arguments = {{.name = "BUFFERS.csv", .sentence = "a table of buffers"}},
      .options = {{.name = "capacity",
                   .sentence = "the size of the memory, in the unit of the sizes; without it, the "
                               "least that is enough",
                   .type = OptionType::kInteger,
                   .value_name = "N",
                   .min = 0,
                   .max = int64_t{1} << 62,
                   .in_result = true},
                  std::move(output),
                  JsonOption(),
                  AsciiOption(),
                  QuietOption()},
      .examples = {{"inlay alloc buffers.csv --capacity 1048576",
                    "addresses in a memory of one MiB, or the reason why there are none"},
                   {"inlay alloc buffers.csv --time-limit 10s -o out",
                    "the least memory that is found in ten seconds; addresses in out/offsets.csv"}},
      .heeds = {.time_limit = "the most time to search: 500ms, 60s, 5min; then the best so far",
                .seed = true},
      .run = RunAlloc,
  };
}

}  // namespace inlay::cli

#include "inlay/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/deliver.h"
#include "cli/session.h"
#include "inlay/base/parallel.h"
#include "inlay/base/version.h"
#include "inlay/io/json/study.h"
#include "inlay/io/load.h"
#include "inlay/report/study.h"

namespace inlay::cli {
namespace {

// "[ 12/48] 25 %, 3 s left: resnet50, eyeriss, ruby-s" on a terminal.
void ShowState(const study::StudyProgress& state, double seconds, const Session& session) {
  std::string left;
  if (state.done > 0) {
    const auto rest = static_cast<double>(state.points - state.done);
    left = fmt::format(", {:.0f} s left", seconds / static_cast<double>(state.done) * rest);
  }
  session.ShowProgress(fmt::format("[{}/{}]{}: {}", state.done + 1, state.points, left, state.now));
}

study::StudyOptions OptionsFrom(const OptionValues& values) {
  study::StudyOptions options;
  options.threads =
      values.Has("threads") ? static_cast<int>(values.Integer("threads")) : HardwareThreads();
  options.time_limit_seconds = values.Seconds("time-limit");
  if (values.Has("limit")) options.limit = static_cast<size_t>(values.Integer("limit"));
  return options;
}

ExitCode RunStudyCommand(const Invocation& invocation, Session* session) {
  io::LoadRecord record;
  const auto input = io::LoadStudy(invocation.arguments.front(), &record);
  if (!input) {
    session->Report(input.error());
    return kWrongInput;
  }
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  auto result = study::RunStudy(
      *input, OptionsFrom(invocation.options), session->stop(), &record,
      [&](const study::StudyProgress& state) { ShowState(state, elapsed(), *session); });
  session->ShowProgress("");
  if (!result) {
    session->Report(result.error());
    return kWrongInput;
  }
  session->Report(record.warnings);
  result->header = {"study", std::string(kVersion), record.inputs, invocation.options.ForResult()};
  result->seconds = elapsed();
  const auto summary = [&](const TextStyle& style) { return report::StudySummary(*result, style); };
  const ExitCode code =
      Deliver({io::WriteStudyResult(*result), summary, {}, true}, &*folder, session);
  const bool some =
      std::any_of(result->points.begin(), result->points.end(), [](const StudyPoint& point) {
        return point.status == PointStatus::kDone || !point.layers.empty();
      });
  return code == kDone && !some ? kNoAnswer : code;
}

}  // namespace

Command StudyCommand() {
  return {
      .name = "study",
      .sentence = "a grid of runs: its figure, and a paper's claims beside ours",
      .usages = {"STUDY [OPTIONS]"},
      .details =
          "Runs every point of the study's grids, draws its figure as a table and puts our figures "
          "beside the claims that the study lists. The figures of papers are built in: 'inlay list "
          "studies'. A point without an answer is reported and does not stop the others; code 1 "
          "only if there is no answer at all. Ctrl-C and SIGTERM end with what there is, marked as "
          "interrupted, and code 130.",
      .arguments = {{.name = "STUDY", .sentence = "a built-in study or a file"}},
      .options = {{.name = "limit",
                   .sentence = "run only the first so many points",
                   .type = OptionType::kInteger,
                   .value_name = "N",
                   .min = 1,
                   .in_result = true},
                  OutputFolderOption(),
                  JsonOption(),
                  AsciiOption(),
                  QuietOption()},
      .examples = {{"inlay study ruby-table1", "the sizes of Ruby's mapspaces"},
                   {"inlay study ruby-fig8 -o fig8", "figures and claims as files in a folder"},
                   {"inlay study study.yaml --limit 4 --json", "the first four points of a file"}},
      .heeds = {.time_limit = "the most time for the whole study: 60s, 5min, 1h; every point gets "
                              "an equal share of what is left",
                .threads = true,
                .seed = false},
      .run = RunStudyCommand,
  };
}

}  // namespace inlay::cli

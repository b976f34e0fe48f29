#include "inlay/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "cli/deliver_result.h"
#include "cli/mpirun.h"
#include "cli/session.h"
#include "cli/study_merge.h"
#include "inlay/base/deadline.h"
#include "inlay/base/mention.h"
#include "inlay/base/version.h"
#include "inlay/io/json/study_journal.h"
#include "inlay/io/json/study_result.h"
#include "inlay/io/load.h"
#include "inlay/report/study.h"
#include "inlay/study/mpi/mpi_workers.h"

namespace inlay::cli {
namespace {

// "[12/48], 3 s left: resnet50, eyeriss, ruby-s" on a terminal.
void ShowState(const study::StudyProgress& state, double seconds, const Session& session) {
  std::string left;
  if (state.done > state.earlier) {
    const auto rest = static_cast<double>(state.points - state.done);
    const auto now = static_cast<double>(state.done - state.earlier);
    left = fmt::format(", {:.0f} s left", seconds / now * rest);
  }
  session.ShowProgress(fmt::format("[{}/{}]{}: {}", state.done + 1, state.points, left, state.now));
}

study::StudyOptions OptionsFrom(const OptionValues& values) {
  study::StudyOptions options;
  options.threads =
      values.Has("threads") ? static_cast<int>(values.Integer("threads")) : DefaultThreads();
  options.time_limit_seconds = values.Seconds("time_limit");
  if (values.Has("limit")) options.limit = static_cast<size_t>(values.Integer("limit"));
  if (values.Has("shard")) options.shard = StudyShardFromText(values.Text("shard")).value();
  return options;
}

// What does not fit together in what was typed.
Diagnostics CheckInvocation(const Invocation& invocation, const Session& session) {
  Diagnostics errors;
  if (invocation.arguments.size() > 1) {
    errors.push_back(MakeError({}, "unexpected argument '" + invocation.arguments[1] + "'",
                               "'inlay study --help' shows what it takes"));
  }
  const OptionValues& options = invocation.options;
  if (options.Has("shard") && !StudyShardFromText(options.Text("shard"))) {
    errors.push_back(MakeError({},
                               Mention("shard") + ": '" + options.Text("shard") + "' is no shard",
                               "write I/N with I from 1 to N: the second of four is 2/4"));
  }
  if (!options.Has("shard")) {
    const Diagnostics without_mpi = CheckMpi(session);
    errors.insert(errors.end(), without_mpi.begin(), without_mpi.end());
  }
  if (options.Flag("resume") && !options.Has("output")) {
    errors.push_back(MakeError({}, Mention("resume") + " needs -o DIR, the folder to go on with"));
  }
  return errors;
}

StudyIdentity IdentityOf(const Study& input, const io::LoadRecord& record,
                         const OptionValues& options) {
  StudyIdentity identity{{"study", std::string(kVersion), record.inputs, options.ForResult()},
                         OutlineOf(input)};
  std::erase_if(identity.header.options, [](const auto& option) {
    return option.first == "limit" || option.first == "shard";
  });
  return identity;
}

// 1 only if something was to be done and nothing was found.
ExitCode CodeOf(const StudyResult& result, const study::StudyOptions& options) {
  const size_t due = study::DueOf(result.points.size(), options.limit);
  bool found = options.shard.CountOf(due) == 0;
  result.points.ForEachNumber([&](size_t index) {
    if (found || index >= due) return false;
    if (!options.shard.Holds(index)) return true;
    const StudyPoint point = result.points[index];
    found = point.status == PointStatus::kDone || !point.layers.empty();
    return !found;
  });
  return found ? kDone : kNoAnswer;
}

// The journal of the folder, if there is one; nullopt: refused, and said so.
std::optional<std::optional<study::Journal>> OpenJournal(const std::optional<OutputFolder>& folder,
                                                         const StudyIdentity& identity,
                                                         const StudyPart& part, Session* session) {
  if (!folder) return std::optional<study::Journal>();
  auto journal = study::Journal::Open(folder->PathOf(io::kStudyJournalName), identity, part);
  if (journal) return std::optional<study::Journal>(*std::move(journal));
  session->Report(journal.error());
  return std::nullopt;
}

// A study with its points ready; they refer to it, so that it stays where it is.
struct Loaded {
  Study study;
  std::optional<study::PreparedStudy> points;
  StudyIdentity identity;
  Diagnostics warnings;
};

Result<void> Load(const Invocation& invocation, const Deadline& deadline, Loaded* loaded) {
  io::LoadRecord record;
  auto input = io::LoadStudy(invocation.arguments.front(), &record);
  if (!input) return Fail(std::move(input.error()));
  loaded->study = *std::move(input);
  auto points = study::PrepareStudy(loaded->study, deadline, &record);
  if (!points) return Fail(std::move(points.error()));
  loaded->points = *std::move(points);
  loaded->identity = IdentityOf(loaded->study, record, invocation.options);
  loaded->warnings = std::move(record.warnings);
  return {};
}

// The whole study, or this process' part of it.
ExitCode Run(const Invocation& invocation, const Loaded& loaded, const Deadline& deadline,
             study::mpi::MpiWorkers* workers, Session* session) {
  session->Report(loaded.warnings);
  const OptionValues& values = invocation.options;
  auto folder = ClaimOutput(values, session, FilesOfAStudy(values.Flag("resume")));
  if (!folder) return kWrongInput;
  study::StudyOptions options = OptionsFrom(values);
  auto journal = OpenJournal(*folder, loaded.identity, {options.shard, options.limit}, session);
  if (!journal) return kWrongInput;
  study::Journal* kept = *journal ? &**journal : nullptr;
  if (options.time_limit_seconds) {  // what came before the points counts
    const double limit = *options.time_limit_seconds;
    constexpr double kLeast = 0.01;  // so that some points are tried
    options.time_limit_seconds =
        std::max(limit - deadline.SecondsSinceStart(), std::min(limit, kLeast));
  }
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto show = [&](const study::StudyProgress& state) {
    ShowState(state, elapsed(), *session);
  };
  auto result = workers != nullptr ? workers->Lead(loaded.identity, loaded.study, *loaded.points,
                                                   options, session->stop(), kept, show)
                                   : study::RunPoints(loaded.study, *loaded.points, options,
                                                      session->stop(), kept, show);
  session->ShowProgress("");
  const auto kept_all = kept != nullptr && result ? kept->Sync() : Result<void>();
  if (!result || !kept_all) {
    session->Report(result ? kept_all.error() : result.error());
    return kWrongInput;
  }
  result->header = kept != nullptr ? kept->identity().header : loaded.identity.header;
  result->header.options = values.ForResult();
  result->seconds = elapsed();
  const auto summary = [&](const TextStyle& style) { return report::StudySummary(*result, style); };
  const ExitCode code =
      Deliver({io::WriteStudyResult(*result), summary, {}, true}, &*folder, session);
  return code == kDone ? CodeOf(*result, options) : code;
}

ExitCode RunStudyCommand(const Invocation& invocation, Session* session) {
  if (invocation.arguments.front() == "merge") return MergeStudies(invocation, session);
  if (const Diagnostics errors = CheckInvocation(invocation, *session); !errors.empty()) {
    session->Report(errors);
    return kWrongInput;
  }
  const std::unique_ptr<study::mpi::MpiWorkers> workers =
      StartedByMpi(*session) && !invocation.options.Has("shard") ? study::mpi::JoinWorkers()
                                                                 : nullptr;
  const Deadline deadline(session->stop(), OptionsFrom(invocation.options).time_limit_seconds);
  Loaded loaded;
  const auto ready = Load(invocation, deadline, &loaded);
  if (workers != nullptr && !workers->IsLeader()) {  // silent: the leader says what there is to say
    workers->Follow(ready ? &loaded.identity : nullptr, ready ? &*loaded.points : nullptr,
                    OptionsFrom(invocation.options).threads, session->stop());
    return kDone;
  }
  if (ready) return Run(invocation, loaded, deadline, workers.get(), session);
  session->Report(ready.error());
  return kWrongInput;
}

std::vector<Option> Options() {
  std::vector<Option> options = {
      {.key = "limit",
       .sentence = "run only the first so many points",
       .type = OptionType::kInteger,
       .value_name = "N",
       .min = 1,
       .in_result = true},
      {.key = "shard",
       .sentence = "run only every N-th point, from the I-th on: one of N parts that can run "
                   "anywhere, to be merged",
       .value_name = "I/N",
       .in_result = true},
      {.key = "resume",
       .sentence = "go on with what the folder of -o holds, after a kill, an interrupt or a "
                   "--limit; no finished point is run again",
       .type = OptionType::kFlag}};
  AddOutputOptions(
      OutputFolderOption("write result.json and summary.txt (always UTF-8) into this folder, and "
                         "every point into journal.jsonl as soon as it is finished; new or empty, "
                         "unless with --resume"),
      &options);
  return options;
}

}  // namespace

Command StudyCommand() {
  return {
      .name = "study",
      .sentence = "a grid of runs: its figure, and a paper's claims beside ours",
      .usages = {"STUDY [OPTIONS]", "merge DIR... -o DIR"},
      .details =
          "Runs every point of the study's grids, draws its figure as a table and puts our figures "
          "beside the claims that the study lists. The figures of papers are built in: 'inlay list "
          "studies'. A point without an answer is reported and does not stop the others; code 1 "
          "only if there is no answer at all. Ctrl-C and SIGTERM end with what there is, marked as "
          "interrupted, and code 130.\n"
          "With -o a run can be killed at any instant and resumed. Shards share no more than the "
          "study: run them anywhere, then 'inlay study merge' their folders. It checks that they "
          "belong together and that no point is missing (code 1), and writes what one run of the "
          "whole would have written. The same figures come out however the points were divided, "
          "but for those that a time limit cut short.",
      .arguments = {{.name = "STUDY", .sentence = "a built-in study or a file; or 'merge'"},
                    {.name = "DIR",
                     .sentence = "to merge: the folders of the parts",
                     .required = false,
                     .repeated = true}},
      .options = Options(),
      .examples = {{"inlay study ruby-table1", "the sizes of Ruby's mapspaces"},
                   {"inlay study ruby-fig8 -o fig8", "figures and claims as files in a folder"},
                   {"inlay study ruby-fig8 -o fig8 --resume", "the same, after it was killed"},
                   {"inlay study ruby-table1 --shard 1/2 -o part1 && inlay study ruby-table1 "
                    "--shard 2/2 -o part2 && inlay study merge part1 part2 -o whole",
                    "in two parts, here or on two machines, and put together"},
                   {"inlay study study.yaml --limit 4 --json", "the first four points of a file"}},
      .common_options = {.time_limit =
                             "the most time for the whole study: 60s, 5min, 1h; every point gets "
                             "an equal share of what is left",
                         .threads = true,
                         .seed = false},
      .run = RunStudyCommand,
  };
}

}  // namespace inlay::cli

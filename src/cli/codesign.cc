#include "inlay/run/codesign.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/codesign_progress.h"
#include "cli/deliver_result.h"
#include "cli/map_files.h"
#include "cli/mpirun.h"
#include "cli/session.h"
#include "inlay/io/file.h"
#include "inlay/io/json/document.h"
#include "inlay/io/library/library.h"
#include "inlay/report/codesign.h"
#include "inlay/report/explain.h"
#include "inlay/study/mpi/mpi_search_group.h"

namespace inlay::cli {
namespace {

// architecture.yaml and the mappings of every design; of several each in architectures/N, from 1.
std::vector<OutputFile> FilesOf(const CodesignTask& task, const std::vector<Design>& designs) {
  std::vector<OutputFile> files;
  for (size_t i = 0; i < designs.size(); ++i) {
    const Architecture& architecture = designs[i].choice.architecture;
    std::vector<LayerAnswer> answers(task.network.layers.size());
    for (const LayerDesign& layer : designs[i].layers) answers[layer.layer].best = layer.solution;
    std::vector<OutputFile> of_design = LayerFiles(task.network, architecture, answers);
    of_design.push_back({"architecture.yaml", io::WriteNative(architecture, io::BuiltinContext())});
    for (OutputFile& file : of_design) {
      if (designs.size() > 1) {
        file.name = "architectures/" + std::to_string(i + 1) + "/" + file.name;
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

// Whether all processes of mpirun have been asked the same.
bool AllAgree(const ResultHeader& header, SearchGroup* group) {
  const std::string hash = io::ContentHash(io::WriteJson(header));
  const GroupMessage own(hash.begin(), hash.end());
  const auto reports = group->Exchange(own);
  return !reports.empty() &&
         std::all_of(reports.begin(), reports.end(), [&](const auto& each) { return each == own; });
}

// The expressions instead of a search.
ExitCode RunExplain(const run::CodesignInputs& inputs, const ResultHeader& header,
                    std::optional<OutputFolder>* folder, Session* session) {
  auto explanations = run::Explain(inputs);
  if (!explanations) return ReportFailure(explanations.error(), session);
  const ExplainResult result{header, *std::move(explanations)};
  const auto summary = [&](const TextStyle& style) {
    std::string text;
    for (const Explanation& explanation : result.explanations) {
      text += (text.empty() ? "" : "\n") + report::ExplanationText(explanation, style);
    }
    return text;
  };
  return Deliver({io::WriteJson(result), summary, {}}, folder, session);
}

// Searches with a line of progress; the first task together with the other processes.
run::CodesignSearch SearchWithProgress(SearchGroup* group, const Session& session) {
  return [first = true, group, &session](const CodesignTask& task) mutable {
    CodesignProgressLine line(task, session);
    CodesignAnswer answer = Codesign(
        task, session.stop(), [&](const CodesignProgress& state) { line.Show(state); },
        std::exchange(first, false) ? group : nullptr);
    line.Finish();
    return answer;
  };
}

ExitCode Lead(const run::CodesignRequest& request, const run::CodesignInputs& inputs,
              SearchGroup* group, Session* session) {
  auto folder = ClaimOutput(request.common.values, session);
  if (!folder) return kWrongInput;
  const ResultHeader header = run::HeaderOf("codesign", request.common, inputs.record.inputs);
  if (request.explain) return RunExplain(inputs, header, &*folder, session);
  if (group != nullptr && !AllAgree(header, group)) {
    session->Report(
        Diagnostics{MakeError({}, "not all processes of mpirun have read the same",
                              "all need the same files, the same options and the same inlay")});
    return kWrongInput;
  }
  const auto run = run::Run(request, inputs, SearchWithProgress(group, *session), session->stop());
  if (!run) return ReportFailure(run.error(), session);
  const auto summary = [&](const TextStyle& style) {
    return report::CodesignSummary(run->result, style);
  };
  std::vector<OutputFile> files = FilesOf(inputs.task, run->answer.designs);
  if (inputs.task.scope == Scope::kPareto) {
    files.push_back({"front.csv", report::FrontCsv(run->result)});
  }
  return Deliver({io::WriteJson(run->result), summary, std::move(files), true}, &*folder, session);
}

ExitCode RunCodesign(const Invocation& invocation, Session* session) {
  if (const Diagnostics errors = CheckMpi(*session); !errors.empty()) {
    session->Report(errors);
    return kWrongInput;
  }
  const std::unique_ptr<SearchGroup> group =
      StartedByMpi(*session) ? study::mpi::JoinSearchGroup() : nullptr;
  auto request = run::RequestFrom<run::CodesignRequest>(invocation.options);
  request.workloads = invocation.arguments;
  if (!request.common.threads) request.common.threads = DefaultThreads();
  if (group != nullptr && !group->IsLeader()) {  // takes part in the search and prints nothing
    const auto inputs = Load(&request);
    if (inputs && !request.explain &&
        AllAgree(run::HeaderOf("codesign", request.common, inputs->record.inputs), group.get())) {
      Codesign(inputs->task, session->stop(), {}, group.get());
    }
    return kDone;
  }
  const auto inputs = LoadInputs(&request, session);
  return inputs ? Lead(request, *inputs, group.get(), session) : kWrongInput;
}

Option CodesignFolderOption() {
  return OutputFolderOption(
      "write result.json, summary.txt (always UTF-8), and for every architecture architecture.yaml "
      "and the mappings into this folder; it must be new or empty");
}

}  // namespace

Command CodesignCommand() {
  std::vector<Option> options = OptionsOf<run::CodesignRequest>();
  AddOutputOptions(CodesignFolderOption(), &options);
  return {
      .name = "codesign",
      .sentence = "architecture and mappings together, with a certificate",
      .usages = {"WORKLOAD... --technology NAME --area UM2 [OPTIONS]",
                 "WORKLOAD... --arch FILE [OPTIONS]"},
      .details =
          "Chooses registers per element (2^2 to 2^12 words), SRAM (2^6 to 2^18 words) and as many "
          "elements as the rest of the area holds, or what the file of --arch marks as free, "
          "together with the mapping of every layer, for the least --objective. Every architecture "
          "is searched, or ruled out by a bound.\n"
          "Ends with code 1 if a budget is too small, and says how much is needed. Ctrl-C and "
          "SIGTERM "
          "end the search with the best so far, marked as interrupted, and code 130.",
      .arguments = {{.name = "WORKLOAD",
                     .sentence = "a built-in network, one of its layers, or a file; layers of "
                                 "several are put together",
                     .repeated = true}},
      .options = std::move(options),
      .examples =
          {{"inlay codesign thistle-table2 --technology thistle-45nm --area 2363756 --semantics "
            "thistle",
            "the best architecture for each layer of the Thistle paper, in the area of its "
            "Eyeriss"},
           {"inlay codesign thistle-table2 --technology thistle-45nm --area 2363756 --semantics "
            "thistle --scope network --baseline thistle-eyeriss",
            "one architecture for all of them, compared with Eyeriss"},
           {"inlay codesign gemm.yaml --arch family.yaml --objective edp --sram '4 KiB'",
            "whatever a file marks as free, as in 'capacity: {free: pow2, min: 64, max: 4096}'"},
           {"inlay codesign thistle-table2/resnet2 --technology thistle-45nm --area 2363756 "
            "--semantics thistle --method exact,gp",
            "the proven answer, and how near geometric programs come to it"},
           {"inlay codesign thistle-table2/resnet2 --technology thistle-45nm --area 2363756 "
            "--explain",
            "the expressions behind those programs"}},
      .common_options = {.time_limit =
                             "the most time for all: 500ms, 60s, 5min; then the best so far",
                         .threads = true,
                         .dims = true},
      .run = RunCodesign,
  };
}

}  // namespace inlay::cli

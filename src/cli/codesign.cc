#include "inlay/codesign/codesign.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "cli/codesign_progress.h"
#include "cli/codesign_result.h"
#include "cli/deliver.h"
#include "cli/mpirun.h"
#include "cli/session.h"
#include "inlay/base/version.h"
#include "inlay/codesign/explain.h"
#include "inlay/codesign/options.h"
#include "inlay/codesign/template.h"
#include "inlay/io/file.h"
#include "inlay/io/json/codesign.h"
#include "inlay/io/json/document.h"
#include "inlay/io/library/library.h"
#include "inlay/io/load.h"
#include "inlay/mapper/network.h"
#include "inlay/report/codesign.h"
#include "inlay/report/explain.h"
#include "inlay/study/mpi/company.h"

namespace inlay::cli {
namespace {

struct Task {
  CodesignTask codesign;
  std::optional<Method> compare_with;  // another method, for the same question
  std::optional<Architecture> baseline;
};

void Append(Diagnostics from, Diagnostics* to) {
  std::move(from.begin(), from.end(), std::back_inserter(*to));
}

// In um2: "2363756", "2.36e6 um2", "2.36 mm2".
std::optional<double> ReadArea(const std::string& text) {
  double area = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, area);
  std::string unit(last, end);
  unit.erase(0, unit.find_first_not_of(' '));
  if (unit == "mm2") area *= 1e6;
  const bool known = unit.empty() || unit == "um2" || unit == "mm2";
  if (error != std::errc() || !known || !(area > 0) || area > 1e15) return std::nullopt;
  return area;
}

// A file with free attributes; budgets given as options go before those of the file.
void ReadFamily(const OptionValues& values, std::optional<double> area, CodesignTask* task,
                io::LoadRecord* record, Diagnostics* errors) {
  if (values.Has("technology")) {
    errors->push_back(MakeError({}, "--technology and --arch are two families to choose from",
                                "name the technology in the architecture's file"));
  }
  auto space = io::LoadArchitectureSpace(values.Text("arch"), record);
  if (!space) return Append(std::move(space.error()), errors);
  task->space = *std::move(space);
  if (area) task->space.budget.area_um2 = area;
}

// Budgets as options, in the units of files.
void ReadBudgets(const OptionValues& values, CodesignTask* task, Diagnostics* errors) {
  for (const Resource resource : {Resource::kPower, Resource::kSram, Resource::kBandwidth}) {
    const std::string name = Name(resource);
    if (!values.Has(name)) continue;
    if (!values.Has("arch") && resource != Resource::kSram) {
      errors->push_back(MakeError(
          {},
          "--" + name + " needs --arch: memories of the family of --technology have no bandwidth",
          "give the memories of an architecture's file 'read_bandwidth' and 'write_bandwidth', or "
          "'shared_bandwidth'; what is drawn in a cycle follows from them"));
      continue;
    }
    const auto amount = io::ParseBudget(resource, values.Text(name), task->space.base);
    if (amount) {
      task->space.budget.of(resource) = *amount;
    } else {
      errors->push_back(
          MakeError({}, "--" + name + ": " + amount.error().message, amount.error().hint));
    }
  }
  if (!errors->empty()) return;
  for (const Fault& fault : Validate(task->space)) {
    errors->push_back(MakeError({}, fault.message, fault.hint));
  }
}

void ReadSpace(const OptionValues& values, CodesignTask* task, io::LoadRecord* record,
               Diagnostics* errors) {
  if (!values.Has("arch") && (!values.Has("technology") || !values.Has("area"))) {
    errors->push_back(MakeError({}, "there is nothing to choose an architecture from",
                                "give --technology and --area, such as --technology thistle-45nm "
                                "--area 2363756, or --arch FILE with free attributes"));
    return;
  }
  const auto area = values.Has("area") ? ReadArea(values.Text("area")) : std::nullopt;
  if (values.Has("area") && !area) {
    errors->push_back(MakeError({}, "--area: expected an area, found '" + values.Text("area") + "'",
                                "such as 2363756 (um2), '2.36 mm2' or 2.36e6"));
  }
  if (values.Has("arch")) return ReadFamily(values, area, task, record, errors);
  auto technology = io::LoadBuiltinTechnology(values.Text("technology"));
  if (!technology) {
    Append(std::move(technology.error()), errors);
    return;
  }
  if (area) task->space = ThistleTemplate(*technology, *area);
}

// Everything that can be wrong before the search starts, all at once.
Result<Task> ReadTask(const Invocation& invocation, io::LoadRecord* record) {
  const OptionValues& values = invocation.options;
  record->dims = DimsFrom(values);
  Task task;
  Diagnostics errors = ReadCodesignOptions(values, &task.codesign);
  task.compare_with = SecondMethod(values);
  ReadSpace(values, &task.codesign, record, &errors);
  ReadBudgets(values, &task.codesign, &errors);
  for (const std::string& argument : invocation.arguments) {
    auto network = io::LoadWorkload(argument, record);
    if (!network) {
      Append(std::move(network.error()), &errors);
      continue;
    }
    std::string& name = task.codesign.network.name;
    name += (name.empty() ? "" : " + ") + argument;
    for (Layer& layer : network->layers) task.codesign.network.layers.push_back(std::move(layer));
  }
  if (values.Has("constraints") && !task.codesign.space.base.levels.empty()) {
    auto constraints =
        io::LoadConstraints(values.Text("constraints"), task.codesign.space.base, record);
    if (constraints) {
      task.codesign.constraints = *std::move(constraints);
    } else {
      Append(std::move(constraints.error()), &errors);
    }
  }
  if (values.Has("baseline")) {
    auto baseline = io::LoadArchitecture(values.Text("baseline"), record);
    if (baseline) {
      task.baseline = *std::move(baseline);
    } else {
      Append(std::move(baseline.error()), &errors);
    }
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return task;
}

// The same layers on the architecture to compare with; none where they do not fit.
std::optional<ArchitectureResult> BaselineOf(const Task& task, Session* session) {
  NetworkTask map;
  map.network = task.codesign.network;
  map.architecture = *task.baseline;
  map.mapspace = task.codesign.mapspace;
  map.options = task.codesign.options;
  if (map.options.time_limit_seconds) {  // of all layers there; here of each
    *map.options.time_limit_seconds /= static_cast<double>(map.network.layers.size());
  }
  if (map.options.objective == Objective{Metric::kEnergy}) {  // as for the architectures found
    map.options.objective.push_back(Metric::kDelay);
  }
  if (task.codesign.scope != Scope::kLayer && task.codesign.method == Method::kExact) {
    map.options.of = MinimisedOf::kNetwork;
  }
  const auto answer = MapNetwork(map, session->stop());
  if (!answer || !answer->totals) return std::nullopt;
  ArchitectureResult result;
  result.name = task.baseline->name;
  result.area_um2 = AreaUm2(*task.baseline);
  result.total = *answer->totals;
  return result;
}

// Where the architecture to compare with has more or less silicon than there is to spend.
Diagnostics UnequalAreas(const Task& task) {
  constexpr double kFair = 0.05;
  const auto& budget = task.codesign.space.budget.area_um2;
  const auto area = task.baseline ? AreaUm2(*task.baseline) : std::nullopt;
  if (!budget || !area || std::abs(*area / *budget - 1) <= kFair) return {};
  return {MakeWarning({},
                      fmt::format("'{}' has {:.4g} mm2, and there are {:.4g} mm2 to spend: the "
                                  "comparison is not one of equal silicon",
                                  task.baseline->name, *area * 1e-6, *budget * 1e-6),
                      fmt::format("for that, give --area {:.0f}", *area))};
}

bool ReportFaults(const CodesignAnswer& answer, Session* session) {
  Diagnostics errors;
  for (const Faults* faults : {&answer.unable, &answer.infeasible}) {
    for (const Fault& fault : *faults) errors.push_back(MakeError({}, fault.message, fault.hint));
  }
  session->Report(errors);
  return !errors.empty();
}

// Whether all processes of mpirun have been asked the same.
bool AllAgree(const ResultHeader& header, Company* company) {
  const std::string hash = io::ContentHash(io::WriteJson(header));
  const CompanyReport own(hash.begin(), hash.end());
  const auto reports = company->Meet(own);
  return !reports.empty() &&
         std::all_of(reports.begin(), reports.end(), [&](const auto& each) { return each == own; });
}

// The search with its line of progress.
CodesignAnswer Search(const CodesignTask& task, Company* company, const Session& session) {
  CodesignProgressLine line(task, session);
  CodesignAnswer answer = Codesign(
      task, session.stop(), [&](const CodesignProgress& state) { line.Show(state); }, company);
  line.Finish();
  return answer;
}

// The expressions instead of a search.
ExitCode RunExplain(const Task& task, const ResultHeader& header,
                    std::optional<OutputFolder>* folder, Session* session) {
  std::vector<Explanation> explanations;
  Diagnostics errors;
  for (const Layer& layer : task.codesign.network.layers) {
    auto explanation = Explain(layer, task.codesign.space.base);
    if (explanation) {
      explanations.push_back(*std::move(explanation));
      continue;
    }
    for (const Fault& fault : explanation.error()) {
      errors.push_back(MakeError({}, layer.name + ": " + fault.message, fault.hint));
    }
  }
  session->Report(errors);
  if (!errors.empty()) return kWrongInput;
  const auto summary = [&](const TextStyle& style) {
    std::string text;
    for (const Explanation& explanation : explanations) {
      text += (text.empty() ? "" : "\n") + report::ExplanationText(explanation, style);
    }
    return text;
  };
  return Deliver({io::WriteExplanations(header, explanations), summary, {}}, folder, session);
}

// 0: there is an answer.
ExitCode CheckAnswer(const CodesignAnswer& answer, Session* session) {
  if (ReportFaults(answer, session)) return answer.unable.empty() ? kNoAnswer : kWrongInput;
  if (!answer.designs.empty()) return kDone;
  session->Report(
      Diagnostics{MakeError({}, "the time was up before there was an answer", "give it more")});
  return kNoAnswer;
}

// What the command was asked for, ready to run.
struct Question {
  Task task;
  ResultHeader header;
  Diagnostics warnings;
};
Result<Question> ReadQuestion(const Invocation& invocation) {
  io::LoadRecord record;
  auto task = ReadTask(invocation, &record);
  if (!task) return Fail(std::move(task.error()));
  if (!invocation.options.Has("threads")) task->codesign.options.threads = DefaultThreads();
  Diagnostics warnings = UnequalAreas(*task);
  warnings.insert(warnings.begin(), record.warnings.begin(), record.warnings.end());
  ResultHeader header{"codesign", std::string(kVersion), record.inputs,
                      invocation.options.ForResult()};
  return Question{*std::move(task), std::move(header), std::move(warnings)};
}

// A process that does not lead: takes part in the search and prints nothing.
void Help(const Question& question, Company* company, const Session& session) {
  if (AllAgree(question.header, company)) {
    Codesign(question.task.codesign, session.stop(), {}, company);
  }
}

ExitCode Lead(const Invocation& invocation, const Question& question, Company* company,
              Session* session) {
  const Task& task = question.task;
  session->Report(question.warnings);
  CodesignResult result;
  result.header = question.header;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  if (invocation.options.Flag("explain")) {
    return RunExplain(task, result.header, &*folder, session);
  }
  if (company != nullptr && !AllAgree(result.header, company)) {
    session->Report(
        Diagnostics{MakeError({}, "not all processes of mpirun have read the same",
                              "all need the same files, the same options and the same inlay")});
    return kWrongInput;
  }
  const auto start = std::chrono::steady_clock::now();
  const CodesignAnswer answer = Search(task.codesign, company, *session);
  if (const ExitCode code = CheckAnswer(answer, session); code != kDone) return code;
  result.workload = task.codesign.network.name;
  result.method = Name(task.codesign.method);
  result.scope = invocation.options.Text("scope");
  result.metric = Name(task.codesign.options.objective.front());
  result.tie_break = task.codesign.options.objective.size() > 1;
  result.searched = answer.architectures;
  result.use = answer.use;
  result.area_budget_um2 = task.codesign.space.budget.area_um2;
  result.architectures = ArchitecturesOf(task.codesign, answer);
  if (answer.certificate) {
    const Certificate& known = *answer.certificate;
    result.certificate = CodesignCertificate{known.status, known.objective, known.lower_bound,
                                             known.gap,    known.proven,    std::nullopt};
    if (result.scope == "pareto") {  // a front has no single figure
      result.certificate->objective.reset();
      result.certificate->lower_bound.reset();
      result.certificate->open = answer.open;
    }
  }
  if (task.compare_with && !answer.interrupted) {
    CodesignTask other = task.codesign;
    other.method = *task.compare_with;
    const CodesignAnswer compared = Search(other, nullptr, *session);
    if (const ExitCode code = CheckAnswer(compared, session); code != kDone) return code;
    result.compared = ComparedTo(answer, other, compared);
    result.compared_use = compared.use;
  }
  if (task.baseline) result.baseline = BaselineOf(task, session);
  result.interrupted = answer.interrupted;
  result.time_limit_reached = answer.interrupted && !session->Stopped();
  result.threads = task.codesign.options.threads;
  result.progress = answer.effort.progress;
  result.search_seconds = answer.effort.seconds;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto summary = [&](const TextStyle& style) {
    return report::CodesignSummary(result, style);
  };
  std::vector<OutputFile> files = FilesOf(task.codesign, answer.designs);
  if (task.codesign.scope == Scope::kPareto) {
    files.push_back({"front.csv", report::FrontCsv(result)});
  }
  return Deliver({io::WriteJson(result), summary, std::move(files), true}, &*folder, session);
}

ExitCode RunCodesign(const Invocation& invocation, Session* session) {
  if (const Diagnostics errors = CheckMpi(*session); !errors.empty()) {
    session->Report(errors);
    return kWrongInput;
  }
  const std::unique_ptr<Company> company =
      StartedByMpi(*session) ? study::mpi::JoinCompany() : nullptr;
  const auto question = ReadQuestion(invocation);
  if (company != nullptr && !company->Leads()) {
    const bool searches = !invocation.options.Flag("explain");
    if (question && searches) Help(*question, company.get(), *session);
    return kDone;
  }
  if (question) return Lead(invocation, *question, company.get(), session);
  session->Report(question.error());
  return kWrongInput;
}

std::vector<Option> Records() {
  std::vector<Option> records = {
      {.name = "technology",
       .sentence = "what memories and units cost by their size: a built-in",
       .value_name = "NAME",
       .in_result = true},
      {.name = "area",
       .sentence = "the silicon there is, in um2 or with a unit, such as '2.36 mm2'; the Thistle "
                   "paper's Eyeriss (thistle-eyeriss) has 2363756. With --arch, instead of the "
                   "file's",
       .value_name = "UM2",
       .in_result = true},
      {.name = "arch",
       .sentence = "instead: a native file of an architecture with free attributes",
       .value_name = "FILE"},
      {.name = "power",
       .sentence = "with --arch: the most that the chip may draw in a cycle, such as '100 "
                   "pJ/cycle'; follows "
                   "from the bandwidths in the file",
       .value_name = "POWER",
       .in_result = true},
      {.name = "sram",
       .sentence = "the most of all SRAM together, such as '128 KiB' or '65536 words'",
       .value_name = "SIZE",
       .in_result = true},
      {.name = "bandwidth",
       .sentence = "with --arch: the most off-chip bandwidth, such as '16 words/cycle'",
       .value_name = "RATE",
       .in_result = true},
      {.name = "constraints",
       .sentence =
           "a file of constraints on the mappings; without --arch the levels are DRAM, SRAM and "
           "registers, the fan-out PEs",
       .value_name = "FILE"},
      {.name = "baseline",
       .sentence = "an architecture to compare with: a built-in or a file",
       .value_name = "ARCH"},
      {.name = "explain",
       .sentence = "do not search: print words of tiles and words copied as expressions, for every "
                   "class of loop orders",
       .type = OptionType::kFlag},
  };
  // After the family and its budgets.
  std::vector<Option> search = CodesignOptionRecords();
  records.insert(std::find_if(records.begin(), records.end(),
                              [](const Option& option) { return option.name == "constraints"; }),
                 std::make_move_iterator(search.begin()), std::make_move_iterator(search.end()));
  return records;
}

Option CodesignFolderOption() {
  return OutputFolderOption(
      "write result.json, summary.txt (always UTF-8), and for every architecture architecture.yaml "
      "and the mappings into this folder; it must be new or empty");
}

}  // namespace

Command CodesignCommand() {
  std::vector<Option> options = Records();
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
      .heeds = {.time_limit = "the most time for all: 500ms, 60s, 5min; then the best so far",
                .threads = true,
                .dims = true},
      .run = RunCodesign,
  };
}

}  // namespace inlay::cli

#include "inlay/codesign/codesign.h"

#include <charconv>
#include <chrono>
#include <utility>

#include "cli/deliver.h"
#include "cli/map_files.h"
#include "cli/session.h"
#include "inlay/base/version.h"
#include "inlay/codesign/template.h"
#include "inlay/cost/options.h"
#include "inlay/io/json/codesign.h"
#include "inlay/io/library/library.h"
#include "inlay/io/load.h"
#include "inlay/mapper/network.h"
#include "inlay/mapper/options.h"
#include "inlay/report/codesign.h"
#include "inlay/report/map_result.h"

namespace inlay::cli {
namespace {

struct Task {
  CodesignTask codesign;
  std::optional<Architecture> baseline;
};

void Append(Diagnostics from, Diagnostics* to) {
  std::move(from.begin(), from.end(), std::back_inserter(*to));
}

// "hetero:3" and the like.
bool ReadScope(const std::string& text, CodesignTask* task) {
  for (const Scope scope : {Scope::kLayer, Scope::kNetwork, Scope::kDominant, Scope::kPareto}) {
    if (text != Name(scope)) continue;
    task->scope = scope;
    return true;
  }
  constexpr std::string_view kHetero = "hetero:";
  if (text.rfind(kHetero, 0) != 0) return false;
  task->scope = Scope::kHetero;
  const char* begin = text.data() + kHetero.size();
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(begin, end, task->most_architectures);
  return error == std::errc() && last == end && task->most_architectures >= 1;
}

// A number of um2 such as 2363756 or 2.36e6.
std::optional<double> ReadArea(const std::string& text) {
  double area = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), area);
  if (error != std::errc() || last != text.data() + text.size() || !(area > 0) || area > 1e15) {
    return std::nullopt;
  }
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
    errors->push_back(
        MakeError({}, "--area: expected an area in um2, found '" + values.Text("area") + "'",
                  "such as 2363756"));
  }
  if (values.Has("arch")) return ReadFamily(values, area, task, record, errors);
  auto technology = io::LoadBuiltinTechnology(values.Text("technology"));
  if (!technology) {
    Append(std::move(technology.error()), errors);
    return;
  }
  if (area) task->space = ThistleTemplate(*technology, *area);
}

void ReadOptions(const OptionValues& values, CodesignTask* task, Diagnostics* errors) {
  Append(ReadSearchOptions(values, &task->options), errors);
  task->mapspace = MapspaceFrom(values);
  if (!ReadScope(values.Text("scope"), task)) {
    errors->push_back(MakeError({}, "--scope: '" + values.Text("scope") + "' is no scope",
                                "layer, network, dominant, pareto, or hetero:N"));
  }
}

// Everything that can be wrong before the search starts, all at once.
Result<Task> ReadTask(const Invocation& invocation, io::LoadRecord* record) {
  const OptionValues& values = invocation.options;
  record->dims = DimsFrom(values);
  Task task;
  Diagnostics errors;
  ReadOptions(values, &task.codesign, &errors);
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

ArchitectureResult ResultOf(const CodesignTask& task, const Design& design) {
  ArchitectureResult result;
  result.name = design.choice.architecture.name;
  for (size_t i = 0; i < task.space.free.size(); ++i) {
    result.attributes.emplace_back(task.space.free[i].name, design.choice.values[i]);
  }
  result.area_um2 = design.choice.area_um2;
  for (const LayerDesign& layer : design.layers) {
    LayerAnswer answer;
    answer.best = layer.solution;
    result.layers.push_back(report::LayerResultOf(task.network.layers[layer.layer],
                                                  design.choice.architecture, answer));
  }
  result.total = {design.energy_pj, design.cycles,
                  design.energy_pj * static_cast<double>(design.cycles)};
  return result;
}

// The same layers on the architecture to compare with; none where they do not fit.
std::optional<ArchitectureResult> BaselineOf(const Task& task, Session* session) {
  NetworkTask map;
  map.network = task.codesign.network;
  map.architecture = *task.baseline;
  map.mapspace = task.codesign.mapspace;
  map.options = task.codesign.options;
  const auto answer = MapNetwork(map, session->stop());
  if (!answer || !answer->totals) return std::nullopt;
  ArchitectureResult result;
  result.name = task.baseline->name;
  result.area_um2 = AreaUm2(*task.baseline);
  result.total = *answer->totals;
  return result;
}

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

bool ReportFaults(const CodesignAnswer& answer, Session* session) {
  Diagnostics errors;
  for (const Faults* faults : {&answer.unable, &answer.infeasible}) {
    for (const Fault& fault : *faults) errors.push_back(MakeError({}, fault.message, fault.hint));
  }
  session->Report(errors);
  return !errors.empty();
}

ExitCode RunCodesign(const Invocation& invocation, Session* session) {
  io::LoadRecord record;
  const auto task = ReadTask(invocation, &record);
  if (!task) {
    session->Report(task.error());
    return kWrongInput;
  }
  session->Report(record.warnings);
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  const auto start = std::chrono::steady_clock::now();
  const CodesignAnswer answer = Codesign(task->codesign, session->stop());
  if (ReportFaults(answer, session)) return answer.unable.empty() ? kNoAnswer : kWrongInput;
  if (answer.designs.empty()) {
    session->Report(
        Diagnostics{MakeError({}, "the time was up before there was an answer", "give it more")});
    return kNoAnswer;
  }
  CodesignResult result;
  result.header = {"codesign", std::string(kVersion), record.inputs,
                   invocation.options.ForResult()};
  result.workload = task->codesign.network.name;
  result.scope = invocation.options.Text("scope");
  result.searched = answer.architectures;
  for (const Design& design : answer.designs) {
    result.architectures.push_back(ResultOf(task->codesign, design));
  }
  result.certificate = answer.certificate;
  if (task->baseline) result.baseline = BaselineOf(*task, session);
  result.interrupted = answer.interrupted;
  result.threads = task->codesign.options.threads;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto summary = [&](const TextStyle& style) {
    return report::CodesignSummary(result, style);
  };
  return Deliver(
      {io::WriteCodesignResult(result), summary, FilesOf(task->codesign, answer.designs), true},
      &*folder, session);
}

std::vector<Option> Records() {
  return {
      {.name = "technology",
       .sentence = "what memories and units cost by their size: a built-in",
       .value_name = "NAME",
       .in_result = true},
      {.name = "area",
       .sentence = "the silicon there is, in um2; Eyeriss has 2363756 in thistle-45nm. With "
                   "--arch, instead of the file's",
       .value_name = "UM2",
       .in_result = true},
      {.name = "arch",
       .sentence = "instead: a native file of an architecture with free attributes",
       .value_name = "FILE"},
      {.name = "power",
       .sentence = "the most that the chip may draw in a cycle, such as '100 pJ/cycle'",
       .value_name = "POWER",
       .in_result = true},
      {.name = "sram",
       .sentence = "the most of all SRAM together, such as '128 KiB' or '65536 words'",
       .value_name = "SIZE",
       .in_result = true},
      {.name = "bandwidth",
       .sentence = "the most off-chip bandwidth, such as '16 words/cycle'",
       .value_name = "RATE",
       .in_result = true},
      {.name = "scope",
       .sentence = "an architecture for every layer, one for all of them, the one of the dominant "
                   "layer, all that no other beats, or at most N (hetero:N)",
       .value_name = "layer|network|dominant|pareto|hetero:N",
       .default_text = "layer",
       .in_result = true},
      {.name = "objective",
       .sentence = "what to minimise: energy, cycles, or their product; the next of a list decides "
                   "among equals",
       .type = OptionType::kChoices,
       .choices = {"energy", "delay", "edp"},
       .default_text = "energy",
       .in_result = true},
      MapspaceRecord("which tilings are allowed, as in 'inlay map'", "perfect"),
      SearchSemanticsRecord(),
      AccountingRecord(),
      {.name = "constraints",
       .sentence =
           "a file of constraints on the mappings; without --arch the levels are DRAM, SRAM and "
           "registers, the fan-out PEs",
       .value_name = "FILE"},
      {.name = "baseline",
       .sentence = "an architecture to compare with: a built-in or a file",
       .value_name = "ARCH"},
  };
}

Option CodesignFolderOption() {
  Option option = OutputFolderOption();
  option.sentence =
      "write result.json, summary.txt (always UTF-8), and for every architecture architecture.yaml "
      "and the mappings into this folder; it must be new or empty";
  return option;
}

}  // namespace

Command CodesignCommand() {
  std::vector<Option> options = Records();
  for (Option& option :
       std::vector<Option>{CodesignFolderOption(), JsonOption(), AsciiOption(), QuietOption()}) {
    options.push_back(std::move(option));
  }
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
          "Ends with code 1 if a budget is too small, and says how much is needed.",
      .arguments = {{.name = "WORKLOAD",
                     .sentence = "a built-in network, one of its layers, or a file; layers of "
                                 "several are put together",
                     .repeated = true}},
      .options = std::move(options),
      .examples =
          {{"inlay codesign thistle-table2 --technology thistle-45nm --area 2363756 --semantics "
            "thistle",
            "the best architecture for each layer of the Thistle paper, in the area of Eyeriss"},
           {"inlay codesign thistle-table2 --technology thistle-45nm --area 2363756 --semantics "
            "thistle --scope network --baseline thistle-eyeriss",
            "one architecture for all of them, compared with Eyeriss"},
           {"inlay codesign gemm.yaml --arch family.yaml --objective edp --sram '4 KiB'",
            "whatever a file marks as free, as in 'capacity: {free: pow2, min: 64, max: 4096}'"}},
      .heeds = {.time_limit = "the most time for all: 500ms, 60s, 5min; then the best so far",
                .threads = true,
                .dims = true},
      .run = RunCodesign,
  };
}

}  // namespace inlay::cli

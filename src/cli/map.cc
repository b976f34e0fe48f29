#include "inlay/report/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/deliver.h"
#include "cli/map_files.h"
#include "cli/map_progress.h"
#include "cli/session.h"
#include "inlay/base/version.h"
#include "inlay/io/json/document.h"
#include "inlay/io/load.h"
#include "inlay/mapper/network.h"
#include "inlay/mapper/options.h"
#include "inlay/mapspace/blame.h"
#include "inlay/mapspace/unknown_dims.h"
#include "inlay/report/map_result.h"

namespace inlay::cli {
namespace {

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

void Append(Diagnostics from, Diagnostics* to) {
  std::move(from.begin(), from.end(), std::back_inserter(*to));
}

// Reports a fault that several layers share once.
void AppendOnce(const Diagnostics& from, Diagnostics* to) {
  for (const Diagnostic& diagnostic : from) {
    const bool told = std::any_of(to->begin(), to->end(), [&](const Diagnostic& other) {
      return other.message == diagnostic.message;
    });
    if (!told) to->push_back(diagnostic);
  }
}

Diagnostics CheckOnchip(const NetworkTask& task) {
  Diagnostics errors;
  for (const std::string& name : task.onchip) {
    const bool known = std::any_of(
        task.network.layers.begin(), task.network.layers.end(),
        [&](const Layer& layer) { return FindTensor(layer.problem, name).has_value(); });
    if (known) continue;
    errors.push_back(
        MakeError({}, "--onchip: no layer has a tensor '" + name + "'",
                  fmt::format("the tensors are {}",
                              fmt::join(TensorNames(task.network.layers.front().problem), ", "))));
  }
  return errors;
}

// Everything that can be wrong before the search starts, all at once.
Result<NetworkTask> ReadTask(const Invocation& invocation, io::LoadRecord* record) {
  const OptionValues& values = invocation.options;
  NetworkTask task;
  Diagnostics errors;
  if (auto options = MapOptionsFrom(values)) {
    task.options = *std::move(options);
  } else {
    Append(std::move(options.error()), &errors);
  }
  task.mapspace = MapspaceFrom(values);
  if (values.Has("onchip")) task.onchip = SplitAtCommas(values.Text("onchip"));
  record->dims = DimsFrom(values);
  auto network = io::LoadWorkload(invocation.arguments.front(), record);
  if (!network) Append(std::move(network.error()), &errors);
  if (!values.Has("arch")) {
    errors.push_back(MakeError({}, "there is no architecture",
                               "give --arch ARCH: a built-in ('inlay list architecture' lists "
                               "them) or a file"));
    return Fail(std::move(errors));
  }
  auto architecture = io::LoadArchitecture(values.Text("arch"), record);
  if (!architecture) Append(std::move(architecture.error()), &errors);
  if (!network || !architecture) return Fail(std::move(errors));
  task.network = *std::move(network);
  task.architecture = *std::move(architecture);
  if (values.Has("constraints")) {
    auto constraints = io::LoadConstraints(values.Text("constraints"), task.architecture, record);
    if (constraints) {
      task.constraints = *std::move(constraints);
    } else {
      Append(std::move(constraints.error()), &errors);
    }
  }
  for (const Layer& layer : task.network.layers) {
    AppendOnce(io::CheckTensorNames(layer.problem, task.architecture), &errors);
  }
  Append(CheckOnchip(task), &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  Append(WarnOfUnknownDims(task.network, task.architecture, task.constraints), &record->warnings);
  return task;
}

MapResult ResultOf(const NetworkTask& task, const NetworkAnswer& answer) {
  MapResult result;
  result.workload = task.network.name;
  result.architecture = task.architecture.name;
  result.total = answer.totals;
  result.measured.threads = task.options.threads;
  for (size_t i = 0; i < answer.layers.size(); ++i) {
    const Layer& layer = task.network.layers[i];
    result.layers.push_back(report::LayerResultOf(layer, task.architecture, answer.layers[i]));
    LayerResult& added = result.layers.back();
    if (task.options.front && !added.front) added.front.emplace();
    if (answer.same_as[i] != i) {
      added.same_as = task.network.layers[answer.same_as[i]].name;
    }
  }
  return result;
}

bool HasAnswer(const LayerAnswer& answer) { return answer.best || !answer.front.empty(); }

// "layer 'a'", "layers 'a', 'b', 'c' and 7 more".
std::string LayersText(const std::vector<std::string>& names) {
  constexpr size_t kMost = 3;
  std::string text = names.size() == 1 ? "layer " : "layers ";
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "'" : ", '") + names[i] + "'";
  }
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

// Says of every layer without a mapping why it has none. True if there is such a layer.
bool ReportMissing(const NetworkTask& task, const NetworkAnswer& answer, Session* session) {
  Diagnostics errors;
  std::vector<std::vector<std::string>> layers;  // that have the error
  bool missing = false;
  for (size_t i = 0; i < answer.layers.size(); ++i) {
    if (HasAnswer(answer.layers[i])) continue;
    missing = true;
    if (answer.same_as[i] != i) continue;
    const Layer& layer = task.network.layers[i];
    for (const Fault& reason : report::ReasonsOf(answer.layers[i])) {
      const auto told = std::find_if(errors.begin(), errors.end(), [&](const Diagnostic& error) {
        return error.message == reason.message;
      });
      const auto index = static_cast<size_t>(told - errors.begin());
      if (told == errors.end()) {
        errors.push_back(
            BlameConstraints(reason, layer.problem, task.architecture, task.constraints));
        layers.emplace_back();
      }
      layers[index].push_back(layer.name);
    }
  }
  for (size_t i = 0; i < errors.size(); ++i) {
    errors[i].message.insert(0, LayersText(layers[i]) + ": ");
  }
  session->Report(errors);
  return missing;
}

Result<NetworkAnswer> Search(const NetworkTask& task, Session* session) {
  MapProgressLine line(task.network, SearchCount(task.network), task.options, *session);
  auto answer =
      MapNetwork(task, session->stop(), [&](const MapProgress& state) { line.Show(state); });
  line.Finish();
  return answer;
}

ExitCode RunMap(const Invocation& invocation, Session* session) {
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
  const auto answer = Search(*task, session);
  if (!answer) {
    session->Report(answer.error());
    return kWrongInput;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const bool missing = ReportMissing(*task, *answer, session);
  if (std::none_of(answer->layers.begin(), answer->layers.end(), HasAnswer)) return kNoAnswer;

  MapResult result = ResultOf(*task, *answer);
  result.header = {"map", std::string(kVersion), record.inputs, HeededOptions(invocation.options)};
  result.interrupted = session->Stopped();
  result.measured.seconds = elapsed.count();
  const auto summary = [&](const TextStyle& style) {
    return report::MapSummary(result, task->architecture, style);
  };
  const ExitCode code = Deliver({io::WriteJson(result), summary,
                                 LayerFiles(task->network, task->architecture, answer->layers),
                                 true, report::MapReasons(result)},
                                &*folder, session);
  return code == kDone && missing ? kNoAnswer : code;
}

}  // namespace

Command MapCommand() {
  std::vector<Option> options = {
      {.name = "arch", .sentence = "the architecture: a built-in or a file", .value_name = "ARCH"},
      {.name = "constraints",
       .sentence = "a file with more constraints than the architecture has, native or Timeloop's",
       .value_name = "FILE"}};
  for (Option& option : MapOptionRecords()) options.push_back(std::move(option));
  AddOutputOptions(OutputFolderWithMappingsOption(), &options);
  return {
      .name = "map",
      .sentence = "the best mapping of every layer, with a certificate",
      .usages = {"WORKLOAD --arch ARCH [OPTIONS]"},
      .details =
          "Searches all mappings of each layer that the mapspace, the architecture's constraints "
          "and its memories allow, for the one of least --objective. The certificate says whether "
          "it is proven that there is none better, or how far the answer is at most from the "
          "best. What the architecture neither keeps nor bypasses is searched as well. Layers of "
          "the same problem are searched once.\n"
          "Ends with code 1 if a layer has no mapping, and says why. Ctrl-C and SIGTERM end the "
          "search with the best so far, marked as interrupted, and code 130.",
      .arguments = {{.name = "WORKLOAD",
                     .sentence = "a built-in network, one of its layers such as "
                                 "resnet50/conv2_1_3x3, or a file: ONNX, native, Timeloop's or "
                                 "SCALE-Sim's"}},
      .options = std::move(options),
      .examples =
          {{"inlay map resnet50/conv2_1_3x3 --arch eyeriss",
            "one layer: the mapping of the least energy-delay product"},
           {"inlay map resnet50 --arch eyeriss -o out",
            "a whole network; the mappings as files in a new folder"},
           {"inlay map alexnet --arch eyeriss --objective delay,energy --mapspace perfect",
            "the fastest mappings with divisors as tiles, and of those the one of least energy"},
           {"inlay map resnet50/conv1 --arch arch.yaml --constraints constraints.yaml --time-limit "
            "60s",
            "only mappings that keep to a file of constraints, for at most a minute"},
           {"inlay map gemm.yaml --arch eyeriss --strategy random --seed 7 --search-size 10000",
            "the best of 10000 valid mappings drawn at random"},
           {"inlay map resnet50/fc --arch eyeriss --front footprint,offchip,cycles",
            "what the layer costs off chip and in cycles for every amount of on-chip memory"}},
      .heeds = {.time_limit = "the most time for each layer: 500ms, 60s, 5min; then the best so "
                              "far, with its gap",
                .threads = true,
                .seed = true,
                .dims = true},
      .run = RunMap,
  };
}

}  // namespace inlay::cli

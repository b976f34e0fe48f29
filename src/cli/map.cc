#include "inlay/run/map.h"

#include <algorithm>
#include <utility>

#include "cli/deliver_result.h"
#include "cli/emit_program.h"
#include "cli/map_files.h"
#include "cli/map_progress.h"
#include "cli/session.h"
#include "inlay/io/json/document.h"
#include "inlay/report/map.h"

namespace inlay::cli {
namespace {

ExitCode RunMap(const Invocation& invocation, Session* session) {
  auto request = run::RequestFrom<run::MapRequest>(invocation.options);
  request.workloads = invocation.arguments;
  const auto inputs = LoadInputs(&request, session);
  if (!inputs) return kWrongInput;
  const NetworkTask& task = inputs->task;
  if (!CanEmit(invocation.options, task.network.layers.size(), session)) return kWrongInput;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;

  MapProgressLine line(task.network, SearchCount(task.network), task.options, *session);
  const auto run = run::Run(request, *inputs, session->stop(),
                            [&](const MapProgress& state) { line.Show(state); });
  line.Finish();
  if (!run) return ReportFailure(run.error(), session);
  session->Report(run->missing);
  const auto summary = [&](const TextStyle& style) {
    return report::MapSummary(run->result, task.architecture, style);
  };
  const bool emits = EmitsProgram(invocation.options);
  Delivery delivery{io::WriteJson(run->result), summary,
                    LayerFiles(task.network, task.architecture, run->answer.layers, emits), true,
                    report::MapReasons(run->result)};
  if (emits) PrintProgram(*folder, &delivery);
  const ExitCode code = Deliver(delivery, &*folder, session);
  return code == kDone && !run->complete ? kNoAnswer : code;
}

}  // namespace

Command MapCommand() {
  std::vector<Option> options = OptionsOf<run::MapRequest>();
  options.push_back(EmitOption());
  AddOutputOptions(OutputFolderWithMappingsOption(), &options);
  return {
      .name = "map",
      .sentence = "the best mapping of every layer, with a certificate",
      .usages = {"WORKLOAD... --arch ARCH... [OPTIONS]"},
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
                                 "SCALE-Sim's; several are layers of one network",
                     .repeated = true,
                     .is_list = true}},
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
           {"inlay map layers/*.yaml --arch row/arch.yaml row/components/*.yaml row/ERT.yaml",
            "Timeloop's files: the layers of a network, and an architecture in several files"},
           {"inlay map top.yaml.jinja2 --set architecture=row",
            "Timeloop's templates: problem and architecture from one file and what it includes"},
           {"inlay map gemm.yaml --arch eyeriss --strategy random --seed 7 --search-size 10000",
            "the best of 10000 valid mappings drawn at random"},
           {"inlay map resnet50/fc --arch eyeriss --front footprint,offchip,cycles",
            "what the layer costs off chip and in cycles for every amount of on-chip memory"},
           {"inlay map resnet50/conv5_1_1x1b --arch eyeriss --emit c > kernel.c",
            "the best mapping as a C program with explicit loads and stores"}},
      .common_options = {.time_limit =
                             "the most time for each layer: 500ms, 60s, 5min; then the best so "
                             "far, with its gap; 0 for no limit",
                         .usual_time_limit = "60s",
                         .threads = true,
                         .seed = true,
                         .dims = true},
      .run = RunMap,
  };
}

}  // namespace inlay::cli

#include "inlay/run/mapspace.h"

#include <utility>

#include "cli/deliver_result.h"
#include "cli/session.h"
#include "inlay/io/json/document.h"
#include "inlay/report/mapspace.h"

namespace inlay::cli {
namespace {

ExitCode RunMapspace(const Invocation& invocation, Session* session) {
  auto request = run::RequestFrom<run::MapspaceRequest>(invocation.options);
  request.workloads = invocation.arguments;
  const auto inputs = LoadInputs(&request, session);
  if (!inputs) return kWrongInput;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  const auto result = run::Run(request, *inputs, session->stop());
  if (!result) return ReportFailure(result.error(), session);
  const auto summary = [&](const TextStyle& style) {
    return report::MapspaceSummary(inputs->network.name, inputs->architecture.name, *result, style);
  };
  return Deliver({io::WriteJson(*result), summary, {}}, &*folder, session);
}

}  // namespace

Command MapspaceCommand() {
  std::vector<Option> options = OptionsOf<run::MapspaceRequest>();
  AddOutputOptions(OutputFolderOption(), &options);
  return {
      .name = "mapspace",
      .sentence = "the exact size of a mapspace: tilings x orders x bypass",
      .usages = {"WORKLOAD... --arch ARCH... [--mapspace perfect|padded|ruby-s|ruby-t|ruby|any] "
                 "[OPTIONS]"},
      .details =
          "Counts, without listing them, the distinct mappings of every layer that the fan-outs "
          "and "
          "the constraints allow, whether they fit into the memories or not. Loops of one step are "
          "dropped first. A tiling with fewer loops has fewer orders, so 'orders' is their mean, "
          "mappings / (tilings x bypass); in JSON a fraction where it is no whole number.",
      .arguments = {{.name = "WORKLOAD",
                     .sentence = "a built-in network, one of its layers, or a file; several are "
                                 "layers of one network",
                     .repeated = true,
                     .is_list = true}},
      .options = std::move(options),
      .examples =
          {{"inlay mapspace resnet50/conv2_1_3x3 --arch eyeriss --mapspace ruby-s",
            "the mapspace of one layer under Eyeriss's own constraints"},
           {"inlay mapspace net.yaml --arch arch.yaml --constraints constraints.yaml --json",
            "all layers of a file, with constraints beside those of the architecture"}},
      .common_options = {.time_limit = "give up after this time, with code 1: 500ms, 60s, 5min, 1h",
                         .dims = true},
      .run = RunMapspace,
  };
}

}  // namespace inlay::cli

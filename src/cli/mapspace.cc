#include "inlay/report/mapspace.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cli/deliver.h"
#include "cli/session.h"
#include "inlay/base/version.h"
#include "inlay/core/mapspace_result.h"
#include "inlay/io/json/document.h"
#include "inlay/io/load.h"
#include "inlay/mapper/options.h"
#include "inlay/mapspace/blame.h"
#include "inlay/mapspace/count.h"
#include "inlay/mapspace/unknown_dims.h"

namespace inlay::cli {
namespace {

struct MapspaceInputs {
  Network network;
  Architecture architecture;
  std::vector<Constraint> constraints;
};

// Everything that is wrong with the inputs is said at once.
std::optional<MapspaceInputs> LoadInputs(const Invocation& invocation, io::LoadRecord* record,
                                         const Session& session) {
  record->dims = DimsFrom(invocation.options);
  auto network = io::LoadWorkload(invocation.arguments.front(), record);
  if (!network) session.Report(network.error());
  if (!invocation.options.Has("arch")) {
    session.Report({MakeError({}, "there is no architecture", "give --arch ARCH")});
    return std::nullopt;
  }
  auto architecture = io::LoadArchitecture(invocation.options.Text("arch"), record);
  if (!architecture) session.Report(architecture.error());
  if (!network || !architecture) return std::nullopt;
  MapspaceInputs inputs{*std::move(network), *std::move(architecture), {}};
  if (invocation.options.Has("constraints")) {
    auto constraints =
        io::LoadConstraints(invocation.options.Text("constraints"), inputs.architecture, record);
    if (!constraints) {
      session.Report(constraints.error());
      return std::nullopt;
    }
    inputs.constraints = *std::move(constraints);
  }
  Diagnostics errors;
  for (const Layer& layer : inputs.network.layers) {
    errors = io::CheckTensorNames(layer.problem, inputs.architecture);
    if (!errors.empty()) break;  // the next layers would say the same
  }
  session.Report(errors);
  if (!errors.empty()) return std::nullopt;
  return inputs;
}

void ReportFaults(const Faults& faults, const Layer& layer, const MapspaceInputs& inputs,
                  const Session& session) {
  Diagnostics errors;
  for (const Fault& fault : faults) {
    errors.push_back(
        BlameConstraints(fault, layer.problem, inputs.architecture, inputs.constraints));
    errors.back().message.insert(0, "layer '" + layer.name + "': ");
  }
  session.Report(errors);
}

// The sizes of the mapspaces of all layers; layers of the same problem are counted once.
ExitCode CountLayers(const MapspaceInputs& inputs, Mapspace mapspace, const Deadline& deadline,
                     const Session& session, std::vector<MapspaceLayer>* layers) {
  const std::vector<Layer>& all = inputs.network.layers;
  for (size_t i = 0; i < all.size(); ++i) {
    size_t same = 0;
    while (all[same].problem.dims != all[i].problem.dims ||
           all[same].problem.tensors != all[i].problem.tensors) {
      ++same;
    }
    if (same < i) {
      layers->push_back((*layers)[same]);
    } else {
      const auto space =
          MakeSpace(all[i].problem, inputs.architecture, mapspace, inputs.constraints);
      if (!space) {
        ReportFaults(space.error(), all[i], inputs, session);
        return kWrongInput;
      }
      const auto size = CountMappings(*space, &deadline);
      if (!size) {
        ReportFaults(size.error(), all[i], inputs, session);
        return kNoAnswer;
      }
      layers->push_back({"",
                         1,
                         {size->size.ToString(), size->tilings.ToString(), OrdersText(*size),
                          size->bypass.ToString()}});
    }
    layers->back().name = all[i].name;
    layers->back().repeat = all[i].repeat;
    if (session.Stopped()) return kInterrupted;
  }
  return kDone;
}

ExitCode RunMapspace(const Invocation& invocation, Session* session) {
  io::LoadRecord record;
  const auto inputs = LoadInputs(invocation, &record, *session);
  if (!inputs) return kWrongInput;
  session->Report(record.warnings);
  session->Report(WarnOfUnknownDims(inputs->network, inputs->architecture, inputs->constraints));
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  MapspaceResult result;
  result.header = {"mapspace", std::string(kVersion), record.inputs,
                   invocation.options.ForResult()};
  const Mapspace mapspace = MapspaceFrom(invocation.options);
  result.mapspace = Name(mapspace);
  const auto start = std::chrono::steady_clock::now();
  const Deadline deadline(session->stop(), invocation.options.Seconds("time-limit"));
  const ExitCode counted = CountLayers(*inputs, mapspace, deadline, *session, &result.layers);
  if (counted != kDone) return counted;
  if (result.layers.size() == 1) result.only = result.layers.front().size;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  result.seconds = elapsed.count();
  const auto summary = [&](const TextStyle& style) {
    return report::MapspaceSummary(inputs->network.name, inputs->architecture.name, result, style);
  };
  return Deliver({io::WriteJson(result), summary, {}}, &*folder, session);
}

}  // namespace

Command MapspaceCommand() {
  return {
      .name = "mapspace",
      .sentence = "the exact size of a mapspace: tilings x orders x bypass",
      .usages = {"WORKLOAD --arch ARCH [--mapspace perfect|padded|ruby-s|ruby-t|ruby|any] "
                 "[OPTIONS]"},
      .details =
          "Counts, without listing them, the distinct mappings of every layer that the fan-outs "
          "and "
          "the constraints allow, whether they fit into the memories or not. Loops of one step are "
          "dropped first. A tiling with fewer loops has fewer orders, so 'orders' is their mean, "
          "mappings / (tilings x bypass); in JSON a fraction where it is no whole number.",
      .arguments = {{.name = "WORKLOAD",
                     .sentence = "a built-in network, one of its layers, or a file"}},
      .options = {{.name = "arch",
                   .sentence = "a built-in architecture or a file",
                   .value_name = "ARCH"},
                  MapspaceRecord("which tilings count: perfect factors, padded to the unrolling, "
                                 "remainders in spatial, temporal or all loops, or any tile size",
                                 "ruby-s"),
                  {.name = "constraints",
                   .sentence = "a file with more constraints, native or Timeloop's",
                   .value_name = "FILE"},
                  OutputFolderOption(),
                  JsonOption(),
                  AsciiOption(),
                  QuietOption()},
      .examples =
          {{"inlay mapspace resnet50/conv2_1_3x3 --arch eyeriss --mapspace ruby-s",
            "the mapspace of one layer under Eyeriss's own constraints"},
           {"inlay mapspace net.yaml --arch arch.yaml --constraints constraints.yaml --json",
            "all layers of a file, with constraints beside those of the architecture"}},
      .heeds = {.time_limit = "give up after this time, with code 1: 500ms, 60s, 5min, 1h",
                .dims = true},
      .run = RunMapspace,
  };
}

}  // namespace inlay::cli

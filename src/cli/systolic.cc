#include "inlay/run/systolic.h"

#include <utility>

#include "cli/deliver_result.h"
#include "cli/session.h"
#include "inlay/io/json/document.h"
#include "inlay/report/systolic.h"

namespace inlay::cli {
namespace {

ExitCode RunSystolic(const Invocation& invocation, Session* session) {
  auto request = run::RequestFrom<run::SystolicRequest>(invocation.options);
  request.workloads = invocation.arguments;
  const auto inputs = LoadInputs(&request, session);
  if (!inputs) return kWrongInput;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  const auto result = run::Run(request, *inputs);
  if (!result) return ReportFailure(result.error(), session);
  const auto summary = [&](const TextStyle& style) {
    return report::SystolicSummary(inputs->network.name, *result, style);
  };
  return Deliver({io::WriteJson(*result), summary, {}}, &*folder, session);
}

}  // namespace

Command SystolicCommand() {
  std::vector<Option> options = OptionsOf<run::SystolicRequest>();
  AddOutputOptions(OutputFolderOption(), &options);
  return {
      .name = "systolic",
      .sentence = "SCALE-Sim's cycle model of a systolic array",
      .usages = {"WORKLOAD... --array RxC --dataflow os|ws|is [OPTIONS]",
                 "WORKLOAD... --arch ARCH... [OPTIONS]", "WORKLOAD... --config FILE [OPTIONS]"},
      .details = "Folds, cycles, utilisation and SRAM accesses of every layer, without stalls.",
      .arguments = {{.name = "WORKLOAD",
                     .sentence = "a built-in network, one of its layers, or a file; several are "
                                 "layers of one network",
                     .repeated = true,
                     .is_list = true}},
      .options = std::move(options),
      .examples = {{"inlay systolic resnet18 --array 32x32 --dataflow ws",
                    "ResNet-18 on 32 x 32 elements that hold the weights"},
                   {"inlay systolic topology.csv --config scale.cfg", "SCALE-Sim's own files"}},
      .common_options = {.dims = true},
      .run = RunSystolic,
  };
}

}  // namespace inlay::cli

#include "inlay/run/layers.h"

#include <fmt/format.h>

#include <utility>

#include "inlay/base/mention.h"
#include "inlay/mapspace/unknown_dims.h"

namespace inlay::run {
LayerInputs LoadLayers(const std::vector<std::string>& workloads,
                       const std::vector<std::string>& arch,
                       const std::vector<std::string>& constraints, const CommonRequest& common,
                       Diagnostics* errors) {
  LayerInputs inputs;
  inputs.record = RecordFor(common);
  auto network = ValueOr(io::LoadWorkloads(workloads, &inputs.record), errors);
  // A workload's file may hold the architecture as well.
  const bool beside = arch.empty() && inputs.record.architecture.has_value();
  if (arch.empty() && !beside) {
    if (network) {
      errors->push_back(
          MakeError({}, "there is no architecture",
                    fmt::format("give {}: a built-in ({} lists them) or a file",
                                Mention("arch", "ARCH"), MentionListOf("architecture"))));
    }
    return inputs;
  }
  auto architecture = beside ? std::move(inputs.record.architecture)
                             : ValueOr(io::LoadArchitecture(arch, &inputs.record), errors);
  if (!network || !architecture) return inputs;
  inputs.network = *std::move(network);
  inputs.architecture = *std::move(architecture);
  if (!constraints.empty()) {
    auto loaded =
        ValueOr(io::LoadConstraints(constraints, inputs.architecture, &inputs.record), errors);
    if (loaded) inputs.constraints = *std::move(loaded);
  }
  if (!errors->empty()) return inputs;
  inputs.tensor_names_resolved = io::MatchTensorNames(inputs.network.layers, &inputs.architecture,
                                                      &inputs.constraints, &inputs.record, errors);
  if (!errors->empty()) return inputs;
  Append(WarnOfUnknownDims(inputs.network, inputs.architecture, inputs.constraints),
         &inputs.record.warnings);
  return inputs;
}

}  // namespace inlay::run

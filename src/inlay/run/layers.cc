#include "inlay/run/layers.h"

#include <algorithm>

#include "inlay/mapspace/unknown_dims.h"

namespace inlay::run {
namespace {

// Reports a fault that several layers share once.
void AppendOnce(const Diagnostics& from, Diagnostics* to) {
  for (const Diagnostic& diagnostic : from) {
    const bool known = std::any_of(to->begin(), to->end(), [&](const Diagnostic& other) {
      return other.message == diagnostic.message;
    });
    if (!known) to->push_back(diagnostic);
  }
}

}  // namespace

LayerInputs LoadLayers(const std::string& workload, const std::optional<std::string>& arch,
                       const std::optional<std::string>& constraints, const CommonRequest& common,
                       Diagnostics* errors) {
  LayerInputs inputs;
  inputs.record = RecordFor(common);
  auto network = ValueOr(io::LoadWorkload(workload, &inputs.record), errors);
  if (!arch) {
    errors->push_back(MakeError({}, "there is no architecture",
                                "give --arch ARCH: a built-in ('inlay list architecture' lists "
                                "them) or a file"));
    return inputs;
  }
  auto architecture = ValueOr(io::LoadArchitecture(*arch, &inputs.record), errors);
  if (!network || !architecture) return inputs;
  inputs.network = *std::move(network);
  inputs.architecture = *std::move(architecture);
  if (constraints) {
    auto loaded =
        ValueOr(io::LoadConstraints(*constraints, inputs.architecture, &inputs.record), errors);
    if (loaded) inputs.constraints = *std::move(loaded);
  }
  for (const Layer& layer : inputs.network.layers) {
    AppendOnce(io::CheckTensorNames(layer.problem, inputs.architecture), errors);
  }
  if (!errors->empty()) return inputs;
  Append(WarnOfUnknownDims(inputs.network, inputs.architecture, inputs.constraints),
         &inputs.record.warnings);
  return inputs;
}

}  // namespace inlay::run

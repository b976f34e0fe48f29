#include "inlay/run/mapspace.h"

#include <array>
#include <utility>

#include "inlay/base/fields.h"
#include "inlay/core/roles.h"
#include "inlay/mapspace/constraint_errors.h"

namespace inlay::run {
namespace {

Diagnostics ErrorsOfLayer(const Faults& faults, const Layer& layer, const LayerInputs& inputs) {
  Diagnostics errors;
  const auto [architecture, constraints] = ForLayer(
      layer.problem, inputs.architecture, inputs.constraints, inputs.tensor_names_resolved);
  for (const Fault& fault : faults) {
    errors.push_back(ErrorAtConstraint(fault, layer.problem, architecture, constraints));
    errors.back().message.insert(0, "layer '" + layer.name + "': ");
  }
  return errors;
}

// The first layer with the same problem; itself, if it is that.
size_t FirstLike(const std::vector<Layer>& layers, size_t layer) {
  size_t same = 0;
  while (layers[same].problem.dims != layers[layer].problem.dims ||
         layers[same].problem.tensors != layers[layer].problem.tensors) {
    ++same;
  }
  return same;
}

}  // namespace

const Structure& StructureOf(const MapspaceRequest*) {
  using R = MapspaceRequest;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::arch>("arch", kArchSentence,
                    {.option = {.value_name = "ARCH...", .in_result = false, .takes_words = true}}),
      Row<&R::mapspace>("mapspace",
                        "which tilings count: perfect factors, padded to the unrolling, remainders "
                        "in spatial, temporal or all loops, or any tile size",
                        {.option = {.choices = kEvenMapspaces}}),
      Row<&R::constraints>(
          "constraints", "files with more constraints, native or Timeloop's",
          {.option = {.value_name = "FILE...", .in_result = false, .takes_words = true}}),
  });
  return Describe<R, kFields>("MapspaceRequest");
}

Result<LayerInputs> Load(const MapspaceRequest* request) {
  Diagnostics errors;
  LayerInputs inputs =
      LoadLayers(request->workloads, request->arch, request->constraints, request->common, &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  return inputs;
}

LayerCounter::LayerCounter(const LayerInputs& inputs, Mapspace mapspace, const Deadline& deadline)
    : inputs_(inputs),
      mapspace_(mapspace),
      deadline_(deadline),
      sizes_(inputs.network.layers.size()) {}

const LayerSize& LayerCounter::At(size_t layer) {
  const size_t first = FirstLike(inputs_.network.layers, layer);
  if (!sizes_[first]) sizes_[first] = Count(inputs_.network.layers[first]);
  return *sizes_[first];
}

LayerSize LayerCounter::Count(const Layer& layer) const {
  const auto [architecture, constraints] = ForLayer(
      layer.problem, inputs_.architecture, inputs_.constraints, inputs_.tensor_names_resolved);
  const auto space = MakeSpace(layer.problem, architecture, mapspace_, constraints);
  if (!space) return {std::nullopt, space.error(), false};
  const auto size = CountMappings(*space, &deadline_);
  return size ? LayerSize{*size, {}} : LayerSize{std::nullopt, size.error()};
}

Outcome<MapspaceResult> Run(const MapspaceRequest& request, const LayerInputs& inputs,
                            const StopFlag& stop) {
  const Deadline deadline(stop, request.common.time_limit);
  MapspaceResult result;
  result.header = HeaderOf("mapspace", request.common, inputs.record.inputs);
  result.mapspace = Name(request.mapspace);
  const std::vector<Layer>& all = inputs.network.layers;
  LayerCounter counter(inputs, request.mapspace, deadline);
  for (size_t i = 0; i < all.size(); ++i) {
    const LayerSize& layer = counter.At(i);
    if (!layer.size) {
      return FailWith(layer.has_space ? Failure::Kind::kNoAnswer : Failure::Kind::kWrongInput,
                      ErrorsOfLayer(layer.faults, all[i], inputs));
    }
    const SpaceSize& size = *layer.size;
    result.layers.push_back({all[i].name,
                             all[i].repeat,
                             {size.size.ToString(), size.tilings.ToString(), OrdersText(size),
                              size.bypass.ToString()}});
    if (stop.Requested()) return FailWith(Failure::Kind::kStopped, {});
  }
  if (result.layers.size() == 1) result.only = result.layers.front().size;
  result.seconds = deadline.SecondsSinceStart();
  return result;
}

}  // namespace inlay::run

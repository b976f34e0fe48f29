#include "inlay/run/mapspace.h"

#include <array>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/base/fields.h"
#include "inlay/mapspace/blame.h"
#include "inlay/mapspace/count.h"

namespace inlay::run {
namespace {

Diagnostics ErrorsOfLayer(const Faults& faults, const Layer& layer, const LayerInputs& inputs) {
  Diagnostics errors;
  for (const Fault& fault : faults) {
    errors.push_back(
        BlameConstraints(fault, layer.problem, inputs.architecture, inputs.constraints));
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
      Row<&R::arch>("arch", "a built-in architecture or a file",
                    {.option = {.value_name = "ARCH", .in_result = false}}),
      Row<&R::mapspace>("mapspace",
                        "which tilings count: perfect factors, padded to the unrolling, remainders "
                        "in spatial, temporal or all loops, or any tile size"),
      Row<&R::constraints>("constraints", "a file with more constraints, native or Timeloop's",
                           {.option = {.value_name = "FILE", .in_result = false}}),
  });
  return Describe<R, kFields>("MapspaceRequest");
}

Result<LayerInputs> Load(const MapspaceRequest* request) {
  Diagnostics errors;
  LayerInputs inputs =
      LoadLayers(request->workload, request->arch, request->constraints, request->common, &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  return inputs;
}

Outcome<MapspaceResult> Run(const MapspaceRequest& request, const LayerInputs& inputs,
                            const StopFlag& stop) {
  const Deadline deadline(stop, request.common.time_limit);
  MapspaceResult result;
  result.header = HeaderOf("mapspace", request.common, inputs.record.inputs);
  result.mapspace = Name(request.mapspace);
  const std::vector<Layer>& all = inputs.network.layers;
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t same = FirstLike(all, i);
    if (same < i) {
      result.layers.push_back(result.layers[same]);
    } else {
      const auto space =
          MakeSpace(all[i].problem, inputs.architecture, request.mapspace, inputs.constraints);
      if (!space) {
        return FailWith(Failure::Kind::kWrongInput, ErrorsOfLayer(space.error(), all[i], inputs));
      }
      const auto size = CountMappings(*space, &deadline);
      if (!size) {
        return FailWith(Failure::Kind::kNoAnswer, ErrorsOfLayer(size.error(), all[i], inputs));
      }
      result.layers.push_back({"",
                               1,
                               {size->size.ToString(), size->tilings.ToString(), OrdersText(*size),
                                size->bypass.ToString()}});
    }
    result.layers.back().name = all[i].name;
    result.layers.back().repeat = all[i].repeat;
    if (stop.Requested()) return FailWith(Failure::Kind::kStopped, {});
  }
  if (result.layers.size() == 1) result.only = result.layers.front().size;
  result.seconds = deadline.SecondsSinceStart();
  return result;
}

}  // namespace inlay::run

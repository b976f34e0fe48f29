#include "inlay/mapper/dnnopt/build_mapping.h"

#include <algorithm>
#include <vector>

namespace inlay::dnnopt {
namespace {

// What a dimension is to the array.
enum class Part : uint8_t { kGroups, kFilters, kWindow, kPixels };

Part PartOf(const Layer& layer, DimId dim) {
  for (const BlockAxis& axis : layer.axes) {
    if (axis.dim != dim) continue;
    switch (axis.role) {
      case Role::kGroups:
        return Part::kGroups;
      case Role::kFilters:
        return Part::kFilters;
      case Role::kChannels:
        return Part::kWindow;
      case Role::kPixels:
        return Part::kPixels;
    }
  }
  return Part::kWindow;  // the window, or a dimension of one iteration
}

struct Unrolling {
  Part x, y;        // along the columns, along the rows
  Part in_element;  // runs while the elements hold their operand
};

Unrolling UnrollingOf(Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::kOutputStationary:
      return {Part::kFilters, Part::kPixels, Part::kWindow};
    case Dataflow::kWeightStationary:
      return {Part::kFilters, Part::kWindow, Part::kPixels};
    case Dataflow::kInputStationary:
      break;
  }
  return {Part::kPixels, Part::kWindow, Part::kFilters};
}

class Builder {
 public:
  Builder(const Problem& problem, const Architecture& architecture, const Machine& machine,
          const Layer& layer, Dataflow dataflow, const Sizes& blocks)
      : problem_(problem),
        architecture_(architecture),
        machine_(machine),
        layer_(layer),
        unrolling_(UnrollingOf(dataflow)),
        lanes_(problem.dims.size(), 1) {
    for (const Dimension& dim : problem.dims) block_.push_back(dim.bound);
    for (size_t a = 0; a < layer.axes.size(); ++a) block_[layer.axes[a].dim] = blocks[a];
  }

  Mapping Build(const std::array<uint8_t, kMaxAxes>& order, bool loops_in_element) {
    Mapping mapping;
    mapping.levels.resize(architecture_.levels.size());
    for (LevelId l : Ids(mapping.levels)) mapping.levels[l].keep = KeptBy(l);
    for (size_t i = 0; i < layer_.axes.size(); ++i) {
      const BlockAxis& axis = layer_.axes[order[i]];
      if (block_[axis.dim] < axis.bound) {
        Add(&mapping, Machine::kOffchip, {axis.dim, block_[axis.dim], Axis::kTime});
      }
    }
    lanes_.assign(problem_.dims.size(), 1);
    Unroll(unrolling_.x, machine_.columns, Axis::kX, &mapping);
    Unroll(unrolling_.y, machine_.rows, Axis::kY, &mapping);
    const size_t inner =
        loops_in_element && machine_.has_element ? Machine::kElement : Machine::kMemory;
    for (const Part part : {Part::kGroups, Part::kFilters, Part::kWindow, Part::kPixels}) {
      if (part != unrolling_.in_element) AddLoops(part, Machine::kMemory, &mapping);
    }
    AddLoops(unrolling_.in_element, inner, &mapping);
    return mapping;
  }

 private:
  static void Add(Mapping* mapping, size_t level, const Loop& loop) {
    LevelMapping& at = mapping->levels[LevelId(level)];
    (loop.axis == Axis::kTime ? at.temporal : at.spatial).push_back(loop);
  }

  // Of what an element may but need not hold, it holds the stationary operand.
  TensorSet KeptBy(LevelId level) const {
    TensorSet kept;
    for (TensorId t : Ids(problem_.tensors)) {
      const KeepRule rule = KeepRuleOf(architecture_.levels[level], problem_.tensors[t].name);
      if (rule == KeepRule::kBypass) continue;
      if (rule == KeepRule::kKeep || level.value() != Machine::kElement || IsStationary(t)) {
        kept.insert(t);
      }
    }
    return kept;
  }

  bool IsStationary(TensorId tensor) const {
    for (DimId d : Ids(problem_.dims)) {
      if (problem_.dims[d].bound > 1 && PartOf(layer_, d) == unrolling_.in_element &&
          IsRelevant(problem_.tensors[tensor], d)) {
        return false;
      }
    }
    return true;
  }

  void Unroll(Part part, int64_t room, Axis axis, Mapping* mapping) {
    std::vector<DimId> dims;
    for (DimId d : Ids(problem_.dims)) {
      if (PartOf(layer_, d) == part) dims.push_back(d);
    }
    if (part == Part::kPixels) std::reverse(dims.begin(), dims.end());
    for (DimId d : dims) {
      lanes_[d] = std::min(room, block_[d]);
      room /= lanes_[d];
    }
    std::sort(dims.begin(), dims.end());
    for (DimId d : dims) {
      if (lanes_[d] > 1) Add(mapping, Machine::kMemory, {d, 1, axis});
    }
  }

  // The steps over a block that the lanes leave.
  void AddLoops(Part part, size_t level, Mapping* mapping) const {
    for (DimId d : Ids(problem_.dims)) {
      if (PartOf(layer_, d) == part && lanes_[d] < block_[d]) {
        Add(mapping, level, {d, lanes_[d], Axis::kTime});
      }
    }
  }

  const Problem& problem_;
  const Architecture& architecture_;
  const Machine& machine_;
  const Layer& layer_;
  Unrolling unrolling_;
  IndexedVector<DimId, int64_t> block_, lanes_;
};

}  // namespace

tl::expected<Mapping, Faults> BuildMapping(const Problem& problem, const Architecture& architecture,
                                           const Machine& machine, const Layer& layer,
                                           Dataflow dataflow,
                                           const std::array<uint8_t, kMaxAxes>& order,
                                           const Sizes& blocks) {
  Builder builder(problem, architecture, machine, layer, dataflow, blocks);
  Mapping mapping = builder.Build(order, true);
  if (!CheckCapacity(problem, architecture, mapping).empty()) mapping = builder.Build(order, false);
  Faults faults = CheckCapacity(problem, architecture, mapping);
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return mapping;
}

}  // namespace inlay::dnnopt

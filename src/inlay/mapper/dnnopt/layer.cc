#include "inlay/mapper/dnnopt/layer.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "inlay/cost/systolic.h"

namespace inlay::dnnopt {
namespace {

// A reduced dimension that shares a coordinate with another one slides over the pixels: it is part
// of the window, and a block always holds it whole.
bool InWindow(const Problem& problem, DimId dim) {
  for (const Tensor& tensor : problem.tensors) {
    for (const Rank& rank : tensor.ranks) {
      const bool has = std::any_of(rank.terms.begin(), rank.terms.end(),
                                   [&](const Term& term) { return term.dim == dim; });
      if (has && rank.terms.size() > 1) return true;
    }
  }
  return false;
}

// Nothing: the dimension is part of the window.
std::optional<Role> RoleOf(const Problem& problem, TensorId weights, TensorId inputs, DimId dim) {
  const bool in_weights = IsRelevant(problem.tensors[weights], dim);
  const bool in_inputs = IsRelevant(problem.tensors[inputs], dim);
  if (IsRelevant(problem.tensors[OutputTensor(problem)], dim)) {
    if (!in_weights) return Role::kPixels;
    return in_inputs ? Role::kGroups : Role::kFilters;
  }
  if (InWindow(problem, dim)) return std::nullopt;
  return Role::kChannels;
}

tl::expected<BlockRank, Fault> RankOf(const Problem& problem, const Layer& layer,
                                      const Tensor& tensor, const Rank& rank) {
  BlockRank result;
  for (const Term& term : rank.terms) {
    const auto axis = std::find_if(layer.axes.begin(), layer.axes.end(),
                                   [&](const BlockAxis& a) { return a.dim == term.dim; });
    const int64_t step = std::abs(term.coefficient);
    if (axis == layer.axes.end()) {
      result.base += step * (problem.dims[term.dim].bound - 1);
    } else if (result.step != 0) {
      return tl::unexpected(
          Fault{"tensors." + tensor.name,
                "a coordinate of '" + tensor.name +
                    "' is moved by two dimensions that dnnopt cuts into blocks, '" +
                    problem.dims[layer.axes[result.axis].dim].name + "' and '" +
                    problem.dims[term.dim].name + "'",
                "use the strategy exact"});
    } else {
      result.axis = static_cast<size_t>(axis - layer.axes.begin());
      result.step = step;
    }
  }
  return result;
}

// The largest count that any blocks and order can give stays below 2⁶².
bool CountsFit(const Layer& layer) {
  double total = 0;
  for (const BlockTensor& tensor : layer.tensors) {
    double words = 2;  // the output goes out and comes back
    for (const BlockRank& rank : tensor.ranks) {
      const double bound = rank.step == 0 ? 1 : static_cast<double>(layer.axes[rank.axis].bound);
      words *= bound * static_cast<double>(std::max(rank.step, rank.base));
    }
    for (size_t a = 0; a < layer.axes.size(); ++a) {
      if ((tensor.relevant >> a & 1) == 0) words *= static_cast<double>(layer.axes[a].bound);
    }
    total += words;
  }
  return total < 0x1p62;
}

}  // namespace

tl::expected<Layer, Fault> LayerOf(const Problem& problem) {
  if (const auto shape = SystolicShapeOf(problem); !shape) return tl::unexpected(shape.error());
  std::vector<TensorId> inputs;
  for (TensorId t : Ids(problem.tensors)) {
    if (!problem.tensors[t].is_output) inputs.push_back(t);
  }
  if (problem.tensors[inputs[1]].name == "Weights") std::swap(inputs[0], inputs[1]);
  Layer layer;
  for (DimId d : Ids(problem.dims)) {
    const int64_t bound = problem.dims[d].bound;
    const auto role = RoleOf(problem, inputs[0], inputs[1], d);
    if (!role) layer.window *= bound;
    if (role && bound > 1) layer.axes.push_back({d, *role, bound, 1});
  }
  if (layer.axes.size() > kMaxAxes) {
    return tl::unexpected(Fault{"dims",
                                "dnnopt orders at most " + std::to_string(kMaxAxes) +
                                    " dimensions, '" + problem.name + "' has " +
                                    std::to_string(layer.axes.size()),
                                "use the strategy exact"});
  }
  std::stable_sort(layer.axes.begin(), layer.axes.end(),
                   [](const BlockAxis& a, const BlockAxis& b) { return a.role < b.role; });
  for (TensorId t : Ids(problem.tensors)) {
    BlockTensor tensor{t, problem.tensors[t].is_output, {}, 0};
    for (const Rank& rank : problem.tensors[t].ranks) {
      auto block_rank = RankOf(problem, layer, problem.tensors[t], rank);
      if (!block_rank) return tl::unexpected(block_rank.error());
      if (block_rank->step != 0) tensor.relevant |= 1U << block_rank->axis;
      tensor.ranks.push_back(*block_rank);
    }
    layer.tensors.push_back(std::move(tensor));
  }
  if (!CountsFit(layer)) {
    return tl::unexpected(Fault{"dims",
                                "the accesses of '" + problem.name + "' may not fit into 64 bits",
                                "cut the layer into smaller ones"});
  }
  return layer;
}

int64_t BlockWords(const BlockTensor& tensor, const Sizes& blocks) {
  int64_t words = 1;
  for (const BlockRank& rank : tensor.ranks) {
    words *= rank.step == 0 ? rank.base : rank.step * (blocks[rank.axis] - 1) + rank.base;
  }
  return words;
}

SystolicShape ShapeOf(const Layer& layer, const Sizes& blocks) {
  SystolicShape shape;
  shape.reduction = layer.window;
  for (size_t a = 0; a < layer.axes.size(); ++a) {
    switch (layer.axes[a].role) {
      case Role::kGroups:
        shape.groups *= blocks[a];
        break;
      case Role::kFilters:
        shape.filters *= blocks[a];
        break;
      case Role::kChannels:
        shape.reduction *= blocks[a];
        break;
      case Role::kPixels:
        shape.pixels *= blocks[a];
        break;
    }
  }
  return shape;
}

}  // namespace inlay::dnnopt

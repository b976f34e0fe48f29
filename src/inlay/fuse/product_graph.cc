#include "inlay/fuse/product_graph.h"

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {

const ProductUse* ProductTensor::UseOf(size_t node) const {
  for (const ProductUse& use : uses) {
    if (use.node == node) return &use;
  }
  return nullptr;
}

size_t ProductTensor::ReadersIn(size_t first, size_t end) const {
  return static_cast<size_t>(std::count_if(uses.begin(), uses.end(), [&](const ProductUse& use) {
    return use.node >= first && use.node < end && writer != use.node;
  }));
}

std::optional<ProductGraph> ProductGraph::Of(const FusedProblem& problem, SoftmaxForm softmax) {
  if (problem.tensors.size() > kMostProductTensors) return std::nullopt;
  ProductGraph graph;
  for (NodeId node : Ids(problem.nodes)) {
    graph.first_dim_.push_back(graph.node_dims_.size());
    for (const DimId d : DimsOf(problem, problem.nodes[node])) {
      graph.node_dims_.push_back({d, problem.dims[d].bound});
    }
  }
  graph.first_dim_.push_back(graph.node_dims_.size());
  if (!graph.AddTensors(problem)) return std::nullopt;
  graph.AddSoftmaxes(problem, softmax);
  return graph;
}

// false: not all ranks are single dimensions, or not all users use all of a tensor.
bool ProductGraph::AddTensors(const FusedProblem& problem) {
  tensors_.resize(problem.tensors.size());
  outputs_.resize(problem.nodes.size());
  for (NodeId node : Ids(problem.nodes)) {
    const size_t n = node.value();
    for (const FusedOperand& operand : problem.nodes[node].operands) {
      ProductTensor& tensor = tensors_[operand.tensor.value()];
      ProductUse use;
      use.node = n;
      int64_t words = 1;
      if (!operand.borders.empty()) return false;
      for (const Rank& rank : operand.ranks) {
        if (rank.terms.size() > 1) return false;
        use.rank_dims.emplace_back();
        if (rank.terms.empty()) continue;
        if (rank.terms.front().coefficient != 1) return false;
        for (size_t s = first_dim_[n]; s < first_dim_[n + 1]; ++s) {
          if (node_dims_[s].dim == rank.terms.front().dim) use.rank_dims.back() = s;
        }
        use.dims.push_back(*use.rank_dims.back());
        words = SaturatingMultiply(words, node_dims_[use.dims.back()].bound);
      }
      for (size_t s = first_dim_[n]; s < first_dim_[n + 1]; ++s) {
        if (std::find(use.dims.begin(), use.dims.end(), s) == use.dims.end()) {
          use.others.push_back(s);
        }
      }
      const auto bounds = [this](const ProductUse& of) {
        std::vector<int64_t> sizes;
        for (const auto& s : of.rank_dims) sizes.push_back(s ? node_dims_[*s].bound : 1);
        return sizes;
      };
      if (!tensor.uses.empty() && bounds(tensor.uses.front()) != bounds(use)) return false;
      tensor.words = words;
      if (operand.is_output) {
        tensor.writer = n;
        outputs_[n] = operand.tensor.value();
      }
      tensor.uses.push_back(std::move(use));
    }
  }
  for (const TensorId t : problem.outputs) tensors_[t.value()].listed = true;
  return true;
}

void ProductGraph::AddSoftmaxes(const FusedProblem& problem, SoftmaxForm form) {
  for (NodeId node : Ids(problem.nodes)) {
    const FusedNode& of = problem.nodes[node];
    const auto dim = of.softmax ? of.softmax : of.rows;
    if (!dim) continue;
    const size_t n = node.value();
    size_t node_dim = first_dim_[n];
    while (node_dims_[node_dim].dim != *dim) ++node_dim;
    OnlineSoftmax softmax{n, node_dim, {}, outputs_[n], n};
    const ProductTensor& output = tensors_[softmax.output];
    const ProductUse& written = *output.UseOf(n);
    for (const size_t s : written.dims) {
      if (s != node_dim) softmax.other_dims.push_back(s);
    }
    const auto rank = static_cast<size_t>(
        std::find(written.rank_dims.begin(), written.rank_dims.end(), node_dim) -
        written.rank_dims.begin());
    bool online = of.softmax && form == SoftmaxForm::kOnline && !output.listed;
    for (const ProductUse& use : output.uses) {
      if (use.node == n) continue;
      const auto& read = use.rank_dims[rank];
      const ProductUse& result = *tensors_[outputs_[use.node]].UseOf(use.node);
      online = online && read &&
               std::find(result.dims.begin(), result.dims.end(), *read) == result.dims.end();
      softmax.last_reader = std::max(softmax.last_reader, use.node);
    }
    if (online && softmax.last_reader > n) {
      softmaxes_.push_back(std::move(softmax));
    } else {
      whole_dims_.push_back(node_dim);
    }
  }
}

const ProductRange& ProductGraph::Range(size_t first, size_t end) const {
  const auto [at, is_new] = ranges_.try_emplace({first, end});
  if (is_new) at->second = MakeRange(first, end);
  return at->second;
}

ProductRange ProductGraph::MakeRange(size_t first, size_t end) const {
  ProductRange range{first, end, {}, {}};
  for (size_t t = 0; t < tensors_.size(); ++t) {
    for (const ProductUse& use : tensors_[t].uses) {
      if (use.node >= first && use.node < end) range.tensors.set(t);
    }
  }
  // The last node is a sink, so that loops are over dimensions of it.
  for (size_t s = first_dim_[end - 1]; s < first_dim_[end]; ++s) {
    if (node_dims_[s].bound == 1) continue;
    if (auto loop = MakeLoop(first, end, node_dims_[s].dim))
      range.loops.push_back(*std::move(loop));
  }
  return range;
}

std::optional<ProductLoop> ProductGraph::MakeLoop(size_t first, size_t end, DimId dim) const {
  ProductLoop loop;
  loop.dim = dim;
  std::vector<size_t> cut(end - first);
  for (size_t n = end; n-- > first;) {
    const ProductTensor& output = tensors_[outputs_[n]];
    std::optional<size_t> node_dim;
    if (output.ReadersIn(first, end) == 0) {
      for (size_t s = first_dim_[n]; s < first_dim_[n + 1]; ++s) {
        if (node_dims_[s].dim == dim) node_dim = s;
      }
      if (node_dim) loop.sink_dims.push_back(*node_dim);
    } else {
      // All readers have to be moved alike, in one rank.
      const ProductUse& written = *output.UseOf(n);
      for (size_t r = 0; r < written.rank_dims.size(); ++r) {
        size_t moved = 0;
        for (const ProductUse& use : output.uses) {
          if (use.node == n || use.node >= end) continue;
          moved += use.rank_dims[r] == cut[use.node - first] ? 1U : 0U;
        }
        if (moved != 0 && moved != output.ReadersIn(first, end)) return std::nullopt;
        if (moved != 0 && node_dim) return std::nullopt;
        if (moved != 0) node_dim = written.rank_dims[r];
      }
    }
    if (!node_dim ||
        std::find(whole_dims_.begin(), whole_dims_.end(), *node_dim) != whole_dims_.end()) {
      return std::nullopt;
    }
    cut[n - first] = *node_dim;
  }
  loop.dims = std::move(cut);
  for (size_t t = 0; t < tensors_.size(); ++t) {
    for (const ProductUse& use : tensors_[t].uses) {
      if (use.node < first || use.node >= end) continue;
      const size_t s = loop.dims[use.node - first];
      if (std::find(use.dims.begin(), use.dims.end(), s) != use.dims.end()) loop.moves.set(t);
    }
  }
  return loop;
}

}  // namespace inlay

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
    graph.slot_begin_.push_back(graph.slots_.size());
    for (const DimId d : DimsOf(problem, problem.nodes[node])) {
      graph.slots_.push_back({d, problem.dims[d].bound});
    }
  }
  graph.slot_begin_.push_back(graph.slots_.size());
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
        use.rank_slots.emplace_back();
        if (rank.terms.empty()) continue;
        if (rank.terms.front().coefficient != 1) return false;
        for (size_t s = slot_begin_[n]; s < slot_begin_[n + 1]; ++s) {
          if (slots_[s].dim == rank.terms.front().dim) use.rank_slots.back() = s;
        }
        use.slots.push_back(*use.rank_slots.back());
        words = SaturatingMultiply(words, slots_[use.slots.back()].bound);
      }
      for (size_t s = slot_begin_[n]; s < slot_begin_[n + 1]; ++s) {
        if (std::find(use.slots.begin(), use.slots.end(), s) == use.slots.end()) {
          use.others.push_back(s);
        }
      }
      const auto bounds = [this](const ProductUse& of) {
        std::vector<int64_t> sizes;
        for (const auto& s : of.rank_slots) sizes.push_back(s ? slots_[*s].bound : 1);
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
    size_t slot = slot_begin_[n];
    while (slots_[slot].dim != *dim) ++slot;
    OnlineSoftmax softmax{n, slot, {}, outputs_[n], n};
    const ProductTensor& output = tensors_[softmax.output];
    const ProductUse& written = *output.UseOf(n);
    for (const size_t s : written.slots) {
      if (s != slot) softmax.other_slots.push_back(s);
    }
    const auto rank =
        static_cast<size_t>(std::find(written.rank_slots.begin(), written.rank_slots.end(), slot) -
                            written.rank_slots.begin());
    bool online = of.softmax && form == SoftmaxForm::kOnline && !output.listed;
    for (const ProductUse& use : output.uses) {
      if (use.node == n) continue;
      const auto& read = use.rank_slots[rank];
      const ProductUse& result = *tensors_[outputs_[use.node]].UseOf(use.node);
      online = online && read &&
               std::find(result.slots.begin(), result.slots.end(), *read) == result.slots.end();
      softmax.last_reader = std::max(softmax.last_reader, use.node);
    }
    if (online && softmax.last_reader > n) {
      softmaxes_.push_back(std::move(softmax));
    } else {
      whole_slots_.push_back(slot);
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
  for (size_t s = slot_begin_[end - 1]; s < slot_begin_[end]; ++s) {
    if (slots_[s].bound == 1) continue;
    if (auto loop = MakeLoop(first, end, slots_[s].dim)) range.loops.push_back(*std::move(loop));
  }
  return range;
}

std::optional<ProductLoop> ProductGraph::MakeLoop(size_t first, size_t end, DimId dim) const {
  ProductLoop loop;
  loop.dim = dim;
  std::vector<size_t> cut(end - first);
  for (size_t n = end; n-- > first;) {
    const ProductTensor& output = tensors_[outputs_[n]];
    std::optional<size_t> slot;
    if (output.ReadersIn(first, end) == 0) {
      for (size_t s = slot_begin_[n]; s < slot_begin_[n + 1]; ++s) {
        if (slots_[s].dim == dim) slot = s;
      }
      if (slot) loop.sink_slots.push_back(*slot);
    } else {
      // All readers have to be moved alike, in one rank.
      const ProductUse& written = *output.UseOf(n);
      for (size_t r = 0; r < written.rank_slots.size(); ++r) {
        size_t moved = 0;
        for (const ProductUse& use : output.uses) {
          if (use.node == n || use.node >= end) continue;
          moved += use.rank_slots[r] == cut[use.node - first] ? 1U : 0U;
        }
        if (moved != 0 && moved != output.ReadersIn(first, end)) return std::nullopt;
        if (moved != 0 && slot) return std::nullopt;
        if (moved != 0) slot = written.rank_slots[r];
      }
    }
    if (!slot || std::find(whole_slots_.begin(), whole_slots_.end(), *slot) != whole_slots_.end()) {
      return std::nullopt;
    }
    cut[n - first] = *slot;
  }
  loop.slots = std::move(cut);
  for (size_t t = 0; t < tensors_.size(); ++t) {
    for (const ProductUse& use : tensors_[t].uses) {
      if (use.node < first || use.node >= end) continue;
      const size_t s = loop.slots[use.node - first];
      if (std::find(use.slots.begin(), use.slots.end(), s) != use.slots.end()) loop.moves.set(t);
    }
  }
  return loop;
}

}  // namespace inlay

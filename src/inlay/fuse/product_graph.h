#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "inlay/core/fused_problem.h"
#include "inlay/fuse/fuse.h"

namespace inlay {

// Problems whose nodes are products: every rank is one dimension, or one word, and all that use a
// tensor use all of it. Nothing slides, so loops cut tiles into parts that have no word in common.
// See docs/reference/fusion.md.

inline constexpr size_t kMostProductTensors = 128;
using TensorMask = std::bitset<kMostProductTensors>;

// One dimension of one node; its number counts through all nodes.
struct NodeDimension {
  DimId dim;
  int64_t bound = 1;
};

// How a node uses a tensor: its dims, one per rank that is a dimension.
struct ProductUse {
  size_t node = 0;
  std::vector<std::optional<size_t>> rank_dims;  // none: one word
  std::vector<size_t> dims;                      // those that there are
  std::vector<size_t> others;                    // dims of the node that the tensor has not
};

struct ProductTensor {
  std::optional<size_t> writer;
  std::vector<ProductUse> uses;  // by node, the writer's first
  bool listed = false;           // an intermediate that is needed outside as well
  int64_t words = 1;

  const ProductUse* UseOf(size_t node) const;
  size_t ReadersIn(size_t first, size_t end) const;  // how many
  bool HasWriterIn(size_t first, size_t end) const {
    return writer && *writer >= first && *writer < end;
  }
};

// A softmax that can be computed step by step: rule 9 can be kept.
struct OnlineSoftmax {
  size_t node = 0;
  size_t dim = 0;                  // of the softmax's dimension
  std::vector<size_t> other_dims;  // of the output's other dimensions
  size_t output = 0;
  size_t last_reader = 0;
};

// A loop over the nodes of a range: what it cuts of every node.
struct ProductLoop {
  DimId dim;
  std::vector<size_t> sink_dims;
  std::vector<size_t> dims;  // one of each node of the range, in their order
  TensorMask moves;          // the tensors used in the range that it moves
};

struct ProductRange {
  size_t first = 0, end = 0;
  TensorMask tensors;  // used in it
  std::vector<ProductLoop> loops;
};

class ProductGraph {
 public:
  // None where the problem is no graph of products, or too large.
  static std::optional<ProductGraph> Of(const FusedProblem& problem, SoftmaxForm softmax);

  size_t nodes() const { return first_dim_.size() - 1; }
  size_t FirstDim(size_t node) const { return first_dim_[node]; }
  const NodeDimension& Dimension(size_t node_dim) const { return node_dims_[node_dim]; }
  size_t node_dims() const { return node_dims_.size(); }
  const std::vector<ProductTensor>& tensors() const { return tensors_; }
  const std::vector<OnlineSoftmax>& softmaxes() const { return softmaxes_; }
  // Those that no loop may cut: their rows are needed whole.
  const std::vector<size_t>& whole_dims() const { return whole_dims_; }
  // The loops that may go around the nodes, by rules 2 to 4, whatever is held.
  const ProductRange& Range(size_t first, size_t end) const;

 private:
  bool AddTensors(const FusedProblem& problem);
  void AddSoftmaxes(const FusedProblem& problem, SoftmaxForm form);
  ProductRange MakeRange(size_t first, size_t end) const;
  std::optional<ProductLoop> MakeLoop(size_t first, size_t end, DimId dim) const;

  std::vector<size_t> first_dim_;  // by node, and one past the last
  std::vector<NodeDimension> node_dims_;
  std::vector<ProductTensor> tensors_;
  std::vector<size_t> outputs_;  // by node
  std::vector<OnlineSoftmax> softmaxes_;
  std::vector<size_t> whole_dims_;
  mutable std::map<std::pair<size_t, size_t>, ProductRange> ranges_;
};

}  // namespace inlay

#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/fused_problem.h"
#include "inlay/core/graph.h"

namespace inlay {

// The nodes of a graph as nodes of a fused problem, in the same order. Dimensions of one word are
// left out, and so are the biases of products, as in their problems (op_work). Dimensions of
// several nodes are one where they go through one rank of a tensor in the same way.
struct FusedGraph {
  FusedProblem problem;
  IndexedVector<NodeId, NodeId> graph_nodes;  // by node of the problem: that of the graph
  // By tensor of the problem: the value of the graph that owns its words. Several tensors are of
  // one value where it is read by different shapes, or in part.
  IndexedVector<TensorId, ValueId> storages;
  // The first node that a run may begin with that has this one: what comes before it reaches the
  // node by a way that the problem does not have.
  IndexedVector<NodeId, NodeId> earliest;

  // A node of the graph that a fused problem cannot represent.
  struct LeftOut {
    NodeId node;  // of the graph
    std::string reason;
  };
  std::vector<LeftOut> left_out;  // views are not: they do nothing
  // A node that reads what another one makes as if it came from outside.
  struct Separated {
    NodeId writer, reader;  // of the problem
    std::string tensor, reason;
  };
  std::vector<Separated> separated;
};

// The graph is valid. A fault where it has no node that a fused problem can represent, or these
// have more words or operations than 64 bits can count.
tl::expected<FusedGraph, Faults> FusedGraphOf(const Graph& graph);

// The nodes from the first to the last of these, with what is left out between them.
FusedGraph NodesBetween(const FusedGraph& graph, NodeId first, NodeId last);

}  // namespace inlay

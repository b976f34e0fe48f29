#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inlay/base/structure.h"
#include "inlay/core/element_bits.h"
#include "inlay/core/graph.h"

namespace inlay {

// Which nodes of a network a result counts, and what those amount to that it does not.

// Nodes of one operator, and what of them results do not count.
struct NodeKindTotals {
  std::string kind;  // "softmax"
  int64_t nodes = 0;
  int64_t operations = 0;   // one per element, as OpInfo says
  int64_t bytes = 0;        // read and written when each word is read once
  std::string reason = {};  // why an architecture with vector units does not count them
  bool operator==(const NodeKindTotals&) const = default;
};
const Structure& StructureOf(const NodeKindTotals*);

// Sums that 64 bits do not hold are the largest number.
struct NodeCoverage {
  int64_t nodes = 0;          // that run: neither views nor folded ones
  int64_t compute_nodes = 0;  // of these, those that multiply
  int64_t other_nodes = 0;    // the rest, and what they amount to
  int64_t other_operations = 0;
  int64_t other_bytes = 0;
  std::vector<NodeKindTotals> others;  // the most bytes first
  // Of compute nodes what they do besides their products: the gates of recurrent layers.
  std::vector<NodeKindTotals> gates;
  int64_t views = 0;
  int64_t folded_nodes = 0;  // see Graph
  int64_t vector_nodes = 0;  // of the nodes, those that run on vector units, and are counted
  bool operator==(const NodeCoverage&) const = default;
};
const Structure& StructureOf(const NodeCoverage*);

// Of every node that does not multiply why no figure counts it; empty: it is counted.
using WhyNotCounted = IndexedVector<NodeId, std::string>;

// The graph is valid; its elements are so wide. null: nothing but products is counted.
NodeCoverage CoverageOf(const Graph& graph, const ValueBits& bits,
                        const WhyNotCounted* why_not = nullptr);

// Of several networks together.
NodeCoverage SumOf(const std::vector<NodeCoverage>& coverages);

}  // namespace inlay

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"
#include "inlay/fuse/fuse.h"

namespace inlay::testing {

// What F(k) is (inlay/fuse/fuse.h) and how much room a tree may take.
struct FusedListingOptions {
  FusedTiles tiles = FusedTiles::kAny;
  int shared_loops = 4;
  SoftmaxForm softmax = SoftmaxForm::kOnline;
  bool share_kernel_loops = false;
  bool unfused = false;  // only trees in which every node is a run of its own
  int64_t most_room = std::numeric_limits<int64_t>::max();
};

// Every other tree takes more room or moves as many words.
struct FusedListingStep {
  int64_t room_words = 0, offchip_words = 0;
  FusedTree tree;
};

// By room: the front of all legal trees of F(k) on an off-chip memory and a pad, by going through
// all of them, part by part: what a part of a tree moves depends on the loops above it, words of
// parts add up and their room is the largest. No other argument is used, and no other code that
// counts: sections 4 to 6 of docs/reference/fused-semantics.md are read once more here. Left out
// are loops of one turn, and loops below the holds of all tensors, which change neither figure. For
// problems of a few nodes whose bounds are at most 4 or so.
std::vector<FusedListingStep> ListFused(const FusedProblem& problem,
                                        const FusedListingOptions& options);

// Every legal tree of F(k), one after the other, for the very smallest problems: the dumb twin of
// the listing above. Holds without a loop or split between them come in one order only.
void ForEachFusedTree(const FusedProblem& problem, const FusedListingOptions& options,
                      const std::function<void(const FusedTree&)>& visit);

// Whether a legal tree is in F(k), however much room it takes.
bool IsInFusedSpace(const FusedProblem& problem, const FusedListingOptions& options,
                    const FusedTree& tree);

// Whether F(k) leaves a loop over `dim` around these nodes out as one of a kernel: a node sums over
// it, and it is in one rank with other dimensions of a tensor that another of the nodes makes.
bool IsSharedKernelLoop(const FusedProblem& problem, DimId dim, NodeId first, NodeId end);

}  // namespace inlay::testing

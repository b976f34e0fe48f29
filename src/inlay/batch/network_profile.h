#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/graph.h"
#include "inlay/core/mix.h"

// Several batched networks on one accelerator:
//
//   Graph → ProfileOf → NetworkProfile ─┐
//   Mix ────────────────────────────────┴→ Simulate(task, policy) → Outcome
//
// A profile is all that a simulation knows of a network.
namespace inlay::batch {

// A matrix product of a layer, for one inference; see SystolicShape.
struct Product {
  int64_t groups = 1;
  int64_t pixels = 1;
  int64_t filters = 1;
  int64_t reduction = 1;
  int64_t repeat = 1;          // one after the other (the steps of a recurrent layer)
  bool shared_weights = true;  // inferences of a batch add pixels; else they add groups
  int64_t more_cycles = 0;     // of each step than the model says; fewer if negative
  bool in_turn = false;        // inferences come one after the other (remap)
  bool operator==(const Product&) const = default;
};

// A compute node with the nodes up to the next one, which are done on the way: what only they read
// never lies in memory. A node that makes more bytes than it reads is done where its result is
// read. Bytes are of one inference, weights of all.
struct LayerProfile {
  std::string name;
  int64_t weight_bytes = 0;
  int64_t output_bytes = 0;  // of tensors written here and read by later layers
  // Bytes of tensors written before this layer that it or a later one reads; of the first layer,
  // what the user gives. While a layer runs, live_bytes + output_bytes lie in memory.
  int64_t live_bytes = 0;
  // Bytes that come and go in pieces while the layer runs: rows of an embedding, results for the
  // user, tensors that live off chip (see remap_table.h).
  int64_t stream_bytes = 0;
  int64_t workspace_bytes = 0;  // that hold pieces of these, however many the inferences
  std::vector<Product> products;
  bool operator==(const LayerProfile&) const = default;
};

struct NetworkProfile {
  std::string name;
  std::vector<LayerProfile> layers;  // in the order in which they run; never empty
  int64_t operations = 0;            // multiply-accumulates of one inference
  bool operator==(const NetworkProfile&) const = default;
};

// A fault where nothing computes, or a size does not fit into 64 bits.
tl::expected<NetworkProfile, Fault> ProfileOf(const Graph& graph, int bits);

// A number of steps of equal length: the arrays fill, stream and drain once in each, on one fold
// each.
struct FoldSteps {
  int64_t steps = 0;
  int64_t cycles_per_step = 0;
};
// What `n` inferences of a product take on all arrays. n·Sr in place of Sr, folds shared out over
// the arrays: ⌈folds·groups / arrays⌉ steps, `repeat` times.
FoldSteps FoldStepsOf(const Product& product, const Accelerator& accelerator, int64_t n);
// The cycles of all products of a layer; saturates.
int64_t CyclesOf(const LayerProfile& layer, const Accelerator& accelerator, int64_t n);

// The number of blocks in which a layer's weights are fetched; one, of nothing, if it has none.
int64_t BlocksOf(const LayerProfile& layer, const Accelerator& accelerator);

// Bytes that `n` inferences hold when they stand before layer `k`; nothing before the first (their
// inputs are not there yet) and after the last.
int64_t HeldBefore(const NetworkProfile& profile, size_t layer, int64_t n);

}  // namespace inlay::batch

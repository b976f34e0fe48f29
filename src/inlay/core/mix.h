#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/base/structure.h"
#include "inlay/core/fault.h"
#include "inlay/core/graph.h"
#include "inlay/core/systolic.h"

namespace inlay {

// An accelerator that several networks share: equal systolic arrays that work on one layer
// together, one on-chip memory for weights and feature maps, one channel to the memory off chip.
struct Accelerator {
  std::string name;
  double clock_hz = 1e9;
  int64_t arrays = 16;
  SystolicArray array{128, 128, Dataflow::kOutputStationary};
  int bits = 8;  // of every element
  int64_t memory_bytes = 0;
  double bytes_per_cycle = 0;                // off chip
  int64_t block_bytes = int64_t{256} << 10;  // weights are fetched in blocks of at most so many
  int64_t window_bytes = int64_t{2} << 20;   // most weights on chip that wait for their turn
  int64_t look_ahead_layers = 4;             // most layers that weights are fetched ahead
  bool operator==(const Accelerator&) const = default;
};
const Structure& StructureOf(const Accelerator*);
Faults Validate(const Accelerator& accelerator);

// When the batches of a workload come.
struct Arrivals {
  enum class Kind : uint8_t { kClosed, kPoisson, kTrace };  // closed: one batch, at time 0
  Kind kind = Kind::kClosed;
  double per_second = 0;             // Poisson: batches
  int64_t count = 10;                // Poisson: how many batches
  uint64_t seed = 1;                 // Poisson
  std::vector<double> seconds = {};  // trace: when each batch comes, not decreasing
  bool operator==(const Arrivals&) const = default;
};
const Structure& StructureOf(const Arrivals*);

struct MixWorkload {
  std::string network;  // as the user wrote it; two workloads may name the same
  std::shared_ptr<const Graph> graph;
  int64_t batch = 1;  // inferences of each batch
  Arrivals arrivals;
};
const Structure& StructureOf(const MixWorkload*);

// What a user would write after the flag of an option: "deadlock", "spill".
struct MixOption {
  std::string name;  // as a key: "memory_model"
  std::string text;
  SourcePlace place = {};
  bool operator==(const MixOption&) const = default;
};

// Several batched networks on one accelerator.
struct Mix {
  std::string name;
  Accelerator accelerator;
  std::vector<MixWorkload> workloads;   // at least one
  std::vector<MixOption> options = {};  // that hold unless the command says otherwise
};
const Structure& StructureOf(const Mix*);
Faults Validate(const Mix& mix);

}  // namespace inlay

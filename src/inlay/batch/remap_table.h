#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/batch/network_profile.h"
#include "inlay/batch/simulate.h"

// Layers that run in less memory: some of the tensors that they touch live off chip, and go through
// the layer in pieces, one of which is computed while the next comes. Which pieces, how often they
// come and what the arrays make of them is on the mapper's front of footprint, off-chip words and
// cycles.
namespace inlay::batch {

// One inference of a layer.
struct TiledLayer {
  int64_t workspace_bytes = 0;  // two pieces of each tensor off chip, and the weights, which stay
  int64_t stream_bytes = 0;     // there and back
  int64_t cycles = 0;
  bool operator==(const TiledLayer&) const = default;
};

// A feature map or an input; see Life.
struct FeatureMap {
  int64_t bytes = 0;
  int64_t from = -1, last = -1;
};

// What the layers of a network cost in less memory. Tensors go off chip by their size, the largest
// first; the rank of a tensor is its place in that order.
class RemapTable {
 public:
  struct Layer {
    std::vector<size_t> touched;  // ranks of the tensors that it reads and writes, ascending
    // With the first 1, 2, … of them off chip; see ParetoFront. May end early: there is no way
    // beyond.
    std::vector<std::vector<TiledLayer>> ways;
  };
  RemapTable(std::shared_ptr<const NetworkProfile> profile, Accelerator accelerator,
             std::vector<FeatureMap> tensors, std::vector<Layer> layers);

  // The quickest way to run a layer with the `off` largest tensors of the network off chip in so
  // many bytes of workspace; null if there is none. The layer touches one of them.
  const TiledLayer* Find(size_t layer, size_t off, int64_t room) const;

  // The network with as few tensors off chip as let one inference run in so many bytes of feature
  // maps and workspaces; null if there is no way.
  struct Remapped {
    NetworkProfile profile;
    int64_t layers = 0;  // that run in pieces
  };
  std::optional<Remapped> Fit(int64_t bytes) const;
  // The fewest bytes above `none`, for which there is no way, that Fit finds one for; at most
  // `enough`, for which there is.
  int64_t LeastFit(int64_t none, int64_t enough) const;

  // The network with everything on chip.
  const std::shared_ptr<const NetworkProfile>& whole() const { return profile_; }

  // By workspace: each quicker than all that need less. What is quicker: the longer of cycles and
  // fetches, and a tenth of the other; of equals the one of least workspace.
  static std::vector<TiledLayer> ParetoFront(std::vector<TiledLayer> ways, double bytes_per_cycle);

 private:
  // How many of the `off` largest a layer touches.
  size_t CountTouched(size_t layer, size_t off) const;
  std::optional<Remapped> WithLargestOff(size_t off, int64_t bytes) const;

  std::shared_ptr<const NetworkProfile> profile_;
  Accelerator accelerator_;
  std::vector<FeatureMap> tensors_;  // by rank
  std::vector<Layer> layers_;
};

// Tabulates a network for budgets down to `least` bytes. Null where the deadline passed.
std::shared_ptr<const RemapTable> MakeRemapTable(const Graph& graph,
                                                 std::shared_ptr<const NetworkProfile> profile,
                                                 const Accelerator& accelerator, int64_t least,
                                                 int threads, const Deadline& deadline);

// Tables by network and accelerator, each made when it is asked for; the latest stay. Safe to be
// used by several threads.
class RemapTables {
 public:
  // Gives the workloads of a task of which fewer than three inferences fit beside each other their
  // tables, and those of which not even one fits a profile that does, if there is one.
  void AddTo(const Mix& mix, int threads, const Deadline& deadline, Task* task);

 private:
  struct Entry {
    std::shared_ptr<const Graph> graph;
    Accelerator accelerator;
    int64_t least = 0;
    std::shared_ptr<const RemapTable> table;
  };
  std::shared_ptr<const RemapTable> Find(const std::shared_ptr<const Graph>& graph,
                                         const std::shared_ptr<const NetworkProfile>& profile,
                                         const Accelerator& accelerator, int64_t least, int threads,
                                         const Deadline& deadline);

  std::mutex mutex_;
  std::vector<Entry> entries_;
};

// The task with everything on chip, whatever the memory.
Task Whole(const Task& task);

}  // namespace inlay::batch

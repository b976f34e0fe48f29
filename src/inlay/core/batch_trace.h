#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inlay {

// What happened while a mix ran, for viewers of timelines. Cycles; spans are half-open.
struct BatchTrace {
  // The arrays computing, or the channel fetching, for a layer of a workload. Blocks that follow
  // each other without a pause are one span.
  struct Span {
    int64_t begin = 0, end = 0;
    uint32_t workload = 0, layer = 0;
    int64_t amount = 0;  // inferences that are computed, bytes that are fetched
    bool operator==(const Span&) const = default;
  };
  struct Occupancy {
    int64_t at = 0;
    int64_t maps = 0, weights = 0;  // bytes
    bool operator==(const Occupancy&) const = default;
  };
  // Where the tree of a workload's sub-batches grows or shrinks: something begins, inside whatever
  // of the workload has begun and not ended, or the innermost of those ends.
  struct SubBatch {
    enum class Kind : uint8_t { kBatch, kPaused, kWaiting, kSpilled, kEnd };
    int64_t at = 0;
    Kind kind = Kind::kEnd;
    uint32_t workload = 0, layer = 0;  // that they stand before
    int64_t inferences = 0;
    bool operator==(const SubBatch&) const = default;
  };

  std::string title;
  double clock_hz = 1e9;
  int64_t memory_bytes = 0;
  std::vector<std::string> workloads;
  std::vector<std::vector<std::string>> layers;  // names, by workload
  std::vector<Span> computes, fetches;           // in order of time
  std::vector<Occupancy> occupancy;              // in order of time
  std::vector<SubBatch> sub_batches;             // in order of time; every begin has its end
};

}  // namespace inlay

#include "inlay/io/json/batch_trace.h"

#include <string>
#include <vector>

#include "inlay/io/json/trace_events.h"

namespace inlay::io {
namespace {

// Rows of the viewer: the accelerator is process 1, the workloads follow.
constexpr TraceRow kArrays = {1, 1}, kChannel = {1, 2};
constexpr int kFirstWorkload = 2;

class TraceWriter {
 public:
  explicit TraceWriter(const BatchTrace& trace) : trace_(trace), open_(trace.workloads.size()) {}

  std::string Write() {
    events_.NameProcess(kArrays.process, trace_.title);
    events_.NameThread(kArrays, "PE arrays");
    events_.NameThread(kChannel, "memory channel");
    for (size_t w = 0; w < trace_.workloads.size(); ++w) {
      events_.NameProcess(kFirstWorkload + static_cast<int>(w), trace_.workloads[w]);
    }
    for (const BatchTrace::Span& span : trace_.computes) AddSpan(span, kArrays, "inferences");
    for (const BatchTrace::Span& span : trace_.fetches) AddSpan(span, kChannel, "bytes");
    for (const BatchTrace::Occupancy& sample : trace_.occupancy) {
      events_.AddSample(kArrays.process, Microseconds(sample.at), "on-chip memory",
                        {{"feature maps", sample.maps},
                         {"weights", sample.weights},
                         {"free", trace_.memory_bytes - sample.maps - sample.weights}});
    }
    for (const BatchTrace::SubBatch& part : trace_.sub_batches) AddSubBatch(part);
    return events_.Document();
  }

 private:
  // What the format counts in.
  double Microseconds(int64_t cycles) const {
    return static_cast<double>(cycles) * (1e6 / trace_.clock_hz);
  }

  std::string Layer(uint32_t workload, uint32_t layer) const {
    const auto& layers = trace_.layers[workload];
    return layer < layers.size() ? layers[layer] : "the end";
  }

  void AddSpan(const BatchTrace::Span& span, TraceRow row, const char* amount) {
    events_.AddSpan(row, Microseconds(span.begin), Microseconds(span.end - span.begin),
                    trace_.workloads[span.workload],
                    trace_.workloads[span.workload] + " " + Layer(span.workload, span.layer),
                    {{amount, span.amount}});
  }

  std::string NameOf(const BatchTrace::SubBatch& part) const {
    const std::string count = std::to_string(part.inferences);
    const std::string before = " before " + Layer(part.workload, part.layer);
    switch (part.kind) {
      case BatchTrace::SubBatch::Kind::kBatch:
        return "batch of " + count;
      case BatchTrace::SubBatch::Kind::kPaused:
        return count + " paused" + before;
      case BatchTrace::SubBatch::Kind::kWaiting:
        return count + " waiting" + before;
      case BatchTrace::SubBatch::Kind::kSpilled:
        return count + " written out" + before;
      case BatchTrace::SubBatch::Kind::kEnd:
        break;
    }
    return "";
  }

  // Asynchronous events of one id for each workload nest, which makes the tree.
  void AddSubBatch(const BatchTrace::SubBatch& part) {
    std::vector<std::string>& open = open_[part.workload];
    const bool ends = part.kind == BatchTrace::SubBatch::Kind::kEnd;
    if (!ends) open.push_back(NameOf(part));
    events_.AddEdge({kFirstWorkload + static_cast<int>(part.workload), 1}, !ends,
                    Microseconds(part.at), "sub-batches", part.workload, open.back());
    if (ends) open.pop_back();
  }

  const BatchTrace& trace_;
  TraceEvents events_;
  std::vector<std::vector<std::string>> open_;  // names, by workload
};

}  // namespace

std::string WriteBatchTrace(const BatchTrace& trace) { return TraceWriter(trace).Write(); }

}  // namespace inlay::io

#include "inlay/io/json/batch_trace.h"

#include <string>
#include <vector>

#include "inlay/io/json/json.h"

namespace inlay::io {
namespace {

// Rows of the viewer: the accelerator is process 1, the workloads follow.
constexpr int kAccelerator = 1;
constexpr int kArrays = 1, kChannel = 2;
constexpr int kFirstWorkload = 2;

class TraceWriter {
 public:
  explicit TraceWriter(const BatchTrace& trace) : trace_(trace), open_(trace.workloads.size()) {}

  std::string Write() {
    Name("process_name", kAccelerator, 0, trace_.title);
    Name("thread_name", kAccelerator, kArrays, "PE arrays");
    Name("thread_name", kAccelerator, kChannel, "memory channel");
    for (size_t w = 0; w < trace_.workloads.size(); ++w) {
      Name("process_name", kFirstWorkload + static_cast<int>(w), 0, trace_.workloads[w]);
    }
    for (const BatchTrace::Span& span : trace_.computes) AddSpan(span, kArrays, "inferences");
    for (const BatchTrace::Span& span : trace_.fetches) AddSpan(span, kChannel, "bytes");
    for (const BatchTrace::Occupancy& sample : trace_.occupancy) {
      Add({{"ph", "C"},
           {"pid", kAccelerator},
           {"ts", Microseconds(sample.at)},
           {"name", "on-chip memory"},
           {"args",
            {{"feature maps", sample.maps},
             {"weights", sample.weights},
             {"free", trace_.memory_bytes - sample.maps - sample.weights}}}});
    }
    for (const BatchTrace::SubBatch& part : trace_.sub_batches) AddSubBatch(part);
    return "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n" + lines_ + "\n]}\n";
  }

 private:
  void Add(const Json& event) { lines_ += (lines_.empty() ? "" : ",\n") + event.dump(); }

  // What the format counts in.
  Json Microseconds(int64_t cycles) const {
    return Compact(static_cast<double>(cycles) * (1e6 / trace_.clock_hz));
  }

  void Name(const char* what, int pid, int tid, const std::string& name) {
    Add({{"ph", "M"}, {"pid", pid}, {"tid", tid}, {"name", what}, {"args", {{"name", name}}}});
  }

  std::string Layer(uint32_t workload, uint32_t layer) const {
    const auto& layers = trace_.layers[workload];
    return layer < layers.size() ? layers[layer] : "the end";
  }

  void AddSpan(const BatchTrace::Span& span, int tid, const char* amount) {
    Add({{"ph", "X"},
         {"pid", kAccelerator},
         {"tid", tid},
         {"ts", Microseconds(span.begin)},
         {"dur", Microseconds(span.end - span.begin)},
         {"cat", trace_.workloads[span.workload]},
         {"name", trace_.workloads[span.workload] + " " + Layer(span.workload, span.layer)},
         {"args", {{amount, span.amount}}}});
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
    Add({{"ph", ends ? "e" : "b"},
         {"pid", kFirstWorkload + static_cast<int>(part.workload)},
         {"tid", 1},
         {"ts", Microseconds(part.at)},
         {"cat", "sub-batches"},
         {"id", part.workload},
         {"name", open.back()}});
    if (ends) open.pop_back();
  }

  const BatchTrace& trace_;
  std::string lines_;
  std::vector<std::vector<std::string>> open_;  // names, by workload
};

}  // namespace

std::string WriteBatchTrace(const BatchTrace& trace) { return TraceWriter(trace).Write(); }

}  // namespace inlay::io

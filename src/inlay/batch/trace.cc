#include "inlay/batch/trace.h"

#include <algorithm>
#include <utility>

namespace inlay::batch {
namespace {

constexpr size_t kMostSamples = 1 << 15;

// Adds a span, or lengthens the last one where the new one goes on from it.
void Add(BatchTrace::Span span, bool amounts_add_up, std::vector<BatchTrace::Span>* spans) {
  if (!spans->empty()) {
    BatchTrace::Span& last = spans->back();
    const bool goes_on =
        last.end == span.begin && last.workload == span.workload && last.layer == span.layer;
    if (goes_on && (amounts_add_up || last.amount == span.amount)) {
      last.end = span.end;
      if (amounts_add_up) last.amount += span.amount;
      return;
    }
  }
  spans->push_back(span);
}

}  // namespace

TraceRecorder::TraceRecorder(const Task& task, std::string title) {
  trace_.title = std::move(title);
  trace_.clock_hz = task.accelerator.clock_hz;
  trace_.memory_bytes = task.accelerator.memory_bytes;
  for (const TaskWorkload& workload : task.workloads) {
    trace_.workloads.push_back(workload.profile->name);
    std::vector<std::string> layers;
    for (const LayerProfile& layer : workload.profile->layers) layers.push_back(layer.name);
    trace_.layers.push_back(std::move(layers));
    std::vector<int64_t> batches;
    for (const Request& request : workload.requests) batches.push_back(request.inferences);
    batches_.emplace_back(batches.rbegin(), batches.rend());
  }
  open_.resize(task.workloads.size());
}

void TraceRecorder::Fetch(int64_t from, int64_t to, size_t workload, size_t layer, int64_t bytes) {
  Add({from, to, static_cast<uint32_t>(workload), static_cast<uint32_t>(layer), bytes}, true,
      &trace_.fetches);
}

void TraceRecorder::Compute(int64_t from, int64_t to, size_t workload, size_t layer, int64_t n) {
  Add({from, to, static_cast<uint32_t>(workload), static_cast<uint32_t>(layer), n}, false,
      &trace_.computes);
}

void TraceRecorder::Occupancy(int64_t at, int64_t maps, int64_t weights) {
  std::vector<BatchTrace::Occupancy>& samples = trace_.occupancy;
  const BatchTrace::Occupancy sample{at, maps, weights};
  if (!samples.empty() && (samples.back().at == at || at - samples.back().at < gap_)) {
    samples.back().maps = maps;  // the last of an instant counts
    samples.back().weights = weights;
    return;
  }
  samples.push_back(sample);
  if (samples.size() < kMostSamples) return;
  gap_ = std::max<int64_t>(1, 2 * std::max(gap_, at / static_cast<int64_t>(kMostSamples)));
  std::vector<BatchTrace::Occupancy> thinned = {samples.front()};
  for (const BatchTrace::Occupancy& one : samples) {
    if (one.at - thinned.back().at >= gap_) {
      thinned.push_back(one);
    } else {
      thinned.back().maps = one.maps;
      thinned.back().weights = one.weights;
    }
  }
  samples = std::move(thinned);
}

void TraceRecorder::Push(int64_t at, size_t workload, const Open& open) {
  trace_.sub_batches.push_back({at, open.kind, static_cast<uint32_t>(workload),
                                static_cast<uint32_t>(open.layer), open.inferences});
  open_[workload].push_back(open);
}

void TraceRecorder::Pop(int64_t at, size_t workload) {
  const Open& open = open_[workload].back();
  trace_.sub_batches.push_back({at, Kind::kEnd, static_cast<uint32_t>(workload),
                                static_cast<uint32_t>(open.layer), open.inferences});
  open_[workload].pop_back();
}

void TraceRecorder::SubBatch(int64_t at, size_t workload, std::string_view what, size_t layer,
                             int64_t n) {
  std::vector<Open>& open = open_[workload];
  const auto innermost_is = [&](Kind kind) {
    return !open.empty() && open.back().kind == kind && open.back().layer == layer;
  };
  if (what == "begin") {
    // `n` is the first slice; the trace shows the whole batch.
    const int64_t batch = batches_[workload].empty() ? n : batches_[workload].back();
    if (!batches_[workload].empty()) batches_[workload].pop_back();
    Push(at, workload, {Kind::kBatch, layer, batch});
  } else if (what == "split" || what == "wait") {
    Push(at, workload, {what == "split" ? Kind::kPaused : Kind::kWaiting, layer, n});
  } else if (what == "spill") {
    Push(at, workload, {Kind::kSpilled, layer, n});
    Pop(at, workload);
  } else if (what == "resume") {
    if (innermost_is(Kind::kPaused)) Pop(at, workload);
  } else if (what == "merge") {
    while (innermost_is(Kind::kWaiting)) Pop(at, workload);
  } else if (what == "end" && !open.empty()) {
    open.front().inferences -= n;
    if (open.front().inferences > 0) return;
    while (!open.empty()) Pop(at, workload);
  }
}

BatchTrace TraceRecorder::Finish(int64_t end) {
  for (size_t w = 0; w < open_.size(); ++w) {
    while (!open_[w].empty()) Pop(end, w);
  }
  return std::move(trace_);
}

}  // namespace inlay::batch

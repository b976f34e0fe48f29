#include <algorithm>

#include "inlay/batch/remap.h"

namespace inlay::batch {
namespace {

// With room for so many inferences pieces bring nothing.
constexpr int64_t kEnough = 3;
// The smallest part of the room that one inference is fitted into.
constexpr int64_t kLeastPart = 4;
// Studies ask for the same ones soon again, or never.
constexpr size_t kMostTables = 64;

}  // namespace

std::shared_ptr<const RemapTable> RemapTables::Find(
    const std::shared_ptr<const Graph>& graph, const std::shared_ptr<const NetworkProfile>& profile,
    const Accelerator& accelerator, int64_t least, int threads, const Deadline& deadline) {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.graph == graph && entry.accelerator == accelerator && entry.least == least) {
      return entry.table;
    }
  }
  auto table = MakeRemapTable(*graph, profile, accelerator, least, threads, deadline);
  if (!table) return table;
  if (entries_.size() == kMostTables) entries_.erase(entries_.begin());
  entries_.push_back({graph, accelerator, least, table});
  return table;
}

void RemapTables::AddTo(const Mix& mix, int threads, const Deadline& deadline, Task* task) {
  const int64_t room = task->accelerator.memory_bytes - ReservesOf(*task);
  for (size_t i = 0; i < task->workloads.size() && room > 0; ++i) {
    TaskWorkload& w = task->workloads[i];
    const int64_t peak = CostOf(*w.profile, task->accelerator, 1, {}).peak_bytes;
    if (peak <= room / kEnough) continue;
    w.remap = Find(mix.workloads[i].graph, w.profile, task->accelerator, room / kLeastPart, threads,
                   deadline);
    if (w.remap == nullptr || peak <= room) continue;
    if (auto remapped = w.remap->Fit(room)) {
      w.profile = std::make_shared<const NetworkProfile>(std::move(remapped->profile));
      w.remaps = remapped->layers;
    }
  }
}

Task Whole(const Task& task) {
  Task whole = task;
  for (TaskWorkload& w : whole.workloads) {
    if (w.remap == nullptr) continue;
    w.profile = w.remap->whole();
    w.remaps = 0;
  }
  return whole;
}

}  // namespace inlay::batch

#include "inlay/batch/remap_table.h"

#include <algorithm>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::batch {
namespace {

constexpr double kOther = 0.1;

double TimeOf(const TiledLayer& way, double bytes_per_cycle) {
  const auto cycles = static_cast<double>(way.cycles);
  const double fetch = static_cast<double>(way.stream_bytes) / bytes_per_cycle;
  return std::max(cycles, fetch) + kOther * std::min(cycles, fetch);
}

// Inferences come one after the other; steps are longer by what pieces cost.
void RunInPieces(const TiledLayer& way, const Accelerator& accelerator, LayerProfile* layer) {
  const double whole = std::max(1.0, static_cast<double>(CyclesOf(*layer, accelerator, 1)));
  const double longer = static_cast<double>(way.cycles) / whole - 1;
  for (Product& product : layer->products) {
    const auto step = static_cast<double>(FoldStepsOf(product, accelerator, 1).cycles_per_step);
    product.more_cycles += static_cast<int64_t>(longer * step);
    product.in_turn = true;
  }
  layer->stream_bytes = SaturatingAdd(layer->stream_bytes, way.stream_bytes);
  layer->workspace_bytes = way.workspace_bytes;
}

}  // namespace

RemapTable::RemapTable(std::shared_ptr<const NetworkProfile> profile, Accelerator accelerator,
                       std::vector<FeatureMap> tensors, std::vector<Layer> layers)
    : profile_(std::move(profile)),
      accelerator_(std::move(accelerator)),
      tensors_(std::move(tensors)),
      layers_(std::move(layers)) {}

std::vector<TiledLayer> RemapTable::ParetoFront(std::vector<TiledLayer> ways,
                                                double bytes_per_cycle) {
  std::stable_sort(ways.begin(), ways.end(), [&](const TiledLayer& a, const TiledLayer& b) {
    if (a.workspace_bytes != b.workspace_bytes) return a.workspace_bytes < b.workspace_bytes;
    return TimeOf(a, bytes_per_cycle) < TimeOf(b, bytes_per_cycle);
  });
  std::vector<TiledLayer> unbeaten;
  for (const TiledLayer& way : ways) {
    if (unbeaten.empty() ||
        TimeOf(way, bytes_per_cycle) < TimeOf(unbeaten.back(), bytes_per_cycle)) {
      unbeaten.push_back(way);
    }
  }
  return unbeaten;
}

size_t RemapTable::CountTouched(size_t layer, size_t off) const {
  const std::vector<size_t>& touched = layers_[layer].touched;
  return static_cast<size_t>(std::lower_bound(touched.begin(), touched.end(), off) -
                             touched.begin());
}

const TiledLayer* RemapTable::Find(size_t layer, size_t off, int64_t room) const {
  const size_t touched = CountTouched(layer, off);
  if (touched == 0 || touched > layers_[layer].ways.size()) return nullptr;
  const std::vector<TiledLayer>& ways = layers_[layer].ways[touched - 1];
  const auto beyond = std::upper_bound(
      ways.begin(), ways.end(), room,
      [](int64_t bytes, const TiledLayer& way) { return bytes < way.workspace_bytes; });
  return beyond == ways.begin() ? nullptr : &*std::prev(beyond);
}

std::optional<RemapTable::Remapped> RemapTable::WithLargestOff(size_t off, int64_t bytes) const {
  Remapped remapped{*profile_, 0};
  std::vector<LayerProfile>& layers = remapped.profile.layers;
  for (size_t r = 0; r < off; ++r) {
    const FeatureMap& tensor = tensors_[r];
    if (tensor.from >= 0) layers[static_cast<size_t>(tensor.from)].output_bytes -= tensor.bytes;
    for (int64_t l = tensor.from + 1; l <= tensor.last; ++l) {
      layers[static_cast<size_t>(l)].live_bytes -= tensor.bytes;
    }
  }
  for (size_t l = 0; l < layers.size(); ++l) {
    const int64_t room = bytes - layers[l].live_bytes - layers[l].output_bytes;
    if (room < layers[l].workspace_bytes) return std::nullopt;
    if (CountTouched(l, off) == 0) continue;
    const TiledLayer* way = Find(l, off, room);
    if (way == nullptr) return std::nullopt;
    RunInPieces(*way, accelerator_, &layers[l]);
    ++remapped.layers;
  }
  return remapped;
}

std::optional<RemapTable::Remapped> RemapTable::Fit(int64_t bytes) const {
  for (size_t off = 0; off <= tensors_.size(); ++off) {
    if (auto remapped = WithLargestOff(off, bytes)) return remapped;
  }
  return std::nullopt;
}

int64_t RemapTable::LeastFit(int64_t none, int64_t enough) const {
  while (enough - none > 1) {
    const int64_t middle = none + (enough - none) / 2;
    (Fit(middle) ? enough : none) = middle;
  }
  return enough;
}

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

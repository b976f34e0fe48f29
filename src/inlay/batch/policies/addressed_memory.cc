#include "inlay/batch/policies/addressed_memory.h"

#include <algorithm>
#include <map>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"
#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::batch {
namespace {

constexpr int kMostRounds = 8;

// Bytes of one inference that a layer brings into memory, and the layer at whose end they go.
struct Part {
  int64_t bytes = 0;
  size_t written = 0, last = 0;
};

// By layer.
std::vector<std::vector<Part>> PartsOf(const NetworkProfile& profile) {
  const std::vector<LayerProfile>& layers = profile.layers;
  std::vector<std::vector<Part>> parts(layers.size());
  std::vector<Part> held;  // by age; `last` is not known yet
  for (size_t l = 0; l < layers.size(); ++l) {
    if (l == 0) held.push_back({layers[0].live_bytes, 0, 0});
    const size_t before = held.size();
    held.push_back({layers[l].output_bytes, l, 0});
    const int64_t next = l + 1 < layers.size() ? layers[l + 1].live_bytes : 0;
    int64_t goes = layers[l].live_bytes + layers[l].output_bytes - next;
    for (size_t i = held.size(); i-- > 0 && goes > 0;) {
      // First those before, from the newest; then the one just written.
      Part& part = held[i > 0 ? i - 1 : before];
      const int64_t bytes = std::min(goes, part.bytes);
      if (bytes > 0) parts[part.written].push_back({bytes, part.written, l});
      part.bytes -= bytes;
      goes -= bytes;
    }
    held.erase(
        std::remove_if(held.begin(), held.end(), [](const Part& part) { return part.bytes == 0; }),
        held.end());
  }
  return parts;
}

class Recorder : public Observer {
 public:
  explicit Recorder(const Task& task) : task_(task), started_(task.workloads.size()) {
    for (const TaskWorkload& w : task.workloads) {
      parts_.push_back(PartsOf(*w.profile));
      standing_.emplace_back(w.profile->layers.size() + 1);
    }
  }

  // Inferences are alike: any that stands before the layer may be the one that starts it.
  void Layer(int64_t at, size_t workload, size_t layer, int64_t n, bool starts) override {
    std::vector<Held>& before = standing_[workload][layer];
    while (layer == 0 && starts && static_cast<int64_t>(before.size()) < n) before.emplace_back();
    INLAY_CHECK(static_cast<int64_t>(before.size()) >= n);
    for (int64_t i = 0; i < n; ++i) {
      // Those that started last end first: one layer of a workload runs at a time.
      Held& held = before[before.size() - static_cast<size_t>(n) + static_cast<size_t>(i)];
      if (starts) {
        for (const Part& part : parts_[workload][layer]) held.push_back({part, at});
      } else {
        End(at, layer, &held);
      }
    }
    if (starts) {
      started_[workload] = at;
      return;
    }
    // However many they are.
    Add(started_[workload], at, task_.workloads[workload].profile->layers[layer].workspace_bytes);
    auto& after = standing_[workload][layer + 1];
    const auto first = before.end() - n;
    if (layer + 2 < standing_[workload].size()) {
      after.insert(after.end(), std::make_move_iterator(first),
                   std::make_move_iterator(before.end()));
    }
    before.erase(first, before.end());
  }

  void Block(int64_t at, size_t block, int64_t bytes, bool comes) override {
    if (comes) {
      blocks_[block] = at;
    } else {
      Add(blocks_.at(block), at, bytes);
    }
  }

  std::vector<Buffer> Take() { return std::move(buffers_); }

 private:
  struct Living {
    Part part;
    int64_t from = 0;
  };
  using Held = std::vector<Living>;  // of one inference

  void Add(int64_t from, int64_t to, int64_t bytes) {
    if (from < to && bytes > 0) buffers_.push_back({"", from, to, bytes});
  }

  void End(int64_t at, size_t layer, Held* held) {
    const auto goes = [layer](const Living& living) { return living.part.last == layer; };
    for (const Living& living : *held) {
      if (goes(living)) Add(living.from, at, living.part.bytes);
    }
    held->erase(std::remove_if(held->begin(), held->end(), goes), held->end());
  }

  const Task& task_;
  std::vector<int64_t> started_;                          // by workload: when its layer did
  std::vector<std::vector<std::vector<Part>>> parts_;     // by workload, layer
  std::vector<std::vector<std::vector<Held>>> standing_;  // by workload, layer
  std::map<size_t, int64_t> blocks_;                      // on chip, since
  std::vector<Buffer> buffers_;
};

}  // namespace

int64_t CountResidencies(const Task& task) {
  int64_t stays = 0;
  for (const TaskWorkload& w : task.workloads) {
    const auto layers = static_cast<int64_t>(w.profile->layers.size());
    for (const Request& request : w.requests) {
      stays = SaturatingAdd(stays, SaturatingMultiply(request.inferences, layers));
    }
  }
  return stays;
}

std::vector<Buffer> BuffersOf(const Task& task, const Rules& rules) {
  Recorder recorder(task);
  Simulate(task, rules, {&recorder, false, nullptr});
  return recorder.Take();
}

PolicyRun RunAddressed(const Task& task, const Rules& rules, const RunOptions& run) {
  PolicyRun result;
  result.rules = rules;
  result.task = task;
  constexpr int64_t kAnywhere = int64_t{1} << 60;
  int64_t height = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    if (run.deadline != nullptr && run.deadline->Passed()) {
      result.outcome.ending = Ending::kStopped;
      return result;
    }
    height = dsa::FirstFit({BuffersOf(result.task, rules), kAnywhere}).height;
    const int64_t excess = height - task.accelerator.memory_bytes;
    if (excess <= 0) break;
    Task smaller = result.task;
    smaller.accelerator.memory_bytes -= excess;
    if (!Fits(smaller)) break;
    result.task = std::move(smaller);
  }
  result.outcome = Simulate(result.task, rules, run);
  result.outcome.peak_bytes = height;
  return result;
}

}  // namespace inlay::batch

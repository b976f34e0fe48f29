#include "inlay/batch/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/rng.h"
#include "inlay/batch/layer_table.h"

namespace inlay::batch {
namespace {

// Sums over a run stay far below 64 bits.
constexpr int64_t kMost = int64_t{1} << 58;
constexpr int64_t kMostBlocks = 10'000'000;

std::vector<Request> RequestsOf(const MixWorkload& workload, double clock_hz) {
  const Arrivals& arrivals = workload.arrivals;
  std::vector<Request> requests;
  const auto add = [&](double seconds) {
    requests.push_back({static_cast<int64_t>(std::llround(seconds * clock_hz)), workload.batch});
  };
  switch (arrivals.kind) {
    case Arrivals::Kind::kClosed:
      add(0);
      break;
    case Arrivals::Kind::kPoisson: {
      Rng rng(arrivals.seed);
      double seconds = 0;
      for (int64_t i = 0; i < arrivals.count; ++i) {
        seconds -= std::log1p(-UniformUnit(rng)) / arrivals.per_second;
        add(seconds);
      }
      break;
    }
    case Arrivals::Kind::kTrace:
      for (const double seconds : arrivals.seconds) add(seconds);
      break;
  }
  return requests;
}

// What one inference after the other would take is the most that anything takes.
bool FitsIn64Bits(const TaskWorkload& workload, const Accelerator& accelerator) {
  int64_t all = 0;
  for (const Request& request : workload.requests) all = SaturatingAdd(all, request.inferences);
  int64_t cycles = 0, bytes = 0, largest = 0;
  for (const LayerProfile& layer : workload.profile->layers) {
    cycles = SaturatingAdd(cycles, CyclesOf(layer, accelerator, 1));
    bytes = SaturatingAdd(bytes, SaturatingAdd(layer.weight_bytes, layer.stream_bytes));
    largest = std::max(largest, SaturatingAdd(SaturatingAdd(layer.live_bytes, layer.output_bytes),
                                              layer.workspace_bytes));
  }
  const double fetch =
      static_cast<double>(bytes) / accelerator.bytes_per_cycle * static_cast<double>(all);
  return SaturatingMultiply(all, SaturatingAdd(SaturatingAdd(cycles, bytes), largest)) < kMost &&
         fetch < static_cast<double>(kMost);
}

}  // namespace

tl::expected<Task, Faults> MakeTask(const Mix& mix) {
  Task task;
  task.accelerator = mix.accelerator;
  Faults faults;
  int64_t blocks = 0;
  for (size_t i = 0; i < mix.workloads.size(); ++i) {
    const MixWorkload& workload = mix.workloads[i];
    const std::string where = fmt::format("workloads[{}]", i);
    auto profile = ProfileOf(*workload.graph, mix.accelerator.bits);
    if (!profile) {
      faults.push_back({where + ".network", profile.error().message, profile.error().hint});
      continue;
    }
    for (const LayerProfile& layer : profile->layers) {
      blocks = SaturatingAdd(blocks, BlocksOf(layer, mix.accelerator));
    }
    task.workloads.push_back({std::make_shared<const NetworkProfile>(*std::move(profile)),
                              RequestsOf(workload, mix.accelerator.clock_hz),
                              {}});
    if (!FitsIn64Bits(task.workloads.back(), mix.accelerator)) {
      faults.push_back(
          {where + ".batch",
           fmt::format("the cycles or bytes of '{}' do not fit into 64 bits", workload.network),
           "a smaller batch, or fewer of them"});
    }
  }
  if (blocks > kMostBlocks) {
    faults.push_back({"accelerator.block", fmt::format("the weights come in {} blocks", blocks),
                      fmt::format("at most {} are simulated: make blocks larger", kMostBlocks)});
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return task;
}

int64_t ReservesOf(const Task& task) {
  int64_t reserves = 0;
  for (const TaskWorkload& w : task.workloads) {
    int64_t largest = 0;
    for (const LayerProfile& layer : w.profile->layers) {
      largest = std::max(largest, CeilDiv(layer.weight_bytes, BlocksOf(layer, task.accelerator)));
    }
    reserves = SaturatingAdd(reserves, largest);
  }
  return reserves;
}

int64_t LeastMemory(const Task& task, size_t workload) {
  const NetworkProfile& profile = *task.workloads[workload].profile;
  LayerTable table(profile, task.accelerator);
  return SaturatingAdd(ReservesOf(task), table.CostsOf(1).Peak(0, profile.layers.size()));
}

bool Fits(const Task& task) {
  for (size_t i = 0; i < task.workloads.size(); ++i) {
    if (LeastMemory(task, i) > task.accelerator.memory_bytes) return false;
  }
  return true;
}

}  // namespace inlay::batch

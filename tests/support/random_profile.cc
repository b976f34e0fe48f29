#include "tests/support/random_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace inlay::testing {

batch::NetworkProfile RandomProfile(Random& random, const ProfileLimits& limits) {
  batch::NetworkProfile profile;
  profile.name = "random";
  const auto layers =
      static_cast<size_t>(Pick(random, 1, static_cast<int64_t>(limits.most_layers)));
  profile.layers.resize(layers);
  profile.layers[0].live_bytes = Pick(random, 0, 20);
  for (size_t l = 0; l < layers; ++l) {
    batch::LayerProfile& layer = profile.layers[l];
    layer.name = "l" + std::to_string(l);
    layer.weight_bytes = Chance(random, 0.2) ? 0 : Pick(random, 1, 60);
    if (limits.streams && Chance(random, 0.15)) {
      layer.stream_bytes = Pick(random, 1, 30);
      layer.workspace_bytes = Pick(random, 0, 5);
    }
    for (int64_t tensors = Pick(random, 1, 2); tensors > 0; --tensors) {
      const int64_t bytes = Pick(random, 0, 20);
      const bool far = limits.residual && Chance(random, 0.3);
      const size_t last =
          std::min(layers - 1, l + static_cast<size_t>(far ? Pick(random, 1, 4) : 1));
      layer.output_bytes += bytes;
      for (size_t k = l + 1; k <= last; ++k) profile.layers[k].live_bytes += bytes;
    }
    for (int64_t products = Pick(random, 1, 2); products > 0; --products) {
      layer.products.push_back({Pick(random, 1, 2), Pick(random, 1, 9), Pick(random, 1, 9),
                                Pick(random, 1, 12), Pick(random, 1, 2), Chance(random, 0.8), 0,
                                Chance(random, 0.1)});
    }
  }
  for (const batch::LayerProfile& layer : profile.layers) {
    for (const batch::Product& p : layer.products) {
      profile.operations += p.groups * p.pixels * p.filters * p.reduction * p.repeat;
    }
  }
  return profile;
}

Accelerator SmallAccelerator(Random& random) {
  Accelerator accelerator;
  accelerator.name = "small";
  accelerator.arrays = Pick(random, 1, 3);
  accelerator.array = {Pick(random, 1, 4), Pick(random, 1, 4),
                       static_cast<Dataflow>(Pick(random, 0, 2))};
  accelerator.block_bytes = Pick(random, 4, 24);
  accelerator.window_bytes = Pick(random, 4, 100);
  accelerator.look_ahead_layers = Pick(random, 0, 4);
  accelerator.bytes_per_cycle = static_cast<double>(Pick(random, 1, 16)) / 4;
  accelerator.memory_bytes = 1 << 20;
  return accelerator;
}

batch::Task RandomTask(Random& random, const ProfileLimits& limits) {
  batch::Task task;
  task.accelerator = SmallAccelerator(random);
  int64_t all = 0, least = 1;
  for (int64_t workloads = Pick(random, 1, 4); workloads > 0; --workloads) {
    const auto profile =
        std::make_shared<const batch::NetworkProfile>(RandomProfile(random, limits));
    batch::TaskWorkload workload{profile, {}, {}};
    int64_t arrival = 0;
    for (int64_t requests = Chance(random, 0.2) ? 3 : 1; requests > 0; --requests) {
      workload.requests.push_back({arrival, Pick(random, 1, 6)});
      arrival += Pick(random, 0, 400);
      all += batch::CostOf(*profile, task.accelerator, workload.requests.back().inferences, {})
                 .peak_bytes;
    }
    const auto layers = static_cast<int64_t>(profile->layers.size());
    const int64_t first_end = Pick(random, 0, layers);
    const int64_t first = Pick(random, 1, 4);
    workload.plan = {first, Pick(random, first, 6), static_cast<size_t>(first_end),
                     static_cast<size_t>(Pick(random, first_end, layers))};
    task.workloads.push_back(std::move(workload));
  }
  for (size_t i = 0; i < task.workloads.size(); ++i) {
    least = std::max(least, batch::LeastMemory(task, i));
  }
  task.accelerator.memory_bytes = least + (Chance(random, 0.3) ? 0 : Pick(random, 0, all));
  return task;
}

batch::Rules RandomRules(Random& random) {
  batch::Rules rules;
  rules.advance = static_cast<batch::Advance>(Pick(random, 0, 5));
  rules.order = static_cast<batch::Order>(Pick(random, 0, 2));
  rules.on_deadlock = Chance(random, 0.7) ? batch::OnDeadlock::kAvoid
                                          : static_cast<batch::OnDeadlock>(Pick(random, 1, 2));
  rules.bypass = Chance(random, 0.8);
  rules.merge = Chance(random, 0.8);
  rules.cascade_depth = Chance(random, 0.7) ? 64 : Pick(random, 0, 3);
  rules.cut_cycles = Chance(random, 0.5) ? 2048 : Pick(random, 1, 50);
  return rules;
}

std::string Describe(const batch::Task& task, const batch::Rules& rules) {
  const Accelerator& a = task.accelerator;
  std::string text = fmt::format(
      "memory {} block {} window {} of {} layers, {} B/cycle; advance {} order {} deadlock {} "
      "bypass {} merge {} depth {} cut {}\n",
      a.memory_bytes, a.block_bytes, a.window_bytes, a.look_ahead_layers, a.bytes_per_cycle,
      static_cast<int>(rules.advance), static_cast<int>(rules.order),
      static_cast<int>(rules.on_deadlock), rules.bypass, rules.merge, rules.cascade_depth,
      rules.cut_cycles);
  for (const batch::TaskWorkload& w : task.workloads) {
    text += "workload:";
    for (const batch::Request& r : w.requests)
      text += fmt::format(" {}@{}", r.inferences, r.arrival);
    text += fmt::format("; plan {} {} {} {};", w.plan.first, w.plan.second, w.plan.first_end,
                        w.plan.second_end);
    for (const batch::LayerProfile& l : w.profile->layers) {
      text += fmt::format(" (w {} live {} out {} stream {} space {} cycles {})", l.weight_bytes,
                          l.live_bytes, l.output_bytes, l.stream_bytes, l.workspace_bytes,
                          batch::CyclesOf(l, a, 1));
    }
    text += "\n";
  }
  return text;
}

}  // namespace inlay::testing

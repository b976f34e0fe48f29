#include "inlay/io/json/mix_json.h"

#include <utility>

namespace inlay::io {

Json AcceleratorToJson(const Accelerator& accelerator) {
  return {{"name", accelerator.name},
          {"clock_hz", Compact(accelerator.clock_hz)},
          {"arrays", accelerator.arrays},
          {"rows", accelerator.array.rows},
          {"columns", accelerator.array.columns},
          {"dataflow", ShortName(accelerator.array.dataflow)},
          {"bits", accelerator.bits},
          {"memory_bytes", accelerator.memory_bytes},
          {"bytes_per_cycle", Compact(accelerator.bytes_per_cycle)},
          {"block_bytes", accelerator.block_bytes},
          {"window_bytes", accelerator.window_bytes},
          {"look_ahead_layers", accelerator.window_layers}};
}

Json ArrivalsToJson(const Arrivals& arrivals) {
  switch (arrivals.kind) {
    case Arrivals::Kind::kClosed:
      return nullptr;
    case Arrivals::Kind::kPoisson:
      return {{"per_second", Compact(arrivals.per_second)},
              {"count", arrivals.count},
              {"seed", arrivals.seed}};
    case Arrivals::Kind::kTrace:
      return {{"seconds", arrivals.seconds}};
  }
  return nullptr;
}

Json MixToJson(const Mix& mix) {
  Json workloads = Json::array();
  for (const MixWorkload& workload : mix.workloads) {
    Json entry = {{"network", workload.network}, {"batch", workload.batch}};
    if (Json arrivals = ArrivalsToJson(workload.arrivals); !arrivals.is_null()) {
      entry["arrivals"] = std::move(arrivals);
    }
    workloads.push_back(std::move(entry));
  }
  Json options = Json::object();
  for (const MixOption& option : mix.options) options[option.name] = option.text;
  return {{"name", mix.name},
          {"accelerator", AcceleratorToJson(mix.accelerator)},
          {"workloads", std::move(workloads)},
          {"options", std::move(options)}};
}

}  // namespace inlay::io

#include "inlay/io/json/mix_json.h"

#include <utility>

#include "inlay/io/json/fields.h"

namespace inlay::io {

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
          {"accelerator", ToJson(mix.accelerator)},
          {"workloads", std::move(workloads)},
          {"options", std::move(options)}};
}

}  // namespace inlay::io

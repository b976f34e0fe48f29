#include <utility>

#include "inlay/io/json/eval.h"
#include "inlay/io/json/json.h"

namespace inlay::io {
namespace {

Json CountsToJson(const Counts& counts, int64_t instances) {
  const auto per = [&](int64_t total) -> Json {
    if (instances <= 1) return total;
    if (total % instances == 0) return total / instances;
    return static_cast<double>(total) / static_cast<double>(instances);
  };
  return {{"reads", per(counts.reads)},
          {"fills", per(counts.fills)},
          {"updates", per(counts.updates)},
          {"drains", per(counts.drains)}};
}

Json TensorToJson(const TensorCost& tensor) {
  return {{"kept", tensor.kept},
          {"tile_words", tensor.tile_words},
          {"instances", tensor.instances},
          {"per_instance", CountsToJson(tensor.total, tensor.instances)},
          {"total", CountsToJson(tensor.total, 1)},
          {"energy_pj", tensor.energy_pj}};
}

Json LevelToJson(const EvalResult& result, LevelId l) {
  const LevelCost& level = result.cost.levels[l];
  Json tensors = Json::object();
  for (TensorId t : Ids(level.tensors)) tensors[result.tensors[t]] = TensorToJson(level.tensors[t]);
  return {{"name", result.levels[l]},
          {"cycles", level.cycles},
          {"limit", Name(level.limit)},
          {"energy_pj", level.energy_pj},
          {"tensors", std::move(tensors)}};
}

Json ResultToJson(const EvalResult& result) {
  const Cost& cost = result.cost;
  Json json = HeaderToJson(result.header);
  json["semantics"] = Name(result.semantics);
  json["problem"] = result.problem;
  json["architecture"] = result.architecture;
  json["mapspace"] = Name(result.mapspace);
  json["operations"] = cost.operations;
  if (cost.padded_operations) json["padded_operations"] = *cost.padded_operations;
  json["cycles"] = cost.cycles;
  json["energy_pj"] = cost.energy_pj;
  json["utilization"] = cost.utilization;
  json["offchip_words"] = cost.offchip_words;
  if (result.numeric_check) json["numeric_check"] = "ok";
  json["levels"] = Json::array();
  for (LevelId l : Ids(cost.levels)) json["levels"].push_back(LevelToJson(result, l));
  json["compute"] = {{"operations", cost.operations},
                     {"instances", cost.compute_lanes_used},
                     {"lanes", cost.compute_lanes},
                     {"cycles", cost.compute_cycles},
                     {"energy_pj", cost.compute_energy_pj}};
  json["mapping"] = result.mapping;
  json["measured"] = {{"seconds", result.seconds}};
  return json;
}

}  // namespace

std::string WriteEvalResults(const std::vector<EvalResult>& results) {
  if (results.size() == 1) return Dump(ResultToJson(results.front()));
  Json array = Json::array();
  for (const EvalResult& result : results) array.push_back(ResultToJson(result));
  return Dump(array);
}

}  // namespace inlay::io

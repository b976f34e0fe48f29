#include "inlay/io/json/cost_json.h"
#include "inlay/io/json/eval.h"
#include "inlay/io/json/json.h"

namespace inlay::io {
namespace {

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
  json["levels"] = LevelsToJson(cost, result.levels, result.tensors);
  json["compute"] = ComputeToJson(cost);
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

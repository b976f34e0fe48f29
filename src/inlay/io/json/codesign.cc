#include "inlay/io/json/codesign.h"

#include "inlay/io/json/json.h"
#include "inlay/io/json/map_json.h"

namespace inlay::io {
namespace {

Json TotalsToJson(const MapTotals& totals) {
  return {{"energy_pj", totals.energy_pj}, {"cycles", totals.cycles}, {"edp", totals.edp}};
}

Json ArchitectureToJson(const ArchitectureResult& architecture) {
  Json json = {{"name", architecture.name}, {"attributes", Json::object()}};
  for (const auto& [name, value] : architecture.attributes) json["attributes"][name] = Compact(value);
  json["area_um2"] = architecture.area_um2 ? Json(*architecture.area_um2) : Json();
  json["layers"] = Json::array();
  for (const LayerResult& layer : architecture.layers) {
    json["layers"].push_back({{"name", layer.name},
                              {"repeat", layer.repeat},
                              {"operations", layer.operations},
                              {"cost", CostToJson(layer.cost.value())},
                              {"mapping", layer.mapping}});
  }
  json["total"] = TotalsToJson(architecture.total);
  return json;
}

}  // namespace

std::string WriteCodesignResult(const CodesignResult& result) {
  Json json = HeaderToJson(result.header);
  json["workload"] = result.workload;
  json["scope"] = result.scope;
  if (result.interrupted) json["interrupted"] = true;
  json["searched"] = result.searched;
  json["architectures"] = Json::array();
  for (const ArchitectureResult& architecture : result.architectures) {
    json["architectures"].push_back(ArchitectureToJson(architecture));
  }
  json["certificate"] = result.certificate ? CertificateToJson(*result.certificate) : Json();
  if (result.baseline) {
    json["baseline"] = {{"name", result.baseline->name},
                        {"total", TotalsToJson(result.baseline->total)}};
    json["baseline"]["area_um2"] =
        result.baseline->area_um2 ? Json(*result.baseline->area_um2) : Json();
  }
  json["measured"] = {{"seconds", result.seconds}, {"threads", result.threads}};
  return Dump(json);
}

}  // namespace inlay::io

#include "inlay/io/json/codesign.h"

#include "inlay/io/json/json.h"
#include "inlay/io/json/map_json.h"

namespace inlay::io {
namespace {

Json TotalsToJson(const MapTotals& totals) {
  return {{"energy_pj", totals.energy_pj}, {"cycles", totals.cycles}, {"edp", totals.edp}};
}

Json PartsToJson(const std::vector<std::pair<std::string, double>>& parts) {
  Json json = Json::object();
  for (const auto& [name, part] : parts) json[name] = part;
  return json;
}

Json ArchitectureToJson(const ArchitectureResult& architecture) {
  Json json = {{"name", architecture.name}, {"attributes", Json::object()}};
  for (const auto& [name, value] : architecture.attributes)
    json["attributes"][name] = Compact(value);
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
  json["area_parts_um2"] = PartsToJson(architecture.area_parts_um2);
  json["energy_parts_pj"] = PartsToJson(architecture.energy_parts_pj);
  if (architecture.relaxed) json["relaxed"] = *architecture.relaxed;
  return json;
}

Json UseToJson(const CodesignUse& use) {
  return {{"searches", use.searches}, {"pairs", use.pairs}, {"programs", use.programs}};
}

Json ComparedToJson(const ComparedMethod& compared) {
  Json json = {{"method", compared.method}, {"architectures", Json::array()}};
  for (const ArchitectureResult& architecture : compared.architectures) {
    json["architectures"].push_back(ArchitectureToJson(architecture));
  }
  json["gap"] = compared.gap ? Json(*compared.gap) : Json();
  return json;
}

Json CertificateOf(const CodesignResult& result) {
  if (!result.certificate) return {};
  Json json = CertificateToJson(*result.certificate);
  if (result.scope == "pareto") {  // a front has no one figure
    json["objective"] = json["lower_bound"] = Json();
    json["open"] = result.open;
  }
  return json;
}

Json ClassToJson(const Explanation& explanation, const ExplainedClass& explained) {
  Json json = {{"order", explained.order}, {"copies", Json::object()}};
  if (explained.as_good != 0) json["never_better_than"] = explained.as_good;
  for (size_t t = 0; t < explanation.tensors.size(); ++t) {
    Json rows = Json::array();
    for (const ExplainedClass::Row& row : explained.rows) {
      if (!row.copies[t].empty()) rows.push_back({{"loop", row.loop}, {"words", row.copies[t]}});
    }
    json["copies"][explanation.tensors[t]] = rows;
  }
  return json;
}

Json ExplanationToJson(const Explanation& explanation) {
  Json json = {{"layer", explanation.layer}, {"tiles", Json::object()}, {"levels", Json::array()}};
  for (const auto& [level, words] : explanation.tiles) {
    for (size_t t = 0; t < words.size(); ++t) {
      if (!words[t].empty()) json["tiles"][level][explanation.tensors[t]] = words[t];
    }
  }
  for (const ExplainedLevel& level : explanation.levels) {
    Json classes = Json::array();
    for (const ExplainedClass& explained : level.classes) {
      classes.push_back(ClassToJson(explanation, explained));
    }
    json["levels"].push_back({{"from", level.level},
                              {"to", level.inner},
                              {"orders", level.orders},
                              {"by_the_papers_rule", level.hoisted},
                              {"classes", classes}});
  }
  return json;
}

}  // namespace

std::string WriteCodesignResult(const CodesignResult& result) {
  Json json = HeaderToJson(result.header);
  json["workload"] = result.workload;
  json["method"] = result.method;
  json["scope"] = result.scope;
  if (result.interrupted) json["interrupted"] = true;
  json["searched"] = result.searched;
  json["architectures"] = Json::array();
  for (const ArchitectureResult& architecture : result.architectures) {
    json["architectures"].push_back(ArchitectureToJson(architecture));
  }
  json["certificate"] = CertificateOf(result);
  if (result.baseline) {
    json["baseline"] = {{"name", result.baseline->name},
                        {"total", TotalsToJson(result.baseline->total)}};
    json["baseline"]["area_um2"] =
        result.baseline->area_um2 ? Json(*result.baseline->area_um2) : Json();
  }
  json["measured"] = {{"seconds", result.seconds},
                      {"search_seconds", result.search_seconds},
                      {"threads", result.threads}};
  json["measured"].update(UseToJson(result.use));
  AddProgress(result.progress, 1, &json["measured"]);
  if (result.compared) {
    json["compared"] = ComparedToJson(*result.compared);
    json["measured"]["compared"] = UseToJson(result.compared->use);
  }
  return Dump(json);
}

std::string WriteExplanations(const ResultHeader& header,
                              const std::vector<Explanation>& explanations) {
  Json json = HeaderToJson(header);
  json["explanations"] = Json::array();
  for (const Explanation& explanation : explanations) {
    json["explanations"].push_back(ExplanationToJson(explanation));
  }
  return Dump(json);
}

}  // namespace inlay::io

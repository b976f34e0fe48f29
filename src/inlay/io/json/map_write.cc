#include <utility>

#include "inlay/io/json/cost_json.h"
#include "inlay/io/json/json.h"
#include "inlay/io/json/map.h"
#include "inlay/io/json/map_json.h"

namespace inlay::io {
namespace {

Json DirectiveToJson(const TimeloopDirective& directive) {
  Json json = {{"target", directive.target}, {"type", directive.type}};
  if (directive.type == "bypass") {
    json["keep"] = directive.keep;
    json["bypass"] = directive.bypass;
    return json;
  }
  json["factors"] = directive.factors;
  json["permutation"] = directive.permutation;
  if (directive.split) json["split"] = *directive.split;
  return json;
}

Json TimeloopToJson(const std::optional<TimeloopDirectives>& directives) {
  if (!directives) return nullptr;
  Json json = Json::array();
  for (const TimeloopDirective& directive : *directives) json.push_back(DirectiveToJson(directive));
  return json;
}

Json FrontToJson(const std::vector<FrontPointResult>& front) {
  Json json = Json::array();
  for (const FrontPointResult& point : front) {
    json.push_back({{"footprint_words", point.footprint_words},
                    {"offchip_words", point.offchip_words},
                    {"cycles", point.cycles},
                    {"mapping", point.mapping}});
  }
  return json;
}

Json DnnoptToJson(const DnnoptResult& model) {
  Json order = Json::array(), words = Json::object();
  for (const DnnoptFigures::Block& block : model.order) {
    order.push_back({{"dim", block.dim}, {"bound", block.bound}, {"block", block.size}});
  }
  for (const auto& [tensor, count] : model.offchip_words) words[tensor] = count;
  return {{"order", std::move(order)},
          {"offchip_words", std::move(words)},
          {"total_offchip_words", model.total_offchip_words},
          {"array_cycles", model.array_cycles},
          {"stall_cycles", model.stall_cycles}};
}

// "problem", "levels" and "compute".
void AddCounts(const LayerCounts& counts, Json* json) {
  Json dims = Json::object();
  for (const auto& [name, bound] : counts.dims) dims[name] = bound;
  (*json)["problem"] = {{"dims", std::move(dims)}, {"tensors", counts.accesses}};
  (*json)["levels"] = LevelsToJson(counts.cost, counts.levels, counts.tensors);
  (*json)["compute"] = ComputeToJson(counts.cost);
}

// What there is of an answer: a cost with its mapping, or a front, or why there is none.
void AddAnswer(const LayerResult& layer, bool front, Json* json) {
  if (front) {
    (*json)["front"] = FrontToJson(layer.front);
  } else {
    (*json)["cost"] = layer.cost ? CostToJson(*layer.cost) : Json();
  }
  (*json)["certificate"] = layer.certificate ? CertificateToJson(*layer.certificate) : Json();
  if (!front) {
    (*json)["mapping"] = layer.cost ? Json(layer.mapping) : Json();
    if (layer.counts) AddCounts(*layer.counts, json);
    (*json)["timeloop_mapping"] = TimeloopToJson(layer.timeloop_mapping);
    if (!layer.timeloop_note.empty()) (*json)["timeloop_note"] = layer.timeloop_note;
  }
  if (!layer.reasons.empty()) (*json)["reasons"] = layer.reasons;
}

Json LayerToJson(const LayerResult& layer, bool front) {
  Json json = {{"name", layer.name}, {"repeat", layer.repeat}, {"operations", layer.operations}};
  if (!layer.same_as.empty()) json["same_as"] = layer.same_as;
  AddAnswer(layer, front, &json);
  if (layer.points_visited) json["points_visited"] = Compact(*layer.points_visited);
  if (layer.points_in_space) json["points_in_space"] = Compact(*layer.points_in_space);
  if (layer.dnnopt) json["dnnopt"] = DnnoptToJson(*layer.dnnopt);
  if (layer.interrupted) json["interrupted"] = true;
  if (!layer.begun) json["searched"] = false;
  json["measured"] = {{"seconds", layer.effort.seconds},
                      {"nodes", layer.effort.nodes},
                      {"evaluations", layer.effort.evaluations}};
  AddProgress(layer.effort.progress, 1, &json["measured"]);
  return json;
}

}  // namespace

Json CostToJson(const LayerCost& cost) {
  Json json = {{"energy_pj", cost.energy_pj},
               {"cycles", cost.cycles},
               {"edp", cost.edp},
               {"offchip_words", cost.offchip_words},
               {"utilization", cost.utilization},
               {"pj_per_op", cost.pj_per_op}};
  if (cost.padded_operations) json["padded_operations"] = *cost.padded_operations;
  json["limited_by"] = cost.limited_by;
  json["most_energy_in"] = cost.most_energy_in;
  json["most_energy_share"] = cost.most_energy_share;
  return json;
}

void AddProgress(const std::vector<SearchMoment>& moments, double unit, Json* measured) {
  const auto value = [unit](const std::optional<double>& of) {
    return of ? Json(*of / unit) : Json();
  };
  for (const SearchMoment& moment : moments) {
    (*measured)["progress"].push_back({{"seconds", moment.seconds},
                                       {"incumbent", value(moment.incumbent)},
                                       {"bound", value(moment.bound)}});
  }
}

Json CertificateToJson(const Certificate& certificate) {
  Json proven = Json::array();
  for (const Metric metric : certificate.proven) proven.push_back(Name(metric));
  return {{"status", Name(certificate.status)},
          {"objective", certificate.objective},
          {"lower_bound", certificate.lower_bound},
          {"gap", certificate.gap},
          {"proven", std::move(proven)}};
}

std::string WriteMapResult(const MapResult& result) {
  Json json = HeaderToJson(result.header);
  json["workload"] = result.workload;
  json["architecture"] = result.architecture;
  if (result.interrupted) json["interrupted"] = true;
  json["layers"] = Json::array();
  for (const LayerResult& layer : result.layers) {
    json["layers"].push_back(LayerToJson(layer, result.front));
  }
  if (!result.front) {
    json["total"] = Json();
    if (result.total) {
      json["total"] = {{"energy_pj", result.total->energy_pj},
                       {"cycles", result.total->cycles},
                       {"edp", result.total->edp}};
      if (const auto& certificate = result.total->certificate) {
        json["total"]["certificate"] = CertificateToJson(*certificate);
      }
    }
  }
  json["measured"] = {{"seconds", result.seconds}, {"threads", result.threads}};
  return Dump(json);
}

}  // namespace inlay::io

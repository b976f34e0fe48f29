#include "inlay/io/json/json.h"
#include "inlay/io/json/map_json.h"
#include "inlay/io/json/plan.h"
#include "inlay/io/json/plan_json.h"

namespace inlay::io {
namespace {

constexpr double kMicroseconds = 1e6;

Json FiguresToJson(const PlanFigures& figures) {
  return {{"latency_us", figures.latency_seconds * kMicroseconds},
          {"offchip_bytes", figures.offchip_bytes},
          {"energy_pj", figures.energy_pj}};
}

Json StepToJson(const NamedPlan::Step& step, const StepFigures& figures) {
  Json json = {{"node", step.node}, {"unit", step.unit}, {"tiling", step.tiling}};
  if (!step.workspace_memory.empty()) {
    json["workspace"] = {{"memory", step.workspace_memory},
                         {"address", step.workspace_address},
                         {"bytes", step.workspace_bytes}};
  }
  json["latency_us"] = figures.seconds * kMicroseconds;
  json["offchip_bytes"] = figures.offchip_bytes;
  json["limited_by"] = figures.limited_by;
  return json;
}

// "order", "steps", "residencies" and "transfers".
void AddPlan(const PlanResult& result, Json* json) {
  const NamedPlan& plan = result.plan;
  if (plan.cut_tables > 0) (*json)["cut_tables"] = plan.cut_tables;
  for (const char* key : {"order", "steps", "residencies", "transfers"}) {
    (*json)[key] = Json::array();
  }
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    (*json)["order"].push_back(plan.steps[i].node);
    (*json)["steps"].push_back(StepToJson(plan.steps[i], result.steps[i]));
  }
  for (const NamedPlan::Residency& r : plan.residencies) {
    (*json)["residencies"].push_back({{"tensor", r.tensor},
                                      {"memory", r.memory},
                                      {"address", r.address},
                                      {"bytes", r.bytes},
                                      {"from", r.from},
                                      {"to", r.to}});
  }
  for (const NamedPlan::Copy& t : plan.transfers) {
    (*json)["transfers"].push_back({{"tensor", t.tensor},
                                    {"from", t.from},
                                    {"to", t.to},
                                    {"bytes", t.bytes},
                                    {"start", t.start},
                                    {"end", t.end},
                                    {"kind", Name(t.kind)}});
  }
}

// In the unit of the figure that it is about.
Json CertificateOf(const PlanResult& result) {
  Certificate certificate = *result.certificate;
  if (result.objective == PlanObjective::kLatency) {
    certificate.objective *= kMicroseconds;
    certificate.lower_bound *= kMicroseconds;
  }
  Json json = CertificateToJson(certificate);
  json.erase("proven");
  return json;
}

}  // namespace

std::string WritePlanResult(const PlanResult& result) {
  Json json = HeaderToJson(result.header);
  json["network"] = result.plan.network;
  json["machine"] = result.plan.machine;
  json["bits"] = result.plan.bits;
  json["weights_stay"] = result.plan.weights_stay;
  if (result.interrupted) json["interrupted"] = true;
  json.update(FiguresToJson(result.figures));
  json["baseline"] = FiguresToJson(result.baseline);
  if (result.certificate) json["certificate"] = CertificateOf(result);
  json["memories"] = Json::array();
  for (const MemoryUse& memory : result.memories) {
    json["memories"].push_back({{"name", memory.name},
                                {"bytes", memory.bytes},
                                {"peak_bytes", memory.peak_bytes},
                                {"peak_step", memory.peak_step},
                                {"mean_bytes", memory.mean_bytes}});
  }
  AddPlan(result, &json);
  json["measured"] = {{"seconds", result.seconds},
                      {"tables_seconds", result.tables_seconds},
                      {"nodes", result.nodes},
                      {"threads", result.threads}};
  const double unit = result.objective == PlanObjective::kLatency ? 1 / kMicroseconds : 1;
  AddProgress(result.progress, unit, &json["measured"]);
  return Dump(json);
}

std::string WritePlan(const PlanResult& result) {
  Json json = {{"format", kPlanFormat},
               {"network", result.plan.network},
               {"machine", result.plan.machine},
               {"bits", result.plan.bits},
               {"weights_stay", result.plan.weights_stay}};
  json.update(FiguresToJson(result.figures));
  AddPlan(result, &json);
  return Dump(json);
}

}  // namespace inlay::io

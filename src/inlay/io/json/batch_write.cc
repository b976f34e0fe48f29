#include <utility>

#include "inlay/io/json/batch.h"
#include "inlay/io/json/batch_json.h"
#include "inlay/io/json/mix_json.h"

namespace inlay::io {
namespace {

Json LatencyToJson(const LatencyFigures& latency) {
  return {{"requests", latency.requests},
          {"p50_ms", latency.p50_ms},
          {"p95_ms", latency.p95_ms},
          {"p99_ms", latency.p99_ms},
          {"worst_ms", latency.worst_ms}};
}

Json PolicyToJson(const BatchPolicyResult& policy) {
  Json json = {{"name", policy.name},
               {"makespan_cycles", policy.makespan_cycles},
               {"throughput_per_s", policy.throughput_per_s},
               {"pe_busy", policy.pe_busy},
               {"utilization", policy.utilization},
               {"idle",
                {{"capacity", policy.idle_capacity},
                 {"bandwidth", policy.idle_bandwidth},
                 {"dependency", policy.idle_dependency}}},
               {"deadlocks", policy.deadlocks},
               {"splits", policy.splits},
               {"merges", policy.merges},
               {"remaps", policy.remaps},
               {"deadlocked", policy.deadlocked},
               {"deepest_stack", policy.deepest_stack},
               {"fetched_bytes", policy.fetched_bytes},
               {"refetched_bytes", policy.refetched_bytes},
               {"spilled_bytes", policy.spilled_bytes},
               {"streamed_bytes", policy.streamed_bytes},
               {"peak_bytes", policy.peak_bytes}};
  if (policy.deadlocked) json["deadlock"] = policy.deadlock;
  if (policy.latency) {
    json["latency"] = LatencyToJson(*policy.latency);
    for (const LatencyFigures& own : policy.by_workload) {
      json["latency"]["workloads"].push_back(LatencyToJson(own));
    }
  }
  if (!policy.plan.empty()) json["plan"] = policy.plan;
  return json;
}

}  // namespace

void AddBatchFigures(const BatchFigures& figures, Json* json) {
  (*json)["policies"] = Json::array();
  for (const BatchPolicyResult& policy : figures.policies) {
    (*json)["policies"].push_back(PolicyToJson(policy));
  }
  (*json)["control"] = {{"LB", {{"makespan_cycles", figures.lb_cycles}}},
                        {"PU", {{"makespan_cycles", figures.pu_cycles}}},
                        {"PW", {{"makespan_cycles", figures.pw_cycles}}}};
}

std::string WriteBatchResult(const BatchResult& result) {
  Json json = HeaderToJson(result.header);
  json["mix"] = result.mix;
  json["accelerator"] = AcceleratorToJson(result.accelerator);
  json["workloads"] = Json::array();
  for (const BatchResult::Workload& workload : result.workloads) {
    json["workloads"].push_back(
        {{"network", workload.network}, {"batch", workload.batch}, {"batches", workload.batches}});
  }
  if (result.interrupted) json["interrupted"] = true;
  AddBatchFigures(result.figures, &json);
  const BatchPolicyResult* best = BestPolicy(result.figures);
  json["best"] = best == nullptr ? Json(nullptr) : Json(best->name);
  if (!result.traced.empty()) json["traced"] = result.traced;
  Json policies = Json::object();
  for (const BatchPolicyResult& policy : result.figures.policies) {
    policies[policy.name] = {{"seconds", policy.seconds},
                             {"plan_seconds", policy.plan_seconds},
                             {"events", policy.events}};
  }
  json["measured"] = {
      {"seconds", result.seconds}, {"threads", result.threads}, {"policies", std::move(policies)}};
  return Dump(json);
}

}  // namespace inlay::io

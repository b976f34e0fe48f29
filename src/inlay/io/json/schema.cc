#include "inlay/io/json/schema.h"

#include <initializer_list>
#include <string_view>

#include "inlay/io/json/json.h"
#include "inlay/io/json/plan_json.h"

namespace inlay::io {
namespace {

Json Typed(const char* type) { return {{"type", type}}; }
Json Count() { return {{"type", "integer"}, {"minimum", 0}}; }
Json Quantity() { return {{"type", "number"}, {"minimum", 0}}; }
Json OneOf(std::initializer_list<const char*> words) {
  Json list = Json::array();
  for (const char* word : words) list.push_back(word);
  return {{"enum", list}};
}

// Every property is required but for those in `optional`.
Json Object(const Json& properties, std::initializer_list<std::string_view> optional = {}) {
  Json required = Json::array();
  for (const auto& [name, type] : properties.items()) {
    bool must = true;
    for (std::string_view other : optional) must = must && name != other;
    if (must) required.push_back(name);
  }
  return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

Json MapOf(const Json& value) { return {{"type", "object"}, {"additionalProperties", value}}; }

Json CountsOf(const Json& count) {
  return Object({{"reads", count}, {"fills", count}, {"updates", count}, {"drains", count}});
}

Json TensorSchema() {
  return Object({{"kept", Typed("boolean")},
                 {"tile_words", Count()},
                 {"instances", Count()},
                 {"per_instance", CountsOf(Quantity())},
                 {"total", CountsOf(Count())},
                 {"energy_pj", Quantity()}});
}

Json LevelSchema() {
  return Object({{"name", Typed("string")},
                 {"cycles", Count()},
                 {"limit", OneOf({"none", "read", "write", "shared"})},
                 {"energy_pj", Quantity()},
                 {"tensors", MapOf(TensorSchema())}});
}

Json ComputeSchema() {
  return Object({{"operations", Count()},
                 {"instances", Count()},
                 {"lanes", Count()},
                 {"cycles", Count()},
                 {"energy_pj", Quantity()}});
}

Json InputsSchema() {
  const Json file = Object({{"name", Typed("string")}, {"hash", Typed("string")}});
  return MapOf({{"type", "array"}, {"items", file}});
}

Json EvalSchema() {
  return Object({{"format", {{"const", kResultFormat}}},
                 {"command", OneOf({"eval", "walk"})},
                 {"version", Typed("string")},
                 {"inputs", InputsSchema()},
                 {"options", Typed("object")},
                 {"semantics", OneOf({"exact", "timeloop", "thistle"})},
                 {"problem", Typed("string")},
                 {"architecture", Typed("string")},
                 {"mapspace", OneOf({"perfect", "ruby-s", "ruby-t", "ruby", "any"})},
                 {"operations", Count()},
                 {"padded_operations", Count()},
                 {"cycles", Count()},
                 {"energy_pj", Quantity()},
                 {"utilization", Quantity()},
                 {"offchip_words", Count()},
                 {"numeric_check", OneOf({"ok"})},
                 {"levels", {{"type", "array"}, {"items", LevelSchema()}}},
                 {"compute", ComputeSchema()},
                 {"mapping", {{"type", "array"}, {"items", Typed("string")}}},
                 {"measured", Object({{"seconds", Quantity()}})}},
                {"padded_operations", "numeric_check"});
}

Json Texts() { return {{"type", "array"}, {"items", Typed("string")}}; }
Json OrNull(const Json& schema) { return {{"anyOf", {schema, Typed("null")}}}; }

Json LayerCostSchema() {
  return Object({{"energy_pj", Quantity()},
                 {"cycles", Count()},
                 {"edp", Quantity()},
                 {"offchip_words", Count()},
                 {"utilization", Quantity()},
                 {"pj_per_op", Quantity()},
                 {"padded_operations", Count()},
                 {"limited_by", Typed("string")},
                 {"most_energy_in", Typed("string")},
                 {"most_energy_share", Quantity()}},
                {"padded_operations"});
}

Json CertificateSchema() {
  return Object(
      {{"status", OneOf({"optimal", "bounded", "heuristic"})},
       {"objective", Quantity()},
       {"lower_bound", Quantity()},
       {"gap", Quantity()},
       {"proven", {{"type", "array"}, {"items", OneOf({"energy", "delay", "edp", "offchip"})}}}});
}

Json DirectiveSchema() {
  return Object({{"target", Typed("string")},
                 {"type", OneOf({"temporal", "spatial", "bypass"})},
                 {"factors", Typed("string")},
                 {"permutation", Typed("string")},
                 {"split", Count()},
                 {"keep", Texts()},
                 {"bypass", Texts()}},
                {"factors", "permutation", "split", "keep", "bypass"});
}

Json ListOf(const Json& item) { return {{"type", "array"}, {"items", item}}; }

// What DNNOPT's own model says.
Json DnnoptSchema() {
  const Json block = Object({{"dim", Typed("string")}, {"bound", Count()}, {"block", Count()}});
  return Object({{"order", ListOf(block)},
                 {"offchip_words", MapOf(Count())},
                 {"total_offchip_words", Count()},
                 {"array_cycles", Count()},
                 {"stall_cycles", Count()}});
}

Json MapLayerSchema() {
  const Json point = Object({{"footprint_words", Count()},
                             {"offchip_words", Count()},
                             {"cycles", Count()},
                             {"mapping", Texts()}});
  const Json moment = Object(
      {{"seconds", Quantity()}, {"incumbent", OrNull(Quantity())}, {"bound", OrNull(Quantity())}});
  return Object({{"name", Typed("string")},
                 {"repeat", Count()},
                 {"operations", Count()},
                 {"same_as", Typed("string")},
                 {"cost", OrNull(LayerCostSchema())},
                 {"front", {{"type", "array"}, {"items", point}}},
                 {"certificate", OrNull(CertificateSchema())},
                 {"mapping", OrNull(Texts())},
                 {"problem", Object({{"dims", MapOf(Count())}, {"tensors", Texts()}})},
                 {"levels", ListOf(LevelSchema())},
                 {"compute", ComputeSchema()},
                 {"timeloop_mapping", OrNull({{"type", "array"}, {"items", DirectiveSchema()}})},
                 {"timeloop_note", Typed("string")},
                 {"reasons", Texts()},
                 {"points_visited", Quantity()},
                 {"points_in_space", Quantity()},
                 {"dnnopt", DnnoptSchema()},
                 {"interrupted", Typed("boolean")},
                 {"searched", Typed("boolean")},
                 {"measured", Object({{"seconds", Quantity()},
                                      {"nodes", Count()},
                                      {"evaluations", Count()},
                                      {"progress", ListOf(moment)}},
                                     {"progress"})}},
                {"same_as", "cost", "front", "mapping", "problem", "levels", "compute",
                 "timeloop_mapping", "timeloop_note", "reasons", "points_visited",
                 "points_in_space", "dnnopt", "interrupted", "searched"});
}

Json MapSchema() {
  const Json total = Object({{"energy_pj", Quantity()},
                             {"cycles", Count()},
                             {"edp", Quantity()},
                             {"certificate", CertificateSchema()}},
                            {"certificate"});
  return Object({{"format", {{"const", kResultFormat}}},
                 {"command", OneOf({"map"})},
                 {"version", Typed("string")},
                 {"inputs", InputsSchema()},
                 {"options", Typed("object")},
                 {"workload", Typed("string")},
                 {"architecture", Typed("string")},
                 {"interrupted", Typed("boolean")},
                 {"layers", {{"type", "array"}, {"items", MapLayerSchema()}}},
                 {"total", OrNull(total)},
                 {"measured", Object({{"seconds", Quantity()}, {"threads", Count()}})}},
                {"interrupted", "total"});
}

// Figures are numbers; counts that a double cannot hold are decimal texts.
Json NumberOrText() { return {{"anyOf", {Typed("number"), Typed("string")}}}; }
Json FiguresSchema() { return MapOf(NumberOrText()); }

Json StudyCertificateSchema() {
  return Object({{"status", OneOf({"optimal", "bounded", "heuristic"})},
                 {"gap", Quantity()},
                 {"proven", ListOf(OneOf({"energy", "delay", "edp", "offchip"}))}});
}

// What `batch` and the points of its studies have in common.
Json BatchParts() {
  const Json latency = Object({{"requests", Count()},
                               {"p50_ms", Quantity()},
                               {"p95_ms", Quantity()},
                               {"p99_ms", Quantity()},
                               {"worst_ms", Quantity()},
                               {"workloads", Typed("array")}},
                              {"workloads"});
  const Json idle =
      Object({{"capacity", Count()}, {"bandwidth", Count()}, {"dependency", Count()}});
  Json policy = {{"name", Typed("string")},
                 {"makespan_cycles", Count()},
                 {"throughput_per_s", Quantity()},
                 {"pe_busy", Quantity()},
                 {"utilization", Quantity()},
                 {"idle", idle},
                 {"deadlocked", Typed("boolean")},
                 {"latency", latency},
                 {"deadlock", Texts()},
                 {"plan", Texts()}};
  for (const char* count :
       {"deadlocks", "splits", "merges", "remaps", "deepest_stack", "fetched_bytes",
        "refetched_bytes", "spilled_bytes", "streamed_bytes", "peak_bytes"}) {
    policy[count] = Count();
  }
  const Json control = Object({{"makespan_cycles", Count()}});
  return {{"policies", ListOf(Object(policy, {"latency", "deadlock", "plan"}))},
          {"control", Object({{"LB", control}, {"PU", control}, {"PW", control}})}};
}

Json BatchSchema() {
  Json accelerator = {{"name", Typed("string")}, {"dataflow", OneOf({"os", "ws", "is"})}};
  for (const char* number :
       {"clock_hz", "arrays", "rows", "columns", "bits", "memory_bytes", "bytes_per_cycle",
        "block_bytes", "window_bytes", "look_ahead_layers"}) {
    accelerator[number] = Quantity();
  }
  const Json workload =
      Object({{"network", Typed("string")}, {"batch", Count()}, {"batches", Count()}});
  const Json effort =
      Object({{"seconds", Quantity()}, {"plan_seconds", Quantity()}, {"events", Count()}});
  Json properties = {
      {"format", {{"const", kResultFormat}}},
      {"command", OneOf({"batch"})},
      {"version", Typed("string")},
      {"inputs", InputsSchema()},
      {"options", Typed("object")},
      {"mix", Typed("string")},
      {"accelerator", Object(accelerator)},
      {"workloads", ListOf(workload)},
      {"interrupted", Typed("boolean")},
      {"best", OrNull(Typed("string"))},
      {"traced", Typed("string")},
      {"measured",
       Object({{"seconds", Quantity()}, {"threads", Count()}, {"policies", MapOf(effort)}})}};
  properties.update(BatchParts());
  return Object(properties, {"interrupted", "traced"});
}

Json StudyPointSchema() {
  const Json layer = Object({{"name", Typed("string")},
                             {"repeat", Count()},
                             {"figures", FiguresSchema()},
                             {"certificate", StudyCertificateSchema()}},
                            {"certificate"});
  Json properties = {{"settings", MapOf(Typed("string"))},
                     {"status", OneOf({"done", "no answer", "cut short", "not run"})},
                     {"timed", Typed("boolean")},
                     {"certificate", StudyCertificateSchema()},
                     {"figures", FiguresSchema()},
                     {"layers", ListOf(layer)},
                     {"reasons", Texts()}};
  properties.update(BatchParts());
  return Object(properties,
                {"timed", "certificate", "figures", "layers", "reasons", "policies", "control"});
}

Json StudyClaimSchema() {
  return Object({{"what", Typed("string")},
                 {"paper", Typed("string")},
                 {"metric", Typed("string")},
                 {"show", OneOf({"value", "percent", "change", "ratio"})},
                 {"take", OneOf({"mean", "geomean", "min", "max"})},
                 {"over", OneOf({"points", "layers"})},
                 {"compared", Count()},
                 {"ours", OrNull(Typed("number"))},
                 {"reach", Typed("number")},
                 {"along", Typed("string")},
                 {"certificate", StudyCertificateSchema()},
                 {"note", Typed("string")}},
                {"reach", "along", "certificate", "note"});
}

Json StudySchema() {
  const Json row = Object({{"x", NumberOrText()},
                           {"y", ListOf(OrNull(Typed("number")))},
                           {"on_front", ListOf(Typed("boolean"))},
                           {"status", ListOf(OrNull(Typed("string")))}},
                          {"on_front", "status"});
  const Json figure = Object({{"x", Typed("string")},
                              {"y", Typed("string")},
                              {"series", Texts()},
                              {"left_out", Typed("boolean")},
                              {"rows", ListOf(row)}},
                             {"left_out"});
  return Object(
      {{"format", {{"const", kResultFormat}}},
       {"command", OneOf({"study"})},
       {"version", Typed("string")},
       {"inputs", InputsSchema()},
       {"options", Typed("object")},
       {"study", Typed("string")},
       {"interrupted", Typed("boolean")},
       {"points", ListOf(StudyPointSchema())},
       {"not_run", Quantity()},
       {"figure", OrNull(figure)},
       {"claims", ListOf(StudyClaimSchema())},
       {"measured",
        Object({{"seconds", Quantity()}, {"claims", ListOf(StudyClaimSchema())}}, {"claims"})}},
      {"not_run"});
}

Json PlanFigures() {
  return {{"latency_us", Quantity()}, {"offchip_bytes", Count()}, {"energy_pj", Quantity()}};
}

// What plan.json and result.json of `plan` have in common.
Json PlanParts() {
  const Json space =
      Object({{"memory", Typed("string")}, {"address", Count()}, {"bytes", Count()}});
  const Json step = Object({{"node", Typed("string")},
                            {"unit", Typed("string")},
                            {"tiling", Count()},
                            {"workspace", space},
                            {"latency_us", Quantity()},
                            {"offchip_bytes", Count()},
                            {"limited_by", Typed("string")}},
                           {"workspace", "latency_us", "offchip_bytes", "limited_by"});
  const Json residency = Object({{"tensor", Typed("string")},
                                 {"memory", Typed("string")},
                                 {"address", Count()},
                                 {"bytes", Count()},
                                 {"from", Count()},
                                 {"to", Count()}});
  const Json transfer = Object({{"tensor", Typed("string")},
                                {"from", Typed("string")},
                                {"to", Typed("string")},
                                {"bytes", Count()},
                                {"start", Count()},
                                {"end", Count()},
                                {"kind", OneOf({"fetch", "prefetch", "write-back", "move"})}});
  Json parts = {{"network", Typed("string")},
                {"machine", Typed("string")},
                {"cut_tables", Count()},
                {"bits", Count()},
                {"weights_stay", Typed("boolean")}};
  parts.update(PlanFigures());
  parts.update({{"order", Texts()},
                {"steps", ListOf(step)},
                {"residencies", ListOf(residency)},
                {"transfers", ListOf(transfer)}});
  return parts;
}

Json PlanResultSchema() {
  const Json memory = Object({{"name", Typed("string")},
                              {"bytes", Count()},
                              {"peak_bytes", Count()},
                              {"peak_step", Count()},
                              {"mean_bytes", Quantity()}});
  Json properties = {{"format", {{"const", kResultFormat}}},
                     {"command", OneOf({"plan"})},
                     {"version", Typed("string")},
                     {"inputs", InputsSchema()},
                     {"options", Typed("object")},
                     {"interrupted", Typed("boolean")},
                     {"baseline", Object(PlanFigures())},
                     {"certificate", Object({{"status", OneOf({"optimal", "bounded", "heuristic"})},
                                             {"objective", Quantity()},
                                             {"lower_bound", Quantity()},
                                             {"gap", Quantity()}})},
                     {"memories", ListOf(memory)},
                     {"measured", Object({{"seconds", Quantity()},
                                          {"tables_seconds", Quantity()},
                                          {"nodes", Count()},
                                          {"threads", Count()}})}};
  properties.update(PlanParts());
  return Object(properties, {"interrupted", "certificate", "cut_tables"});
}

}  // namespace

std::string PlanSchema() {
  Json properties = {{"format", {{"const", kPlanFormat}}}};
  properties.update(PlanParts());
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "plan.json of inlay plan"}};
  schema.update(Object(properties, {"latency_us", "offchip_bytes", "energy_pj", "cut_tables"}));
  return Dump(schema);
}

std::string ResultSchema() {
  const Json reference = {{"$ref", "#/definitions/result"}};
  const Json map = {{"$ref", "#/definitions/map"}};
  return Dump({{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", "result.json of inlay eval, walk, map, plan, batch and study"},
               {"definitions",
                {{"result", EvalSchema()},
                 {"map", MapSchema()},
                 {"plan", PlanResultSchema()},
                 {"batch", BatchSchema()},
                 {"study", StudySchema()}}},
               {"anyOf",
                {reference,
                 ListOf(reference),
                 map,
                 {{"$ref", "#/definitions/plan"}},
                 {{"$ref", "#/definitions/batch"}},
                 {{"$ref", "#/definitions/study"}}}}});
}

}  // namespace inlay::io

#include "inlay/io/json/schema.h"

#include <initializer_list>
#include <string_view>
#include <utility>

#include "inlay/core/batch_result.h"
#include "inlay/core/plan_result.h"
#include "inlay/io/json/fields.h"
#include "inlay/io/json/result_kinds.h"

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

Json InputsSchema() {
  const Json file = Object({{"name", Typed("string")}, {"hash", Typed("string")}});
  return MapOf({{"type", "array"}, {"items", file}});
}

Json Texts() { return {{"type", "array"}, {"items", Typed("string")}}; }
Json OrNull(const Json& schema) { return {{"anyOf", {schema, Typed("null")}}}; }

Json ListOf(const Json& item) { return {{"type", "array"}, {"items", item}}; }

// Figures are numbers; counts that a double cannot hold are decimal texts.
Json NumberOrText() { return {{"anyOf", {Typed("number"), Typed("string")}}}; }
Json FiguresSchema() { return MapOf(NumberOrText()); }

Json StudyCertificateSchema() {
  return Object({{"status", OneOf({"optimal", "bounded", "heuristic"})},
                 {"gap", Quantity()},
                 {"proven", ListOf(OneOf({"energy", "delay", "edp", "offchip"}))}});
}

Json StudyPointSchema(Json* definitions) {
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
  const Structure& batch = StructureOf(static_cast<const BatchFigures*>(nullptr));
  properties.update(SchemaOf(batch, definitions)["properties"]);
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

Json StudySchema(Json* definitions) {
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
       {"points", ListOf(StudyPointSchema(definitions))},
       {"not_run", Quantity()},
       {"figure", OrNull(figure)},
       {"claims", ListOf(StudyClaimSchema())},
       {"measured",
        Object({{"seconds", Quantity()}, {"claims", ListOf(StudyClaimSchema())}}, {"claims"})}},
      {"not_run"});
}

}  // namespace

std::string PlanSchema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "plan.json of inlay plan"}};
  Json definitions = Json::object();
  schema.update(SchemaOf(StructureOf(static_cast<const PlanFile*>(nullptr)), &definitions));
  schema["definitions"] = std::move(definitions);
  return Dump(schema);
}

std::string ResultSchema() {
  Json definitions = Json::object(), any = Json::array();
  const auto add = [&](const char* name, Json schema) {
    definitions[name] = std::move(schema);
    any.push_back({{"$ref", std::string("#/definitions/") + name}});
  };
  for (const ResultKind& kind : ResultKinds()) {
    const Structure& structure = kind.type->structure();
    Json schema = SchemaOf(structure, &definitions);
    schema["properties"]["command"] = {{"enum", kind.commands}};
    add(structure.name, std::move(schema));
    if (kind.list != nullptr) any.push_back(ListOf(any.back()));
  }
  add("StudyResult", StudySchema(&definitions));
  // `show` prints whatever it is given; what that holds is the schema of the native kinds.
  Json show = SchemaOf(StructureOf(static_cast<const ResultHeader*>(nullptr)), &definitions);
  show["properties"]["command"] = OneOf({"show"});
  show["additionalProperties"] = true;
  add("ShowResult", std::move(show));
  return Dump({{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", "result.json of inlay's commands"},
               {"definitions", std::move(definitions)},
               {"anyOf", std::move(any)}});
}

}  // namespace inlay::io

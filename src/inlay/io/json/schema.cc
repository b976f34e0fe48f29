#include "inlay/io/json/schema.h"

#include <initializer_list>
#include <string_view>

#include "inlay/io/json/json.h"

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
                 {"compute", Object({{"operations", Count()},
                                     {"instances", Count()},
                                     {"lanes", Count()},
                                     {"cycles", Count()},
                                     {"energy_pj", Quantity()}})},
                 {"mapping", {{"type", "array"}, {"items", Typed("string")}}},
                 {"measured", Object({{"seconds", Quantity()}})}},
                {"padded_operations", "numeric_check"});
}

}  // namespace

std::string ResultSchema() {
  const Json reference = {{"$ref", "#/definitions/result"}};
  return Dump({{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", "result.json of inlay eval and inlay walk"},
               {"definitions", {{"result", EvalSchema()}}},
               {"anyOf", {reference, {{"type", "array"}, {"items", reference}}}}});
}

}  // namespace inlay::io

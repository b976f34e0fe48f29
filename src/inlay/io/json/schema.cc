#include "inlay/io/json/schema.h"

#include <algorithm>
#include <utility>

#include "inlay/core/plan_result.h"
#include "inlay/io/json/fields.h"
#include "inlay/io/json/object_type.h"
#include "inlay/io/json/result_kinds.h"

namespace inlay::io {
namespace {

using Kind = ValueType::Kind;

constexpr const char* kDraft = "http://json-schema.org/draft-07/schema#";

// Structs within others are put into the definitions, by their names.
class SchemaMaker {
 public:
  explicit SchemaMaker(Json* definitions) : definitions_(*definitions) {}

  Json Of(const ObjectType& object) {
    Json schema = {{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
    Add(object, &schema);
    return schema;
  }

 private:
  // A group may stand in several of the structs that an object consists of.
  void Add(const ObjectType& object, Json* schema) {
    for (const Structure* base : object.bases) Add(ObjectTypeOf(*base), schema);
    for (const ObjectType::Property& property : object.properties) {
      Json& at = (*schema)["properties"][property.key];
      if (property.field != nullptr && property.group) {  // a struct with further fields
        at = Of(ObjectTypeOf(InlinedIn(*property.field)));
      } else if (property.field != nullptr) {
        at = FieldSchema(*property.field);
      } else if (at.is_null()) {
        at = Of({});
      }
      if (property.group) Add(*property.group, &at);
      if (!property.optional) Require(property.key, schema);
    }
  }

  static void Require(const std::string& key, Json* schema) {
    Json& required = (*schema)["required"];
    if (std::find(required.begin(), required.end(), key) == required.end()) required.push_back(key);
  }

  Json FieldSchema(const Field& field) {
    Json schema = ValueSchema(*field.type, field.traits);
    if (field.traits.presence == Presence::kNull) schema = OrNull(std::move(schema));
    if (*field.sentence != 0) schema["description"] = SentenceOf(field);
    return schema;
  }

  static Json OrNull(Json schema) { return {{"anyOf", {std::move(schema), {{"type", "null"}}}}}; }

  static Json Number(const char* type, const FieldTraits& traits) {
    Json json = {{"type", type}};
    if (!traits.may_be_negative) json["minimum"] = 0;
    return json;
  }

  // An optional that is an item is null where it is empty.
  Json ListSchema(const ValueType& type, const FieldTraits& traits) {
    if (traits.grouped) {
      const Json item = Of(GroupedItemOf(type.item->structure()));
      return {{"type", "object"}, {"additionalProperties", {{"type", "array"}, {"items", item}}}};
    }
    Json item = ValueSchema(*type.item, traits);
    if (type.item->kind == Kind::kOptional) item = OrNull(std::move(item));
    return {{"type", "array"}, {"items", std::move(item)}};
  }

  Json ValueSchema(const ValueType& type, const FieldTraits& traits) {
    switch (type.kind) {
      case Kind::kBool:
        return {{"type", "boolean"}};
      case Kind::kInteger:
        return Number("integer", traits);
      case Kind::kNumber:
        return Number("number", traits);
      case Kind::kText:
        return traits.constant != nullptr ? Json{{"const", traits.constant}}
                                          : Json{{"type", "string"}};
      case Kind::kEnum:
        return {{"enum", NamesOfEnum(type)}};
      case Kind::kOptionValue:
        return Json::object();
      case Kind::kNumberOrText:
        return {{"anyOf", {{{"type", "number"}}, {{"type", "string"}}}}};
      case Kind::kOptional:
        return ValueSchema(*type.item, traits);
      case Kind::kList:
        return ListSchema(type, traits);
      case Kind::kMap:
        return {{"type", "object"}, {"additionalProperties", ValueSchema(*type.item, traits)}};
      case Kind::kStruct:
        return Reference(type.structure());
    }
    return {};
  }

  Json Reference(const Structure& structure) {
    if (!definitions_.contains(structure.name)) {
      definitions_[structure.name] = nullptr;  // holds its place
      Json schema = Of(ObjectTypeOf(structure));
      definitions_[structure.name] = std::move(schema);
    }
    return {{"$ref", std::string("#/definitions/") + structure.name}};
  }

  Json& definitions_;
};

}  // namespace

Json SchemaOf(const Structure& structure, Json* definitions) {
  return SchemaMaker(definitions).Of(ObjectTypeOf(structure));
}

std::string PlanSchema() {
  Json definitions = Json::object();
  Json schema = {{"$schema", kDraft}, {"title", "plan.json of inlay plan"}};
  schema.update(SchemaOf(StructureOf(static_cast<const PlanFile*>(nullptr)), &definitions));
  schema["definitions"] = std::move(definitions);
  return Dump(schema);
}

std::string ResultSchema() {
  Json definitions = Json::object(), any = Json::array();
  for (const ResultKind& kind : ResultKinds()) {
    const Structure& structure = kind.type->structure();
    Json schema = SchemaOf(structure, &definitions);
    schema["properties"]["command"] = {{"enum", kind.commands}};
    definitions[structure.name] = std::move(schema);
    any.push_back({{"$ref", std::string("#/definitions/") + structure.name}});
    if (kind.list != nullptr) any.push_back({{"type", "array"}, {"items", any.back()}});
  }
  return Dump({{"$schema", kDraft},
               {"title", "result.json of inlay's commands"},
               {"definitions", std::move(definitions)},
               {"anyOf", std::move(any)}});
}

}  // namespace inlay::io

#include "inlay/io/schema/json_schema.h"

#include <nlohmann/json.hpp>

namespace inlay::io {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order of their declaration

Json Convert(const Type& type);
Json ConvertOnce(const Type& type);

Json Word(std::string_view word) {
  // YAML reads these two as booleans.
  if (word == "true") return true;
  if (word == "false") return false;
  return word;
}

Json Object(const Type& type) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Key& key : type.keys) {
    Json& property = properties[std::string(key.name)];
    property = {{"description", key.sentence}};
    property.update(Convert(*key.type));
    if (key.required) required.push_back(key.name);
  }
  Json json = {{"type", "object"}, {"properties", properties}};
  if (!required.empty()) json["required"] = required;
  json["additionalProperties"] = false;
  for (const std::string_view key : type.exactly_one) {
    json["oneOf"].push_back({{"required", {key}}});
  }
  return json;
}

Json Text(const Type& type) {
  Json json;
  if (type.bare_number) {
    json["type"] = {"number", "string"};
  } else if (type.bare_integer) {
    json["type"] = {"integer", "string"};
  } else {
    json["type"] = "string";
  }
  if (type.pattern != nullptr) json["pattern"] = type.pattern();
  if (type.unit != nullptr) json["pattern"] = type.unit_pattern(*type.unit);
  return json;
}

Json Integer(const Type& type) {
  Json json = {{"type", "integer"}};
  if (type.minimum != INT64_MIN) json["minimum"] = type.minimum;
  if (type.maximum != INT64_MAX) json["maximum"] = type.maximum;
  return json;
}

Json Convert(const Type& type) {
  if (type.recursive_name.empty()) return ConvertOnce(type);
  return {{"$ref", "#/definitions/" + std::string(type.recursive_name)}};
}

// The types that are referred to by name, everywhere inside a type.
void AddDefinitions(const Type& type, Json* definitions) {
  if (!type.recursive_name.empty()) {
    const std::string name(type.recursive_name);
    if (definitions->contains(name)) return;
    (*definitions)[name] = ConvertOnce(type);
  }
  if (type.element != nullptr) AddDefinitions(*type.element, definitions);
  for (const Type* option : type.options) AddDefinitions(*option, definitions);
  for (const Key& key : type.keys) AddDefinitions(*key.type, definitions);
}

Json ConvertOnce(const Type& type) {
  Json json;
  switch (type.form) {
    case Form::kText:
      return Text(type);
    case Form::kInteger:
      return Integer(type);
    case Form::kNumber:
      return {{"type", "number"}};
    case Form::kBoolean:
      return {{"type", "boolean"}};
    case Form::kWord:
      for (const std::string_view word : type.words) json["enum"].push_back(Word(word));
      return json;
    case Form::kList:
      return {{"type", "array"}, {"items", Convert(*type.element)}};
    case Form::kMap:
      json = {{"type", "object"}, {"additionalProperties", Convert(*type.element)}};
      if (type.pattern != nullptr) json["propertyNames"] = {{"pattern", type.pattern()}};
      return json;
    case Form::kObject:
      return Object(type);
    case Form::kEither:
      for (const Type* option : type.options) json["anyOf"].push_back(Convert(*option));
      return json;
  }
  return json;
}

}  // namespace

std::string ToJsonSchema(const Type& type, std::string_view title, std::string_view description) {
  Json json = {{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", title},
               {"description", description}};
  json.update(Convert(type));
  Json definitions = Json::object();
  AddDefinitions(type, &definitions);
  if (!definitions.empty()) json["definitions"] = definitions;
  return json.dump(2) + "\n";
}

}  // namespace inlay::io

// The JSON Schemas that `inlay schema` prints describe what the reader reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "inlay/io/file.h"
#include "inlay/io/native/reading.h"
#include "tests/support/paths.h"

namespace inlay::io {
namespace {

using nlohmann::json;

json SchemaOf(const std::string& kind) { return json::parse(JsonSchema(kind)); }

// Every key below a type, as paths; what the user names is "*".
void Collect(const Type& type, const std::string& path, std::set<std::string>* keys) {
  if (!type.recursive_name.empty()) return;  // the schema refers to it by name; it has no keys
  if (type.element != nullptr) Collect(*type.element, path + "/*", keys);
  for (const Type* option : type.options) Collect(*option, path, keys);
  for (const Key& key : type.keys) {
    keys->insert(path + "/" + std::string(key.name));
    Collect(*key.type, path + "/" + std::string(key.name), keys);
  }
}

void Collect(const json& schema, const std::string& path, std::set<std::string>* keys) {
  if (schema.contains("items")) Collect(schema["items"], path + "/*", keys);
  if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
    Collect(schema["additionalProperties"], path + "/*", keys);
  }
  if (schema.contains("anyOf")) {
    for (const json& option : schema["anyOf"]) Collect(option, path, keys);
  }
  if (!schema.contains("properties")) return;
  for (const auto& [name, property] : schema["properties"].items()) {
    keys->insert(path + "/" + name);
    Collect(property, path + "/" + name, keys);
  }
}

// Whether a file's node has only keys and kinds of values that the schema describes.
::testing::AssertionResult Covers(const json& schema, const Node& node) {
  if (schema.contains("anyOf")) {
    for (const json& option : schema["anyOf"]) {
      if (Covers(option, node)) return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << "line " << node.line << ": no option fits";
  }
  if (node.IsScalar()) {
    if (schema.contains("type") && (schema["type"] == "object" || schema["type"] == "array")) {
      return ::testing::AssertionFailure() << "line " << node.line << ": a scalar";
    }
    return ::testing::AssertionSuccess();
  }
  if (schema.value("type", json()) != (node.IsSequence() ? "array" : "object")) {
    return ::testing::AssertionFailure() << "line " << node.line << ": another kind of value";
  }
  for (const Node& item : node.items) {
    if (auto covered = Covers(schema["items"], item); !covered) return covered;
  }
  for (const auto& [key, value] : node.entries) {
    const json* inner = nullptr;
    if (schema.contains("properties") && schema["properties"].contains(key.text)) {
      inner = &schema["properties"][key.text];
    } else if (schema["additionalProperties"].is_object()) {
      inner = &schema["additionalProperties"];
    } else {
      return ::testing::AssertionFailure() << "line " << key.line << ": key " << key.text;
    }
    if (auto covered = Covers(*inner, value); !covered) return covered;
  }
  return ::testing::AssertionSuccess();
}

TEST(NativeSchemaTest, KeysAreTheReadersKeys) {
  for (const Kind& kind : Kinds()) {
    if (kind.type == nullptr) continue;
    std::set<std::string> of_reader, of_schema;
    Collect(*kind.type, "", &of_reader);
    const json schema = SchemaOf(std::string(kind.name));
    Collect(schema["properties"][std::string(kind.name)], "", &of_schema);
    EXPECT_EQ(of_schema, of_reader) << kind.name;
    EXPECT_EQ(schema["required"], json({"format", kind.name}));
    EXPECT_EQ(schema["additionalProperties"], false);
  }
  EXPECT_EQ(SchemaOf("all")["required"], json::array({"format"}));
}

TEST(NativeSchemaTest, KindsAreTheReadersKinds) {
  EXPECT_THAT(SchemaKinds(),
              ::testing::ElementsAre("technology", "problem", "architecture", "constraints",
                                     "mapping", "fused", "layers", "network", "machine",
                                     "accelerator", "mix", "study", "all"));
}

TEST(NativeSchemaTest, ExamplesAreCovered) {
  const json schema = SchemaOf("all");
  for (const char* name : {"problem", "architecture", "mapping", "layers", "network", "machine",
                           "technology", "case", "study"}) {
    auto source =
        ReadTextFile(std::string(INLAY_SOURCE_DIR "/tests/golden/native/") + name + ".yaml");
    ASSERT_TRUE(source) << name;
    const auto documents = ParseYaml(*std::move(source));
    ASSERT_TRUE(documents) << Format(documents.error());
    for (const Node& document : *documents) EXPECT_TRUE(Covers(schema, document)) << name;
  }
}

// The check above can fail.
TEST(NativeSchemaTest, WhatIsNotDescribedIsNotCovered) {
  const json schema = SchemaOf("all");
  for (const char* text : {"format: inlay/1\nproblem: {dmis: {}}\n",
                           "format: inlay/1\nproblem: []\n", "format: inlay/1\nmapping: [[a]]\n",
                           "format: inlay/1\narchitecture: {levels: [{name: a, x: 4}]}\n"}) {
    const auto documents = ParseYaml({"f", text});
    ASSERT_TRUE(documents);
    EXPECT_FALSE(Covers(schema, documents->at(0))) << text;
  }
}

TEST(NativeSchemaTest, SaysWhatEditorsNeed) {
  const json schema = SchemaOf("architecture");
  EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-07/schema#");
  const json& level =
      schema["properties"]["architecture"]["properties"]["levels"]["items"]["anyOf"][0];
  EXPECT_EQ(level["properties"]["kind"]["enum"], json({"dram", "sram", "register"}));
  EXPECT_EQ(level["required"], json({"name", "kind"}));
  EXPECT_EQ(level["properties"]["capacity"]["anyOf"][0]["type"], "string");
  EXPECT_TRUE(level["properties"]["capacity"]["anyOf"][0]["pattern"].is_string());
  EXPECT_FALSE(level["properties"]["capacity"]["description"].get<std::string>().empty());
  const json layer = SchemaOf("layers")["properties"]["layers"]["properties"]["layers"]["items"];
  EXPECT_EQ(layer["oneOf"][0], json::parse(R"({"required": ["conv"]})"));
  EXPECT_EQ(layer["properties"]["repeat"]["minimum"], 1);
  const json constraint =
      schema["properties"]["architecture"]["properties"]["constraints"]["items"];
  EXPECT_EQ(constraint["properties"]["factors"]["additionalProperties"]["type"],
            json({"integer", "string"}));
}

}  // namespace
}  // namespace inlay::io

#include "inlay/io/json/schema.h"

#include <utility>

#include "inlay/core/plan_result.h"
#include "inlay/io/json/fields.h"
#include "inlay/io/json/result_kinds.h"

namespace inlay::io {
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
    if (kind.list != nullptr) any.push_back({{"type", "array"}, {"items", any.back()}});
  }
  // `show` prints whatever it is given; what that holds is the schema of the native kinds.
  Json show = SchemaOf(StructureOf(static_cast<const ResultHeader*>(nullptr)), &definitions);
  show["properties"]["command"] = {{"enum", {"show"}}};
  show["additionalProperties"] = true;
  add("ShowResult", std::move(show));
  return Dump({{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", "result.json of inlay's commands"},
               {"definitions", std::move(definitions)},
               {"anyOf", std::move(any)}});
}

}  // namespace inlay::io

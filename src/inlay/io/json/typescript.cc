#include <algorithm>

#include "inlay/io/json/object_type.h"
#include "inlay/io/json/result_kinds.h"
#include "inlay/io/json/schema.h"

namespace inlay::io {
namespace {

using Kind = ValueType::Kind;

std::string PropertiesText(const ObjectType& object);

std::string EnumText(const ValueType& type) {
  std::string text;
  for (const std::string_view name : NamesOfEnum(type)) {
    text += (text.empty() ? "\"" : " | \"") + std::string(name) + '"';
  }
  return text;
}

std::string TypeText(const ValueType& type, const FieldTraits& traits) {
  switch (type.kind) {
    case Kind::kBool:
      return "boolean";
    case Kind::kInteger:
    case Kind::kNumber:
      return "number";
    case Kind::kText:
      return "string";
    case Kind::kEnum:
      return EnumText(type);
    case Kind::kOptionValue:
      return "boolean | number | string | string[]";
    case Kind::kNumberOrText:
      return "number | string";
    case Kind::kOptional:
      return TypeText(*type.item, traits);
    case Kind::kList: {
      if (traits.grouped) {
        return "Record<string, {" + PropertiesText(GroupedItemOf(type.item->structure())) + "}[]>";
      }
      std::string item = TypeText(*type.item, traits);
      if (type.item->kind == Kind::kOptional) item += " | null";
      return (item.find('|') == std::string::npos ? item : "(" + item + ")") + "[]";
    }
    case Kind::kMap:
      return "Record<string, " + TypeText(*type.item, traits) + ">";
    case Kind::kStruct:
      return type.structure().name;
  }
  return "";
}

std::string PropertyText(const ObjectType::Property& property) {
  std::string type;
  if (property.field != nullptr) {
    type = TypeText(*property.field->type, property.field->traits);
    if (property.field->traits.presence == Presence::kNull) type += " | null";
  }
  if (property.group) {
    for (const Structure* base : property.group->bases) {
      type += (type.empty() ? "" : " & ") + std::string(base->name);
    }
    const std::string inner = PropertiesText(*property.group);
    if (!inner.empty()) type += (type.empty() ? "{" : " & {") + inner + "}";
  }
  return property.key + (property.optional ? "?: " : ": ") + type;
}

std::string PropertiesText(const ObjectType& object) {
  std::string text;
  for (const ObjectType::Property& property : object.properties) {
    text += (text.empty() ? "" : "; ") + PropertyText(property);
  }
  return text;
}

std::string InterfaceText(const char* name, const ObjectType& object) {
  std::string text = std::string("\nexport interface ") + name;
  for (size_t i = 0; i < object.bases.size(); ++i) {
    text += (i == 0 ? " extends " : ", ") + std::string(object.bases[i]->name);
  }
  text += " {\n";
  for (const ObjectType::Property& property : object.properties) {
    const bool described = property.field != nullptr && *property.field->sentence != 0;
    if (described) text += "  // " + SentenceOf(*property.field) + "\n";
    text += "  " + PropertyText(property) + ";\n";
  }
  return text + "}\n";
}

// Defines a struct behind what it holds.
void Define(const Structure& structure, std::vector<std::string>* defined, std::string* out) {
  if (std::find(defined->begin(), defined->end(), structure.name) != defined->end()) return;
  defined->emplace_back(structure.name);
  const ObjectType object = ObjectTypeOf(structure);
  for (const Structure* inner : object.mentioned) Define(*inner, defined, out);
  *out += InterfaceText(structure.name, object);
}

}  // namespace

std::string ResultTypeScript() {
  std::vector<std::string> defined;
  std::string out =
      "// What result.json of each command says; made by: inlay schema result --typescript\n";
  for (const ResultKind& kind : ResultKinds()) {
    if (kind.has_page) Define(kind.type->structure(), &defined, &out);
  }
  return out;
}

}  // namespace inlay::io

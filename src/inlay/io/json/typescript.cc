#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include "inlay/io/json/result_kinds.h"
#include "inlay/io/json/schema.h"

namespace inlay::io {
namespace {

using Kind = ValueType::Kind;

// An object type in the making; keys in the order of the tables.
struct ObjectType {
  struct Property {
    std::string key;
    std::string type;  // empty: only what the group holds
    std::string sentence;
    bool optional = true;
    std::unique_ptr<ObjectType> group;
  };
  std::vector<std::string> bases;
  std::vector<Property> properties;

  Property& At(const std::string& key) {
    const auto found = std::find_if(properties.begin(), properties.end(),
                                    [&](const Property& property) { return property.key == key; });
    if (found != properties.end()) return *found;
    return properties.emplace_back(Property{key, "", "", true, nullptr});
  }
};

class TypeScriptMaker {
 public:
  // Defines a struct and what it holds; its name.
  std::string Define(const Structure& structure) {
    if (std::find(defined_.begin(), defined_.end(), structure.name) != defined_.end()) {
      return structure.name;
    }
    defined_.emplace_back(structure.name);
    ObjectType object;
    Add(structure, true, &object);
    std::string text = std::string("\nexport interface ") + structure.name;
    for (size_t i = 0; i < object.bases.size(); ++i) {
      text += (i == 0 ? " extends " : ", ") + object.bases[i];
    }
    text += " {\n";
    for (const ObjectType::Property& property : object.properties) {
      if (!property.sentence.empty()) text += "  // " + property.sentence + "\n";
      text += "  " + PropertyText(property) + ";\n";
    }
    out_ += text + "}\n";
    return structure.name;
  }

  const std::string& out() const { return out_; }

 private:
  static std::string PropertyText(const ObjectType::Property& property) {
    std::string type = property.type;
    if (property.group) {
      std::string inner;
      for (const ObjectType::Property& own : property.group->properties) {
        inner += (inner.empty() ? "" : "; ") + PropertyText(own);
      }
      for (const std::string& base : property.group->bases) {
        type += (type.empty() ? "" : " & ") + base;
      }
      if (!inner.empty()) type += (type.empty() ? "{" : " & {") + inner + "}";
    }
    return property.key + (property.optional ? "?: " : ": ") + type;
  }

  // The object that a field stands in: the owner's, or a group within it.
  static ObjectType* GroupIn(const Field& field, bool must, ObjectType* object) {
    if (field.traits.group == nullptr) return object;
    std::istringstream parts(field.traits.group);
    for (std::string part; std::getline(parts, part, '.');) {
      ObjectType::Property& property = object->At(part);
      if (must) property.optional = false;
      if (!property.group) property.group = std::make_unique<ObjectType>();
      object = property.group.get();
    }
    return object;
  }

  void Add(const Structure& structure, bool always, ObjectType* owner) {
    for (const Field& field : structure.fields) {
      const FieldTraits& traits = field.traits;
      const bool optional = field.type->kind == Kind::kOptional;
      const bool must = always && traits.applies == nullptr &&
                        (traits.presence == Presence::kNull ||
                         (traits.presence == Presence::kAlways && !optional));
      ObjectType* object = GroupIn(field, must, owner);
      if (traits.inlined) {
        const Structure& inlined = (optional ? field.type->item : field.type)->structure();
        if (must) {
          object->bases.push_back(Define(inlined));
        } else {
          Add(inlined, false, object);
        }
        continue;
      }
      ObjectType::Property& property = object->At(field.key);
      property.type = TypeText(*field.type, traits);
      if (traits.presence == Presence::kNull) property.type += " | null";
      property.sentence = field.sentence;
      property.optional = !must;
    }
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
        if (traits.grouped) return "Record<string, " + Rest(type.item->structure()) + "[]>";
        std::string item = TypeText(*type.item, traits);
        if (type.item->kind == Kind::kOptional) item += " | null";
        return (item.find('|') == std::string::npos ? item : "(" + item + ")") + "[]";
      }
      case Kind::kMap:
        return "Record<string, " + TypeText(*type.item, traits) + ">";
      case Kind::kStruct:
        return Define(type.structure());
    }
    return "";
  }

  static std::string EnumText(const ValueType& type) {
    std::string text;
    for (size_t i = 0; type.enum_name(i) != nullptr; ++i) {
      text += std::string(i == 0 ? "" : " | ") + '"' + type.enum_name(i) + '"';
    }
    return text;
  }

  // All fields but the first, by whose text the items are grouped.
  std::string Rest(const Structure& structure) {
    ObjectType object;
    Add({structure.name, structure.fields.subspan(1), structure.defaults}, true, &object);
    std::string text;
    for (const ObjectType::Property& property : object.properties) {
      text += (text.empty() ? "{" : "; ") + PropertyText(property);
    }
    return text + "}";
  }

  std::vector<std::string> defined_;
  std::string out_;
};

}  // namespace

std::string ResultTypeScript() {
  TypeScriptMaker maker;
  for (const ResultKind& kind : ResultKinds()) maker.Define(kind.type->structure());
  return "// What result.json of each command says; made by: inlay schema result --typescript\n" +
         maker.out();
}

}  // namespace inlay::io

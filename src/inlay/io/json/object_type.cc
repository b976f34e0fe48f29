#include "inlay/io/json/object_type.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace inlay::io {
namespace {

using Kind = ValueType::Kind;

constexpr std::string_view kDefaultPart = " (default {})";

ObjectType::Property& PropertyAt(const std::string& key, ObjectType* object) {
  auto& properties = object->properties;
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const auto& property) { return property.key == key; });
  if (found != properties.end()) return *found;
  ObjectType::Property& added = properties.emplace_back();
  added.key = key;
  return added;
}

// The object that a field stands in: the owner's, or a group within it.
ObjectType* GroupIn(const Field& field, bool required, ObjectType* object) {
  for (const std::string& part : GroupsOf(field)) {
    ObjectType::Property& property = PropertyAt(part, object);
    if (required) property.optional = false;
    if (!property.group) property.group = std::make_unique<ObjectType>();
    object = property.group.get();
  }
  return object;
}

void Mention(const Structure& structure, std::vector<const Structure*>* mentioned) {
  const bool known =
      std::find(mentioned->begin(), mentioned->end(), &structure) != mentioned->end();
  if (!known) mentioned->push_back(&structure);
}

void Add(std::span<const Field> fields, bool always, ObjectType* owner,
         std::vector<const Structure*>* mentioned);

// What a field's type names, below optionals, lists and maps.
void MentionIn(const Field& field, std::vector<const Structure*>* mentioned) {
  const ValueType* type = field.type;
  while (type->item != nullptr) type = type->item;
  if (type->kind != Kind::kStruct) return;
  if (!field.traits.grouped) return Mention(type->structure(), mentioned);
  ObjectType item;
  Add(type->structure().fields.subspan(1), true, &item, mentioned);
}

void Add(std::span<const Field> fields, bool always, ObjectType* owner,
         std::vector<const Structure*>* mentioned) {
  for (const Field& field : fields) {
    if (field.key == nullptr) continue;
    const bool required = always && IsRequired(field);
    ObjectType* object = GroupIn(field, required, owner);
    if (!field.traits.inlined) {
      ObjectType::Property& property = PropertyAt(field.key, object);
      property.field = &field;
      property.optional = !required;
      MentionIn(field, mentioned);
    } else if (required) {
      object->bases.push_back(&InlinedIn(field));
      Mention(InlinedIn(field), mentioned);
    } else {
      Add(InlinedIn(field).fields, false, object, mentioned);
    }
  }
}

ObjectType ObjectOf(std::span<const Field> fields) {
  ObjectType object;
  std::vector<const Structure*> mentioned;
  Add(fields, true, &object, &mentioned);
  object.mentioned = std::move(mentioned);
  return object;
}

}  // namespace

const Structure& InlinedIn(const Field& field) { return HeldType(*field.type).structure(); }

std::string SentenceOf(const Field& field) {
  const std::string_view sentence = field.sentence;
  return std::string(sentence.substr(0, sentence.find(kDefaultPart)));
}

bool IsRequired(const Field& field) {
  const FieldTraits& traits = field.traits;
  return traits.applies == nullptr &&
         (traits.presence == Presence::kNull ||
          (traits.presence == Presence::kAlways && field.type->kind != Kind::kOptional));
}

std::vector<std::string> GroupsOf(const Field& field) {
  std::vector<std::string> groups;
  if (field.traits.group == nullptr) return groups;
  std::istringstream parts(field.traits.group);
  for (std::string part; std::getline(parts, part, '.');) groups.push_back(part);
  return groups;
}

ObjectType ObjectTypeOf(const Structure& structure) { return ObjectOf(structure.fields); }

ObjectType GroupedItemOf(const Structure& structure) {
  return ObjectOf(structure.fields.subspan(1));
}

}  // namespace inlay::io

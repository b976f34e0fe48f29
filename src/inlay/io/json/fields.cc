#include "inlay/io/json/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "inlay/io/json/document.h"
#include "inlay/io/json/object_type.h"

namespace inlay::io {
namespace {

using Kind = ValueType::Kind;
using fields::As;

bool IsEmpty(const ValueType& type, const void* value) {
  return type.size != nullptr && type.size(value) == 0;
}

// ---- Writing

void AddFields(const Structure& structure, const void* owner, Json* json);

// JSON has no word for these.
constexpr const char* kInfinity = "inf";
constexpr const char* kMinusInfinity = "-inf";
constexpr const char* kNotANumber = "nan";

Json NumberToJson(const FieldTraits& traits, double value) {
  if (traits.any_double && !std::isfinite(value)) {
    return std::isnan(value) ? kNotANumber : value > 0 ? kInfinity : kMinusInfinity;
  }
  return traits.as_whole ? Compact(value * traits.scale) : Json(value * traits.scale);
}

// What applies to a field applies to the numbers in its optional, list or map.
Json ValueToJson(const ValueType& type, const FieldTraits& traits, const void* value);

Json ListToJson(const ValueType& type, const FieldTraits& traits, const void* value) {
  Json json = Json::array();
  for (size_t i = 0; i < type.size(value); ++i) {
    json.push_back(ValueToJson(*type.item, traits, type.at(value, i)));
  }
  return json;
}

Json MapToJson(const ValueType& type, const FieldTraits& traits, const void* value) {
  // The names differ, and may be many: the library's insertion compares each with all before it.
  Json::object_t json;
  json.reserve(type.size(value));
  for (size_t i = 0; i < type.size(value); ++i) {
    json.push_back({type.name_at(value, i), ValueToJson(*type.item, traits, type.at(value, i))});
  }
  return json;
}

// {"arch": [{"name": …}, …]}: by the first field, which the items then lack.
Json GroupsToJson(const ValueType& type, const void* value) {
  const Structure& structure = type.item->structure();
  const Field& first = structure.fields.front();
  const Structure rest{structure.name, structure.fields.subspan(1), structure.defaults};
  Json json = Json::object();
  for (size_t i = 0; i < type.size(value); ++i) {
    const void* item = type.at(value, i);
    Json entry = Json::object();
    AddFields(rest, item, &entry);
    json[As<std::string>(first.In(item))].push_back(std::move(entry));
  }
  return json;
}

Json ValueToJson(const ValueType& type, const FieldTraits& traits, const void* value) {
  switch (type.kind) {
    case Kind::kBool:
      return As<bool>(value);
    case Kind::kInteger:
      return type.integer(value);
    case Kind::kNumber:
      return NumberToJson(traits, As<double>(value));
    case Kind::kText:
      return As<std::string>(value);
    case Kind::kEnum:
      return NameOfEnum(type, value);
    case Kind::kOptionValue:
      return std::visit([](const auto& v) { return Json(v); }, As<OptionValue>(value));
    case Kind::kNumberOrText:
      if (const auto* number = std::get_if<double>(&As<NumberOrText>(value))) {
        return NumberToJson(traits, *number);
      }
      return std::get<std::string>(As<NumberOrText>(value));
    case Kind::kOptional:
      return IsEmpty(type, value) ? Json() : ValueToJson(*type.item, traits, type.at(value, 0));
    case Kind::kList:
      return traits.grouped ? GroupsToJson(type, value) : ListToJson(type, traits, value);
    case Kind::kMap:
      return MapToJson(type, traits, value);
    case Kind::kStruct: {
      Json json = Json::object();
      AddFields(type.structure(), value, &json);
      return json;
    }
  }
  return {};
}

// The object that a field of the owner stands in, made where it is not there.
Json* GroupIn(const Field& field, Json* json) {
  for (const std::string& part : GroupsOf(field)) json = &(*json)[part];
  return json;
}

void AddField(const Field& field, const Structure& structure, const void* owner, Json* json) {
  const FieldTraits& traits = field.traits;
  if (traits.applies != nullptr && !traits.applies(owner)) return;
  const ValueType& type = *field.type;
  const void* value = field.In(owner);
  if (traits.inlined) {
    const void* inlined = HeldBy(type, value);
    if (inlined != nullptr) AddFields(InlinedIn(field), inlined, GroupIn(field, json));
    return;
  }
  if (traits.presence == Presence::kNull) {
    (*GroupIn(field, json))[field.key] =
        IsEmpty(type, value) ? Json() : ValueToJson(type, traits, value);
    return;
  }
  if (type.kind == Kind::kOptional && IsEmpty(type, value)) return;
  if (traits.presence == Presence::kUnlessDefault &&
      type.equal(value, field.In(structure.defaults))) {
    return;
  }
  (*GroupIn(field, json))[field.key] = ValueToJson(type, traits, value);
}

void AddFields(const Structure& structure, const void* owner, Json* json) {
  for (const Field& field : structure.fields) {
    if (field.key != nullptr) AddField(field, structure, owner, json);
  }
}

// ---- Reading

// Reads a value at a path; what has the wrong type is a fault and stays as it is.
class FieldReader {
 public:
  explicit FieldReader(JsonReader* reader) : reader_(*reader) {}

  void ReadValue(const ValueType& type, const FieldTraits& traits, const Json& json,
                 const std::string& path, void* value) {
    switch (type.kind) {
      case Kind::kBool:
        if (Expect(json.is_boolean(), path, "expected true or false")) {
          *static_cast<bool*>(value) = json.get<bool>();
        }
        return;
      case Kind::kInteger:
        return ReadInteger(type, json, path, value);
      case Kind::kNumber:
        return ReadNumber(traits, json, path, static_cast<double*>(value));
      case Kind::kText:
        return ReadText(traits, json, path, static_cast<std::string*>(value));
      case Kind::kEnum:
        return ReadEnum(type, json, path, value);
      case Kind::kOptionValue:
        return ReadOptionValue(json, path, static_cast<OptionValue*>(value));
      case Kind::kNumberOrText:
        if (!Expect(json.is_number() || json.is_string(), path, "expected a number or a text")) {
          return;
        }
        *static_cast<NumberOrText*>(value) = json.is_number()
                                                 ? NumberOrText(json.get<double>())
                                                 : NumberOrText(json.get<std::string>());
        return;
      case Kind::kOptional:  // a null of a list is an empty item
        if (json.is_null()) return;
        return ReadValue(*type.item, traits, json, path, type.add(value, ""));
      case Kind::kList:
        return traits.grouped ? ReadGroups(type, json, path, value)
                              : ReadList(type, traits, json, path, value);
      case Kind::kMap:
        return ReadMap(type, traits, json, path, value);
      case Kind::kStruct:
        if (Expect(json.is_object(), path, "expected an object")) {
          ReadFields(type.structure(), json, path, value);
        }
        return;
    }
  }

  void ReadFields(const Structure& structure, const Json& json, const std::string& path,
                  void* owner) {
    for (const Field& field : structure.fields) {
      if (field.key != nullptr) ReadField(field, json, path, owner);
    }
  }

 private:
  bool Expect(bool holds, const std::string& path, const char* message) {
    if (!holds) reader_.Fault(path, message);
    return holds;
  }

  void ReadField(const Field& field, const Json& json, const std::string& path, void* owner) {
    if (field.traits.group != nullptr) return ReadGrouped(field, json, path, owner);
    ReadFieldAt(field, json, path, owner);
  }

  // A group that is not there is a fault where its field must be.
  void ReadGrouped(const Field& field, const Json& json, const std::string& path, void* owner) {
    const Json* at = &json;
    std::string place = path;
    for (const std::string& part : GroupsOf(field)) {
      const auto found = at->find(part);
      place = JoinPath(place, part.c_str());
      if (found == at->end()) {
        if (!IsOptional(field)) FaultOnce(place, "missing");
        return;
      }
      if (!found->is_object()) return FaultOnce(place, "expected an object");
      at = &*found;
    }
    ReadFieldAt(field, *at, place, owner);
  }

  // Every field of a group would say the same.
  void FaultOnce(const std::string& path, const char* message) {
    if (last_fault_ == path) return;
    last_fault_ = path;
    reader_.Fault(path, message);
  }

  static bool IsOptional(const Field& field) {
    return field.traits.presence != Presence::kAlways || field.type->kind == Kind::kOptional ||
           field.traits.applies != nullptr;
  }

  void ReadFieldAt(const Field& field, const Json& json, const std::string& path, void* owner) {
    void* value = field.member(owner);
    if (field.traits.inlined) return ReadInlined(field, json, path, value);
    const auto found = json.find(field.key);
    const bool there = found != json.end() && !found->is_null();
    if (there)
      return ReadValue(*field.type, field.traits, *found, JoinPath(path, field.key), value);
    if (!IsOptional(field)) {
      reader_.Fault(JoinPath(path, field.key),
                    found == json.end() ? "missing" : "expected " + Expected(*field.type));
    }
  }

  // An optional struct among the owner's fields is there if one of its fields is.
  void ReadInlined(const Field& field, const Json& json, const std::string& path, void* value) {
    const Structure& structure = InlinedIn(field);
    if (field.type->kind != Kind::kOptional) return ReadFields(structure, json, path, value);
    const bool any =
        std::any_of(structure.fields.begin(), structure.fields.end(),
                    [&](const Field& own) { return own.key != nullptr && json.contains(own.key); });
    if (any) ReadFields(structure, json, path, field.type->add(value, ""));
  }

  void ReadNumber(const FieldTraits& traits, const Json& json, const std::string& path,
                  double* value) {
    constexpr double kMost = std::numeric_limits<double>::infinity();
    if (traits.any_double && json == kInfinity) {
      *value = kMost;
    } else if (traits.any_double && json == kMinusInfinity) {
      *value = -kMost;
    } else if (traits.any_double && json == kNotANumber) {
      *value = std::numeric_limits<double>::quiet_NaN();
    } else if (Expect(json.is_number(), path, "expected a number")) {
      *value = json.get<double>() / traits.scale;
    }
  }

  void ReadInteger(const ValueType& type, const Json& json, const std::string& path, void* value) {
    const bool fits = json.is_number_integer() &&
                      (!json.is_number_unsigned() || json.get<uint64_t>() <= INT64_MAX);
    Expect(fits && type.set_integer(value, json.get<int64_t>()), path,
           "expected a whole number of 64 bits");
  }

  void ReadText(const FieldTraits& traits, const Json& json, const std::string& path,
                std::string* value) {
    if (!Expect(json.is_string(), path, "expected a text")) return;
    *value = json.get<std::string>();
    if (traits.constant != nullptr && *value != traits.constant) {
      reader_.Fault(path, "'" + *value + "' is not " + traits.constant);
    }
  }

  void ReadEnum(const ValueType& type, const Json& json, const std::string& path, void* value) {
    if (!Expect(json.is_string(), path, "expected a text")) return;
    const auto name = json.get<std::string>();
    if (const auto known = ValueOfName(type, name)) {
      type.set_integer(value, *known);
    } else {
      reader_.Fault(path, "unknown value '" + name + "'");
    }
  }

  void ReadOptionValue(const Json& json, const std::string& path, OptionValue* value) {
    const bool texts =
        json.is_array() &&
        std::all_of(json.begin(), json.end(), [](const Json& item) { return item.is_string(); });
    if (json.is_boolean()) {
      *value = json.get<bool>();
    } else if (json.is_number_integer()) {
      *value = json.get<int64_t>();
    } else if (json.is_string()) {
      *value = json.get<std::string>();
    } else if (texts) {
      *value = json.get<std::vector<std::string>>();
    } else {
      reader_.Fault(path, "expected a scalar or a list of texts");
    }
  }

  void ReadList(const ValueType& type, const FieldTraits& traits, const Json& json,
                const std::string& path, void* value) {
    if (!Expect(json.is_array(), path, "expected a list")) return;
    const bool texts = type.item->kind == Kind::kText;
    for (size_t i = 0; i < json.size(); ++i) {
      if (texts && !json[i].is_string()) {
        reader_.Fault(path, "expected a list of texts");
        continue;
      }
      ReadValue(*type.item, traits, json[i], fmt::format("{}[{}]", path, i), type.add(value, ""));
    }
  }

  void ReadMap(const ValueType& type, const FieldTraits& traits, const Json& json,
               const std::string& path, void* value) {
    if (!Expect(json.is_object(), path, "expected an object")) return;
    for (const auto& [name, item] : json.items()) {
      ReadValue(*type.item, traits, item, JoinPath(path, name.c_str()), type.add(value, name));
    }
  }

  void ReadGroups(const ValueType& type, const Json& json, const std::string& path, void* value) {
    if (!Expect(json.is_object(), path, "expected an object")) return;
    const Structure& structure = type.item->structure();
    const Structure rest{structure.name, structure.fields.subspan(1), structure.defaults};
    for (const auto& [name, items] : json.items()) {
      const std::string place = JoinPath(path, name.c_str());
      if (!Expect(items.is_array(), place, "expected a list")) continue;
      for (const Json& item : items) {
        void* added = type.add(value, "");
        *static_cast<std::string*>(structure.fields.front().member(added)) = name;
        ReadFields(rest, item, place, added);
      }
    }
  }

  // What a null is not.
  static std::string Expected(const ValueType& type) {
    switch (type.kind) {
      case Kind::kBool:
        return "true or false";
      case Kind::kInteger:
        return "a whole number of 64 bits";
      case Kind::kNumber:
        return "a number";
      case Kind::kList:
        return "a list";
      case Kind::kMap:
      case Kind::kStruct:
        return "an object";
      default:
        return "a text";
    }
  }

  JsonReader& reader_;
  std::string last_fault_;
};

}  // namespace

Json ToJson(const ValueType& type, const void* value) { return ValueToJson(type, {}, value); }

void FromJson(const ValueType& type, const Json& json, const std::string& path, JsonReader* reader,
              void* value) {
  FieldReader(reader).ReadValue(type, {}, json, path, value);
}

void CheckJson(const ValueType& type, const Json& json, JsonReader* reader) {
  type.with_new([&](void* value) { FromJson(type, json, "", reader, value); });
}

std::string WriteJson(const ValueType& type, const void* value) {
  return Dump(ToJson(type, value));
}

Result<void> ReadJson(const ValueType& type, const Source& source, void* value) {
  const Result<Json> document = ParseJson(source);
  if (!document) return Fail(document.error());
  JsonReader reader(source);
  FromJson(type, *document, "", &reader, value);
  if (!reader.errors().empty()) return Fail(reader.errors());
  return {};
}

}  // namespace inlay::io

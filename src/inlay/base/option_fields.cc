#include "inlay/base/option_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "inlay/base/check.h"

namespace inlay {
namespace {

using Kind = ValueType::Kind;

// What another option must be for an option to have an effect; no key: any.
struct Condition {
  const char* key = nullptr;
  const char* value = nullptr;
};

// Calls the function for every field, those of inlined structs where these stand.
using Visit = std::function<void(const Field&, void* owner, const Condition&)>;
void ForEachOption(const Structure& structure, void* owner, const Condition& of_owner,
                   const Visit& visit) {
  for (const Field& field : structure.fields) {
    Condition condition = of_owner;
    if (field.traits.option.only_with_key != nullptr) {
      condition = {field.traits.option.only_with_key, field.traits.option.only_with_value};
    }
    if (field.traits.inlined) {
      ForEachOption(field.type->structure(), field.member(owner), condition, visit);
    } else {
      visit(field, owner, condition);
    }
  }
}

// A value of the structure's type that is only read.
void* Defaults(const Structure& structure) { return const_cast<void*>(structure.defaults); }

// Of an optional, that of what it may hold.
const ValueType& TypeOf(const Field& field) {
  return field.type->kind == Kind::kOptional ? *field.type->item : *field.type;
}

OptionType OptionTypeOf(const Field& field) {
  const ValueType& type = TypeOf(field);
  switch (type.kind) {
    case Kind::kBool:
      return OptionType::kFlag;
    case Kind::kInteger:
      return OptionType::kInteger;
    case Kind::kNumber:
      return field.traits.option.duration ? OptionType::kDuration : OptionType::kInteger;
    case Kind::kText:
      return OptionType::kText;
    case Kind::kEnum:
      return OptionType::kChoice;
    case Kind::kList:
      INLAY_CHECK(type.item->kind == Kind::kEnum || !field.traits.option.choices.empty());
      return OptionType::kChoices;
    case Kind::kMap:
      INLAY_CHECK(type.item->kind == Kind::kInteger);
      return OptionType::kAssignments;
    default:
      FailCheck("a field that can be an option", __FILE__, __LINE__);
  }
}

const char* EnumName(const ValueType& type, const void* value) {
  for (size_t i = 0; type.enum_name(i) != nullptr; ++i) {
    if (type.enum_value(i) == type.integer(value)) return type.enum_name(i);
  }
  FailCheck("an enumerator that has a name", __FILE__, __LINE__);
}

void SetEnum(const ValueType& type, std::string_view name, void* value) {
  for (size_t i = 0; type.enum_name(i) != nullptr; ++i) {
    if (name == type.enum_name(i)) type.set_integer(value, type.enum_value(i));
  }
}

std::vector<std::string_view> ChoicesOf(const Field& field) {
  const auto& chosen = field.traits.option.choices;
  std::vector<std::string_view> names(chosen.begin(), chosen.end());
  const ValueType& type = TypeOf(field);
  const ValueType& item = type.kind == Kind::kList ? *type.item : type;
  if (!names.empty() || item.kind != Kind::kEnum) return names;
  for (size_t i = 0; item.enum_name(i) != nullptr; ++i) names.emplace_back(item.enum_name(i));
  return names;
}

// As a user would write it.
std::string TextOf(const Field& field, const ValueType& type, const void* value) {
  switch (type.kind) {
    case Kind::kInteger:
      return std::to_string(type.integer(value));
    case Kind::kNumber:
      return std::to_string(std::llround(*static_cast<const double*>(value) * field.traits.scale));
    case Kind::kText:
      return *static_cast<const std::string*>(value);
    case Kind::kEnum:
      return EnumName(type, value);
    case Kind::kOptional:
    case Kind::kList: {
      std::string text;
      for (size_t i = 0; i < type.size(value); ++i) {
        text += (i == 0 ? "" : ",") + TextOf(field, *type.item, type.at(value, i));
      }
      return text;
    }
    default:  // flags and maps have no default that is shown
      return "";
  }
}

Option OptionOf(const Field& field, const void* defaults) {
  const OptionTraits& traits = field.traits.option;
  Option option;
  option.key = field.key;
  option.sentence = field.sentence;
  option.type = OptionTypeOf(field);
  option.value_name = traits.value_name;
  option.choices = ChoicesOf(field);
  option.min = traits.min;
  option.max = traits.max;
  option.default_text = TextOf(field, *field.type, field.In(defaults));
  option.in_result = traits.in_result;
  return option;
}

// The map of integers that assignments stand for.
void SetMap(const std::vector<std::string>& assignments, const ValueType& type, void* value) {
  for (const std::string& assignment : assignments) {
    const size_t equals = assignment.find('=');
    int64_t number = 0;
    const char* end = assignment.data() + assignment.size();
    const auto parsed = std::from_chars(assignment.data() + equals + 1, end, number);
    INLAY_CHECK(equals != std::string::npos && parsed.ptr == end);  // the option has checked it
    type.item->set_integer(type.add(value, assignment.substr(0, equals)), number);
  }
}

void SetField(const OptionValues& values, const Field& field, void* owner) {
  void* value = field.member(owner);
  if (field.type->kind == Kind::kOptional) value = field.type->add(value, "");
  const ValueType& type = TypeOf(field);
  switch (type.kind) {
    case Kind::kBool:
      if (values.Flag(field.key)) *static_cast<bool*>(value) = !*static_cast<bool*>(value);
      return;
    case Kind::kInteger:
      INLAY_CHECK(type.set_integer(value, values.Integer(field.key)));
      return;
    case Kind::kNumber:
      *static_cast<double*>(value) = static_cast<double>(values.Integer(field.key)) /
                                     (field.traits.option.duration ? 1e3 : field.traits.scale);
      return;
    case Kind::kText:
      *static_cast<std::string*>(value) = values.Text(field.key);
      return;
    case Kind::kEnum:
      return SetEnum(type, values.Text(field.key), value);
    case Kind::kList:
      type.clear(value);
      for (const std::string& name : values.List(field.key)) {
        void* item = type.add(value, "");
        if (type.item->kind == Kind::kText) {
          *static_cast<std::string*>(item) = name;
        } else {
          SetEnum(*type.item, name, item);
        }
      }
      return;
    default:
      return SetMap(values.List(field.key), type, value);
  }
}

bool HasEffect(const OptionValues& values, const Condition& condition) {
  if (condition.key == nullptr) return true;
  const auto type = std::find_if(values.options().begin(), values.options().end(),
                                 [&](const Option& option) { return option.key == condition.key; });
  INLAY_CHECK(type != values.options().end());
  if (type->type != OptionType::kChoices) return values.Text(condition.key) == condition.value;
  const std::vector<std::string>& list = values.List(condition.key);
  return std::find(list.begin(), list.end(), condition.value) != list.end();
}

}  // namespace

std::vector<Option> OptionsOf(const Structure& structure) {
  std::vector<Option> options;
  ForEachOption(structure, Defaults(structure), {},
                [&](const Field& field, const void* owner, const Condition& /*condition*/) {
                  options.push_back(OptionOf(field, owner));
                });
  return options;
}

void SetFields(const OptionValues& values, const Structure& structure, void* owner) {
  ForEachOption(structure, owner, {}, [&](const Field& field, void* at, const Condition&) {
    if (values.Has(field.key)) SetField(values, field, at);
  });
}

Diagnostics CheckEffects(const OptionValues& values, const Structure& structure) {
  Diagnostics errors;
  ForEachOption(
      structure, Defaults(structure), {},
      [&](const Field& field, const void* /*owner*/, const Condition& condition) {
        if (!values.WasSet(field.key) || HasEffect(values, condition)) return;
        errors.push_back(MakeError(
            {}, FlagOf(field.key) + " is for the " + condition.key + " '" + condition.value + "'",
            "add " + FlagOf(condition.key) + " " + condition.value));
      });
  return errors;
}

std::vector<std::pair<std::string, OptionValue>> EffectiveOptions(const OptionValues& values,
                                                                  const Structure& structure) {
  auto options = values.ForResult();
  ForEachOption(structure, Defaults(structure), {},
                [&](const Field& field, const void* /*owner*/, const Condition& condition) {
                  if (HasEffect(values, condition)) return;
                  std::erase_if(options,
                                [&](const auto& option) { return option.first == field.key; });
                });
  return options;
}

}  // namespace inlay

#include "inlay/base/option_fields.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/mention.h"

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

OptionType OptionTypeOf(const Field& field) {
  const ValueType& type = HeldType(*field.type);
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
      if (type.item->kind == Kind::kText && field.traits.option.choices.empty()) {
        return OptionType::kTexts;
      }
      return OptionType::kChoices;
    case Kind::kMap:
      if (type.item->kind == Kind::kText) return OptionType::kSettings;
      INLAY_CHECK(type.item->kind == Kind::kInteger);
      return field.traits.option.alone != nullptr ? OptionType::kNumbers : OptionType::kAssignments;
    default:
      FailCheck("a field that can be an option", __FILE__, __LINE__);
  }
}

void SetEnum(const ValueType& type, std::string_view name, void* value) {
  if (const auto known = ValueOfName(type, name)) type.set_integer(value, *known);
}

std::vector<std::string_view> ChoicesOf(const Field& field) {
  const auto& chosen = field.traits.option.choices;
  const ValueType& type = HeldType(*field.type);
  const ValueType& item = type.kind == Kind::kList ? *type.item : type;
  if (chosen.empty() && item.kind == Kind::kEnum) return NamesOfEnum(item);
  return {chosen.begin(), chosen.end()};
}

// By choice; empty where none has any.
std::vector<std::string_view> OtherWordsOf(const Field& field) {
  const ValueType& type = HeldType(*field.type);
  const ValueType& item = type.kind == Kind::kList ? *type.item : type;
  std::vector<std::string_view> words;
  if (item.kind != Kind::kEnum || !field.traits.option.choices.empty()) return words;
  for (size_t i = 0; item.enum_name(i) != nullptr; ++i) words.emplace_back(item.other_words(i));
  return words;
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
      return NameOfEnum(type, value);
    case Kind::kOptional:
    case Kind::kList: {
      std::string text;
      for (size_t i = 0; i < type.size(value); ++i) {
        text += (i == 0 ? "" : ",") + TextOf(field, *type.item, type.at(value, i));
      }
      return text;
    }
    case Kind::kMap: {
      const char* alone = field.traits.option.alone;
      const bool one = alone != nullptr && type.size(value) == 1 && type.name_at(value, 0) == alone;
      return one ? TextOf(field, *type.item, type.at(value, 0)) : "";
    }
    default:  // flags have no default that is shown
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
  option.other_words = OtherWordsOf(field);
  option.min = traits.min;
  option.max = traits.max;
  option.default_text = TextOf(field, *field.type, field.In(defaults));
  option.in_result = traits.in_result;
  option.takes_words = traits.takes_words;
  return option;
}

// The map of texts that settings stand for.
void SetTexts(const std::vector<std::string>& settings, const ValueType& type, void* value) {
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    void* item = type.add(value, setting.substr(0, equals));
    *static_cast<std::string*>(item) = setting.substr(equals + 1);
  }
}

void SetField(const OptionValues& values, const Field& field, void* owner) {
  // No time is no limit.
  if (field.traits.option.duration && values.Integer(field.key) == 0) return;
  void* value = HeldOrMade(*field.type, field.member(owner));
  const ValueType& type = HeldType(*field.type);
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
    default: {
      const char* alone = field.traits.option.alone;
      type.clear(value);
      if (type.item->kind == Kind::kText) return SetTexts(values.List(field.key), type, value);
      for (const auto& [name, number] : values.Numbers(field.key, alone == nullptr ? "" : alone)) {
        INLAY_CHECK(type.item->set_integer(type.add(value, name), number));
      }
    }
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
            {}, Mention(field.key) + " is for the " + condition.key + " '" + condition.value + "'",
            "add " + Mention(condition.key, condition.value)));
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

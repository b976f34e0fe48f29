#include "inlay/io/native/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/core/architecture.h"
#include "inlay/io/native/free_attribute.h"
#include "inlay/io/native/quantity.h"

namespace inlay::io {
namespace {

using Kind = ValueType::Kind;
using fields::As;

// ---- Values with a syntax of their own

constexpr std::string_view kAll = "all";

std::optional<TextError> CheckAll(std::string_view text) {
  if (text == kAll) return std::nullopt;
  return TextError{0, fmt::format("expected a list of tensors or 'all', found '{}'", text),
                   fmt::format("write '[{}]'", text)};
}
std::string AllPattern() { return "^all$"; }

constinit const Type kTensorList = {
    .form = Form::kList, .what = "a list of tensors", .element = &kNameText};
constinit const Type kAllTensors = {
    .form = Form::kText, .what = "'all'", .check = CheckAll, .pattern = AllPattern};
constexpr std::array<const Type*, 2> kTensorSetOptions = {&kTensorList, &kAllTensors};

Type TensorSetType(const KeyRow& /*row*/) {
  return {
      .form = Form::kEither, .what = "a list of tensors, or 'all'", .options = kTensorSetOptions};
}
void ReadTensorSet(const Node& node, const KeyRow& /*row*/, void* value) {
  *static_cast<TensorNameSet*>(value) = {node.IsScalar(), ScalarTexts(node)};
}
std::string TensorSetText(const KeyRow& /*row*/, const void* value) {
  const auto& tensors = As<TensorNameSet>(value);
  return tensors.all ? std::string(kAll) : FlowList(tensors.names);
}

std::optional<TextError> CheckSizeFunction(std::string_view text, const UnitFamily& unit) {
  const auto function = ParseSizeFunction(text, unit);
  return function ? std::nullopt : std::optional<TextError>(function.error());
}
Type SizeFunctionType(const KeyRow& row) {
  return {.form = Form::kText,
          .what = row.traits.what,
          .unit = row.traits.unit,
          .check_unit = CheckSizeFunction,
          .unit_pattern = SizeFunctionPattern};
}
void ReadSizeFunction(const Node& node, const KeyRow& row, void* value) {
  const auto function = ParseSizeFunction(node.text, *row.traits.unit);
  if (function) *static_cast<SizeFunction*>(value) = *function;
}
std::string SizeFunctionYaml(const KeyRow& row, const void* value) {
  return SizeFunctionText(As<SizeFunction>(value), *row.traits.unit);
}

struct Codec {
  const void* of = nullptr;
  Type (*type)(const KeyRow& row) = nullptr;
  void (*read)(const Node& node, const KeyRow& row, void* value) = nullptr;
  std::string (*text)(const KeyRow& row, const void* value) = nullptr;
};
constexpr std::array kCodecs = {
    Codec{&kCodecOf<TensorNameSet>, TensorSetType, ReadTensorSet, TensorSetText},
    Codec{&kCodecOf<SizeFunction>, SizeFunctionType, ReadSizeFunction, SizeFunctionYaml}};

const Codec& CodecOf(const KeyRow& row) {
  const auto codec = std::find_if(kCodecs.begin(), kCodecs.end(),
                                  [&row](const Codec& known) { return known.of == row.codec; });
  INLAY_CHECK(codec != kCodecs.end());
  return *codec;
}

std::string PlainText(const ValueType& type, const KeyTraits& traits, const void* value);

// ---- Types

// The types of a table, which point to each other.
struct Made {
  Type object;
  std::vector<Key> keys;
  std::deque<Type> types;
  std::deque<std::array<const Type*, 2>> options;
  std::deque<std::vector<std::string_view>> words;
  std::deque<std::string> texts;
};

class TypeMaker {
 public:
  explicit TypeMaker(Made* made) : made_(made) {}

  const Type* Make(const KeyRow& row) {
    if (row.table != nullptr) return &TypeOf(row.table());
    Type type = row.codec != nullptr ? CodecOf(row).type(row) : Plain(*row.type, row.traits);
    const Type* plain = Keep(type);
    if (!row.traits.free) return plain;
    const auto& options = made_->options.emplace_back(std::array{plain, &kFreeType});
    return Keep({.form = Form::kEither, .what = plain->what, .options = options});
  }

 private:
  const Type* Keep(const Type& type) { return &made_->types.emplace_back(type); }

  std::string_view What(const KeyTraits& traits, std::string otherwise) {
    if (traits.what != nullptr) return traits.what;
    return made_->texts.emplace_back(std::move(otherwise));
  }

  Type Plain(const ValueType& type, const KeyTraits& traits) {
    if (type.kind == Kind::kOptional) return Plain(*type.item, traits);
    if (traits.unit != nullptr) {
      const UnitFamily& unit = *traits.unit;
      return QuantityType(unit,
                          What(traits, fmt::format("{} such as '{}'", unit.what, unit.example)));
    }
    switch (type.kind) {
      case Kind::kBool:
        return {.form = Form::kBoolean, .what = What(traits, "true or false")};
      case Kind::kInteger:
        return {.form = Form::kInteger,
                .what = What(traits, fmt::format("a whole number from {}", traits.minimum)),
                .minimum = traits.minimum,
                .maximum = traits.maximum};
      case Kind::kNumber:
        return {.form = Form::kNumber, .what = What(traits, "a number")};
      case Kind::kEnum:
        return Words(type, traits);
      case Kind::kList:
        return {.form = Form::kList,
                .what = What(traits, "a list"),
                .element = Keep(Plain(*type.item, {.text = traits.text}))};
      default:
        return Text(traits);
    }
  }

  Type Text(const KeyTraits& traits) {
    static constexpr std::array kTexts = {&kFreeText, &kTitle, &kNameText, &kDimensionText};
    Type type = *kTexts[static_cast<size_t>(traits.text)];
    if (traits.what != nullptr) type.what = traits.what;
    return type;
  }

  Type Words(const ValueType& type, const KeyTraits& traits) {
    std::vector<std::string_view>& words = made_->words.emplace_back();
    for (size_t i = 0; type.enum_name(i) != nullptr; ++i) words.emplace_back(type.enum_name(i));
    return {.form = Form::kWord, .what = What(traits, JoinOr(words)), .words = words};
  }

  Made* made_;
};

// The default as people write it: "256 KiB", "1 GHz", "os".
std::string DefaultText(const KeyRow& row, const void* defaults) {
  const ValueType& type = *row.type;
  const void* member = row.In(defaults);
  const UnitFamily* unit = row.traits.unit;
  if (unit == nullptr) return PlainText(type, row.traits, member);
  const double value =
      type.kind == Kind::kInteger ? static_cast<double>(type.integer(member)) : As<double>(member);
  const Unit* best = nullptr;  // the largest that leaves a whole number
  for (const Unit& known : unit->units) {
    const double number = value / known.scale;
    if (known.basis != unit->base().basis || number < 1 || number != std::floor(number)) continue;
    if (best == nullptr || known.scale > best->scale) best = &known;
  }
  return best == nullptr ? ToText(value)
                         : fmt::format("{} {}", ToText(value / best->scale), best->symbol);
}

std::string_view SentenceOf(const KeyRow& row, const KeyTable& table, Made* made) {
  std::string sentence = row.sentence;
  const size_t at = sentence.find("{}");
  if (at == std::string::npos) return row.sentence;
  return made->texts.emplace_back(sentence.replace(at, 2, DefaultText(row, table.defaults)));
}

void Fill(const KeyTable& table, std::span<const HandType> by_hand, Made* made) {
  TypeMaker maker(made);
  for (const KeyRow& row : table.keys) {
    const auto hand = std::find_if(by_hand.begin(), by_hand.end(),
                                   [&row](const HandType& type) { return type.key == row.key; });
    const Type* type = hand != by_hand.end() ? hand->type : maker.Make(row);
    made->keys.push_back({row.key, SentenceOf(row, table, made), type, row.traits.required});
  }
  made->object = {.form = Form::kObject, .what = table.what, .keys = made->keys};
}

// ---- Reading

class KeyReader {
 public:
  KeyReader(const KeyRow& row, const Node& node, const UnitContext& context,
            Diagnostics* diagnostics)
      : row_(row), node_(node), context_(context), diagnostics_(diagnostics) {}

  void Read(void* owner) {
    if (row_.table != nullptr) {
      if (!node_.IsMapping()) return;
      return ReadKeys(node_, row_.table(), context_, row_.make(row_.member(owner)), diagnostics_);
    }
    if (row_.codec != nullptr) {
      return CodecOf(row_).read(node_, row_, row_.make(row_.member(owner)));
    }
    ReadPlain(row_.member(owner));
    if (row_.also != nullptr) ReadPlain(row_.also(owner));
  }

 private:
  void ReadPlain(void* member) {
    const bool optional = row_.type->kind == Kind::kOptional;
    const ValueType& type = optional ? *row_.type->item : *row_.type;
    const auto set = [&]() { return optional ? row_.type->add(member, "") : member; };
    if (type.kind == Kind::kList) {
      if (!node_.IsSequence()) return;
      return static_cast<void>(*static_cast<std::vector<std::string>*>(set()) = ScalarTexts(node_));
    }
    if (!node_.IsScalar()) return;
    switch (type.kind) {
      case Kind::kBool:
        if (const auto value = AsBool(node_, "")) *static_cast<bool*>(set()) = *value;
        return;
      case Kind::kInteger:
        if (const auto value = Count()) type.set_integer(set(), *value);
        return;
      case Kind::kNumber:
        if (const auto value = Number()) *static_cast<double*>(set()) = *value;
        return;
      case Kind::kEnum:
        for (size_t i = 0; type.enum_name(i) != nullptr; ++i) {
          if (node_.text != type.enum_name(i)) continue;
          type.set_integer(set(), type.enum_value(i));
          return;
        }
        return;
      default:
        *static_cast<std::string*>(set()) = node_.text;
    }
  }

  std::optional<int64_t> Count() {
    const KeyTraits& traits = row_.traits;
    if (traits.unit == nullptr) {
      const auto value = AsInt(node_, "");
      const bool fits = value && *value >= traits.minimum && *value <= traits.maximum;
      return fits ? std::optional<int64_t>(*value) : std::nullopt;
    }
    // In bytes it does not depend on the context: Check has reported what is wrong.
    const bool checked = traits.unit->word_bits != 0;
    if (CheckQuantity(node_.text, *traits.unit)) return std::nullopt;
    const auto count = ParseCount(node_.text, *traits.unit, context_, row_.key);
    if (count) return *count;
    if (!checked) diagnostics_->push_back(ErrorInside(node_, count.error()));
    return std::nullopt;
  }

  std::optional<double> Number() {
    if (row_.traits.unit == nullptr) {
      const auto value = AsDouble(node_, "");
      return value ? std::optional<double>(*value) : std::nullopt;
    }
    const auto value = ParseValue(node_.text, *row_.traits.unit, context_);
    return value ? std::optional<double>(*value) : std::nullopt;
  }

  const KeyRow& row_;
  const Node& node_;
  const UnitContext& context_;
  Diagnostics* diagnostics_;
};

// ---- Writing

std::string PlainText(const ValueType& type, const KeyTraits& traits, const void* value) {
  switch (type.kind) {
    case Kind::kOptional:
      return PlainText(*type.item, traits, type.at(value, 0));
    case Kind::kBool:
      return As<bool>(value) ? "true" : "false";
    case Kind::kInteger:
      return traits.unit != nullptr ? CountText(type.integer(value), *traits.unit)
                                    : std::to_string(type.integer(value));
    case Kind::kNumber:
      return traits.unit != nullptr ? ValueText(As<double>(value), *traits.unit)
                                    : ToText(As<double>(value));
    case Kind::kEnum:
      for (size_t i = 0; type.enum_name(i) != nullptr; ++i) {
        if (type.enum_value(i) == type.integer(value)) return type.enum_name(i);
      }
      return "";
    case Kind::kList:
      return FlowList(As<std::vector<std::string>>(value));
    default:
      return Scalar(As<std::string>(value));
  }
}

std::optional<std::string> TextOf(const KeyRow& row, const KeyTable& table, const void* owner,
                                  const HandText& by_hand) {
  if (by_hand) {
    if (auto text = by_hand(row.key)) return text->empty() ? std::nullopt : text;
  }
  if (row.member == nullptr) return std::nullopt;
  const void* member = row.In(owner);
  if (row.traits.unless_default && row.is_default(member, row.In(table.defaults))) {
    return std::nullopt;
  }
  if (row.type != nullptr) {
    const bool none = row.type->kind == Kind::kOptional && row.type->size(member) == 0;
    return none ? std::nullopt : std::optional(PlainText(*row.type, row.traits, member));
  }
  const void* held = row.held(member);
  if (held == nullptr) return std::nullopt;
  return row.codec != nullptr ? CodecOf(row).text(row, held)
                              : FlowText(row.table(), held).ToString();
}

}  // namespace

Type QuantityType(const UnitFamily& unit, std::string_view what) {
  return {.form = Form::kText,
          .what = what,
          .unit = &unit,
          .check_unit = CheckQuantity,
          .unit_pattern = QuantityTextPattern};
}

const Type& TypeOf(const KeyTable& table, std::span<const HandType> by_hand) {
  static std::recursive_mutex mutex;
  static std::map<const KeyTable*, std::unique_ptr<Made>> all;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Made>& made = all[&table];
  if (made == nullptr) {
    made = std::make_unique<Made>();
    Fill(table, by_hand, made.get());
  }
  return made->object;
}

void ReadKeys(const Node& node, const KeyTable& table, const UnitContext& context, void* owner,
              Diagnostics* diagnostics) {
  for (const KeyRow& row : table.keys) {
    const Node* value = row.member == nullptr ? nullptr : node.Find(row.key);
    if (value != nullptr) KeyReader(row, *value, context, diagnostics).Read(owner);
  }
}

FlowObject FlowText(const KeyTable& table, const void* owner, const HandText& by_hand) {
  FlowObject object;
  for (const KeyRow& row : table.keys) {
    if (const auto text = TextOf(row, table, owner, by_hand)) object.Add(row.key, *text);
  }
  return object;
}

std::string BlockText(const KeyTable& table, const void* owner, std::string_view indent,
                      const HandText& by_hand) {
  std::string block;
  for (const KeyRow& row : table.keys) {
    if (row.key == std::string_view("name")) continue;
    const auto text = TextOf(row, table, owner, by_hand);
    if (!text) continue;
    block += fmt::format("{}{}:{}{}\n", indent, row.key, text->starts_with('\n') ? "" : " ", *text);
  }
  return block;
}

}  // namespace inlay::io

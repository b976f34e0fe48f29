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

Type TensorSetType(const KeyTraits& /*traits*/) {
  return {
      .form = Form::kEither, .what = "a list of tensors, or 'all'", .options = kTensorSetOptions};
}
void ReadTensorSet(const Node& node, const KeyTraits& /*traits*/, void* value) {
  *static_cast<TensorNameSet*>(value) = {node.IsScalar(), ScalarTexts(node)};
}
std::string TensorSetText(const KeyTraits& /*traits*/, const void* value) {
  const auto& tensors = As<TensorNameSet>(value);
  return tensors.all ? std::string(kAll) : FlowList(tensors.names);
}

std::optional<TextError> CheckSizeFunction(std::string_view text, const UnitFamily& unit) {
  const auto function = ParseSizeFunction(text, unit);
  return function ? std::nullopt : std::optional<TextError>(function.error());
}
Type SizeFunctionType(const KeyTraits& traits) {
  return {.form = Form::kText,
          .what = traits.what,
          .unit = traits.unit,
          .check_unit = CheckSizeFunction,
          .unit_pattern = SizeFunctionPattern};
}
void ReadSizeFunction(const Node& node, const KeyTraits& traits, void* value) {
  const auto function = ParseSizeFunction(node.text, *traits.unit);
  if (function) *static_cast<SizeFunction*>(value) = *function;
}
std::string SizeFunctionYaml(const KeyTraits& traits, const void* value) {
  return SizeFunctionText(As<SizeFunction>(value), *traits.unit);
}

constexpr auto kVectorOpNames = [] {
  std::array<std::string_view, kVectorOps> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kNames<VectorOp>[i].name;
  return names;
}();
std::optional<TextError> CheckAllOps(std::string_view text) {
  if (text == kAll) return std::nullopt;
  return TextError{0, fmt::format("expected a list of operations or 'all', found '{}'", text),
                   fmt::format("write '[{}]'", text)};
}
constinit const Type kVectorOp = {
    .form = Form::kWord, .what = "an operation of vector units", .words = kVectorOpNames};
constinit const Type kVectorOpList = {
    .form = Form::kList, .what = "a list of operations", .element = &kVectorOp};
constinit const Type kAllVectorOps = {
    .form = Form::kText, .what = "'all'", .check = CheckAllOps, .pattern = AllPattern};
constexpr std::array<const Type*, 2> kVectorOpOptions = {&kVectorOpList, &kAllVectorOps};

Type VectorOpsType(const KeyTraits& /*traits*/) {
  return {.form = Form::kEither,
          .what = "a list of operations (add, mul, exp, …), or 'all'",
          .options = kVectorOpOptions};
}
void ReadVectorOps(const Node& node, const KeyTraits& /*traits*/, void* value) {
  VectorOpSet& set = *static_cast<VectorOpSet*>(value);
  set = {node.IsScalar(), {}};
  if (!node.IsSequence()) return;
  for (const std::string& name : ScalarTexts(node)) {
    if (const auto op = FromName<VectorOp>(name)) set.ops.push_back(*op);
  }
}
std::string VectorOpsText(const KeyTraits& /*traits*/, const void* value) {
  const auto& set = As<VectorOpSet>(value);
  if (set.all) return std::string(kAll);
  std::vector<std::string> names;
  for (const VectorOp op : set.ops) names.emplace_back(Name(op));
  return FlowList(names);
}

struct Codec {
  const ValueType* of = nullptr;
  Type (*type)(const KeyTraits& traits) = nullptr;
  void (*read)(const Node& node, const KeyTraits& traits, void* value) = nullptr;
  std::string (*text)(const KeyTraits& traits, const void* value) = nullptr;
};
constexpr std::array kCodecs = {
    Codec{&fields::kType<TensorNameSet>, TensorSetType, ReadTensorSet, TensorSetText},
    Codec{&fields::kType<SizeFunction>, SizeFunctionType, ReadSizeFunction, SizeFunctionYaml},
    Codec{&fields::kType<VectorOpSet>, VectorOpsType, ReadVectorOps, VectorOpsText}};

const Codec& CodecOf(const ValueType& type) {
  const auto codec = std::find_if(kCodecs.begin(), kCodecs.end(),
                                  [&type](const Codec& known) { return known.of == &type; });
  INLAY_CHECK(codec != kCodecs.end());
  return *codec;
}

std::string KeyText(const ValueType& type, const KeyTraits& traits, const void* value);

bool IsPlainStruct(const ValueType& type) { return type.kind == Kind::kStruct && !type.own_syntax; }
bool IsObjectList(const ValueType& type) {
  return type.kind == Kind::kList && IsPlainStruct(*type.item);
}

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

  const Type* Make(const Field& field) {
    const ValueType& type = HeldType(*field.type);
    const KeyTraits& traits = field.traits.file;
    if (IsObject(field)) return &TypeOf(type.structure());
    if (IsObjectList(type)) {
      return Keep({.form = Form::kList,
                   .what = What(traits, "a list"),
                   .element = &TypeOf(type.item->structure())});
    }
    const Type* plain = Keep(type.own_syntax ? CodecOf(type).type(traits) : Plain(type, traits));
    if (!traits.free) return plain;
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
      case Kind::kMap:
        return {.form = Form::kMap,
                .what = What(traits, "a mapping"),
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
    std::vector<std::string_view>& words = made_->words.emplace_back(NamesOfEnum(type));
    return {.form = Form::kWord, .what = What(traits, JoinOr(words)), .words = words};
  }

  Made* made_;
};

// The default as people write it: "256 KiB", "1 GHz", "os".
std::string DefaultText(const Field& field, const void* defaults) {
  const ValueType& type = *field.type;
  const void* member = field.In(defaults);
  const UnitFamily* unit = field.traits.file.unit;
  if (unit == nullptr) return KeyText(type, field.traits.file, member);
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

std::string_view SentenceOf(const Field& field, const Structure& table, Made* made) {
  std::string sentence = field.sentence;
  const size_t at = sentence.find("{}");
  if (at == std::string::npos) return field.sentence;
  return made->texts.emplace_back(sentence.replace(at, 2, DefaultText(field, table.defaults)));
}

void Fill(const Structure& table, std::span<const ByHandType> by_hand, Made* made) {
  TypeMaker maker(made);
  for (const Field& field : table.fields) {
    if (field.file_key == nullptr) continue;
    const auto hand =
        std::find_if(by_hand.begin(), by_hand.end(),
                     [&field](const ByHandType& type) { return type.key == field.file_key; });
    const Type* type = hand != by_hand.end() ? hand->type : maker.Make(field);
    made->keys.push_back(
        {field.file_key, SentenceOf(field, table, made), type, field.traits.file.required});
  }
  made->object = {.form = Form::kObject, .what = table.what, .keys = made->keys};
}

// ---- Reading

class KeyReader {
 public:
  KeyReader(const Field& field, const Node& node, const UnitContext& context,
            Diagnostics* diagnostics)
      : field_(field),
        traits_(field.traits.file),
        node_(node),
        context_(context),
        diagnostics_(diagnostics) {}

  void Read(void* owner) {
    const ValueType& type = HeldType(*field_.type);
    void* member = field_.member(owner);
    if (type.own_syntax) {
      return CodecOf(type).read(node_, traits_, HeldOrMade(*field_.type, member));
    }
    if (IsObject(field_)) {
      if (!node_.IsMapping()) return;
      return ReadKeys(node_, type.structure(), context_, HeldOrMade(*field_.type, member),
                      diagnostics_);
    }
    ReadPlain(type, member);
    if (field_.also != nullptr) ReadPlain(type, field_.also(owner));
  }

 private:
  void ReadPlain(const ValueType& type, void* member) {
    const auto set = [&]() { return HeldOrMade(*field_.type, member); };
    if (IsObjectList(type)) {
      for (const Node& item : node_.items) {
        if (!item.IsMapping()) continue;
        ReadKeys(item, type.item->structure(), context_, type.add(set(), ""), diagnostics_);
      }
      return;
    }
    if (type.kind == Kind::kList) {
      if (!node_.IsSequence()) return;
      return static_cast<void>(*static_cast<std::vector<std::string>*>(set()) = ScalarTexts(node_));
    }
    if (type.kind == Kind::kMap) {
      for (const auto& [key, value] : node_.entries) {
        *static_cast<std::string*>(type.add(set(), key.text)) = value.text;
      }
      return;
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
        if (const auto value = ValueOfName(type, node_.text)) type.set_integer(set(), *value);
        return;
      default:
        *static_cast<std::string*>(set()) = node_.text;
    }
  }

  std::optional<int64_t> Count() {
    if (traits_.unit == nullptr) {
      const auto value = AsInt(node_, "");
      const bool fits = value && *value >= traits_.minimum && *value <= traits_.maximum;
      return fits ? std::optional<int64_t>(*value) : std::nullopt;
    }
    // In bytes it does not depend on the context: Check has reported what is wrong.
    const bool checked = traits_.unit->word_bits != 0;
    if (CheckQuantity(node_.text, *traits_.unit)) return std::nullopt;
    const auto count = ParseCount(node_.text, *traits_.unit, context_, field_.file_key);
    if (count) return *count;
    if (!checked) diagnostics_->push_back(ErrorInside(node_, count.error()));
    return std::nullopt;
  }

  std::optional<double> Number() {
    if (traits_.unit == nullptr) {
      const auto value = AsDouble(node_, "");
      return value ? std::optional<double>(*value) : std::nullopt;
    }
    const auto value = ParseValue(node_.text, *traits_.unit, context_);
    return value ? std::optional<double>(*value) : std::nullopt;
  }

  const Field& field_;
  const KeyTraits& traits_;
  const Node& node_;
  const UnitContext& context_;
  Diagnostics* diagnostics_;
};

// ---- Writing

std::string MapText(const ValueType& type, const KeyTraits& traits, const void* value) {
  FlowObject object;
  for (size_t i = 0; i < type.size(value); ++i) {
    object.Add(type.name_at(value, i), KeyText(*type.item, traits, type.at(value, i)));
  }
  return object.ToString();
}

std::string ObjectList(const ValueType& type, const void* value) {
  std::string list;
  for (size_t i = 0; i < type.size(value); ++i) {
    list += (i == 0 ? "" : ", ") + FlowText(type.item->structure(), type.at(value, i)).ToString();
  }
  return "[" + list + "]";
}

std::string KeyText(const ValueType& type, const KeyTraits& traits, const void* value) {
  if (type.own_syntax) return CodecOf(type).text(traits, value);
  switch (type.kind) {
    case Kind::kOptional:
      return KeyText(*type.item, traits, type.at(value, 0));
    case Kind::kBool:
      return As<bool>(value) ? "true" : "false";
    case Kind::kInteger:
      return traits.unit != nullptr ? CountText(type.integer(value), *traits.unit)
                                    : std::to_string(type.integer(value));
    case Kind::kNumber:
      return traits.unit != nullptr ? ValueText(As<double>(value), *traits.unit)
                                    : ToText(As<double>(value));
    case Kind::kEnum:
      return NameOfEnum(type, value);
    case Kind::kList:
      return IsObjectList(type) ? ObjectList(type, value)
                                : FlowList(As<std::vector<std::string>>(value));
    case Kind::kMap:
      return MapText(type, traits, value);
    case Kind::kStruct:
      return FlowText(type.structure(), value).ToString();
    default:
      return Scalar(As<std::string>(value));
  }
}

std::optional<std::string> TextOf(const Field& field, const Structure& table, const void* owner,
                                  const ByHandText& by_hand) {
  if (by_hand) {
    if (auto text = by_hand(field.file_key)) return text->empty() ? std::nullopt : text;
  }
  const KeyTraits& traits = field.traits.file;
  if (traits.by_hand) return std::nullopt;
  if (field.traits.applies != nullptr && !field.traits.applies(owner)) return std::nullopt;
  const void* member = field.In(owner);
  const bool is_left_out = traits.unless_default
                               ? field.type->equal(member, field.In(table.defaults))
                               : HeldBy(*field.type, member) == nullptr;
  return is_left_out ? std::nullopt : std::optional(KeyText(*field.type, traits, member));
}

// A list of objects has a line for each; so an object that holds such a list has one for each key.
bool HasObjectList(const ValueType& type, const void* value) {
  if (IsObjectList(type)) return type.size(value) > 0;
  if (!IsPlainStruct(type)) return false;
  const std::span<const Field> fields = type.structure().fields;
  return std::any_of(fields.begin(), fields.end(), [value](const Field& field) {
    return field.file_key != nullptr && field.type != nullptr && !field.traits.file.by_hand &&
           HasObjectList(*field.type, field.In(value));
  });
}

std::string LinesOf(const ValueType& type, const void* value, const std::string& indent) {
  if (IsPlainStruct(type)) {
    std::string lines = "\n" + BlockText(type.structure(), value, indent);
    lines.pop_back();  // the end of the last
    return lines;
  }
  std::string lines;
  for (size_t i = 0; i < type.size(value); ++i) {
    lines += fmt::format("\n{}- {}", indent,
                         FlowText(type.item->structure(), type.at(value, i)).ToString());
  }
  return lines;
}

}  // namespace

Type QuantityType(const UnitFamily& unit, std::string_view what) {
  return {.form = Form::kText,
          .what = what,
          .unit = &unit,
          .check_unit = CheckQuantity,
          .unit_pattern = QuantityTextPattern};
}

const Type& TypeOf(const Structure& table, std::span<const ByHandType> by_hand) {
  static std::recursive_mutex mutex;
  static std::map<const Structure*, std::unique_ptr<Made>> all;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Made>& made = all[&table];
  if (made == nullptr) {
    made = std::make_unique<Made>();
    Fill(table, by_hand, made.get());
  }
  return made->object;
}

void ReadKeys(const Node& node, const Structure& table, const UnitContext& context, void* owner,
              Diagnostics* diagnostics) {
  for (const Field& field : table.fields) {
    if (field.file_key == nullptr || field.traits.file.by_hand) continue;
    const Node* value = node.Find(field.file_key);
    if (value != nullptr) KeyReader(field, *value, context, diagnostics).Read(owner);
  }
}

FlowObject FlowText(const Structure& table, const void* owner, const ByHandText& by_hand,
                    FlowObject object) {
  for (const Field& field : table.fields) {
    if (field.file_key == nullptr) continue;
    if (const auto text = TextOf(field, table, owner, by_hand)) object.Add(field.file_key, *text);
  }
  return object;
}

std::string BlockText(const Structure& table, const void* owner, std::string_view indent,
                      const ByHandText& by_hand) {
  std::string block;
  for (const Field& field : table.fields) {
    if (field.file_key == nullptr || field.file_key == std::string_view("name")) continue;
    auto text = TextOf(field, table, owner, by_hand);
    if (!text) continue;
    if (field.member != nullptr && field.type != nullptr && !field.traits.file.by_hand &&
        HasObjectList(*field.type, field.In(owner))) {
      text = LinesOf(*field.type, field.In(owner), fmt::format("{}  ", indent));
    }
    block += fmt::format("{}{}:{}{}\n", indent, field.file_key, text->starts_with('\n') ? "" : " ",
                         *text);
  }
  return block;
}

}  // namespace inlay::io

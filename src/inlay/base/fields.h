#pragma once

// Field tables: one row per member of a struct that users see, whether results show it, native
// files hold it or options set it. Readers, writers, schemas, reference tables and the types of the
// report page are all made from them (io/json/fields.h, io/native/keys.h, base/option_fields.h).
//
// Beside a struct, its header declares
//   const Structure& StructureOf(const LayerCost*);
// and its source file holds the table:
//   const Structure& StructureOf(const LayerCost*) {
//     static constexpr auto kFields = std::to_array<Field>({
//         Row<&LayerCost::energy_pj>("energy_pj", "energy of one run of the layer"),
//         Row<&LayerCost::cycles>("cycles", "cycles of one run of the layer"),
//     });
//     return Describe<LayerCost, kFields>("LayerCost");
//   }
// What a new row needs beyond the member is nothing: its type says how it is read and written, and
// the member's initialiser is its default. Row is for results and options; KeyOf for native files,
// where numbers have units:
//         KeyOf<&Compute::energy_pj>("energy", "of one operation", {.unit = &kEnergyUnits}),
// A key that results show, too, says what they call it: KeyOf<…>(…).InResults("energy_pj").

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "inlay/base/index.h"
#include "inlay/base/structure.h"

namespace inlay {

// How a value of one C++ type is taken apart and put together, with the type itself erased:
// pointers are to such values.
struct ValueType {
  enum class Kind : uint8_t {
    kBool,
    kInteger,
    kNumber,
    kText,
    kEnum,
    kOptionValue,  // of an option: a flag, an integer, a text or a list of texts
    kNumberOrText,
    kOptional,
    kList,
    kMap,  // std::vector<std::pair<std::string, T>>: in order, by name
    kStruct,
  };
  Kind kind = Kind::kBool;
  // Integers and enums.
  int64_t (*integer)(const void* value) = nullptr;
  bool (*set_integer)(void* value, int64_t integer) = nullptr;  // false: it does not fit
  const char* (*enum_name)(size_t index) = nullptr;             // null behind the last
  const char* (*other_words)(size_t index) = nullptr;           // that users try instead
  int64_t (*enum_value)(size_t index) = nullptr;
  // Optionals (of size 0 or 1), lists and maps.
  const ValueType* item = nullptr;
  size_t (*size)(const void* value) = nullptr;
  const void* (*at)(const void* value, size_t index) = nullptr;
  const std::string& (*name_at)(const void* value, size_t index) = nullptr;
  void* (*add)(void* value, std::string_view name) = nullptr;  // the new item; a map's has the name
  void (*clear)(void* value) = nullptr;
  // Structs.
  const Structure& (*structure)() = nullptr;
  bool own_syntax = false;  // kHasOwnSyntax

  bool (*equal)(const void* a, const void* b) = nullptr;  // null: they cannot be compared
  // Calls the function with a value that was never touched.
  void (*with_new)(const std::function<void(void* value)>& use) = nullptr;
};

// When a field is written.
enum class Presence : uint8_t {
  kAlways,         // an empty optional is left out all the same
  kUnlessDefault,  // left out where it has its default
  kNull,           // null where it is an empty optional or list
};

// What a field has where it is an option of a command; see option_fields.h.
struct OptionTraits {
  const char* value_name = "";  // "FILE", "N": how help writes the value; empty: its choices
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  std::span<const char* const> choices = {};  // of an enum: these only, in this order; empty: all
  bool duration = false;                      // a number of seconds, written as 500ms, 60s, 5min
  const char* alone = nullptr;  // of a map of integers: what a number by itself is for
  bool in_result = true;        // can change the answer, so results record its value
  bool takes_words = false;     // a list of texts: on a command line, all words up to the next flag
  // Has an effect only where that option has that value: "strategy", "random". Of an inlined
  // struct: so have all its fields.
  const char* only_with_key = nullptr;
  const char* only_with_value = nullptr;
};

struct UnitFamily;  // core/units.h

enum class TextForm : uint8_t {
  kAny,
  kTitle,      // not empty
  kName,       // of a level, fan-out or tensor: one word of a mapping line
  kDimension,  // letters, digits and underscores
};

// What a field has where it is a key of native files.
struct KeyTraits {
  bool required = false;
  const UnitFamily* unit = nullptr;  // numbers, counts and functions of a size: written with a unit
  const char* what = nullptr;        // as messages call the value; null: by its unit or its type
  int64_t minimum = 1;               // counts without a unit, both included
  int64_t maximum = INT64_MAX;
  TextForm text = TextForm::kAny;  // texts, and those in a list
  bool unless_default = false;     // not written where it has its default
  bool free = false;               // a number that co-design may choose
  bool by_hand = false;            // the kind reads and writes it by itself
};

// What a field has besides its type.
struct FieldTraits {
  Presence presence = Presence::kAlways;
  bool inlined = false;            // a struct whose fields stand among the owner's
  const char* group = nullptr;     // the object within the owner's that it is put into: "measured"
  bool may_be_negative = false;    // of numbers
  bool as_whole = false;           // a number that is written without a point where it is whole
  bool grouped = false;            // a list of structs, by the text of their first field
  double scale = 1;                // of numbers: written = value × scale
  bool any_double = false;         // infinities and NaN are texts: "inf", "-inf", "nan"
  const char* constant = nullptr;  // a text that never differs
  // Written only where it holds; no function: everywhere.
  bool (*applies)(const void* owner) = nullptr;
  OptionTraits option = {};
  KeyTraits file = {};
};

struct Field {
  const char* key = nullptr;       // in results and of options; null: there it is not
  const char* sentence = nullptr;  // lower-case, without a full stop; {} is the default
  const ValueType* type = nullptr;
  void* (*member)(void* owner) = nullptr;
  FieldTraits traits = {};
  const char* file_key = nullptr;        // in native files; null: there it is not
  void* (*also)(void* owner) = nullptr;  // a second member that gets the same number of a file

  const void* In(const void* owner) const { return member(const_cast<void*>(owner)); }

  // A key of files that results show as well, by another name or by the same.
  constexpr Field InResults(const char* result_key, FieldTraits result_traits = {}) const {
    Field field = *this;
    field.key = result_key;
    field.traits = result_traits;
    field.traits.file = traits.file;
    return field;
  }
  constexpr Field InResults(FieldTraits result_traits = {}) const {
    return InResults(file_key, result_traits);
  }
};

struct Structure {
  const char* name = nullptr;  // of the type, in schemas and on the page
  std::span<const Field> fields;
  const void* defaults = nullptr;  // a value that was never touched
  const char* what = nullptr;      // as messages about files call it: "a level"
};

// Of an optional: the type of what it may hold, and what it does hold; of others, themselves.
inline const ValueType& HeldType(const ValueType& type) {
  return type.kind == ValueType::Kind::kOptional ? *type.item : type;
}
inline const void* HeldBy(const ValueType& type, const void* value) {
  if (type.kind != ValueType::Kind::kOptional) return value;
  return type.size(value) == 0 ? nullptr : type.at(value, 0);
}
inline void* HeldOrMade(const ValueType& type, void* value) {
  if (type.kind != ValueType::Kind::kOptional) return value;
  return type.size(value) == 0 ? type.add(value, "") : const_cast<void*>(type.at(value, 0));
}

namespace fields {

template <typename T>
struct ItemOf {};
template <typename T>
struct ItemOf<std::vector<T>> {
  using Type = T;
};
template <typename T>
struct ItemOf<std::deque<T>> {
  using Type = T;
};
template <typename Id, typename T>
struct ItemOf<IndexedVector<Id, T>> {
  using Type = T;
};
template <typename T>
struct ItemOf<std::optional<T>> {
  using Type = T;
};
template <typename T>
struct ItemOf<std::vector<std::pair<std::string, T>>> {
  using Type = T;
};

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsMap = false;
template <typename T>
inline constexpr bool kIsMap<std::vector<std::pair<std::string, T>>> = true;

// Vectors say that they can be compared whether or not their items can.
template <typename T>
constexpr bool Comparable() {
  if constexpr (requires { typename ItemOf<T>::Type; }) {
    return Comparable<typename ItemOf<T>::Type>();
  } else {
    return std::equality_comparable<T>;
  }
}

template <typename T>
const T& As(const void* value) {
  return *static_cast<const T*>(value);
}
template <typename T>
T& As(void* value) {
  return *static_cast<T*>(value);
}

template <typename T>
constexpr ValueType MakeType();
template <typename T>
inline constexpr ValueType kType = MakeType<T>();

template <typename T>
constexpr void AddIntegers(ValueType* type) {
  type->integer = [](const void* value) { return static_cast<int64_t>(As<T>(value)); };
  type->set_integer = [](void* value, int64_t integer) {
    if constexpr (!std::is_enum_v<T>) {
      if (!std::in_range<T>(integer)) return false;
    }
    As<T>(value) = static_cast<T>(integer);
    return true;
  };
  if constexpr (NamedEnum<T>) {
    type->enum_name = [](size_t index) -> const char* {
      return index < kNames<T>.size() ? kNames<T>[index].name : nullptr;
    };
    type->other_words = [](size_t index) { return kNames<T>[index].other_words; };
    type->enum_value = [](size_t index) { return static_cast<int64_t>(kNames<T>[index].value); };
  }
}

template <typename T>
constexpr void AddItems(ValueType* type) {
  using Item = typename ItemOf<T>::Type;
  type->item = &kType<Item>;
  type->clear = [](void* value) { As<T>(value) = T(); };
  if constexpr (kIsOptional<T>) {
    type->size = [](const void* value) -> size_t { return As<T>(value).has_value() ? 1 : 0; };
    type->at = [](const void* value, size_t /*index*/) -> const void* { return &*As<T>(value); };
    type->add = [](void* value, std::string_view /*name*/) -> void* {
      As<T>(value) = Item{};  // clang 14 does not see that nested structs have a default
      return &*As<T>(value);
    };
  } else {
    type->size = [](const void* value) { return As<T>(value).size(); };
    if constexpr (kIsMap<T>) {
      type->at = [](const void* value, size_t index) -> const void* {
        return &As<T>(value)[index].second;
      };
      type->name_at = [](const void* value, size_t index) -> const std::string& {
        return As<T>(value)[index].first;
      };
      type->add = [](void* value, std::string_view name) -> void* {
        return &As<T>(value).emplace_back(name, Item{}).second;
      };
    } else {
      type->at = [](const void* value, size_t index) -> const void* {
        return &*(As<T>(value).begin() + static_cast<std::ptrdiff_t>(index));
      };
      type->add = [](void* value, std::string_view /*name*/) -> void* {
        As<T>(value).push_back(Item{});
        return &As<T>(value).back();
      };
    }
  }
}

template <typename T>
constexpr ValueType MakeType() {
  using Kind = ValueType::Kind;
  ValueType type;
  if constexpr (std::is_same_v<T, bool>) {
    type.kind = Kind::kBool;
  } else if constexpr (std::is_integral_v<T>) {
    type.kind = Kind::kInteger;
    AddIntegers<T>(&type);
  } else if constexpr (std::is_floating_point_v<T>) {
    type.kind = Kind::kNumber;
  } else if constexpr (std::is_same_v<T, std::string>) {
    type.kind = Kind::kText;
  } else if constexpr (std::is_enum_v<T>) {
    static_assert(NamedEnum<T>, "the enum has no table of names");
    type.kind = Kind::kEnum;
    AddIntegers<T>(&type);
  } else if constexpr (std::is_same_v<T, OptionValue>) {
    type.kind = Kind::kOptionValue;
  } else if constexpr (std::is_same_v<T, NumberOrText>) {
    type.kind = Kind::kNumberOrText;
  } else if constexpr (requires { typename ItemOf<T>::Type; }) {
    type.kind = kIsOptional<T> ? Kind::kOptional : kIsMap<T> ? Kind::kMap : Kind::kList;
    AddItems<T>(&type);
  } else {
    type.kind = Kind::kStruct;
    type.own_syntax = kHasOwnSyntax<T>;
    if constexpr (!kHasOwnSyntax<T> || requires { StructureOf(static_cast<const T*>(nullptr)); }) {
      type.structure = []() -> const Structure& {
        return StructureOf(static_cast<const T*>(nullptr));
      };
    }
  }
  type.with_new = [](const std::function<void(void*)>& use) {
    T value{};
    use(&value);
  };
  if constexpr (Comparable<T>()) {
    type.equal = [](const void* a, const void* b) { return As<T>(a) == As<T>(b); };
  }
  return type;
}

// The owner and the member of what a row names: &Owner::member, or a function of the owner that
// returns a reference to what it holds.
template <typename T>
struct Access;
template <typename Owner, typename Member>
struct Access<Member Owner::*> {
  using OwnerType = Owner;
  using MemberType = Member;
};
template <typename Owner, typename Member>
struct Access<Member& (*)(Owner&)> {
  using OwnerType = Owner;
  using MemberType = Member;
};

}  // namespace fields

template <auto kAccess>
constexpr Field Row(const char* key, const char* sentence, FieldTraits traits = {}) {
  using Access = fields::Access<std::remove_const_t<decltype(kAccess)>>;
  using Owner = typename Access::OwnerType;
  const ValueType& type = fields::kType<typename Access::MemberType>;
  // In a table, which is made by the compiler, this is an error of the build.
  const bool may_be_left_out =
      traits.presence == Presence::kUnlessDefault || traits.file.unless_default;
  if (may_be_left_out && !fields::Comparable<typename Access::MemberType>()) {
    throw std::logic_error("a field that is left out where it has its default needs operator==");
  }
  return {key, sentence, &type,
          [](void* owner) -> void* { return &std::invoke(kAccess, *static_cast<Owner*>(owner)); },
          traits};
}

// The key of a member in native files; more members get the same number.
template <auto kAccess, auto... kAlso>
constexpr Field KeyOf(const char* key, const char* sentence, KeyTraits traits = {}) {
  using Owner = typename fields::Access<std::remove_const_t<decltype(kAccess)>>::OwnerType;
  Field field = Row<kAccess>(nullptr, sentence, {.file = traits});
  field.file_key = key;
  ((field.also = [](void* owner) -> void* {
     return &std::invoke(kAlso, *static_cast<Owner*>(owner));
   }),
   ...);
  return field;
}

// An object in native files whose keys are of the owner itself.
constexpr Field GroupOf(const ValueType& type, const char* key, const char* sentence,
                        KeyTraits traits = {}) {
  return {.sentence = sentence,
          .type = &type,
          .member = [](void* owner) { return owner; },
          .traits = {.file = traits},
          .file_key = key};
}

// A key of native files that is no member: its kind reads and writes it by itself.
constexpr Field ByHand(const char* key, const char* sentence, KeyTraits traits = {}) {
  traits.by_hand = true;
  return {.sentence = sentence, .traits = {.file = traits}, .file_key = key};
}

// The name of an enum's value; empty: it has none.
inline const char* NameOfEnum(const ValueType& type, const void* value) {
  for (size_t i = 0; type.enum_name(i) != nullptr; ++i) {
    if (type.enum_value(i) == type.integer(value)) return type.enum_name(i);
  }
  return "";
}
// The value of a name.
inline std::optional<int64_t> ValueOfName(const ValueType& type, std::string_view name) {
  for (size_t i = 0; type.enum_name(i) != nullptr; ++i) {
    if (name == type.enum_name(i)) return type.enum_value(i);
  }
  return std::nullopt;
}
inline std::vector<std::string_view> NamesOfEnum(const ValueType& type) {
  std::vector<std::string_view> names;
  for (size_t i = 0; type.enum_name(i) != nullptr; ++i) names.emplace_back(type.enum_name(i));
  return names;
}

// Whether native files have an object with keys of its own there.
inline bool IsObject(const Field& field) {
  if (field.type == nullptr) return false;
  const ValueType& type = HeldType(*field.type);
  return type.kind == ValueType::Kind::kStruct && !type.own_syntax;
}

constexpr const Field* FindKey(const Structure& structure, std::string_view key) {
  for (const Field& field : structure.fields) {
    if (field.file_key != nullptr && field.file_key == key) return &field;
  }
  return nullptr;
}

// A member of a member: RowIn<&Request::options, &Options::seed>.
template <auto kOuter, auto kInner>
constexpr Field RowIn(const char* key, const char* sentence, FieldTraits traits = {}) {
  using Owner = typename fields::Access<std::remove_const_t<decltype(kOuter)>>::OwnerType;
  Field field = Row<kInner>(key, sentence, traits);
  field.member = [](void* owner) -> void* {
    return &std::invoke(kInner, std::invoke(kOuter, *static_cast<Owner*>(owner)));
  };
  return field;
}

// A row with another type: where only some of a struct's fields are wanted.
template <auto kAccess>
constexpr Field RowOf(const ValueType& type, const char* key, const char* sentence,
                      FieldTraits traits = {}) {
  Field field = Row<kAccess>(key, sentence, traits);
  field.type = &type;
  return field;
}
constexpr ValueType StructType(const Structure& (*structure)()) {
  ValueType type;
  type.kind = ValueType::Kind::kStruct;
  type.structure = structure;
  return type;
}
// An optional or a list of T whose items are of that type.
template <typename T>
constexpr ValueType TypeWithItems(const ValueType& item) {
  ValueType type = fields::kType<T>;
  type.item = &item;
  return type;
}

// The table as a value that lives as long as the program.
template <typename T, const auto& kFields>
const Structure& Describe(const char* name, const char* what = nullptr) {
  static const T defaults{};
  static const Structure structure{name, kFields, &defaults, what};
  return structure;
}
// Of what only native files hold.
template <typename T, const auto& kFields>
const Structure& DescribeKeys(const char* what) {
  return Describe<T, kFields>(nullptr, what);
}

}  // namespace inlay

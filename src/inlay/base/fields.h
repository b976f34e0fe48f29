#pragma once

// Field tables: one row per member of a struct that users see. Readers, writers, schemas, reference
// tables and the types of the report page are all made from them.
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
// the member's initialiser is its default.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
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
  bool in_result = true;                      // can change the answer, so results record its value
  // Has an effect only where that option has that value: "strategy", "random". Of an inlined
  // struct: so have all its fields.
  const char* only_with_key = nullptr;
  const char* only_with_value = nullptr;
};

// What a field has beside its type.
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
};

struct Field {
  const char* key = nullptr;
  const char* sentence = nullptr;  // lower-case, without a full stop
  const ValueType* type = nullptr;
  void* (*member)(void* owner) = nullptr;
  FieldTraits traits;

  const void* In(const void* owner) const { return member(const_cast<void*>(owner)); }
};

struct Structure {
  const char* name = nullptr;  // of the type, in schemas and on the page
  std::span<const Field> fields;
  const void* defaults = nullptr;  // a value that was never touched
};

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
    type.structure = []() -> const Structure& {
      return StructureOf(static_cast<const T*>(nullptr));
    };
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
  return {key, sentence, &fields::kType<typename Access::MemberType>,
          [](void* owner) -> void* { return &std::invoke(kAccess, *static_cast<Owner*>(owner)); },
          traits};
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
const Structure& Describe(const char* name) {
  static const T defaults{};
  static const Structure structure{name, kFields, &defaults};
  return structure;
}

}  // namespace inlay

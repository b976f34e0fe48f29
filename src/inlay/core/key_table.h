#pragma once

// Tables of the keys that native files have: one row per key, beside the struct that it fills. The
// reader, the writer, the JSON Schema, the reference tables and the attributes of co-design are all
// made from them (io/native/key_types.h, io/native/keys.h, core/attribute.h).
//
// Beside a struct, its header declares
//   const KeyTable& KeysOf(const Compute*);
// and its source file holds the table:
//   const KeyTable& KeysOf(const Compute*) {
//     static constexpr auto kKeys = std::to_array<KeyRow>({
//         KeyOf<&Compute::energy_pj>("energy", "of one operation", {.unit = &kEnergyUnits}),
//     });
//     return DescribeKeys<Compute, kKeys>("the compute");
//   }
// The member's type says how a value is read and written, its initialiser is the default. Results
// have tables of their own (base/fields.h): there values have no units, and keys name them.

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "inlay/base/fields.h"
#include "inlay/core/units.h"

namespace inlay {

struct KeyTable;

// The widest word that files may have, in bits.
inline constexpr int64_t kMostWordBits = 4096;

enum class TextForm : uint8_t {
  kAny,
  kTitle,      // not empty
  kName,       // of a level, fan-out or tensor: one word of a mapping line
  kDimension,  // letters, digits and underscores
};

// What a key has beside the type of its member.
struct KeyTraits {
  bool required = false;
  const UnitFamily* unit = nullptr;  // numbers, counts and functions of a size: written with a unit
  const char* what = nullptr;        // as messages call the value; null: by its unit or its type
  int64_t minimum = 1;               // counts without a unit, both included
  int64_t maximum = INT64_MAX;
  TextForm text = TextForm::kAny;  // texts, and those in a list
  bool unless_default = false;     // not written where it has its default
  bool free = false;               // a number that co-design may choose
};

inline constexpr KeyTraits kWordBitsTraits = {.what = "a number of bits", .maximum = kMostWordBits};

inline constexpr KeyTraits kFreeWordBits = {
    .what = "a number of bits", .maximum = kMostWordBits, .free = true};

struct KeyRow {
  const char* key = nullptr;
  const char* sentence = nullptr;  // lower-case, without a full stop; {} is the default
  // Exactly one of these three; none: the kind reads and writes the key by itself.
  const ValueType* type = nullptr;         // texts, numbers, words, lists of them, optional or not
  const KeyTable& (*table)() = nullptr;    // an object
  const void* codec = nullptr;             // what else has a syntax of its own: kCodecOf<T>
  void* (*member)(void* owner) = nullptr;  // null where the kind does it
  void* (*also)(void* owner) = nullptr;    // a second member that gets the same number
  // Of objects and codecs: what the member holds, or null; and the same made where there is none.
  const void* (*held)(const void* member) = nullptr;
  void* (*make)(void* member) = nullptr;
  bool (*is_default)(const void* member, const void* default_member) = nullptr;
  KeyTraits traits = {};

  const void* In(const void* owner) const { return member(const_cast<void*>(owner)); }
};

struct KeyTable {
  const char* what = nullptr;  // as messages call the object: "a level"
  std::span<const KeyRow> keys;
  const void* defaults = nullptr;  // a value that was never touched
};

namespace keys {

template <typename T>
struct Held {
  using Type = T;
};
template <typename T>
struct Held<std::optional<T>> {
  using Type = T;
};

template <typename T>
inline constexpr bool kIsPlain = std::is_integral_v<T> || std::is_enum_v<T> ||
                                 std::is_same_v<T, double> || std::is_same_v<T, std::string>;
template <>
inline constexpr bool kIsPlain<std::vector<std::string>> = true;

template <typename T>
concept HasKeys = requires {
  KeysOf(static_cast<const T*>(nullptr));
};

template <typename Member>
constexpr void AddAccess(KeyRow* row) {
  row->held = [](const void* member) -> const void* {
    if constexpr (fields::kIsOptional<Member>) {
      const auto& optional = *static_cast<const Member*>(member);
      return optional ? &*optional : nullptr;
    } else {
      return member;
    }
  };
  row->make = [](void* member) -> void* {
    if constexpr (fields::kIsOptional<Member>) {
      auto& optional = *static_cast<Member*>(member);
      return optional ? &*optional : &optional.emplace();
    } else {
      return member;
    }
  };
}

}  // namespace keys

// Stands for a type whose values have a syntax of their own; io has their codecs.
template <typename T>
inline constexpr char kCodecOf = 0;

// The key of a member; more members get the same number.
template <auto kMember, auto... kAlso>
constexpr KeyRow KeyOf(const char* key, const char* sentence, KeyTraits traits = {}) {
  using Access = fields::Access<std::remove_const_t<decltype(kMember)>>;
  using Owner = typename Access::OwnerType;
  using Member = typename Access::MemberType;
  using Inner = typename keys::Held<Member>::Type;
  KeyRow row{.key = key, .sentence = sentence, .traits = traits};
  row.member = [](void* owner) -> void* {
    return &std::invoke(kMember, *static_cast<Owner*>(owner));
  };
  ((row.also = [](void* owner) -> void* {
     return &std::invoke(kAlso, *static_cast<Owner*>(owner));
   }),
   ...);
  row.is_default = [](const void* a, const void* b) {
    return *static_cast<const Member*>(a) == *static_cast<const Member*>(b);
  };
  if constexpr (keys::kIsPlain<Inner>) {
    row.type = &fields::kType<Member>;
  } else {
    keys::AddAccess<Member>(&row);
    if constexpr (keys::HasKeys<Inner>) {
      row.table = []() -> const KeyTable& { return KeysOf(static_cast<const Inner*>(nullptr)); };
    } else {
      row.codec = &kCodecOf<Inner>;
    }
  }
  return row;
}

// An object whose keys are of the owner itself.
template <typename Owner>
constexpr KeyRow GroupOf(const KeyTable& (*table)(), const char* key, const char* sentence,
                         KeyTraits traits = {}) {
  KeyRow row{.key = key, .sentence = sentence, .table = table, .traits = traits};
  row.member = [](void* owner) { return owner; };
  keys::AddAccess<Owner>(&row);
  return row;
}

// A key that its kind reads and writes by itself.
constexpr KeyRow ByHand(const char* key, const char* sentence, KeyTraits traits = {}) {
  return {.key = key, .sentence = sentence, .traits = traits};
}

constexpr const KeyRow* FindKey(const KeyTable& table, std::string_view key) {
  for (const KeyRow& row : table.keys) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

// The table as a value that lives as long as the program.
template <typename T, const auto& kKeys>
const KeyTable& DescribeKeys(const char* what) {
  static const T defaults{};
  static const KeyTable table{what, kKeys, &defaults};
  return table;
}

}  // namespace inlay

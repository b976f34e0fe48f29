#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

namespace inlay {

// One value of an enum and how files, options and results write it.
template <typename Enum>
struct EnumName {
  Enum value;
  const char* name;
  const char* other_words = "";  // that users try instead, separated by blanks; hints know them
};

// All names of an enum, in the order in which they are listed. Specialise it beside the enum:
//   template <>
//   inline constexpr auto kNames<Metric> = std::to_array<EnumName<Metric>>({{Metric::kEdp,
//   "edp"}});
template <typename Enum>
inline constexpr std::nullptr_t kNames = nullptr;

template <typename Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires {
  kNames<Enum>.size();
};

template <NamedEnum Enum>
constexpr const char* Name(Enum value) {
  for (const EnumName<Enum>& row : kNames<Enum>) {
    if (row.value == value) return row.name;
  }
  return "";
}

template <NamedEnum Enum>
constexpr std::optional<Enum> FromName(std::string_view name) {
  for (const EnumName<Enum>& row : kNames<Enum>) {
    if (name == row.name) return row.value;
  }
  return std::nullopt;
}

}  // namespace inlay

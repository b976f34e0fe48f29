#include "inlay/core/result.h"

#include <array>

namespace inlay {
namespace {

// The value whose Name() is `name`.
template <typename Enum, size_t n>
std::optional<Enum> FromName(std::string_view name, const std::array<Enum, n>& values) {
  for (Enum value : values) {
    if (name == Name(value)) return value;
  }
  return std::nullopt;
}

}  // namespace

const char* Name(Semantics semantics) {
  switch (semantics) {
    case Semantics::kExact:
      return "exact";
    case Semantics::kTimeloop:
      return "timeloop";
    case Semantics::kThistle:
      return "thistle";
  }
  return "";
}

const char* Name(Accounting accounting) {
  return accounting == Accounting::kLiteral ? "literal" : "elide";
}

const char* Name(CycleLimit limit) {
  switch (limit) {
    case CycleLimit::kNone:
      return "none";
    case CycleLimit::kRead:
      return "read";
    case CycleLimit::kWrite:
      return "write";
    case CycleLimit::kShared:
      return "shared";
  }
  return "";
}

std::optional<Semantics> SemanticsFromName(std::string_view name) {
  return FromName(name, std::array{Semantics::kExact, Semantics::kTimeloop, Semantics::kThistle});
}

std::optional<Accounting> AccountingFromName(std::string_view name) {
  return FromName(name, std::array{Accounting::kLiteral, Accounting::kElide});
}

std::optional<CycleLimit> CycleLimitFromName(std::string_view name) {
  return FromName(name, std::array{CycleLimit::kNone, CycleLimit::kRead, CycleLimit::kWrite,
                                   CycleLimit::kShared});
}

}  // namespace inlay

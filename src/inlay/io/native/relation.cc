#include "inlay/io/native/relation.h"

#include <fmt/format.h>

namespace inlay::io {
namespace {

constexpr std::string_view kFactorForms = "write '4', '<= 16', '>= 2', 'all' or '4 if it fits'";
constexpr std::string_view kAll = "all";
constexpr std::string_view kIfItFits = "if it fits";

bool AcceptPair(Cursor* cursor, char first, char second) {
  Cursor ahead = *cursor;
  if (!ahead.Accept(first) || !ahead.Accept(second)) return false;
  *cursor = ahead;
  return true;
}

}  // namespace

Parsed<FactorBound> ParseFactor(std::string_view text) {
  Cursor cursor(text);
  FactorBound result;
  if (AcceptPair(&cursor, '<', '=')) {
    result.relation = Relation::kAtMost;
  } else if (AcceptPair(&cursor, '>', '=')) {
    result.relation = Relation::kAtLeast;
  } else {
    cursor.Accept('=');
    if (cursor.Rest() == kAll) {
      result.value = FactorBound::kWhole;
      return result;
    }
  }
  const auto value = TakePositive(&cursor, "a factor");
  if (!value) {
    TextError error = value.error();
    error.hint = kFactorForms;
    return tl::unexpected(error);
  }
  result.value = *value;
  result.if_fits = result.relation == Relation::kEqual && cursor.Rest() == kIfItFits;
  if (!result.if_fits && !cursor.AtEnd()) {
    return TextFail(cursor.offset(), "unexpected text after the factor", std::string(kFactorForms));
  }
  return result;
}

Parsed<double> ParseUtilization(std::string_view text) {
  constexpr std::string_view kForm = "write for example '>= 0.5'";
  Cursor cursor(text);
  if (!AcceptPair(&cursor, '>', '=')) {
    return TextFail(cursor.offset(), "a utilization starts with '>='", std::string(kForm));
  }
  const size_t offset = cursor.offset();
  const auto number = TakeDecimal(&cursor, "a utilization");
  if (!number) return tl::unexpected(number.error());
  if (number->value > 1) return TextFail(offset, "a utilization is at most 1", std::string(kForm));
  if (!cursor.AtEnd()) {
    return TextFail(cursor.offset(), "unexpected text after the utilization", std::string(kForm));
  }
  return number->value;
}

std::string FactorPattern() {
  return fmt::format(R"(^\s*((<\s*=|>\s*=|=)?\s*[0-9]+\s*|=?\s*({}|[0-9]+\s*{}))$)", kAll,
                     kIfItFits);
}
std::string UtilizationPattern() {
  return R"(^\s*>\s*=\s*([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$)";
}

std::string FactorText(const FactorBound& factor) {
  if (factor.relation == Relation::kEqual) {
    if (factor.value == FactorBound::kWhole) return std::string(kAll);
    return fmt::format("{}{}{}", factor.value, factor.if_fits ? " " : "",
                       factor.if_fits ? kIfItFits : "");
  }
  return fmt::format("{} {}", factor.relation == Relation::kAtMost ? "<=" : ">=", factor.value);
}
std::string UtilizationText(double value) { return ">= " + ToText(value); }

}  // namespace inlay::io

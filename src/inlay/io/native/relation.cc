#include "inlay/io/native/relation.h"

#include <fmt/format.h>

namespace inlay::io {
namespace {

constexpr std::string_view kFactorForms = "write '4', '<= 16' or '>= 2'";

bool AcceptPair(Cursor* cursor, char first, char second) {
  Cursor ahead = *cursor;
  if (!ahead.Accept(first) || !ahead.Accept(second)) return false;
  *cursor = ahead;
  return true;
}

}  // namespace

Parsed<FactorRelation> ParseFactor(std::string_view text) {
  Cursor cursor(text);
  FactorRelation result;
  if (AcceptPair(&cursor, '<', '=')) {
    result.relation = Relation::kAtMost;
  } else if (AcceptPair(&cursor, '>', '=')) {
    result.relation = Relation::kAtLeast;
  } else {
    cursor.Accept('=');
  }
  const auto value = TakePositive(&cursor, "a factor");
  if (!value) {
    TextError error = value.error();
    error.hint = kFactorForms;
    return tl::unexpected(error);
  }
  if (!cursor.AtEnd()) {
    return TextFail(cursor.offset(), "unexpected text after the factor", std::string(kFactorForms));
  }
  result.value = *value;
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

std::string FactorPattern() { return R"(^\s*(<\s*=|>\s*=|=)?\s*[0-9]+\s*$)"; }
std::string UtilizationPattern() {
  return R"(^\s*>\s*=\s*([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$)";
}

std::string FactorText(Relation relation, int64_t value) {
  if (relation == Relation::kEqual) return fmt::format("{}", value);
  return fmt::format("{} {}", relation == Relation::kAtMost ? "<=" : ">=", value);
}
std::string UtilizationText(double value) { return ">= " + ToText(value); }

}  // namespace inlay::io

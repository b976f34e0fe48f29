#include "inlay/io/native/projection.h"

#include <fmt/format.h>

#include <utility>

#include "inlay/base/suggest.h"

namespace inlay::io {
namespace {

constexpr std::string_view kExample =
    "write for example '[C, 2*P + R]', with '+=' after the output";

// A dimension may occur once in a tensor, so nothing sensible is longer.
std::string TooMany(std::string_view what) {
  return fmt::format("more than {} {}", kMaxDims, what);
}

Parsed<ProjectionFactor> TakeFactor(Cursor* cursor) {
  ProjectionFactor factor{cursor->offset(), "", std::nullopt};
  const char next = cursor->Peek();
  if (next >= '0' && next <= '9') {
    const auto number = TakePositive(cursor, "a coefficient");
    if (!number) return tl::unexpected(number.error());
    factor.number = *number;
    return factor;
  }
  factor.name = cursor->TakeName();
  if (!factor.name.empty()) return factor;
  if (next == '-') {
    return TextFail(factor.offset, "coefficients are whole numbers from 1", "");
  }
  return TextFail(factor.offset, "expected a dimension", std::string(kExample));
}

Parsed<ProjectionTerm> TakeTerm(Cursor* cursor) {
  ProjectionTerm term{cursor->offset(), {}};
  do {
    auto factor = TakeFactor(cursor);
    if (!factor) return tl::unexpected(factor.error());
    term.factors.push_back(*std::move(factor));
  } while (cursor->Accept('*'));
  if (term.factors.size() > 2) {
    return TextFail(term.factors[2].offset, "a term is one coefficient times one dimension",
                    std::string(kExample));
  }
  if (term.factors.back().number && (term.factors.size() == 1 || term.factors.front().number)) {
    return TextFail(term.offset, "a term needs a dimension", std::string(kExample));
  }
  return term;
}

// A rank that does not move is written "0"; it has no terms.
bool AcceptZero(Cursor* cursor) {
  Cursor ahead = *cursor;
  if (ahead.TakeDigits() != "0" || (ahead.Peek() != ',' && ahead.Peek() != ']')) return false;
  *cursor = ahead;
  return true;
}

Parsed<std::vector<ProjectionTerm>> TakeRank(Cursor* cursor) {
  std::vector<ProjectionTerm> rank;
  if (AcceptZero(cursor)) return rank;
  do {
    auto term = TakeTerm(cursor);
    if (!term) return tl::unexpected(term.error());
    rank.push_back(*std::move(term));
    if (rank.size() > kMaxDims) return TextFail(rank.back().offset, TooMany("terms"));
  } while (cursor->Accept('+'));
  return rank;
}

// The dimension and the coefficient of one term, or what is wrong with it.
Parsed<Term> ResolveTerm(const ProjectionTerm& written, const Problem& problem,
                         const Coefficients& coefficients) {
  std::optional<DimId> dim;
  Term term;
  for (const ProjectionFactor& factor : written.factors) {
    const auto named = coefficients.find(factor.name);
    if (factor.number) {
      term.coefficient = *factor.number;
    } else if (named != coefficients.end()) {
      term.coefficient = named->second;
    } else if (const auto found = FindDim(problem, factor.name); !found) {
      return TextFail(factor.offset, fmt::format("unknown dimension '{}'", factor.name),
                      SuggestionHint(factor.name, DimNames(problem)));
    } else if (dim) {
      return TextFail(factor.offset, "a product of two dimensions is not a projection",
                      "each rank is a sum of coefficient × dimension");
    } else {
      dim = found;
    }
  }
  if (!dim) return TextFail(written.offset, "a term needs a dimension", std::string(kExample));
  term.dim = *dim;
  return term;
}

}  // namespace

Parsed<Projection> ParseProjection(std::string_view text) {
  Projection projection;
  Cursor cursor(text);
  if (cursor.Peek() != '[') {
    const size_t bracket = text.find('[');
    if (bracket == std::string_view::npos) {
      return TextFail(cursor.offset(), "expected '['", std::string(kExample));
    }
    projection.tensor = text.substr(cursor.offset(), bracket - cursor.offset());
    projection.tensor.erase(projection.tensor.find_last_not_of(" \t") + 1);
    cursor.Advance(bracket - cursor.offset());
  }
  cursor.Accept('[');
  if (!cursor.Accept(']')) {  // "[]" is a single word
    do {
      auto rank = TakeRank(&cursor);
      if (!rank) return tl::unexpected(rank.error());
      projection.ranks.push_back(*std::move(rank));
      if (projection.ranks.size() > kMaxDims) return TextFail(cursor.offset(), TooMany("ranks"));
    } while (cursor.Accept(','));
    if (!cursor.Accept(']')) {
      return TextFail(cursor.offset(), "expected ',', '+', '*' or ']'", std::string(kExample));
    }
  }
  if (cursor.Accept('+')) {
    if (!cursor.Accept('=')) {
      return TextFail(cursor.offset(), "expected '=' after '+'", std::string(kExample));
    }
    projection.is_output = true;
  }
  if (cursor.AtEnd()) return projection;
  return TextFail(cursor.offset(), "unexpected text after the projection", std::string(kExample));
}

std::string ProjectionPattern() { return R"(^[^\[]*\[[^\[\]]*\]\s*(\+\s*=)?\s*$)"; }

std::vector<TextError> Resolve(const Projection& projection, const Problem& problem,
                               const Coefficients& coefficients, Tensor* tensor) {
  std::vector<TextError> errors;
  tensor->is_output = projection.is_output;
  if (!projection.tensor.empty() && projection.tensor != tensor->name) {
    errors.push_back(
        {0,
         fmt::format("the projection of '{}' is written for '{}'", tensor->name, projection.tensor),
         "the name in front of '[' may be left out"});
  }
  for (const std::vector<ProjectionTerm>& written : projection.ranks) {
    Rank rank;
    for (const ProjectionTerm& written_term : written) {
      const auto term = ResolveTerm(written_term, problem, coefficients);
      if (term) {
        rank.terms.push_back(*term);
      } else {
        errors.push_back(term.error());
      }
    }
    tensor->ranks.push_back(std::move(rank));
  }
  return errors;
}

std::string ProjectionText(const Problem& problem, const Tensor& tensor) {
  std::string text = "[";
  for (size_t r = 0; r < tensor.ranks.size(); ++r) {
    if (r > 0) text += ", ";
    const std::vector<Term>& terms = tensor.ranks[r].terms;
    if (terms.empty()) text += "0";
    for (size_t i = 0; i < terms.size(); ++i) {
      if (i > 0) text += " + ";
      if (terms[i].coefficient != 1) text += fmt::format("{}*", terms[i].coefficient);
      text += problem.dims[terms[i].dim].name;
    }
  }
  return text + (tensor.is_output ? "] +=" : "]");
}

}  // namespace inlay::io

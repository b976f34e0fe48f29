#include "inlay/gp/posynomial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <utility>

namespace inlay::gp {
namespace {

// Higher powers of earlier variables first, so that constants come last.
bool IsBefore(const Monomial& a, const Monomial& b) {
  for (size_t i = 0; i < std::min(a.powers.size(), b.powers.size()); ++i) {
    const Power &x = a.powers[i], &y = b.powers[i];
    if (x.variable != y.variable) return x.variable < y.variable;
    if (x.exponent != y.exponent) return x.exponent > y.exponent;
  }
  return a.powers.size() > b.powers.size();
}

Signomial Joined(std::vector<Monomial> terms) {
  std::stable_sort(terms.begin(), terms.end(), IsBefore);
  Signomial sum;
  for (Monomial& term : terms) {
    if (!sum.terms.empty() && sum.terms.back().powers == term.powers) {
      sum.terms.back().coefficient += term.coefficient;
    } else {
      sum.terms.push_back(std::move(term));
    }
  }
  std::erase_if(sum.terms, [](const Monomial& term) { return term.coefficient == 0; });
  return sum;
}

// Without the sign of the coefficient.
std::string Unsigned(const Monomial& monomial, const VariableNames& names) {
  const double size = std::abs(monomial.coefficient);
  std::string text;
  if (size != 1 || monomial.is_constant()) text = fmt::format("{:.12g}", size);
  for (const Power& power : monomial.powers) {
    if (!text.empty()) text += "*";
    text += names[power.variable];
    if (power.exponent != 1) text += fmt::format("^{:.12g}", power.exponent);
  }
  return text;
}

}  // namespace

Monomial Constant(double value) { return {value, {}}; }

Monomial Variable(VariableId variable, double exponent) { return {1, {{variable, exponent}}}; }

Monomial operator*(const Monomial& a, const Monomial& b) {
  Monomial product{a.coefficient * b.coefficient, {}};
  auto x = a.powers.begin(), y = b.powers.begin();
  while (x != a.powers.end() || y != b.powers.end()) {
    if (y == b.powers.end() || (x != a.powers.end() && x->variable < y->variable)) {
      product.powers.push_back(*x++);
    } else if (x == a.powers.end() || y->variable < x->variable) {
      product.powers.push_back(*y++);
    } else {
      const double exponent = x->exponent + y->exponent;
      if (exponent != 0) product.powers.push_back({x->variable, exponent});
      ++x;
      ++y;
    }
  }
  return product;
}

Monomial Pow(const Monomial& base, double exponent) {
  if (exponent == 0) return {};
  Monomial result{std::pow(base.coefficient, exponent), base.powers};
  for (Power& power : result.powers) power.exponent *= exponent;
  return result;
}

double ValueOf(const Monomial& monomial, const Values& values) {
  double value = monomial.coefficient;
  for (const Power& power : monomial.powers) {
    const double base = values[power.variable];
    if (power.exponent == 1) {
      value *= base;
    } else if (power.exponent == -1) {
      value /= base;
    } else {
      value *= std::pow(base, power.exponent);
    }
  }
  return value;
}

Signomial::Signomial(Monomial term) {
  if (term.coefficient != 0) terms.push_back(std::move(term));
}

bool Signomial::is_posynomial() const {
  return std::all_of(terms.begin(), terms.end(),
                     [](const Monomial& term) { return term.coefficient > 0; });
}

Signomial operator+(const Signomial& a, const Signomial& b) {
  std::vector<Monomial> terms = a.terms;
  terms.insert(terms.end(), b.terms.begin(), b.terms.end());
  return Joined(std::move(terms));
}

Signomial operator*(const Signomial& a, const Signomial& b) {
  std::vector<Monomial> terms;
  for (const Monomial& x : a.terms) {
    for (const Monomial& y : b.terms) terms.push_back(x * y);
  }
  return Joined(std::move(terms));
}

double ValueOf(const Signomial& signomial, const Values& values) {
  double sum = 0;
  for (const Monomial& term : signomial.terms) sum += ValueOf(term, values);
  return sum;
}

std::string ToString(const Monomial& monomial, const VariableNames& names) {
  return (monomial.coefficient < 0 ? "-" : "") + Unsigned(monomial, names);
}

std::string ToString(const Signomial& signomial, const VariableNames& names) {
  if (signomial.terms.empty()) return "0";
  std::string text = ToString(signomial.terms.front(), names);
  for (size_t i = 1; i < signomial.terms.size(); ++i) {
    const Monomial& term = signomial.terms[i];
    text += (term.coefficient < 0 ? " - " : " + ") + Unsigned(term, names);
  }
  return text;
}

}  // namespace inlay::gp

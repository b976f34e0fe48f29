#pragma once

#include <string>
#include <vector>

#include "inlay/base/index.h"

namespace inlay::gp {

// An unknown, positive number: the steps of a loop, the words of a memory, the lanes of an array.
using VariableId = Index<struct VariableTag>;
using Values = IndexedVector<VariableId, double>;
using VariableNames = IndexedVector<VariableId, std::string>;

struct Power {
  VariableId variable;
  double exponent = 1;  // never 0
  bool operator==(const Power&) const = default;
};

// coefficient × Π variable^exponent
struct Monomial {
  double coefficient = 1;
  std::vector<Power> powers;  // by variable, each once
  bool is_constant() const { return powers.empty(); }
  bool operator==(const Monomial&) const = default;
};

Monomial Constant(double value);
Monomial Variable(VariableId variable, double exponent = 1);
Monomial operator*(const Monomial& a, const Monomial& b);
Monomial Pow(const Monomial& base, double exponent);
double ValueOf(const Monomial& monomial, const Values& values);

// A sum of monomials, like terms joined, terms in the order of their variables. With coefficients
// above 0 only it is a posynomial: what geometric programs are made of.
struct Signomial {
  std::vector<Monomial> terms;  // no coefficient is 0; no term: 0
  Signomial() = default;
  Signomial(Monomial term);  // NOLINT(google-explicit-constructor): a monomial is a signomial
  bool is_posynomial() const;
  bool operator==(const Signomial&) const = default;
};

Signomial operator+(const Signomial& a, const Signomial& b);
Signomial operator*(const Signomial& a, const Signomial& b);
double ValueOf(const Signomial& signomial, const Values& values);

// "2*K_DRAM*C_SRAM^0.5", "r_h + q_r*r_r - 1"; "0" without a term.
std::string ToString(const Monomial& monomial, const VariableNames& names);
std::string ToString(const Signomial& signomial, const VariableNames& names);

}  // namespace inlay::gp

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace inlay::milp {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Term {
  int column = 0;
  double coefficient = 0;
  bool operator==(const Term&) const = default;
};

// lower ≤ Σ coefficient · column ≤ upper. No column twice.
struct Row {
  double lower = -kInfinity;
  double upper = kInfinity;
  std::vector<Term> terms;
};

// Every column has finite bounds: that is what makes the bound of any dual vector finite.
struct Column {
  double cost = 0;
  double lower = 0;
  double upper = 1;
  bool integer = true;
};

// Minimise constant + Σ cost · column.
struct Milp {
  double constant = 0;
  std::vector<Column> columns;
  std::vector<Row> rows;
};

double ObjectiveOf(const Milp& milp, const std::vector<double>& values);

// Whether the values are within all bounds, integers integer, up to `tolerance` (absolute for
// columns; of rows relative to their largest coefficient).
bool IsFeasible(const Milp& milp, const std::vector<double>& values, double tolerance = 1e-6);

}  // namespace inlay::milp

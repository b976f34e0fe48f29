#include "inlay/scratchpad/milp/milp.h"

#include <algorithm>
#include <cmath>

namespace inlay::milp {

double ObjectiveOf(const Milp& milp, const std::vector<double>& values) {
  double sum = milp.constant;
  for (size_t j = 0; j < milp.columns.size(); ++j) sum += milp.columns[j].cost * values[j];
  return sum;
}

bool IsFeasible(const Milp& milp, const std::vector<double>& values, double tolerance) {
  for (size_t j = 0; j < milp.columns.size(); ++j) {
    const Column& column = milp.columns[j];
    if (values[j] < column.lower - tolerance || values[j] > column.upper + tolerance) return false;
    if (column.integer && std::abs(values[j] - std::round(values[j])) > tolerance) return false;
  }
  for (const Row& row : milp.rows) {
    double sum = 0, largest = 1;
    for (const Term& term : row.terms) {
      sum += term.coefficient * values[static_cast<size_t>(term.column)];
      largest = std::max(largest, std::abs(term.coefficient));
    }
    if (sum < row.lower - tolerance * largest || sum > row.upper + tolerance * largest) {
      return false;
    }
  }
  return true;
}

}  // namespace inlay::milp

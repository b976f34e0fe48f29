#include "inlay/scratchpad/milp/extract.h"

#include <cstddef>
#include <utility>

namespace inlay::milp {

Extractor::Extractor(Milp milp) : milp_(std::move(milp)), rows_of_(milp_.columns.size()) {
  for (size_t i = 0; i < milp_.rows.size(); ++i) {
    for (const Term& term : milp_.rows[i].terms) {
      rows_of_[static_cast<size_t>(term.column)].push_back(static_cast<int>(i));
    }
  }
}

void Extractor::AddRow(Row row) {
  for (const Term& term : row.terms) {
    rows_of_[static_cast<size_t>(term.column)].push_back(static_cast<int>(milp_.rows.size()));
  }
  milp_.rows.push_back(std::move(row));
}

Extractor::Part Extractor::Extract(const std::vector<double>& values,
                                   const std::vector<int>& free_columns) const {
  Part part;
  std::vector<int> index(milp_.columns.size(), -1);
  const auto take = [&](int column) {
    if (index[static_cast<size_t>(column)] >= 0) return;
    index[static_cast<size_t>(column)] = static_cast<int>(part.columns.size());
    part.columns.push_back(column);
  };
  for (const int column : free_columns) take(column);
  std::vector<bool> seen(milp_.rows.size(), false);
  std::vector<int> rows;
  // Columns are added while this goes on.
  for (size_t k = 0; k < part.columns.size(); ++k) {  // NOLINT(modernize-loop-convert)
    for (const int i : rows_of_[static_cast<size_t>(part.columns[k])]) {
      if (seen[static_cast<size_t>(i)]) continue;
      seen[static_cast<size_t>(i)] = true;
      rows.push_back(i);
      for (const Term& term : milp_.rows[static_cast<size_t>(i)].terms) {
        if (!milp_.columns[static_cast<size_t>(term.column)].integer) take(term.column);
      }
    }
  }
  for (const int column : part.columns) {
    part.milp.columns.push_back(milp_.columns[static_cast<size_t>(column)]);
    part.value += part.milp.columns.back().cost * values[static_cast<size_t>(column)];
  }
  for (const int i : rows) {
    const Row& row = milp_.rows[static_cast<size_t>(i)];
    Row cut{row.lower, row.upper, {}};
    for (const Term& term : row.terms) {
      const int column = index[static_cast<size_t>(term.column)];
      if (column >= 0) {
        cut.terms.push_back({column, term.coefficient});
      } else {
        const double amount = term.coefficient * values[static_cast<size_t>(term.column)];
        cut.lower -= amount;
        cut.upper -= amount;
      }
    }
    part.milp.rows.push_back(std::move(cut));
  }
  return part;
}

}  // namespace inlay::milp

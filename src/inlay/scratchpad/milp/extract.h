#pragma once

#include <vector>

#include "inlay/scratchpad/milp/milp.h"

namespace inlay::milp {

// Small programs out of a large one: some integer columns are free, the others stay as they are.
class Extractor {
 public:
  explicit Extractor(Milp milp);

  void AddRow(Row row);

  struct Part {
    Milp milp;
    std::vector<int> columns;  // of the large program, by column of the part
    double value = 0;          // of the part at `values`
  };
  // The free columns, the rows they are in, and the continuous columns of those rows with all of
  // theirs. Columns that are not in the part keep their value, and so do rows.
  Part Extract(const std::vector<double>& values, const std::vector<int>& free_columns) const;

 private:
  Milp milp_;
  std::vector<std::vector<int>> rows_of_;  // by column
};

}  // namespace inlay::milp

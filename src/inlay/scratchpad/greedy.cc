#include "inlay/scratchpad/greedy.h"

#include <utility>

#include "inlay/scratchpad/improve.h"

namespace inlay {

void PlanGreedily(Book* book, const Deadline& deadline) {
  // Small steps of the price are better on the whole, but not always: several are tried.
  constexpr double kLowest = 1e-3;  // of the highest price: one use, spread over so many steps
  constexpr double kRatios[] = {0.5, 0.7, 0.85};
  const std::vector<ValueId> tensors = DecidedTensors(*book);
  const double highest = HighestPrice(*book);
  const Book start = *book;
  Redecider first(book);
  Descend(tensors, book, &first, &deadline);
  for (const double ratio : kRatios) {
    if (deadline.Passed()) return;
    Book trial = start;
    Redecider redecider(&trial);
    Sweep(tensors, {highest, highest * kLowest, ratio}, &trial, &redecider, &deadline);
    if (trial.Cost() < book->Cost()) *book = std::move(trial);
  }
}

}  // namespace inlay

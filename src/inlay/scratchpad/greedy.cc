#include "inlay/scratchpad/greedy.h"

#include <utility>

#include "inlay/scratchpad/improve.h"

namespace inlay {
namespace {

// The cheapest of several sweeps, and of a descent from where the book is.
void SweepBest(const Deadline& deadline, Book* book) {
  // Small steps of the price are better on the whole, but not always.
  constexpr double kRatios[] = {0.5, 0.75};
  constexpr double kLowest = 1e-3;  // of the highest price: one use, spread over so many steps
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

}  // namespace

std::optional<Placed> PlanGreedily(const Book& start, const Deadline& deadline) {
  constexpr double kShares[] = {1, 0.97};
  constexpr int64_t kQuickNodes = 500;
  std::optional<Placed> best;
  double least = Book::kNever;
  for (const double share : kShares) {
    Book book = start;
    book.LeaveRoom(share);
    if (book.Cost() == Book::kNever || (best && deadline.Passed())) break;
    SweepBest(deadline, &book);
    const double hoped_for = book.Cost();
    std::optional<Placed> placed =
        Place({.cost = least, .address_nodes = kQuickNodes}, &book, &deadline);
    if (!placed) continue;
    best = std::move(placed);
    least = book.Cost();
    if (least <= hoped_for) break;
  }
  if (!best || deadline.Passed()) return best;
  // What was left free may take something yet.
  Book book(start.problem(), start.objective(), best->choices);
  Redecider redecider(&book);
  Descend(DecidedTensors(book), &book, &redecider, &deadline);
  const Plan like = best->plan;
  std::optional<Placed> filled =
      Place({.cost = least, .address_nodes = kQuickNodes, .like = &like}, &book, &deadline);
  return filled ? std::move(filled) : std::move(best);
}

}  // namespace inlay

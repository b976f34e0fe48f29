#pragma once

#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/redecide.h"

namespace inlay {

// The tensors that a plan decides about, by their first use, then by number.
std::vector<ValueId> DecidedTensors(const Book& book);

// Decides the tensors again, one after the other, as long as that makes the book cheaper.
void Descend(const std::vector<ValueId>& tensors, Book* book, Redecider* redecider,
             const Deadline* deadline = nullptr);

// Decides them again and again while the price of lying in a pad falls from `from` to `to`, each
// time by `ratio` (in (0, 1)), then without: those that save most for each byte and step come
// first.
struct PriceFall {
  double from = 0, to = 0, ratio = 0.5;
};
void Sweep(const std::vector<ValueId>& tensors, const PriceFall& fall, Book* book,
           Redecider* redecider, const Deadline* deadline = nullptr);

// No tensor of the book saves more for each byte that lies in a pad for a step.
double HighestPrice(const Book& book);

}  // namespace inlay

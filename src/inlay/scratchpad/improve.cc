#include "inlay/scratchpad/improve.h"

#include <algorithm>
#include <tuple>

namespace inlay {
namespace {

// Rounds of a descent: each is cheaper than the one before, and mostly there are three.
constexpr int kMostRounds = 50;

}  // namespace

std::vector<ValueId> DecidedTensors(const Book& book) {
  std::vector<ValueId> tensors;
  for (const ValueId tensor : Ids(book.problem().tensors)) {
    if (book.IsUsed(tensor)) tensors.push_back(tensor);
  }
  const auto first_use = [&](ValueId tensor) {
    const TensorLife& life = book.LifeOf(tensor);
    return life.written ? life.written->step : life.reads[0].step;
  };
  std::sort(tensors.begin(), tensors.end(), [&](ValueId a, ValueId b) {
    return std::tuple{first_use(a), a} < std::tuple{first_use(b), b};
  });
  return tensors;
}

void Descend(const std::vector<ValueId>& tensors, Book* book, Redecider* redecider,
             const Deadline* deadline) {
  redecider->SetPrice(0);
  double before = book->Cost();
  for (int round = 0; round < kMostRounds; ++round) {
    for (const ValueId tensor : tensors) {
      if (deadline != nullptr && deadline->Passed()) return;
      redecider->Improve(tensor);
    }
    const double now = book->Cost();
    if (!(now < before)) return;
    before = now;
  }
}

void Sweep(const std::vector<ValueId>& tensors, const PriceFall& fall, Book* book,
           Redecider* redecider, const Deadline* deadline) {
  double price = fall.from;
  while (price > fall.to) {
    redecider->SetPrice(price);
    price *= fall.ratio;
    for (const ValueId tensor : tensors) {
      if (deadline != nullptr && deadline->Passed()) return;
      redecider->Improve(tensor);
    }
  }
  Descend(tensors, book, redecider, deadline);
}

double HighestPrice(const Book& book) {
  const double byte = book.CostOfByte();
  double highest = 0;
  for (int64_t t = 0; t < book.steps(); ++t) {
    const PlanNode& node = book.NodeAt(t);
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const int64_t bytes = book.problem().tensors[node.operands[i].tensor].bytes;
      if (bytes == 0) continue;
      int64_t most = 0;
      for (const Tiling& tiling : node.tilings) most = std::max(most, tiling.operands[i].bytes);
      highest = std::max(highest, byte * static_cast<double>(most) / static_cast<double>(bytes));
    }
  }
  return highest;
}

}  // namespace inlay

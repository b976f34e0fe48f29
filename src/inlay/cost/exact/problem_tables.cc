#include "inlay/cost/exact/problem_tables.h"

#include <algorithm>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::exact {

Tables::Tables(const Problem& problem)
    : dims(problem.dims.size()),
      tensors(problem.tensors.size()),
      rank_of(dims * tensors, -1),
      coefficient_of(dims * tensors, 0),
      output(OutputTensor(problem).value()),
      operations(Operations(problem)) {
  for (const Dimension& dim : problem.dims) bound.push_back(dim.bound);
  // Words per step of a lane ≤ its iterations × Π over ranks of the largest coefficient, and lanes
  // and steps share the operations among them; so this bounds every count. A factor of 4 leaves
  // room for sums of two counts.
  Int128 most = 0;
  for (TensorId t : Ids(problem.tensors)) {
    rank_begin.push_back(ranks.size());
    Int128 words = Int128{operations} * 4;
    for (const Rank& rank : problem.tensors[t].ranks) {
      std::vector<FlatTerm> terms;
      int64_t largest = 1;
      for (const Term& term : rank.terms) {
        const size_t slot = t.value() * dims + term.dim.value();
        rank_of[slot] = static_cast<int>(ranks.size());
        coefficient_of[slot] = term.coefficient;
        terms.push_back({term.dim.value(), term.coefficient});
        largest = std::max(largest, term.coefficient);
      }
      ranks.push_back(std::move(terms));
      if (words < (Int128{1} << 62)) words *= largest;
    }
    most = std::max(most, words);
  }
  rank_begin.push_back(ranks.size());
  irrelevant.resize(tensors);
  for (size_t slot = 0; slot < rank_of.size(); ++slot) {
    if (rank_of[slot] < 0) irrelevant[slot / dims].push_back(slot % dims);
  }
  fits_64 = most < (Int128{1} << 62);
}

}  // namespace inlay::exact

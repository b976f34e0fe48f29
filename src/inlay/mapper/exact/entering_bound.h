#pragma once

#include <vector>

#include "inlay/mapper/exact/keep_case.h"
#include "inlay/mapper/exact/lower_bound.h"

namespace inlay::exact_search {

// What a word that enters a level costs, by tensor: where it comes from, lanes that share it
// counted once; in every lane; and for a partial sum that comes back.
struct WordPrices {
  std::vector<double> parent, child, back;
};

// The least cost of all words that enter a level, whatever the mapping, even or uneven: what the
// tensors that it keeps hold at the same time has to fit it together. 0 where nothing is known but
// what is compulsory. docs/reference/mapper-bounds.md.
double LeastEntering(const Problem& problem, const KeepCase& keep_case, size_t level,
                     const WordPrices& prices);

}  // namespace inlay::exact_search

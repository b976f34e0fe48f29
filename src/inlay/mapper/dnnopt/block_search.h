#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "inlay/base/deadline.h"
#include "inlay/mapper/dnnopt/accesses.h"
#include "inlay/mapper/dnnopt/machine.h"
#include "inlay/mapper/mapper.h"

namespace inlay::dnnopt {

// The strides of Strided Search. Filters step by the columns; channels by the rows, which is where
// ws and is lay them (os streams them, and steps like the others); of the pixels only the last
// dimension steps by the rows (columns for is), the others and the groups by one.
void SetStrides(const Machine& machine, const DnnoptOptions& options, Layer* layer);

// Blocks and an order, and what the model says about them.
struct Choice {
  Sizes blocks = {};
  Nest nest;
  int64_t accesses = 0;
  // What lies on chip at a time: the blocks; for order only, all that the innermost loops touch as
  // long as it fits.
  Sizes resident = {};
};

struct BlockSearchResult {
  std::optional<Choice> best;  // of equal ones the first: by order, then by blocks, axis by axis
  int64_t points_visited = 0;  // blocks × orders whose accesses were counted
  double points_in_space = 0;  // all blocks of 1 … bound × all orders that the mode may choose from
  bool stopped = false;        // before the end
};

// The fewest off-chip accesses. By `exit`:
// safe: of the blocks with the same number of trips only the smallest (the accesses depend on the
//   trips alone), and no blocks whose accesses cannot fall below the best, whatever the blocks of
//   the axes still open: the same answer as none.
// literal: each axis is enlarged until the blocks do not fit or the best found with it did not
// drop. none: all blocks that fit. `found` is called with the accesses of every new best.
BlockSearchResult FindBlocks(const Machine& machine, const Layer& layer,
                             const DnnoptOptions& options, const Deadline& deadline,
                             const std::function<void(int64_t)>& found = {});

}  // namespace inlay::dnnopt

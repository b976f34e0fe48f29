#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace inlay {

// What `codesign --explain` prints about one layer: words of tiles and words copied, as expressions
// of the unknown steps of the loops. A step is called by its dimension and its place: "K_SRAM".

// The loop orders of one level that lead to the same copies from it.
struct ExplainedClass {
  std::vector<std::string> order;  // dimensions, outer to inner; one of the orders
  size_t as_good = 0;              // number (from 1) of a class that is never worse; 0: none is
  struct Row {
    std::string loop;                 // "" first: the tile of the next inner level
    std::vector<std::string> copies;  // by tensor; "" where the level does not keep it
  };
  std::vector<Row> rows;  // as loops are added, from the innermost; the last is the volume
};

struct ExplainedLevel {
  std::string level, inner;
  size_t orders = 0, hoisted = 0;       // of all loops; those that the paper's rule distinguishes
  std::vector<ExplainedClass> classes;  // of different volumes
};

struct Explanation {
  std::string layer;
  std::vector<std::string> tensors;
  std::vector<std::pair<std::string, std::vector<std::string>>> tiles;  // level, words by tensor
  std::vector<ExplainedLevel> levels;  // from which copies are made
};

}  // namespace inlay

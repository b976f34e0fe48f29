#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/result.h"

namespace inlay {

// What `codesign --explain` says about layers: words of tiles and words copied, as expressions of
// the unknown steps of the loops. A step is called by its dimension and its place: "K_SRAM".

// An expression for each tensor that is kept, by its name.
using TensorExpressions = std::vector<std::pair<std::string, std::string>>;

// What is copied of a tensor once a loop was added.
struct ExplainedCopy {
  std::string loop;   // "" first: the tile of the next inner level
  std::string words;  // an expression
};
const Structure& StructureOf(const ExplainedCopy*);

// The loop orders of one level that lead to the same copies from it.
struct ExplainedClass {
  std::vector<std::string> order;  // dimensions, outer to inner; one of the orders
  // The copies of each tensor as loops are added, from the innermost; the last is the volume. Empty
  // where the level does not keep the tensor.
  std::vector<std::pair<std::string, std::vector<ExplainedCopy>>> copies;
  std::optional<size_t> dominated_by;  // number (from 1) of a class that is never worse
};
const Structure& StructureOf(const ExplainedClass*);

struct ExplainedLevel {
  std::string level, inner;
  size_t orders = 0, paper_classes = 0;  // of all loops; those that the paper's rule distinguishes
  std::vector<ExplainedClass> classes;   // of different volumes
};
const Structure& StructureOf(const ExplainedLevel*);

struct Explanation {
  std::string layer;
  std::vector<std::pair<std::string, TensorExpressions>> tiles;  // by level
  std::vector<ExplainedLevel> levels;                            // from which copies are made
};
const Structure& StructureOf(const Explanation*);

// result.json of `codesign --explain`.
struct ExplainResult {
  ResultHeader header;
  std::vector<Explanation> explanations;
};
const Structure& StructureOf(const ExplainResult*);

}  // namespace inlay

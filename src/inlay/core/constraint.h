#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/base/structure.h"

namespace inlay {

enum class Relation { kEqual, kAtMost, kAtLeast };

// The number of steps of a loop over `dim`; at a fan-out, of its loops on x and y together.
struct FactorBound {
  static constexpr int64_t kWhole = 0;  // as a value: as many steps as the dimension is long
  std::string dim;
  Relation relation = Relation::kEqual;
  int64_t value = 1;
  bool if_fits = false;  // without effect where the dimension is shorter than the value
  bool operator==(const FactorBound&) const = default;
};

// Limits on the mappings of one level or fan-out; names are resolved against the problem when a
// search starts. Evaluation of a given mapping does not look at them.
struct Constraint {
  std::string at;  // a level's or a fan-out's name
  std::optional<std::vector<std::string>> x,
      y;  // fan-out: only these dimensions may be unrolled on the axis
  std::vector<std::string> not_x, not_y;  // fan-out: these dimensions may not
  std::optional<std::vector<std::string>>
      loops;  // level: only these dimensions may have temporal loops
  std::vector<FactorBound> factors;
  // Of every dimension that `factors` does not name; its own `dim` is empty.
  std::optional<FactorBound> default_factor;
  std::vector<std::string> innermost, outermost;  // order: innermost first; outermost first
  std::vector<std::string> keep, bypass;          // level: tensors it must, it must not hold
  std::optional<double> min_utilization;  // of capacity (level) or of the lanes (fan-out), 0 … 1
  // A loop there may be imperfect if it takes at most so many steps; 1: it never may. In `any`,
  // which knows no perfect loops, without effect.
  std::optional<int64_t> remainders;
  SourcePlace place = {};
  bool operator==(const Constraint&) const = default;
};
const Structure& StructureOf(const Constraint*);

}  // namespace inlay

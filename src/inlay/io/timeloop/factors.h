#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/core/constraint.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io::timeloop {

// One factor of a directive: "C=4", "C4", "P=7,3", and in constraints "C<=4", "C>=2".
struct WrittenFactor {
  std::string dim;
  Relation relation = Relation::kEqual;
  int64_t end = 1;       // 0: whatever the other loops of the dimension leave
  int64_t residual = 1;  // steps of the last pass; equal to end where nothing is said
};

// A string of factors apart by spaces or commas, or a list of them.
std::vector<WrittenFactor> ReadFactors(const Node& node, Report* report);

// Dimensions, innermost first. A string is split into the longest names in `dims`; any other
// character is a name by itself ('_' stands for everything not listed).
std::vector<std::string> ReadPermutation(const Node& node, const std::vector<std::string>& dims,
                                         Report* report);

}  // namespace inlay::io::timeloop

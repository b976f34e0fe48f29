#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inlay/core/constraint.h"
#include "inlay/io/native/text.h"

namespace inlay::io {

// Limits in constraints. A factor: "4", "= 4", "<= 16", ">= 2". A utilisation: ">= 0.5", 0 … 1.
struct FactorRelation {
  Relation relation = Relation::kEqual;
  int64_t value = 1;
};
Parsed<FactorRelation> ParseFactor(std::string_view text);
Parsed<double> ParseUtilization(std::string_view text);
std::string FactorPattern();
std::string UtilizationPattern();
std::string FactorText(Relation relation, int64_t value);
std::string UtilizationText(double value);

}  // namespace inlay::io

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inlay/core/constraint.h"
#include "inlay/io/native/text.h"

namespace inlay::io {

// Limits in constraints. A factor, its dimension left empty: "4", "= 4", "<= 16", ">= 2", "all",
// "4 if it fits". A utilisation: ">= 0.5", 0 … 1.
Parsed<FactorBound> ParseFactor(std::string_view text);
Parsed<double> ParseUtilization(std::string_view text);
std::string FactorPattern();
std::string UtilizationPattern();
std::string FactorText(const FactorBound& factor);
std::string UtilizationText(double value);

}  // namespace inlay::io

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inlay/base/table.h"

namespace inlay::report {

inline constexpr double kPj = 1e-12;  // J

// 115605504 → "115 605 504" with narrow no-break spaces, with commas in ASCII, and as it is where
// the style does not group.
std::string Grouped(int64_t value, const TextStyle& style);
// 1156.049 with 2 decimals → "1 156.05".
std::string GroupedFixed(double value, int decimals, const TextStyle& style);
// A count in four significant digits: 115605504 → "115.6 M"; below 10,000 in full.
std::string Rounded(int64_t value, const TextStyle& style);
// A quantity in four significant digits with an SI prefix: 1.156e-3, "J" → "1.156 mJ".
std::string WithPrefix(double value, std::string_view unit, const TextStyle& style);
// "1.5 MiB": the largest unit in which the number is at least 1, four digits.
std::string BytesText(double bytes);
// 0.677 → "67.7 %".
std::string Percent(double share);
// What is lost at most, rounded up: 0.0311 → "3.2 %", 1e-5 → "less than 0.1 %".
std::string GapText(double gap);
// A bar of `share` × `columns` columns in steps of an eighth (whole columns in ASCII). What is not
// zero shows at least the thinnest bar.
std::string Bar(double share, int columns, const TextStyle& style);

// One unit for a column of energies, so that they can be compared at a glance: the total of the
// column has two to four digits before the point where possible.
struct EnergyUnit {
  double pj = 1;  // of one unit
  std::string name = "pJ";
};
EnergyUnit UnitFor(double total_pj, const TextStyle& style);

}  // namespace inlay::report

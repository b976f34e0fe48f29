#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/core/cost.h"

namespace inlay {

// What a mapping is judged by; less is better.
enum class Metric : uint8_t { kEnergy, kDelay, kEdp, kOffchip };

// Lexicographic: the second metric decides among mappings equal in the first, and so on. Never
// empty, no metric twice.
using Objective = std::vector<Metric>;

const char* Name(Metric metric);  // "energy", "delay", "edp", "offchip"
std::optional<Metric> MetricFromName(std::string_view name);
std::string ToString(const Objective& objective);  // "delay,energy"

// pJ, cycles, pJ × cycles, words.
double ValueOf(const Cost& cost, Metric metric);

// One value per metric, to be compared from the first to the last.
std::vector<double> ValuesOf(const Cost& cost, const Objective& objective);

}  // namespace inlay

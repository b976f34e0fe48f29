#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inlay/base/enum_names.h"
#include "inlay/core/cost.h"

namespace inlay {

// What a mapping is judged by; less is better.
enum class Metric : uint8_t { kEnergy, kDelay, kEdp, kOffchip };
template <>
inline constexpr auto kNames<Metric> = std::to_array<EnumName<Metric>>(
    {{Metric::kEnergy, "energy", "power joules pj"},
     {Metric::kDelay, "delay", "latency time cycles runtime speed performance"},
     {Metric::kEdp, "edp", "energy-delay energy-delay-product"},
     {Metric::kOffchip, "offchip", "off-chip dram bytes traffic bandwidth memory accesses"}});

// Lexicographic: the second metric decides among mappings equal in the first, and so on. Never
// empty, no metric twice.
using Objective = std::vector<Metric>;

std::string ToString(const Objective& objective);  // "delay,energy"

// pJ, cycles, pJ × cycles, words.
double ValueOf(const Cost& cost, Metric metric);

// One value per metric, to be compared from the first to the last.
std::vector<double> ValuesOf(const Cost& cost, const Objective& objective);

}  // namespace inlay

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/attribute.h"
#include "inlay/core/constraint.h"

namespace inlay {

// What an architecture takes of something scarce.
enum class Resource : uint8_t {
  kArea,       // um2
  kPower,      // pJ per cycle, the most that the chip can draw; memories of kind dram not counted
  kSram,       // bits of all memories of kind sram, all instances
  kBandwidth,  // words per cycle of reads and writes of all memories of kind dram
};
inline constexpr std::array kResources = {Resource::kArea, Resource::kPower, Resource::kSram,
                                          Resource::kBandwidth};
const char* Name(Resource resource);  // "area", "power", "sram", "bandwidth"

// Why an architecture does not say how much of a resource it takes: there is no technology, or
// (a memory that has) no bandwidth. Empty: it does.
Faults WhyUnknown(const Architecture& architecture, Resource resource);

// Never falls when a fan-out, a capacity or a bandwidth grows. Power: every lane works, every
// memory reads and writes as much as its bandwidth allows (in whatever way costs most), and all of
// it leaks; registers next to the compute and without a bandwidth are read three times and written
// once by every operation. 0 where WhyUnknown has something to say.
double UseOf(const Architecture& architecture, Resource resource);

// Σ coefficient · Π attributes.
struct LimitTerm {
  double coefficient = 1;
  std::vector<Attribute> attributes;
  bool operator==(const LimitTerm&) const = default;
};
// `left` relation `right`; each is a sum, and empty for 0.
struct Limit {
  std::string text;  // as it is written
  std::vector<LimitTerm> left, right;
  Relation relation = Relation::kAtMost;
  bool operator==(const Limit&) const = default;
};
double SumOf(const Architecture& architecture, const std::vector<LimitTerm>& terms);
bool IsKept(const Architecture& architecture, const Limit& limit);

// What all of an architecture may take; none: no limit.
struct Budget {
  std::optional<double> area_um2, power_pj_per_cycle, sram_bits, bandwidth_words;
  std::vector<Limit> limits;

  const std::optional<double>& of(Resource resource) const;
  std::optional<double>& of(Resource resource);
  bool empty() const;
  bool operator==(const Budget&) const = default;
};

// "2363756 um2", "65536 words" (of the compute's width).
std::string AmountText(const Architecture& architecture, Resource resource, double amount);
// The next amount that reads well: whole um2, whole words, four decimals of the others.
double RoundedUp(const Architecture& architecture, Resource resource, double amount);

}  // namespace inlay

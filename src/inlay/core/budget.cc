#include "inlay/core/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace inlay {
namespace {

constexpr double kReadsPerOperation = 3;  // two factors and the sum
constexpr double kMost = std::numeric_limits<double>::infinity();

bool IsInnermost(const Architecture& architecture, LevelId level) {
  return level.value() + 1 == architecture.levels.size();
}

bool HasPorts(const Level& level) {
  return level.shared_bandwidth || (level.read_bandwidth && level.write_bandwidth);
}

bool DrawsByOperations(const Architecture& architecture, LevelId l) {
  const Level& level = architecture.levels[l];
  return IsInnermost(architecture, l) && !HasPorts(level) && level.partitions.empty();
}

double InstancesOf(const Architecture& architecture, LevelId l) {
  return static_cast<double>(Instances(architecture, l));
}

// pJ per cycle of one instance, or of one part of it, whose accesses cost so much.
double PortsPj(const Level& level, const AccessEnergy& energy) {
  const double write_pj = std::max(energy.fill_pj, energy.update_pj);
  const double both = level.shared_bandwidth.value_or(kMost);
  const double reads = std::min(level.read_bandwidth.value_or(kMost), both);
  const double writes = std::min(level.write_bandwidth.value_or(kMost), both);
  const bool reads_first = energy.read_pj >= write_pj;
  const double first = reads_first ? reads : writes;
  const double second = std::min(reads_first ? writes : reads, both - first);
  const double words_pj = std::max(energy.read_pj, write_pj) * first +
                          std::min(energy.read_pj, write_pj) * (second > 0 ? second : 0);
  return words_pj / static_cast<double>(level.block_words);
}

double LevelPower(const Architecture& architecture, LevelId l) {
  const Level& level = architecture.levels[l];
  double one = level.leakage_pj_per_cycle;
  if (DrawsByOperations(architecture, l)) {
    const AccessEnergy energy = EnergyOf(architecture, l, "");
    const double lanes = static_cast<double>(level.fanout.x) * static_cast<double>(level.fanout.y);
    one += lanes * (kReadsPerOperation * energy.read_pj + energy.update_pj) /
           static_cast<double>(level.block_words);
  } else if (level.partitions.empty()) {
    one += PortsPj(level, EnergyOf(architecture, l, ""));
  } else {
    for (const Partition& part : level.partitions) {
      one += PortsPj(level, EnergyOf(architecture, l, part.tensor));
    }
  }
  return one * InstancesOf(architecture, l);
}

double PowerOf(const Architecture& architecture) {
  double power = static_cast<double>(ComputeLanes(architecture)) * ComputeEnergyPj(architecture);
  for (LevelId l : Ids(architecture.levels)) {
    if (architecture.levels[l].kind != MemoryKind::kDram) power += LevelPower(architecture, l);
  }
  return power;
}

double SramBits(const Architecture& architecture) {
  double bits = 0;
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    double one = 0;
    if (level.kind == MemoryKind::kSram) {
      one += static_cast<double>(level.capacity_words.value_or(0)) * level.word_bits;
    }
    for (const Partition& part : level.partitions) {
      if (part.kind.value_or(level.kind) != MemoryKind::kSram) continue;
      one += static_cast<double>(part.capacity_words.value_or(0)) * part.word_bits;
    }
    bits += one * InstancesOf(architecture, l);
  }
  return bits;
}

double DramBandwidth(const Architecture& architecture) {
  double words = 0;
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    if (level.kind != MemoryKind::kDram) continue;
    const double both =
        level.read_bandwidth.value_or(kMost) + level.write_bandwidth.value_or(kMost);
    words += std::min(level.shared_bandwidth.value_or(kMost), both) * InstancesOf(architecture, l);
  }
  return words;
}

Faults WithoutPorts(const Architecture& architecture, bool of_dram, const char* why) {
  Faults faults;
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    if ((level.kind == MemoryKind::kDram) != of_dram || HasPorts(level)) continue;
    if (!of_dram && DrawsByOperations(architecture, l)) continue;
    faults.push_back({"levels." + level.name, "'" + level.name + "' has no bandwidth, so " + why,
                      "give it 'read_bandwidth' and 'write_bandwidth', or 'shared_bandwidth'"});
  }
  return faults;
}

}  // namespace

const char* Name(Resource resource) {
  switch (resource) {
    case Resource::kArea:
      return "area";
    case Resource::kPower:
      return "power";
    case Resource::kSram:
      return "sram";
    case Resource::kBandwidth:
      return "bandwidth";
  }
  return "";
}

Faults WhyUnknown(const Architecture& architecture, Resource resource) {
  switch (resource) {
    case Resource::kArea:
      if (architecture.technology) return {};
      return {{"technology", "without a technology there are no areas", "name one"}};
    case Resource::kPower:
      return WithoutPorts(architecture, false, "there is no most that it draws in a cycle");
    case Resource::kBandwidth:
      return WithoutPorts(architecture, true, "no budget of bandwidth can hold");
    case Resource::kSram:
      return {};
  }
  return {};
}

double UseOf(const Architecture& architecture, Resource resource) {
  if (!WhyUnknown(architecture, resource).empty()) return 0;
  switch (resource) {
    case Resource::kArea:
      return AreaUm2(architecture).value_or(0);
    case Resource::kPower:
      return PowerOf(architecture);
    case Resource::kSram:
      return SramBits(architecture);
    case Resource::kBandwidth:
      return DramBandwidth(architecture);
  }
  return 0;
}

double SumOf(const Architecture& architecture, const std::vector<LimitTerm>& terms) {
  double sum = 0;
  for (const LimitTerm& term : terms) {
    double product = term.coefficient;
    for (const Attribute& attribute : term.attributes) {
      product *= ValueOf(architecture, attribute).value_or(0);
    }
    sum += product;
  }
  return sum;
}

bool IsKept(const Architecture& architecture, const Limit& limit) {
  const double left = SumOf(architecture, limit.left), right = SumOf(architecture, limit.right);
  // Sums of decimal numbers that are equal on paper.
  const double tolerance = 1e-12 * std::max(left, right);
  if (limit.relation == Relation::kAtMost) return left <= right + tolerance;
  if (limit.relation == Relation::kAtLeast) return left >= right - tolerance;
  return std::abs(left - right) <= tolerance;
}

const std::optional<double>& Budget::of(Resource resource) const {
  switch (resource) {
    case Resource::kArea:
      return area_um2;
    case Resource::kPower:
      return power_pj_per_cycle;
    case Resource::kSram:
      return sram_bits;
    case Resource::kBandwidth:
      break;
  }
  return bandwidth_words;
}

std::optional<double>& Budget::of(Resource resource) {
  return const_cast<std::optional<double>&>(std::as_const(*this).of(resource));
}

bool Budget::empty() const {
  return limits.empty() && std::none_of(kResources.begin(), kResources.end(),
                                        [this](Resource r) { return of(r).has_value(); });
}

std::string AmountText(const Architecture& architecture, Resource resource, double amount) {
  switch (resource) {
    case Resource::kArea:
      return fmt::format("{} um2", amount);
    case Resource::kPower:
      return fmt::format("{} pJ/cycle", amount);
    case Resource::kSram:
      return fmt::format("{} words", amount / architecture.compute.word_bits);
    case Resource::kBandwidth:
      return fmt::format("{} words/cycle", amount);
  }
  return "";
}

double RoundedUp(const Architecture& architecture, Resource resource, double amount) {
  const int bits = architecture.compute.word_bits;
  if (resource == Resource::kArea) return std::ceil(amount);
  if (resource == Resource::kSram) return std::ceil(amount / bits) * bits;
  constexpr double kDecimals = 1e4;
  const double nearest = std::round(amount * kDecimals) / kDecimals;
  return nearest >= amount ? nearest : std::ceil(amount * kDecimals) / kDecimals;
}

}  // namespace inlay

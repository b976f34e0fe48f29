#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/core/architecture.h"

namespace inlay {

enum class AttributeKind : uint8_t {
  kCapacityWords,
  kPartitionWords,  // of one tensor
  kWordBits,        // of a level without partitions
  kBlockWords,
  kBuffering,
  kReadBandwidth,  // words per cycle and instance
  kWriteBandwidth,
  kSharedBandwidth,
  kReadPj,
  kWritePj,  // from either side
  kFillPj,
  kUpdatePj,
  kLeakage,  // pJ per cycle and instance
  kFanoutX,
  kFanoutY,
  kComputeBits,
  kComputePj,
};

// A number of an architecture, by its place.
struct Attribute {
  LevelId level = LevelId(0);  // that has it, or whose fan-out has it; of the compute not looked at
  AttributeKind kind = AttributeKind::kCapacityWords;
  std::string tensor = {};  // kPartitionWords
  bool operator==(const Attribute&) const = default;
};

// Is it a whole number from 1?
bool IsCount(AttributeKind kind);
bool IsFanout(AttributeKind kind);

// The attribute that files call so: the name of a level, of a fan-out or of the compute, a dot, and
// the key ("SRAM.capacity", "spads.partition.Inputs", "GLB.energy.read", "PEs.x"). nullopt where
// the architecture has no such part.
std::optional<Attribute> FindAttribute(const Architecture& architecture, std::string_view name);

// nullopt: not given, so without a limit or by the technology.
std::optional<double> ValueOf(const Architecture& architecture, const Attribute& attribute);

// `value` is more than 0, and whole where the attribute is a count.
void SetValue(const Attribute& attribute, double value, Architecture* architecture);

}  // namespace inlay

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "inlay/core/architecture.h"

namespace inlay {

struct Field;

// A number of an architecture, by its place: what a key of a file that may be free holds.
struct Attribute {
  enum class Part : uint8_t { kLevel, kPartition, kFanout, kCompute };
  LevelId level = LevelId(0);  // that has it, or whose fan-out has it; of the compute not looked at
  Part part = Part::kLevel;
  const Field* key = nullptr;     // of the number itself
  const Field* object = nullptr;  // of the part's object that holds it: "energy"; null: the part
  std::string tensor = {};        // of a partition
  bool operator==(const Attribute&) const = default;

  // Whether a file calls it so, behind the name of the part.
  bool Is(Part of, std::string_view name) const;
};

// Is it a whole number from 1?
bool IsCount(const Attribute& attribute);
bool IsFanout(const Attribute& attribute);

// The attribute that files call so: the name of a level, of a fan-out or of the compute, a dot, and
// the key ("SRAM.capacity", "spads.partition.Inputs", "GLB.energy.read", "PEs.x"). nullopt where
// the architecture has no such part.
std::optional<Attribute> FindAttribute(const Architecture& architecture, std::string_view name);

// nullopt: not given, so without a limit or by the technology.
std::optional<double> ValueOf(const Architecture& architecture, const Attribute& attribute);

// `value` is more than 0, and whole where the attribute is a count.
void SetValue(const Attribute& attribute, double value, Architecture* architecture);

}  // namespace inlay

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "inlay/io/native/keys.h"
#include "inlay/io/native/quantity.h"
#include "inlay/io/native/relation.h"
#include "inlay/io/native/write.h"

namespace inlay::io {
namespace {

using Text = std::optional<std::string>;

std::string TechnologyRef(const Technology& technology, const NativeContext& context) {
  if (context.find_technology) {
    const auto found = context.find_technology(technology.name, Node());
    if (found && *found == technology) {
      return fmt::format("  technology: {}\n", Scalar(technology.name));
    }
  }
  return fmt::format("  technology:\n    name: {}\n{}", Scalar(technology.name),
                     BlockText(technology, "    "));
}

// The level's width where it is not the architecture's, and the tensors of other widths.
std::string WordBitsText(const Level& level, int default_word_bits) {
  FlowObject exceptions;
  for (const Partition& part : level.partitions) {
    if (part.word_bits == level.word_bits) continue;
    exceptions.Add(part.tensor, fmt::format("{}", part.word_bits));
  }
  for (const TensorBits& bits : level.tensor_bits) {
    exceptions.Add(bits.tensor, fmt::format("{}", bits.word_bits));
  }
  const bool differs = level.word_bits != default_word_bits;
  if (exceptions.empty()) return differs ? fmt::format("{}", level.word_bits) : "";
  if (differs) exceptions.Add("all", fmt::format("{}", level.word_bits));
  return exceptions.ToString();
}

// A part is its capacity alone where that is all there is to say.
std::string PartitionText(const Level& level) {
  FlowObject parts;
  for (const Partition& part : level.partitions) {
    const std::string capacity = CountText(part.capacity_words, kCapacityUnits);
    const FlowObject keys = FlowText(part, [&](std::string_view key) -> Text {
      if (key == "word_bits") return "";  // the level says it
      return key == "capacity" ? Text(capacity) : std::nullopt;
    });
    parts.Add(part.tensor, part.kind ? keys.ToString() : capacity);
  }
  return parts.empty() ? "" : parts.ToString();
}

// 'write' where it says both of the others.
std::string EnergyText(const AccessEnergy& energy) {
  const bool same = energy.fill_pj == energy.update_pj;
  return FlowText(energy,
                  [same](std::string_view key) -> Text {
                    if (key == "read" || (key == "write") == same) return std::nullopt;
                    return "";
                  })
      .ToString();
}

std::string LevelText(const Level& level, int default_word_bits) {
  const FlowObject text = FlowText(level, [&](std::string_view key) -> Text {
    if (key == "partition") return PartitionText(level);
    if (key == "word_bits") return WordBitsText(level, default_word_bits);
    if (key == "double_buffer") return level.buffering == 2 ? "true" : "";
    if (key == "buffering" && level.buffering == 2) return "";
    if (key == "energy" && level.energy) return EnergyText(*level.energy);
    return std::nullopt;
  });
  return fmt::format("  - {}\n", text.ToString());
}

std::string FanoutText(Fanout fanout, const std::string& name) {
  fanout.name = name;
  return fmt::format("  - {}\n", FlowText(fanout).ToString());
}

std::string VectorText(const VectorUnits& vector) {
  std::string text;
  for (const VectorUnit& unit : vector.units) {
    text += fmt::format("  - {}\n", FlowText(unit).ToString());
  }
  return text;
}

std::string FactorScalar(const FactorBound& factor) {
  const std::string text = FactorText(factor);
  const bool bare = factor.relation == Relation::kEqual && !factor.if_fits;  // a number, or 'all'
  return bare ? text : Scalar(text);
}

std::string ConstraintText(const Constraint& constraint) {
  FlowObject factors;
  for (const FactorBound& factor : constraint.factors) {
    factors.Add(factor.dim, FactorScalar(factor));
  }
  const FlowObject text = FlowText(constraint, [&](std::string_view key) -> Text {
    if (key == "factors") return factors.empty() ? "" : factors.ToString();
    if (key == "default_factor" && constraint.default_factor) {
      return FactorScalar(*constraint.default_factor);
    }
    if (key == "utilization" && constraint.min_utilization) {
      return Scalar(UtilizationText(*constraint.min_utilization));
    }
    return std::nullopt;
  });
  return fmt::format("  - {}\n", text.ToString());
}

}  // namespace

std::string FanoutName(const Architecture& architecture, LevelId level) {
  const Level& above = architecture.levels[level];
  if (!above.fanout.name.empty()) return above.fanout.name;
  std::string name = above.name + "_array";
  const auto taken = [&architecture](const std::string& candidate) {
    return std::any_of(architecture.levels.begin(), architecture.levels.end(),
                       [&candidate](const Level& other) {
                         return other.name == candidate || other.fanout.name == candidate;
                       });
  };
  while (taken(name)) name += "_";
  return name;
}

std::string WriteNative(const Technology& technology) {
  return DocumentStart("technology", technology.name) + BlockText(technology, "  ");
}

std::string WriteNative(const Architecture& architecture, const NativeContext& context) {
  std::string text = DocumentStart("architecture", architecture.name);
  if (architecture.technology) text += TechnologyRef(*architecture.technology, context);
  const Compute& compute = architecture.compute;
  text += fmt::format("  word_bits: {}\n", compute.word_bits);
  text += BlockText(architecture, "  ");
  text += "  levels:\n";
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    text += LevelText(level, compute.word_bits);
    const VectorUnits& vector = architecture.vector_units;
    if (vector.below == l && !vector.in_fanout) text += VectorText(vector);
    if (level.fanout != Fanout()) text += FanoutText(level.fanout, FanoutName(architecture, l));
    if (vector.below == l && vector.in_fanout) text += VectorText(vector);
  }
  const FlowObject units = FlowText(compute, [](std::string_view key) -> Text {
    return key == "word_bits" ? Text("") : std::nullopt;  // the architecture says it
  });
  text += fmt::format("  - {}\n", units.ToString());
  if (architecture.constraints.empty()) return text;
  text += "  constraints:\n";
  for (const Constraint& constraint : architecture.constraints) text += ConstraintText(constraint);
  return text;
}

}  // namespace inlay::io

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "inlay/io/native/native.h"
#include "inlay/io/native/quantity.h"
#include "inlay/io/native/relation.h"
#include "inlay/io/native/text.h"
#include "inlay/io/native/write.h"
#include "inlay/io/native/yaml_text.h"

namespace inlay::io {
namespace {

std::string MemoryText(const MemoryTechnology& memory) {
  FlowObject text;
  text.Add("energy", EnergyFunctionText(memory.energy_pj));
  if (memory.area_um2 != SizeFunction()) text.Add("area", AreaFunctionText(memory.area_um2));
  return text.ToString();
}

// The keys of a technology but its name, each line behind `indent`.
std::string TechnologyBody(const Technology& technology, std::string_view indent) {
  FlowObject mac;
  mac.Add("energy", EnergyText(technology.mac_energy_pj));
  if (technology.mac_area_um2 != 0) mac.Add("area", AreaText(technology.mac_area_um2));
  return fmt::format(
      "{0}word_bits: {1}\n{0}mac: {2}\n{0}register: {3}\n{0}sram: {4}\n{0}dram: {5}\n", indent,
      technology.word_bits, mac.ToString(), MemoryText(technology.reg), MemoryText(technology.sram),
      MemoryText(technology.dram));
}

std::string TechnologyRef(const Technology& technology, const NativeContext& context) {
  if (context.find_technology) {
    const auto found = context.find_technology(technology.name, Node());
    if (found && *found == technology) {
      return fmt::format("  technology: {}\n", Scalar(technology.name));
    }
  }
  return fmt::format("  technology:\n    name: {}\n{}", Scalar(technology.name),
                     TechnologyBody(technology, "    "));
}

std::string_view KindName(MemoryKind kind) {
  if (kind == MemoryKind::kDram) return "dram";
  return kind == MemoryKind::kSram ? "sram" : "register";
}

std::string TensorsText(const TensorNameSet& tensors) {
  return tensors.all ? "all" : FlowList(tensors.names);
}

// The level's width where it is not the architecture's, and the tensors of other widths.
void AddWordBits(const Level& level, int default_word_bits, FlowObject* text) {
  FlowObject exceptions;
  for (const Partition& part : level.partitions) {
    if (part.word_bits == level.word_bits) continue;
    exceptions.Add(part.tensor, fmt::format("{}", part.word_bits));
  }
  for (const TensorBits& bits : level.tensor_bits) {
    exceptions.Add(bits.tensor, fmt::format("{}", bits.word_bits));
  }
  const bool differs = level.word_bits != default_word_bits;
  if (exceptions.empty()) {
    if (differs) text->Add("word_bits", fmt::format("{}", level.word_bits));
    return;
  }
  if (differs) exceptions.Add("all", fmt::format("{}", level.word_bits));
  text->Add("word_bits", exceptions.ToString());
}

void AddCapacity(const Level& level, FlowObject* text) {
  if (level.capacity_words) text->Add("capacity", CapacityText(level.capacity_words));
  if (level.partitions.empty()) return;
  FlowObject parts;
  for (const Partition& part : level.partitions) {
    const std::string capacity = CapacityText(part.capacity_words);
    if (!part.kind) {
      parts.Add(part.tensor, capacity);
      continue;
    }
    FlowObject own;
    own.Add("capacity", capacity).Add("kind", KindName(*part.kind));
    parts.Add(part.tensor, own.ToString());
  }
  text->Add("partition", parts.ToString());
}

void AddEnergy(const AccessEnergy& energy, FlowObject* text) {
  FlowObject figures;
  figures.Add("read", EnergyText(energy.read_pj));
  if (energy.fill_pj == energy.update_pj) {
    figures.Add("write", EnergyText(energy.fill_pj));
  } else {
    figures.Add("fill", EnergyText(energy.fill_pj)).Add("update", EnergyText(energy.update_pj));
  }
  text->Add("energy", figures.ToString());
}

std::string LevelText(const Level& level, int default_word_bits) {
  FlowObject text;
  text.Add("name", Scalar(level.name)).Add("kind", KindName(level.kind));
  AddCapacity(level, &text);
  AddWordBits(level, default_word_bits, &text);
  if (level.block_words != 1) text.Add("block", CapacityText(level.block_words));
  if (level.buffering == 2) {
    text.Add("double_buffer", "true");
  } else if (level.buffering != 1) {
    text.Add("buffering", ToText(level.buffering));
  }
  if (level.read_bandwidth) text.Add("read_bandwidth", BandwidthText(*level.read_bandwidth));
  if (level.write_bandwidth) text.Add("write_bandwidth", BandwidthText(*level.write_bandwidth));
  if (level.shared_bandwidth) text.Add("shared_bandwidth", BandwidthText(*level.shared_bandwidth));
  if (level.energy) AddEnergy(*level.energy, &text);
  if (level.leakage_pj_per_cycle != 0) {
    text.Add("leakage", LeakageText(level.leakage_pj_per_cycle));
  }
  if (level.keep) text.Add("keep", TensorsText(*level.keep));
  if (level.bypass) text.Add("bypass", TensorsText(*level.bypass));
  return fmt::format("  - {}\n", text.ToString());
}

std::string FanoutText(const Fanout& fanout, const std::string& name) {
  FlowObject text;
  text.Add("fanout", Scalar(name));
  text.Add("x", fmt::format("{}", fanout.x));
  if (fanout.y != 1) text.Add("y", fmt::format("{}", fanout.y));
  text.Add("multicast", fanout.multicast == Multicast::kTile ? "tile" : "none");
  text.Add("reduce", fanout.reduce ? "true" : "false");
  return fmt::format("  - {}\n", text.ToString());
}

std::string FactorScalar(const FactorBound& factor) {
  const std::string text = FactorText(factor);
  const bool bare = factor.relation == Relation::kEqual && !factor.if_fits;  // a number, or 'all'
  return bare ? text : Scalar(text);
}

std::string ConstraintText(const Constraint& constraint) {
  FlowObject text;
  text.Add("at", Scalar(constraint.at));
  if (constraint.x) text.Add("x", FlowList(*constraint.x));
  if (constraint.y) text.Add("y", FlowList(*constraint.y));
  if (!constraint.not_x.empty()) text.Add("not_x", FlowList(constraint.not_x));
  if (!constraint.not_y.empty()) text.Add("not_y", FlowList(constraint.not_y));
  if (constraint.loops) text.Add("loops", FlowList(*constraint.loops));
  FlowObject factors;
  for (const FactorBound& factor : constraint.factors) {
    factors.Add(factor.dim, FactorScalar(factor));
  }
  if (!factors.empty()) text.Add("factors", factors.ToString());
  if (const auto& factor = constraint.default_factor) {
    text.Add("default_factor", FactorScalar(*factor));
  }
  if (!constraint.innermost.empty()) text.Add("innermost", FlowList(constraint.innermost));
  if (!constraint.outermost.empty()) text.Add("outermost", FlowList(constraint.outermost));
  if (!constraint.keep.empty()) text.Add("keep", FlowList(constraint.keep));
  if (!constraint.bypass.empty()) text.Add("bypass", FlowList(constraint.bypass));
  if (constraint.min_utilization) {
    text.Add("utilization", Scalar(UtilizationText(*constraint.min_utilization)));
  }
  if (constraint.remainders) text.Add("remainders", fmt::format("{}", *constraint.remainders));
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
  return DocumentStart("technology", technology.name) + TechnologyBody(technology, "  ");
}

std::string WriteNative(const Architecture& architecture, const NativeContext& context) {
  std::string text = DocumentStart("architecture", architecture.name);
  if (architecture.technology) text += TechnologyRef(*architecture.technology, context);
  const Compute& compute = architecture.compute;
  text += fmt::format("  word_bits: {}\n  levels:\n", compute.word_bits);
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    text += LevelText(level, compute.word_bits);
    if (level.fanout != Fanout()) text += FanoutText(level.fanout, FanoutName(architecture, l));
  }
  FlowObject units;
  units.Add("compute", Scalar(compute.name));
  if (compute.energy_pj) units.Add("energy", EnergyText(*compute.energy_pj));
  text += fmt::format("  - {}\n", units.ToString());
  if (architecture.constraints.empty()) return text;
  text += "  constraints:\n";
  for (const Constraint& constraint : architecture.constraints) text += ConstraintText(constraint);
  return text;
}

}  // namespace inlay::io

#include "inlay/core/shown_hardware.h"

#include "inlay/base/fields.h"

namespace inlay {

// Tables of what only these two show.
const Structure& StructureOf(const ShownPartition*);
const Structure& StructureOf(const ShownFanout*);
const Structure& StructureOf(const ShownLevel*);
const Structure& StructureOf(const ShownCompute*);
const Structure& StructureOf(const ShownVectorUnit*);
const Structure& StructureOf(const ShownUnit*);
const Structure& StructureOf(const ShownMemory*);
const Structure& StructureOf(const ShownDma*);

namespace {

bool HasNoPartitions(const void* level) { return fields::As<ShownLevel>(level).partitions.empty(); }

constexpr FieldTraits kLeftOutIfDefault = {.presence = Presence::kUnlessDefault};
constexpr FieldTraits kNullIfUnlimited = {.presence = Presence::kNull};

}  // namespace

const Structure& StructureOf(const ShownPartition*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownPartition::kind>("kind", "the kind of memory"),
      Row<&ShownPartition::word_bits>("word_bits", "the width of a word"),
      Row<&ShownPartition::capacity_words>(
          "capacity_words", "what the tensor has to itself; null: unbounded", kNullIfUnlimited),
      Row<&ShownPartition::energy>("energy", "of one access"),
  });
  return Describe<ShownPartition, kFields>("ShownPartition");
}

const Structure& StructureOf(const ShownFanout*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownFanout::x>("x", "lanes along x"),
      Row<&ShownFanout::y>("y", "lanes along y"),
      Row<&ShownFanout::name>("name", "the array", kLeftOutIfDefault),
      Row<&ShownFanout::multicast>("multicast",
                                   "tile: lanes that need the same tile share one read; none"),
      Row<&ShownFanout::reduce>("reduce", "whether sums of lanes are added on their way out"),
      Row<&ShownFanout::skew_cycles>("skew_cycles", "from the first lane to the last and back",
                                     kLeftOutIfDefault),
  });
  return Describe<ShownFanout, kFields>("ShownFanout");
}

const Structure& StructureOf(const ShownLevel*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownLevel::name>("name", "the level"),
      Row<&ShownLevel::kind>("kind", "the kind of memory"),
      Row<&ShownLevel::ports>("ports", "of an SRAM: 1rw or 1r1w", kLeftOutIfDefault),
      Row<&ShownLevel::dram>("dram", "the technology's kind of memory off chip; none: its first",
                             kLeftOutIfDefault),
      Row<&ShownLevel::word_bits>("word_bits", "the width of a word"),
      Row<&ShownLevel::tensor_bits>("tensor_bits", "tensors whose words have another width",
                                    kLeftOutIfDefault),
      Row<&ShownLevel::instances>("instances", "how many there are in all"),
      Row<&ShownLevel::capacity_words>("capacity_words", "what one instance holds; null: unbounded",
                                       {.presence = Presence::kNull, .applies = HasNoPartitions}),
      Row<&ShownLevel::energy>("energy", "of one access"),
      Row<&ShownLevel::partitions>("partitions", "by tensor: the part that it has to itself",
                                   kLeftOutIfDefault),
      Row<&ShownLevel::block_words>("block_words", "words that one access moves",
                                    kLeftOutIfDefault),
      Row<&ShownLevel::buffering>("buffering", "what the capacity is divided by",
                                  {.presence = Presence::kUnlessDefault, .as_whole = true}),
      Row<&ShownLevel::read_bandwidth>("read_bandwidth",
                                       "words per cycle and instance; none: unlimited"),
      Row<&ShownLevel::write_bandwidth>("write_bandwidth", "the same of writes"),
      Row<&ShownLevel::shared_bandwidth>("shared_bandwidth", "the same of both together"),
      Row<&ShownLevel::leakage_pj_per_cycle>("leakage_pj_per_cycle", "of one instance",
                                             kLeftOutIfDefault),
      Row<&ShownLevel::latency_cycles>("latency_cycles", "from a request to the first word",
                                       kLeftOutIfDefault),
      Row<&ShownLevel::transfer_cycles>("transfer_cycles", "of each tile moved, beside the words",
                                        kLeftOutIfDefault),
      Row<&ShownLevel::overlap>("overlap",
                                "double: the next tile comes while this one is worked on; none: "
                                "work waits; absent: words come when needed",
                                kLeftOutIfDefault),
      Row<&ShownLevel::keep>("keep", "tensors that it must hold"),
      Row<&ShownLevel::bypass>("bypass", "tensors that it must not hold"),
      Row<&ShownLevel::note>("note", "a line for people", kLeftOutIfDefault),
      Row<&ShownLevel::fanout>("fanout", "the array below each instance"),
  });
  return Describe<ShownLevel, kFields>("ShownLevel");
}

const Structure& StructureOf(const ShownCompute*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownCompute::name>("name", "the multiply-accumulate units"),
      Row<&ShownCompute::word_bits>("word_bits", "their width"),
      Row<&ShownCompute::type>("type", "of its numbers; none: integers", kLeftOutIfDefault),
      Row<&ShownCompute::instances>("instances", "how many there are in all"),
      Row<&ShownCompute::energy_pj>("energy_pj", "of one operation"),
  });
  return Describe<ShownCompute, kFields>("ShownCompute");
}

const Structure& StructureOf(const ShownVectorUnit*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownVectorUnit::name>("name", "the vector units"),
      Row<&ShownVectorUnit::ops>("ops", "what they do"),
      Row<&ShownVectorUnit::below>("below", "the level, or the fan-out, below which they stand"),
      Row<&ShownVectorUnit::instances>("instances", "how many there are in all"),
      Row<&ShownVectorUnit::ops_per_cycle>("ops_per_cycle", "of one of them"),
      Row<&ShownVectorUnit::energy_pj>("energy_pj", "of one operation"),
  });
  return Describe<ShownVectorUnit, kFields>("ShownVectorUnit");
}

const Structure& StructureOf(const ShownArchitecture*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownArchitecture::name>("name", "the architecture"),
      Row<&ShownArchitecture::levels>("levels", "outer to inner"),
      Row<&ShownArchitecture::compute>("compute", "what computes"),
      Row<&ShownArchitecture::vector_units>(
          "vector_units", "what computes the nodes that do not multiply", kLeftOutIfDefault),
      Row<&ShownArchitecture::area_um2>("area_um2", "of all instances, by the technology"),
      Row<&ShownArchitecture::clock_hz>("clock_hz", "cycles per second", {.as_whole = true}),
      Row<&ShownArchitecture::launch_cycles>("launch_cycles", "of every layer, before it begins",
                                             kLeftOutIfDefault),
      Row<&ShownArchitecture::power_limit_w>("power_limit_w", "the most that it draws"),
      Row<&ShownArchitecture::idle_w>("idle_w", "what it draws whatever it does",
                                      kLeftOutIfDefault),
  });
  return Describe<ShownArchitecture, kFields>("ShownArchitecture");
}

const Structure& StructureOf(const ShownUnit*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownUnit::arch>("arch", "its architecture"),
      Row<&ShownUnit::macs_per_second>("macs_per_second", "its peak, where it has none"),
      Row<&ShownUnit::vector_ops_per_second>("vector_ops_per_second",
                                             "the rate of nodes that do not multiply"),
  });
  return Describe<ShownUnit, kFields>("ShownUnit");
}

const Structure& StructureOf(const ShownMemory*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownMemory::bytes>("bytes", "its size"),
      Row<&ShownMemory::alignment_bytes>("alignment_bytes", "addresses are multiples of it"),
      Row<&ShownMemory::bytes_per_second>("bytes_per_second", "null: unlimited", kNullIfUnlimited),
      Row<&ShownMemory::pj_per_byte>("pj_per_byte", "energy of a byte moved"),
      Row<&ShownMemory::reached_by>("reached_by", "the units that read and write it"),
  });
  return Describe<ShownMemory, kFields>("ShownMemory");
}

const Structure& StructureOf(const ShownDma*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownDma::engines>("engines", "transfers at a time"),
      Row<&ShownDma::moves>("moves", "pairs of memories between which data can be moved"),
  });
  return Describe<ShownDma, kFields>("ShownDma");
}

const Structure& StructureOf(const ShownMachine*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownMachine::name>("name", "the machine"),
      Row<&ShownMachine::clock_hz>("clock_hz", "cycles per second"),
      Row<&ShownMachine::units>("units", "what computes"),
      Row<&ShownMachine::memories>("memories", "the scratchpads"),
      Row<&ShownMachine::offchip>("offchip", "the way to the memory off chip"),
      Row<&ShownMachine::dma>("dma", "what moves data"),
  });
  return Describe<ShownMachine, kFields>("ShownMachine");
}

namespace {

std::optional<std::vector<std::string>> NamesOf(const std::optional<TensorNameSet>& tensors) {
  if (!tensors) return std::nullopt;
  return tensors->all ? std::vector<std::string>{"all"} : tensors->names;
}

ShownLevel Show(const Architecture& architecture, LevelId id) {
  const Level& level = architecture.levels[id];
  ShownLevel shown{
      .name = level.name,
      .kind = level.kind,
      .ports = level.ports,
      .dram = level.dram,
      .word_bits = level.word_bits,
      .instances = Instances(architecture, id),
      .capacity_words = level.capacity_words,
      .block_words = level.block_words,
      .buffering = level.buffering,
      .read_bandwidth = level.read_bandwidth,
      .write_bandwidth = level.write_bandwidth,
      .shared_bandwidth = level.shared_bandwidth,
      .leakage_pj_per_cycle = level.leakage_pj_per_cycle,
      .latency_cycles = level.latency_cycles,
      .transfer_cycles = level.transfer_cycles,
      .overlap = level.overlap,
      .keep = NamesOf(level.keep),
      .bypass = NamesOf(level.bypass),
      .note = level.note,
      .fanout = {level.fanout.name, level.fanout.x, level.fanout.y, Name(level.fanout.multicast),
                 level.fanout.reduce, level.fanout.skew_cycles}};
  for (const TensorBits& bits : level.tensor_bits) {
    shown.tensor_bits.emplace_back(bits.tensor, bits.word_bits);
  }
  if (level.partitions.empty()) shown.energy = EnergyOf(architecture, id, "");
  for (const Partition& part : level.partitions) {
    shown.partitions.emplace_back(
        part.tensor, ShownPartition{part.kind.value_or(level.kind), part.word_bits,
                                    part.capacity_words, EnergyOf(architecture, id, part.tensor)});
  }
  return shown;
}

}  // namespace

ShownArchitecture Show(const Architecture& architecture) {
  ShownArchitecture shown{.name = architecture.name,
                          .compute = {architecture.compute.name, architecture.compute.word_bits,
                                      architecture.compute.type, ComputeLanes(architecture),
                                      ComputeEnergyPj(architecture)},
                          .area_um2 = AreaUm2(architecture),
                          .clock_hz = architecture.clock_hz,
                          .launch_cycles = architecture.launch_cycles,
                          .power_limit_w = architecture.power_limit_w,
                          .idle_w = architecture.idle_w};
  for (LevelId l : Ids(architecture.levels)) shown.levels.push_back(Show(architecture, l));
  const VectorUnits& vector = architecture.vector_units;
  for (const VectorUnit& unit : vector.units) {
    const Level& above = architecture.levels[vector.below];
    ShownVectorUnit of{unit.name,
                       {},
                       vector.in_fanout ? above.fanout.name : above.name,
                       VectorInstances(architecture),
                       unit.ops_per_cycle,
                       unit.energy_pj};
    for (const auto& row : kNames<VectorOp>) {
      if (unit.ops.contains(row.value)) of.ops.emplace_back(row.name);
    }
    shown.vector_units.push_back(std::move(of));
  }
  return shown;
}

ShownMachine Show(const Machine& machine) {
  ShownMachine shown{.name = machine.name,
                     .clock_hz = machine.clock_hz,
                     .offchip = machine.offchip,
                     .dma = {machine.dma.engines, {}}};
  for (const ComputeUnit& unit : machine.units) {
    shown.units.emplace_back(unit.name,
                             unit.architecture
                                 ? ShownUnit{.arch = unit.architecture->name}
                                 : ShownUnit{.macs_per_second = unit.macs_per_second,
                                             .vector_ops_per_second = unit.vector_ops_per_second});
  }
  for (const Scratchpad& pad : machine.pads) {
    ShownMemory memory{pad.bytes, pad.alignment_bytes, pad.bytes_per_second, pad.pj_per_byte, {}};
    for (const UnitId unit : pad.reached_by) memory.reached_by.push_back(machine.units[unit].name);
    shown.memories.emplace_back(pad.name, std::move(memory));
  }
  for (const auto& [from, to] : machine.dma.moves) {
    shown.dma.moves.push_back({machine.pads[from].name, machine.pads[to].name});
  }
  return shown;
}

}  // namespace inlay

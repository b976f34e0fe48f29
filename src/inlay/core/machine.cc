#include "inlay/core/machine.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/units.h"

namespace inlay {
namespace {

template <typename Part>
constexpr Field kBandwidthKey =
    KeyOf<&Part::bytes_per_second>("bandwidth", "bytes moved in or out; unlimited if left out",
                                   {.unit = &kByteRateUnits})
        .InResults("bytes_per_second", {.presence = Presence::kNull});
template <typename Part>
constexpr Field kEnergyKey = KeyOf<&Part::pj_per_byte>("energy",
                                                       "of moving a byte in or out (default {})",
                                                       {.unit = &kByteEnergyUnits,
                                                        .unless_default = true})
                                 .InResults("pj_per_byte");

class MachineChecker {
 public:
  explicit MachineChecker(const Machine& machine) : machine_(machine) {}

  Faults Check() {
    if (!IsPositive(machine_.clock_hz)) Add("clock", "the clock must be more than 0");
    CheckUnits();
    for (const Scratchpad& pad : machine_.pads) CheckPad(pad);
    CheckLink("offchip", machine_.offchip.bytes_per_second, machine_.offchip.pj_per_byte);
    CheckMoves();
    return std::move(faults_);
  }

 private:
  void Add(std::string where, std::string message, std::string hint = "") {
    faults_.push_back({std::move(where), std::move(message), std::move(hint)});
  }

  void CheckUnits() {
    if (machine_.units.empty()) Add("units", "the machine has nothing that computes");
    for (const ComputeUnit& unit : machine_.units) {
      const std::string where = "units." + unit.name;
      if (!names_.insert(unit.name).second) Add(where, "two parts are called '" + unit.name + "'");
      if (unit.vector_ops_per_second) CheckVector(where + ".vector", unit);
      if (unit.architecture) continue;
      if (!IsPositive(unit.macs_per_second)) Add(where + ".peak", "a peak must be more than 0");
    }
  }

  void CheckVector(const std::string& where, const ComputeUnit& unit) {
    if (!IsPositive(*unit.vector_ops_per_second)) Add(where, "a rate must be more than 0");
    if (!unit.architecture) return;
    Add(where, "'vector' is of a unit with a peak",
        "an architecture has vector units of its own: {compute: vector, ...}");
  }

  void CheckPad(const Scratchpad& pad) {
    const std::string where = "memories." + pad.name;
    if (!names_.insert(pad.name).second) Add(where, "two parts are called '" + pad.name + "'");
    if (pad.bytes < 1) Add(where + ".size", "a scratchpad needs at least a byte");
    if (pad.alignment_bytes < 1) Add(where + ".alignment", "an alignment is at least 1 B");
    if (pad.alignment_bytes > pad.bytes) {
      Add(where + ".alignment", "the alignment is larger than the scratchpad");
    }
    CheckLink(where, pad.bytes_per_second, pad.pj_per_byte);
    if (pad.reached_by.empty()) {
      Add(where + ".reached_by", "no unit reaches '" + pad.name + "'",
          "name the units that read and write it");
    }
    const std::set<UnitId> units(pad.reached_by.begin(), pad.reached_by.end());
    if (units.size() != pad.reached_by.size()) {
      Add(where + ".reached_by", "a unit is named twice");
    }
  }

  void CheckLink(const std::string& where, const std::optional<double>& rate, double energy) {
    if (rate && !IsPositive(*rate)) Add(where + ".bandwidth", "a bandwidth must be more than 0");
    if (!std::isfinite(energy) || energy < 0) {
      Add(where + ".energy", "an energy must not be negative");
    }
  }

  void CheckMoves() {
    if (machine_.dma.engines < 1) Add("dma.engines", "a machine needs at least one DMA engine");
    std::set<std::pair<PadId, PadId>> seen;
    for (const auto& [from, to] : machine_.dma.moves) {
      const std::string& name = machine_.pads[from].name;
      if (from == to) Add("dma.moves", "a move from '" + name + "' to itself");
      if (!seen.insert(std::minmax(from, to)).second) {
        Add("dma.moves",
            "moves between '" + name + "' and '" + machine_.pads[to].name + "' are given twice");
      }
    }
  }

  const Machine& machine_;
  std::set<std::string> names_;
  Faults faults_;
};

// Bytes per second of a level that moves so many words per cycle.
std::optional<double> RateOf(const Level& level, double clock_hz) {
  std::optional<double> words = level.shared_bandwidth;
  for (const auto& other : {level.read_bandwidth, level.write_bandwidth}) {
    if (other) words = std::min(words.value_or(*other), *other);
  }
  if (!words) return std::nullopt;
  return *words * level.word_bits / 8 * clock_hz;
}

template <typename Id, typename Part>
std::optional<Id> FindByName(const IndexedVector<Id, Part>& parts, std::string_view name) {
  for (Id id : Ids(parts)) {
    if (parts[id].name == name) return id;
  }
  return std::nullopt;
}

}  // namespace

bool IsPositive(double value) { return std::isfinite(value) && value > 0; }

const Structure& StructureOf(const ComputeUnit*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&ComputeUnit::macs_per_second>("peak",
                                           "the rate of a unit that reads every operand once",
                                           {.unit = &kMacRateUnits,
                                            .what = "a peak such as '1.5 TMAC/s' or '3 TFLOP/s'",
                                            .unless_default = true}),
      KeyOf<&ComputeUnit::vector_ops_per_second>(
          "vector",
          "the rate of the operations of nodes that do not multiply; they take the time of their "
          "bytes if left out",
          {.unit = &kOperationsPerSecondUnits}),
      ByHand("arch",
             "a built-in architecture, or the one in the same files, by its name: the mapper says "
             "how often it reads"),
  });
  return DescribeKeys<ComputeUnit, kKeys>("a unit");
}

const Structure& StructureOf(const Scratchpad*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Scratchpad::bytes>("size", "how much it holds",
                                {.required = true, .unit = &kByteUnits}),
      kBandwidthKey<Scratchpad>,
      kEnergyKey<Scratchpad>,
      KeyOf<&Scratchpad::alignment_bytes>("alignment",
                                          "every address is a multiple of it (default {})",
                                          {.unit = &kByteUnits, .unless_default = true}),
      ByHand("reached_by", "the units that read and write it; all if left out"),
  });
  return DescribeKeys<Scratchpad, kKeys>("a memory");
}

const Structure& StructureOf(const OffChip*) {
  static constexpr auto kKeys = std::to_array<Field>({kBandwidthKey<OffChip>, kEnergyKey<OffChip>});
  return Describe<OffChip, kKeys>("OffChip", "the off-chip memory");
}

const Structure& StructureOf(const Dma*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Dma::engines>("engines", "transfers at a time (default {})", {.unless_default = true}),
      ByHand("moves", "pairs of memories between which data can be moved, both ways"),
  });
  return DescribeKeys<Dma, kKeys>("the DMA");
}

const Structure& StructureOf(const Machine*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Machine::name>("name", "what the machine is called in results",
                            {.required = true, .text = TextForm::kTitle}),
      KeyOf<&Machine::clock_hz>("clock", "turns figures per cycle into seconds (default {})",
                                {.unit = &kFrequencyUnits}),
      ByHand("units", "what computes", {.required = true}),
      ByHand("memories", "the scratchpads", {.required = true}),
      KeyOf<&Machine::offchip>("offchip", "the memory that holds everything", {.required = true}),
      ByHand("dma", "what moves data; off-chip transfers are always possible"),
  });
  return DescribeKeys<Machine, kKeys>("a machine");
}

Faults Validate(const Machine& machine) { return MachineChecker(machine).Check(); }

std::optional<UnitId> FindUnit(const Machine& machine, std::string_view name) {
  return FindByName(machine.units, name);
}

std::optional<PadId> FindPad(const Machine& machine, std::string_view name) {
  return FindByName(machine.pads, name);
}

tl::expected<Machine, Fault> MachineFrom(const Architecture& architecture, double clock_hz) {
  const LevelId outside(0), inside(1);
  const bool has_pad = architecture.levels.size() > 1 &&
                       architecture.levels[inside].capacity_words.has_value() &&
                       Instances(architecture, inside) == 1;
  const std::optional<int64_t> bits =
      has_pad ? CheckedMultiply(*architecture.levels[inside].capacity_words,
                                architecture.levels[inside].word_bits)
              : std::nullopt;
  if (!bits || *bits < 8) {
    return tl::unexpected<Fault>(
        {"levels", "architecture '" + architecture.name + "' has no memory that can be a pad",
         "the level below the outermost must be one memory of bounded size, without partitions"});
  }
  const Level& far = architecture.levels[outside];
  const Level& near = architecture.levels[inside];
  Machine machine;
  machine.name = architecture.name;
  machine.clock_hz = clock_hz;
  machine.units.push_back({"core", 0, architecture});
  const auto energy = [&](LevelId level) {
    const Level& memory = architecture.levels[level];
    return EnergyOf(architecture, level, "").read_pj * 8 / memory.word_bits /
           static_cast<double>(memory.block_words);
  };
  machine.pads.push_back(
      {near.name, *bits / 8, 1, RateOf(near, clock_hz), energy(inside), {UnitId(0)}});
  machine.offchip = {RateOf(far, clock_hz), energy(outside)};
  return machine;
}

}  // namespace inlay

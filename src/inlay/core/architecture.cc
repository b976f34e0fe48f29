#include "inlay/core/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/suggest.h"
#include "inlay/core/memory_table.h"
#include "inlay/core/units.h"

namespace inlay {
namespace {

constexpr int64_t kLargestBlock = int64_t{1} << 30;
constexpr double kMostKeyCycles = 1e15;

bool IsEnergy(double pj) { return std::isfinite(pj) && pj >= 0; }
bool IsKeyCycles(double cycles) {
  return std::isfinite(cycles) && cycles >= 0 && cycles <= kMostKeyCycles;
}

void ValidateCapacity(const Level& level, const std::string& where, Faults* faults) {
  if (level.capacity_words && *level.capacity_words < 1) {
    faults->push_back(
        {where + ".capacity", "the capacity of '" + level.name + "' is below one word", ""});
  }
  if (level.capacity_words && !level.partitions.empty()) {
    faults->push_back(
        {where, "'" + level.name + "' has both a capacity and partitions", "give one of them"});
  }
  std::set<std::string> seen;
  for (const Partition& part : level.partitions) {
    const std::string part_where = where + ".partition." + part.tensor;
    if (!seen.insert(part.tensor).second) {
      faults->push_back(
          {part_where, "'" + level.name + "' has two partitions for '" + part.tensor + "'", ""});
    }
    if (part.capacity_words && *part.capacity_words < 1) {
      faults->push_back(
          {part_where, "the partition for '" + part.tensor + "' is below one word", ""});
    }
    if (part.word_bits < 1)
      faults->push_back({part_where, "word_bits must be a whole number from 1", ""});
  }
  if (level.word_bits < 1) {
    faults->push_back({where + ".word_bits", "word_bits must be a whole number from 1", ""});
  }
  for (const TensorBits& exception : level.tensor_bits) {
    if (exception.word_bits >= 1) continue;
    faults->push_back(
        {where + ".word_bits." + exception.tensor, "word_bits must be a whole number from 1", ""});
  }
  if (level.block_words < 1 || level.block_words > kLargestBlock) {
    faults->push_back({where + ".block", "a block must have from 1 to 2^30 words", ""});
  }
  if (!(std::isfinite(level.buffering) && level.buffering >= 1)) {
    faults->push_back({where, "buffering must be a number from 1", ""});
  }
}

void ValidateRates(const Level& level, const std::string& where, Faults* faults) {
  const std::pair<const char*, const std::optional<double>*> bandwidths[] = {
      {".read_bandwidth", &level.read_bandwidth},
      {".write_bandwidth", &level.write_bandwidth},
      {".shared_bandwidth", &level.shared_bandwidth}};
  for (const auto& [key, value] : bandwidths) {
    if (!*value || (std::isfinite(**value) && **value > 0)) continue;
    faults->push_back({where + key, "a bandwidth of '" + level.name + "' is not a positive number",
                       "leave it out where there is no limit"});
  }
  if (level.energy && !(IsEnergy(level.energy->read_pj) && IsEnergy(level.energy->fill_pj) &&
                        IsEnergy(level.energy->update_pj))) {
    faults->push_back({where + ".energy",
                       "energies of '" + level.name + "' must be finite and not negative", ""});
  }
  if (!IsEnergy(level.leakage_pj_per_cycle)) {
    faults->push_back({where + ".leakage",
                       "the leakage of '" + level.name + "' must be finite and not negative", ""});
  }
}

void ValidateTime(const Level& level, const std::string& where, Faults* faults) {
  const std::pair<const char*, double> cycles[] = {{"latency", level.latency_cycles},
                                                   {"transfer", level.transfer_cycles}};
  for (const auto& [key, value] : cycles) {
    if (IsKeyCycles(value)) continue;
    faults->push_back({where + "." + key,
                       fmt::format("the {} of '{}' must be from 0 to 1e15 cycles", key, level.name),
                       ""});
  }
  if (!IsKeyCycles(level.fanout.skew_cycles)) {
    faults->push_back({"levels." + level.fanout.name, "a skew must be from 0 to 1e15 cycles", ""});
  }
}

void ValidateResidency(const Level& level, const std::string& where, Faults* faults) {
  if (!level.keep || !level.bypass) return;
  if (level.keep->all && level.bypass->all) {
    faults->push_back(
        {where + ".bypass", "'" + level.name + "' both keeps and bypasses all tensors", ""});
  }
  for (const std::string& name : level.keep->names) {
    if (level.bypass->lists(name)) {
      faults->push_back(
          {where + ".bypass", "'" + level.name + "' both keeps and bypasses '" + name + "'", ""});
    }
  }
}

// A memory of a level: the level's own, or the part of it that a tensor has to itself.
struct LevelMemory {
  MemoryKind kind = MemoryKind::kSram;
  std::optional<int64_t> capacity_words;
  int capacity_word_bits = 16;
  std::string tensor = {};  // of a part
};

std::vector<LevelMemory> MemoriesOf(const Level& level) {
  if (level.partitions.empty()) return {{level.kind, level.capacity_words, level.word_bits}};
  std::vector<LevelMemory> memories;
  for (const Partition& part : level.partitions) {
    memories.push_back(
        {part.kind.value_or(level.kind), part.capacity_words, part.word_bits, part.tensor});
  }
  return memories;
}

MemorySize SizeOf(const Level& level, const LevelMemory& memory, int access_word_bits) {
  return {static_cast<double>(memory.capacity_words.value_or(0)) * memory.capacity_word_bits,
          static_cast<double>(level.block_words) * access_word_bits, level.ports};
}

// The kind of memory off chip that the technology prices the level by; null: it has none.
const DramKind* DramOf(const Technology& technology, const Level& level, MemoryKind kind) {
  if (kind != MemoryKind::kDram || technology.dram_kinds.empty()) return nullptr;
  if (level.dram.empty()) return &technology.dram_kinds.front();
  return FindDram(technology, level.dram);
}

// An energy that depends on the size cannot be derived without one, nor one of ports that the table
// does not have.
void ValidateDerivedEnergy(const Technology& technology, const Level& level,
                           const std::string& where, Faults* faults) {
  for (const LevelMemory& memory : MemoriesOf(level)) {
    if (DramOf(technology, level, memory.kind) != nullptr) continue;
    const std::string part = memory.tensor.empty() ? where : where + ".partition." + memory.tensor;
    const MemoryTechnology& prices = technology.Of(memory.kind);
    const bool by_size =
        !prices.table.empty() || prices.energy_pj.linear != 0 || prices.energy_pj.root != 0;
    if (by_size && !memory.capacity_words) {
      faults->push_back({part, "'" + level.name + "' has no capacity, on which its energy depends",
                         "give it a capacity, or 'energy: {read: …, write: …}'"});
    }
    const bool knows_ports = prices.table.empty() ? level.ports == MemoryPorts::kReadOrWrite
                                                  : HasPorts(prices.table, level.ports);
    if (knows_ports) continue;
    faults->push_back({where + ".ports",
                       "technology '" + technology.name + "' has no figures for memories of kind " +
                           Name(memory.kind) + " with ports " + Name(level.ports),
                       "give 'energy: {read: …, write: …}', or leave 'ports' out"});
  }
}

std::vector<std::string> DramNames(const Technology& technology) {
  std::vector<std::string> names;
  for (const DramKind& kind : technology.dram_kinds) names.push_back(kind.name);
  return names;
}

void ValidateDram(const Architecture& architecture, const Level& level, const std::string& where,
                  Faults* faults) {
  if (level.dram.empty()) return;
  if (level.kind != MemoryKind::kDram) {
    faults->push_back({where + ".dram", "'" + level.name + "' is not of kind dram", ""});
  } else if (!architecture.technology || architecture.technology->dram_kinds.empty()) {
    faults->push_back(
        {where + ".dram",
         "there is no technology with kinds of memory off chip to look '" + level.dram + "' up in",
         "give the architecture one, such as cmos-45"});
  } else if (FindDram(*architecture.technology, level.dram) == nullptr) {
    faults->push_back(
        {where + ".dram",
         "technology '" + architecture.technology->name + "' has no memory '" + level.dram + "'",
         SuggestionHint(level.dram, DramNames(*architecture.technology))});
  }
}

void ValidateType(const Architecture& architecture, Faults* faults) {
  const Compute& compute = architecture.compute;
  if (compute.type.empty()) return;
  const std::string where = "levels." + compute.name + ".type";
  if (!architecture.technology || architecture.technology->arithmetic.empty()) {
    faults->push_back(
        {where,
         "there is no technology with arithmetic by type to look '" + compute.type + "' up in",
         "give the architecture one, such as cmos-45"});
  } else if (!HasType(*architecture.technology, compute.type)) {
    std::vector<std::string> types;
    for (const Arithmetic& unit : architecture.technology->arithmetic) types.push_back(unit.type);
    faults->push_back({where,
                       "technology '" + architecture.technology->name + "' has no arithmetic '" +
                           compute.type + "'",
                       SuggestionHint(compute.type, types)});
  }
}

void ValidateLevel(const Architecture& architecture, const Level& level, Faults* faults) {
  const std::string where = "levels." + level.name;
  ValidateCapacity(level, where, faults);
  ValidateRates(level, where, faults);
  ValidateTime(level, where, faults);
  ValidateResidency(level, where, faults);
  if (level.fanout.x < 1 || level.fanout.y < 1) {
    faults->push_back({"levels." + level.fanout.name, "a fan-out is below one lane", ""});
  }
  ValidateDram(architecture, level, where, faults);
  if (!level.energy && architecture.technology) {
    ValidateDerivedEnergy(*architecture.technology, level, where, faults);
  }
  if (!level.energy && !architecture.technology) {
    faults->push_back(
        {where, "'" + level.name + "' has no energies",
         "give the architecture a technology, or the level 'energy: {read: …, write: …}'"});
  }
}

// The clock, the launch and the power of the whole.
void ValidatePower(const Architecture& architecture, Faults* faults) {
  const auto is_power = [](double watts) { return std::isfinite(watts) && watts >= 0; };
  const std::optional<double>& clock = architecture.clock_hz;
  if (clock && !(std::isfinite(*clock) && *clock > 0)) {
    faults->push_back({"clock", "the clock must be more than 0", "write for example '1 GHz'"});
  }
  if (!IsKeyCycles(architecture.launch_cycles)) {
    faults->push_back({"launch", "a launch must be from 0 to 1e15 cycles", ""});
  }
  if (!is_power(architecture.idle_w)) {
    faults->push_back({"idle", "a power must be finite and not negative", ""});
  }
  const std::optional<double>& limit = architecture.power_limit_w;
  if (limit && !(is_power(*limit) && *limit > architecture.idle_w)) {
    faults->push_back({"power_limit", "the power limit leaves nothing above the idle power",
                       "the limit is of everything, idle power included"});
  }
  if (clock) return;
  const std::string hint = "give the architecture a clock such as '1 GHz'";
  if (architecture.idle_w > 0) {
    faults->push_back({"idle", "an idle power in watts needs a clock", hint});
  }
  if (limit) faults->push_back({"power_limit", "a power limit in watts needs a clock", hint});
}

double Scale(const Technology& technology, int word_bits) {
  return static_cast<double>(word_bits) / technology.word_bits;
}

}  // namespace

const Structure& StructureOf(const AccessEnergy*) {
  static constexpr KeyTraits kEnergy = {.unit = &kEnergyUnits, .free = true};
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&AccessEnergy::read_pj>("read", "of a block read",
                                    {.required = true, .unit = &kEnergyUnits, .free = true})
          .InResults("read_pj"),
      KeyOf<&AccessEnergy::fill_pj, &AccessEnergy::update_pj>(
          "write", "of a block written, from either side", kEnergy),
      KeyOf<&AccessEnergy::fill_pj>(
          "fill", "of a block written from the outer side, where it differs", kEnergy)
          .InResults("fill_pj"),
      KeyOf<&AccessEnergy::update_pj>(
          "update", "of a block written from the inner side, where it differs", kEnergy)
          .InResults("update_pj"),
  });
  return Describe<AccessEnergy, kKeys>("AccessEnergy",
                                       "energies such as '{read: 4.6 pJ, write: 4.6 pJ}'");
}

const Structure& StructureOf(const Partition*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Partition::capacity_words>("capacity", "how much the tensor has to itself",
                                        {.required = true, .unit = &kCapacityUnits, .free = true}),
      KeyOf<&Partition::word_bits>(
          "word_bits", "the width of its words, where it is not the level's", kWordBitsTraits),
      KeyOf<&Partition::kind>("kind", "the kind of its memory, where it is not the level's"),
  });
  return DescribeKeys<Partition, kKeys>("a part such as '{capacity: 128 words, kind: register}'");
}

const Structure& StructureOf(const Level*) {
  static constexpr KeyTraits kBandwidth = {
      .unit = &kLevelBandwidthUnits, .what = "a bandwidth such as '16 words/cycle'", .free = true};
  static constexpr KeyTraits kCycles = {.unit = &kCycleUnits,
                                        .what = "a time such as '400 cycles' or '200 ns'",
                                        .unless_default = true};
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Level::name>("name", "the name of the level",
                          {.required = true, .text = TextForm::kName}),
      KeyOf<&Level::kind>("kind", "the kind of memory, which selects the technology's figures",
                          {.required = true}),
      KeyOf<&Level::capacity_words>(
          "capacity", "how much one instance holds, shared by all tensors; unbounded if left out",
          {.unit = &kCapacityUnits, .free = true}),
      ByHand("partition", "instead of a capacity: how much each tensor has to itself"),
      KeyOf<&Level::word_bits>(
          "word_bits",
          "the width of a word; a mapping gives tensors of other widths ('all': the rest)",
          kFreeWordBits),
      KeyOf<&Level::block_words>("block", "how much one access moves (default: 1 word)",
                                 {.unit = &kCapacityUnits, .unless_default = true, .free = true}),
      ByHand("double_buffer", "whether only half of the capacity can be used by a tile"),
      KeyOf<&Level::buffering>("buffering",
                               "instead of double_buffer: the capacity is divided by this number",
                               {.what = "a number from 1", .unless_default = true, .free = true}),
      KeyOf<&Level::read_bandwidth>("read_bandwidth", "per instance; unlimited if left out",
                                    kBandwidth),
      KeyOf<&Level::write_bandwidth>("write_bandwidth", "per instance; unlimited if left out",
                                     kBandwidth),
      KeyOf<&Level::shared_bandwidth>("shared_bandwidth",
                                      "of reads and writes together, per instance", kBandwidth),
      KeyOf<&Level::energy>("energy", "of one access; by the technology if left out"),
      KeyOf<&Level::ports>("ports",
                           "of a memory that the technology prices: 1rw: one read or one write at "
                           "a time; 1r1w: one of each (default {})",
                           {.unless_default = true}),
      KeyOf<&Level::dram>("dram",
                          "of kind dram: which of the technology's kinds of memory off chip; the "
                          "first if left out",
                          {.unless_default = true}),
      KeyOf<&Level::leakage_pj_per_cycle>(
          "leakage", "of one instance, whether it works or not",
          {.unit = &kLeakageUnits, .unless_default = true, .free = true}),
      KeyOf<&Level::latency_cycles>("latency", "from a request to the first word sent inward",
                                    kCycles),
      KeyOf<&Level::transfer_cycles>(
          "transfer", "of each tile that it is fed, beside the words: a DMA descriptor", kCycles),
      KeyOf<&Level::overlap>(
          "overlap",
          "stream: words come when needed; double: the next tile comes while this one is worked "
          "on; none: work waits while tiles are moved (default {})",
          {.unless_default = true}),
      KeyOf<&Level::keep>("keep", "the tensors that the level must hold"),
      KeyOf<&Level::bypass>("bypass",
                            "the tensors that it must not hold; without either key it keeps all"),
      KeyOf<&Level::note>("note", "a line for people, which 'inlay show' prints",
                          {.unless_default = true}),
  });
  return DescribeKeys<Level, kKeys>("a level");
}

const Structure& StructureOf(const Fanout*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Fanout::name>("fanout", "the name of the array below the level above",
                           {.required = true, .text = TextForm::kName}),
      KeyOf<&Fanout::x>("x", "lanes along x (default {})", {.free = true}),
      KeyOf<&Fanout::y>("y", "lanes along y (default {})", {.unless_default = true, .free = true}),
      KeyOf<&Fanout::multicast>(
          "multicast",
          "tile (or true): lanes that need the same tile share one read; none (or false): every "
          "lane reads for itself (default {})",
          {.what = "tile or none (true or false)"}),
      KeyOf<&Fanout::reduce>(
          "reduce", "whether sums of several lanes are added on their way out (default {})"),
      KeyOf<&Fanout::skew_cycles>(
          "skew", "fill and drain: until the last lane has its words and has given its results",
          {.unit = &kCycleUnits, .what = "a time such as '32 cycles'", .unless_default = true}),
  });
  return DescribeKeys<Fanout, kKeys>("a fan-out");
}

const Structure& StructureOf(const Compute*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Compute::name>("compute", "the name of the multiply-accumulate units",
                            {.required = true, .text = TextForm::kName}),
      KeyOf<&Compute::word_bits>("word_bits", "their width (default: the architecture's)",
                                 kFreeWordBits),
      KeyOf<&Compute::energy_pj>(
          "energy", "of one operation; by the technology if left out",
          {.unit = &kEnergyUnits, .what = "an energy such as '2.2 pJ'", .free = true}),
      KeyOf<&Compute::type>(
          "type",
          "of its numbers, by the technology's 'arithmetic' (int8, bf16); if left "
          "out, integers of its width",
          {.unless_default = true}),
  });
  return DescribeKeys<Compute, kKeys>("the compute");
}

const Structure& StructureOf(const Architecture*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Architecture::name>("name", "what the architecture is called in results"),
      ByHand("technology", "the name of a technology, or a technology in full"),
      ByHand("word_bits", "the width of a word where a level does not say otherwise (default 16)"),
      KeyOf<&Architecture::clock_hz>(
          "clock", "cycles per second; with it results have seconds, and rates may be in GB/s",
          {.unit = &kFrequencyUnits}),
      KeyOf<&Architecture::launch_cycles>("launch", "of every layer, before its first request",
                                          {.unit = &kCycleUnits,
                                           .what = "a time such as '3 us' or '2000 cycles'",
                                           .unless_default = true}),
      KeyOf<&Architecture::power_limit_w>("power_limit",
                                          "the most that the machine draws, idle power included",
                                          {.unit = &kWattUnits}),
      KeyOf<&Architecture::idle_w>("idle", "what the machine draws whatever it does",
                                   {.unit = &kWattUnits, .unless_default = true}),
      ByHand("levels",
             "outer to inner: levels, fan-outs below the level that feeds them, the compute last",
             {.required = true}),
      ByHand("constraints", "limits on the mappings that a search may try"),
      ByHand("budget", "what an architecture may take whose free attributes are to be chosen"),
  });
  return DescribeKeys<Architecture, kKeys>("an architecture");
}

bool TensorNameSet::lists(std::string_view name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool TensorNameSet::contains(std::string_view name) const { return all || lists(name); }

Faults Validate(const Architecture& architecture) {
  Faults faults;
  if (architecture.levels.empty())
    faults.push_back({"levels", "the architecture has no storage level", ""});
  if (architecture.levels.size() > kMaxLevels) {
    faults.push_back({"levels", "more than " + std::to_string(kMaxLevels) + " levels", ""});
  }
  std::set<std::string> seen;
  std::optional<int64_t> lanes = 1;
  for (const Level& level : architecture.levels) {
    for (const std::string& name : {level.name, level.fanout.name}) {
      if (!name.empty() && !seen.insert(name).second) {
        faults.push_back({"levels." + name, "the name '" + name + "' is used twice", ""});
      }
    }
    ValidateLevel(architecture, level, &faults);
    if (lanes) lanes = CheckedMultiply(*lanes, level.fanout.x);
    if (lanes) lanes = CheckedMultiply(*lanes, level.fanout.y);
  }
  if (!lanes || *lanes > kMostLanes)
    faults.push_back({"levels", "more than 2^40 compute lanes", ""});
  const Compute& compute = architecture.compute;
  if (!compute.name.empty() && seen.contains(compute.name)) {
    faults.push_back({"levels." + compute.name, "the name '" + compute.name + "' is used twice",
                      "give the compute a name of its own"});
  }
  seen.insert(compute.name);
  for (const VectorUnit& unit : architecture.vector_units.units) {
    if (unit.name.empty() || seen.insert(unit.name).second) continue;
    faults.push_back({"levels." + unit.name, "the name '" + unit.name + "' is used twice",
                      "give the vector unit a name of its own"});
  }
  for (Fault& fault : Validate(architecture.vector_units)) faults.push_back(std::move(fault));
  if (compute.energy_pj && !IsEnergy(*compute.energy_pj)) {
    faults.push_back({"levels." + compute.name,
                      "the energy of an operation must be finite and not negative", ""});
  }
  if (!compute.energy_pj && !architecture.technology) {
    faults.push_back({"levels." + compute.name, "the compute has no energy",
                      "give the architecture a technology, or the compute 'energy: 1 pJ'"});
  }
  ValidatePower(architecture, &faults);
  ValidateType(architecture, &faults);
  if (architecture.technology) {
    for (Fault& fault : Validate(*architecture.technology)) {
      fault.where = "technology." + fault.where;
      faults.push_back(fault);
    }
  }
  return faults;
}

bool HasTimeKeys(const Architecture& architecture) {
  const auto says_more = [](const Level& level) {
    return level.latency_cycles > 0 || level.transfer_cycles > 0 ||
           level.overlap != Overlap::kStream || level.fanout.skew_cycles > 0;
  };
  return architecture.launch_cycles > 0 || architecture.power_limit_w || architecture.idle_w > 0 ||
         std::any_of(architecture.levels.begin(), architecture.levels.end(), says_more);
}

Fault TimeKeysFault(const std::string& what) {
  return {"levels",
          what +
              " knows nothing of latency, transfer, overlap, skew, launch, power_limit and idle, "
              "which the architecture has",
          "leave these keys out, or use 'exact' semantics for single layers"};
}

std::optional<LevelId> FindLevel(const Architecture& architecture, std::string_view name) {
  for (LevelId l : Ids(architecture.levels)) {
    if (architecture.levels[l].name == name) return l;
  }
  return std::nullopt;
}

std::vector<std::string> LevelNames(const Architecture& architecture) {
  std::vector<std::string> names;
  for (const Level& level : architecture.levels) names.push_back(level.name);
  return names;
}

int WordBitsOf(const Level& level, std::string_view tensor) {
  for (const Partition& part : level.partitions) {
    if (part.tensor == tensor) return part.word_bits;
  }
  for (const TensorBits& exception : level.tensor_bits) {
    if (exception.tensor == tensor) return exception.word_bits;
  }
  return level.word_bits;
}

KeepRule KeepRuleOf(const Level& level, std::string_view tensor) {
  if (!level.partitions.empty() &&
      std::none_of(level.partitions.begin(), level.partitions.end(),
                   [tensor](const Partition& part) { return part.tensor == tensor; })) {
    return KeepRule::kBypass;
  }
  if (level.bypass && level.bypass->lists(tensor)) return KeepRule::kBypass;
  if (level.keep && level.keep->lists(tensor)) return KeepRule::kKeep;
  if (level.bypass && level.bypass->all) return KeepRule::kBypass;
  if (level.keep && level.keep->all) return KeepRule::kKeep;
  return level.keep || level.bypass ? KeepRule::kFree : KeepRule::kKeep;
}

int64_t Instances(const Architecture& architecture, LevelId level) {
  int64_t instances = 1;
  for (size_t l = 0; l < level.value(); ++l) {
    const Fanout& fanout = architecture.levels[LevelId(l)].fanout;
    instances *= fanout.x * fanout.y;
  }
  return instances;
}

int64_t ComputeLanes(const Architecture& architecture) {
  return Instances(architecture, LevelId(architecture.levels.size()));
}

int64_t VectorInstances(const Architecture& architecture) {
  const VectorUnits& vector = architecture.vector_units;
  return Instances(architecture, LevelId(vector.below.value() + (vector.in_fanout ? 1 : 0)));
}

AccessEnergy EnergyOf(const Architecture& architecture, LevelId level_id, std::string_view tensor) {
  const Level& level = architecture.levels[level_id];
  if (level.energy) return *level.energy;
  INLAY_CHECK(architecture.technology.has_value());
  const Technology& technology = *architecture.technology;
  LevelMemory memory = {level.kind, level.capacity_words, level.word_bits};
  const auto part = std::find_if(level.partitions.begin(), level.partitions.end(),
                                 [&](const Partition& p) { return p.tensor == tensor; });
  if (part != level.partitions.end()) {
    memory = {part->kind.value_or(level.kind), part->capacity_words, part->word_bits};
  } else if (!level.partitions.empty()) {
    return {};  // no memory holds it, so it has no size by which a table could price it
  }
  const int word_bits = WordBitsOf(level, tensor);
  if (const DramKind* dram = DramOf(technology, level, memory.kind)) {
    const double pj = dram->pj_per_bit * SizeOf(level, memory, word_bits).access_bits;
    return {pj, pj, pj};
  }
  const MemoryTechnology& prices = technology.Of(memory.kind);
  if (!prices.table.empty()) {
    const MemoryFigures figures = FiguresOf(prices.table, SizeOf(level, memory, word_bits));
    return {figures.read_pj, figures.write_pj, figures.write_pj};
  }
  const double pj = prices.energy_pj.At(static_cast<double>(memory.capacity_words.value_or(0))) *
                    Scale(technology, word_bits);
  return {pj, pj, pj};
}

double ComputeEnergyPj(const Architecture& architecture) {
  const Compute& compute = architecture.compute;
  if (compute.energy_pj) return *compute.energy_pj;
  INLAY_CHECK(architecture.technology.has_value());
  return FiguresOfMac(*architecture.technology, compute.type, compute.word_bits).energy_pj;
}

double LeakageUw(const Architecture& architecture, LevelId level_id) {
  if (!architecture.technology) return 0;
  const Level& level = architecture.levels[level_id];
  double leakage = 0;
  for (const LevelMemory& memory : MemoriesOf(level)) {
    const KnownMemories& table = architecture.technology->Of(memory.kind).table;
    if (!memory.capacity_words || !HasPorts(table, level.ports)) continue;
    leakage += FiguresOf(table, SizeOf(level, memory, memory.capacity_word_bits)).leakage_uw;
  }
  return leakage;
}

Faults Extrapolated(const Architecture& architecture) {
  Faults faults;
  if (!architecture.technology) return faults;
  const Technology& technology = *architecture.technology;
  for (const Level& level : architecture.levels) {
    if (level.energy) continue;
    for (const LevelMemory& memory : MemoriesOf(level)) {
      const KnownMemories& table = technology.Of(memory.kind).table;
      const MemorySize size = SizeOf(level, memory, memory.capacity_word_bits);
      if (!memory.capacity_words || !HasPorts(table, level.ports) || Covers(table, size)) continue;
      const std::string where = "levels." + level.name;
      faults.push_back({memory.tensor.empty() ? where : where + ".partition." + memory.tensor,
                        "the energies of '" + level.name + "' are extrapolated: technology '" +
                            technology.name + "' knows no memory of kind " + Name(memory.kind) +
                            " that is so large or so small, for accesses so wide",
                        "it has " + RangeText(table, level.ports)});
    }
  }
  return faults;
}

std::optional<double> AreaUm2(const Architecture& architecture) {
  if (!architecture.technology) return std::nullopt;
  const Technology& technology = *architecture.technology;
  const auto memory = [&technology](const Level& level, const LevelMemory& one) {
    if (!one.capacity_words || DramOf(technology, level, one.kind) != nullptr) return 0.0;
    const MemoryTechnology& prices = technology.Of(one.kind);
    if (HasPorts(prices.table, level.ports)) {
      return FiguresOf(prices.table, SizeOf(level, one, one.capacity_word_bits)).area_um2;
    }
    return prices.area_um2.At(static_cast<double>(*one.capacity_words)) *
           Scale(technology, one.capacity_word_bits);
  };
  const Compute& compute = architecture.compute;
  const auto lanes = static_cast<double>(ComputeLanes(architecture));
  double area = technology.arithmetic.empty()
                    ? lanes * technology.mac_area_um2 * Scale(technology, compute.word_bits)
                    : lanes * FiguresOfMac(technology, compute.type, compute.word_bits).area_um2;
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    double one = memory(level, {level.kind, level.capacity_words, level.word_bits});
    if (!level.partitions.empty()) {
      for (const LevelMemory& part : MemoriesOf(level)) one += memory(level, part);
    }
    area += one * static_cast<double>(Instances(architecture, l));
  }
  return area;
}

}  // namespace inlay

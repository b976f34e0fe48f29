#include "inlay/core/attribute.h"

#include <algorithm>
#include <array>
#include <utility>

namespace inlay {
namespace {

using Kind = AttributeKind;

constexpr std::string_view kPartitionKey = "partition.";
constexpr std::array<std::pair<std::string_view, Kind>, 12> kLevelKeys = {
    {{"capacity", Kind::kCapacityWords},
     {"word_bits", Kind::kWordBits},
     {"block", Kind::kBlockWords},
     {"buffering", Kind::kBuffering},
     {"read_bandwidth", Kind::kReadBandwidth},
     {"write_bandwidth", Kind::kWriteBandwidth},
     {"shared_bandwidth", Kind::kSharedBandwidth},
     {"energy.read", Kind::kReadPj},
     {"energy.write", Kind::kWritePj},
     {"energy.fill", Kind::kFillPj},
     {"energy.update", Kind::kUpdatePj},
     {"leakage", Kind::kLeakage}}};

// What follows "NAME."; names may hold dots themselves.
std::optional<std::string_view> KeyOf(std::string_view text, std::string_view name) {
  if (name.empty() || text.size() <= name.size() || !text.starts_with(name)) return std::nullopt;
  if (text[name.size()] != '.') return std::nullopt;
  return text.substr(name.size() + 1);
}

const Partition* FindPartition(const Level& level, std::string_view tensor) {
  const auto part = std::find_if(level.partitions.begin(), level.partitions.end(),
                                 [tensor](const Partition& p) { return p.tensor == tensor; });
  return part == level.partitions.end() ? nullptr : &*part;
}

std::optional<Attribute> FindLevelAttribute(const Level& level, LevelId id, std::string_view key) {
  for (const auto& [name, kind] : kLevelKeys) {
    if (key == name) return Attribute{id, kind};
  }
  if (!key.starts_with(kPartitionKey)) return std::nullopt;
  const std::string_view tensor = key.substr(kPartitionKey.size());
  if (FindPartition(level, tensor) == nullptr) return std::nullopt;
  return Attribute{id, Kind::kPartitionWords, std::string(tensor)};
}

std::optional<double> AsDouble(std::optional<int64_t> value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

std::optional<double> PartitionWords(const Level& level, const std::string& tensor) {
  const Partition* part = FindPartition(level, tensor);
  return part == nullptr ? std::nullopt : AsDouble(part->capacity_words);
}

// Of a count.
std::optional<double> CountOf(const Level& level, const Attribute& attribute) {
  switch (attribute.kind) {
    case Kind::kCapacityWords:
      return AsDouble(level.capacity_words);
    case Kind::kPartitionWords:
      return PartitionWords(level, attribute.tensor);
    case Kind::kWordBits:
      return level.word_bits;
    case Kind::kBlockWords:
      return static_cast<double>(level.block_words);
    case Kind::kFanoutX:
      return static_cast<double>(level.fanout.x);
    case Kind::kFanoutY:
      return static_cast<double>(level.fanout.y);
    default:
      return std::nullopt;
  }
}

void SetCount(const Attribute& attribute, int64_t count, Level* level) {
  switch (attribute.kind) {
    case Kind::kCapacityWords:
      level->capacity_words = count;
      break;
    case Kind::kPartitionWords:
      for (Partition& part : level->partitions) {
        if (part.tensor == attribute.tensor) part.capacity_words = count;
      }
      break;
    case Kind::kWordBits:
      level->word_bits = static_cast<int>(count);
      break;
    case Kind::kBlockWords:
      level->block_words = count;
      break;
    case Kind::kFanoutX:
      level->fanout.x = count;
      break;
    case Kind::kFanoutY:
      level->fanout.y = count;
      break;
    default:
      break;
  }
}

// Of everything else of a level but energies.
std::optional<double> RateOf(const Level& level, Kind kind) {
  switch (kind) {
    case Kind::kBuffering:
      return level.buffering;
    case Kind::kReadBandwidth:
      return level.read_bandwidth;
    case Kind::kWriteBandwidth:
      return level.write_bandwidth;
    case Kind::kSharedBandwidth:
      return level.shared_bandwidth;
    case Kind::kLeakage:
      return level.leakage_pj_per_cycle;
    default:
      return std::nullopt;
  }
}

void SetRate(Kind kind, double value, Level* level) {
  if (kind == Kind::kBuffering) level->buffering = value;
  if (kind == Kind::kReadBandwidth) level->read_bandwidth = value;
  if (kind == Kind::kWriteBandwidth) level->write_bandwidth = value;
  if (kind == Kind::kSharedBandwidth) level->shared_bandwidth = value;
  if (kind == Kind::kLeakage) level->leakage_pj_per_cycle = value;
}

bool IsAccessEnergy(Kind kind) {
  return kind == Kind::kReadPj || kind == Kind::kWritePj || kind == Kind::kFillPj ||
         kind == Kind::kUpdatePj;
}

std::optional<double> EnergyValue(const std::optional<AccessEnergy>& energy, Kind kind) {
  if (!energy) return std::nullopt;
  if (kind == Kind::kReadPj) return energy->read_pj;
  return kind == Kind::kUpdatePj ? energy->update_pj : energy->fill_pj;
}

void SetEnergy(Kind kind, double pj, std::optional<AccessEnergy>* energy) {
  if (!*energy) energy->emplace();
  if (kind == Kind::kReadPj) (*energy)->read_pj = pj;
  if (kind == Kind::kFillPj || kind == Kind::kWritePj) (*energy)->fill_pj = pj;
  if (kind == Kind::kUpdatePj || kind == Kind::kWritePj) (*energy)->update_pj = pj;
}

}  // namespace

bool IsCount(AttributeKind kind) {
  switch (kind) {
    case Kind::kCapacityWords:
    case Kind::kPartitionWords:
    case Kind::kWordBits:
    case Kind::kBlockWords:
    case Kind::kFanoutX:
    case Kind::kFanoutY:
    case Kind::kComputeBits:
      return true;
    default:
      return false;
  }
}

bool IsFanout(AttributeKind kind) { return kind == Kind::kFanoutX || kind == Kind::kFanoutY; }

std::optional<Attribute> FindAttribute(const Architecture& architecture, std::string_view name) {
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    if (const auto key = KeyOf(name, level.name)) {
      if (auto found = FindLevelAttribute(level, l, *key)) return found;
    }
    if (const auto key = KeyOf(name, level.fanout.name)) {
      if (*key == "x") return Attribute{l, Kind::kFanoutX};
      if (*key == "y") return Attribute{l, Kind::kFanoutY};
    }
  }
  if (const auto key = KeyOf(name, architecture.compute.name)) {
    if (*key == "energy") return Attribute{LevelId(0), Kind::kComputePj};
    if (*key == "word_bits") return Attribute{LevelId(0), Kind::kComputeBits};
  }
  return std::nullopt;
}

std::optional<double> ValueOf(const Architecture& architecture, const Attribute& attribute) {
  if (attribute.kind == Kind::kComputeBits) return architecture.compute.word_bits;
  if (attribute.kind == Kind::kComputePj) return architecture.compute.energy_pj;
  const Level& level = architecture.levels[attribute.level];
  if (IsCount(attribute.kind)) return CountOf(level, attribute);
  if (IsAccessEnergy(attribute.kind)) return EnergyValue(level.energy, attribute.kind);
  return RateOf(level, attribute.kind);
}

void SetValue(const Attribute& attribute, double value, Architecture* architecture) {
  Level& level = architecture->levels[attribute.level];
  if (attribute.kind == Kind::kComputeBits) {
    architecture->compute.word_bits = static_cast<int>(value);
  } else if (attribute.kind == Kind::kComputePj) {
    architecture->compute.energy_pj = value;
  } else if (IsCount(attribute.kind)) {
    SetCount(attribute, static_cast<int64_t>(value), &level);
  } else if (IsAccessEnergy(attribute.kind)) {
    SetEnergy(attribute.kind, value, &level.energy);
  } else {
    SetRate(attribute.kind, value, &level);
  }
}

}  // namespace inlay

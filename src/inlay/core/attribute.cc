#include "inlay/core/attribute.h"

#include <algorithm>

#include "inlay/core/units.h"

namespace inlay {
namespace {

using Part = Attribute::Part;
using Kind = ValueType::Kind;

constexpr std::string_view kPartitionKey = "partition.";

// What follows "NAME."; names may hold dots themselves.
std::optional<std::string_view> KeyAfter(std::string_view text, std::string_view name) {
  if (name.empty() || text.size() <= name.size() || !text.starts_with(name)) return std::nullopt;
  if (text[name.size()] != '.') return std::nullopt;
  return text.substr(name.size() + 1);
}

Partition* FindPartition(Level* level, std::string_view tensor) {
  const auto part = std::find_if(level->partitions.begin(), level->partitions.end(),
                                 [tensor](const Partition& p) { return p.tensor == tensor; });
  return part == level->partitions.end() ? nullptr : &*part;
}

// A key of a table that may be free, or of an object in it ("energy.read").
std::optional<Attribute> FindIn(const Structure& table, Part part, LevelId level,
                                std::string_view name) {
  if (const Field* key = FindKey(table, name); key != nullptr && key->traits.file.free) {
    return Attribute{level, part, key};
  }
  const size_t dot = name.find('.');
  const Field* object = FindKey(table, name.substr(0, dot));
  if (dot == std::string_view::npos || object == nullptr || !IsObject(*object)) {
    return std::nullopt;
  }
  const Field* key = FindKey(HeldType(*object->type).structure(), name.substr(dot + 1));
  if (key == nullptr || !key->traits.file.free) return std::nullopt;
  return Attribute{level, part, key, object};
}

template <typename T>
const Structure& TableOf() {
  return StructureOf(static_cast<const T*>(nullptr));
}

std::optional<Attribute> FindLevelAttribute(const Level& level, LevelId id, std::string_view key) {
  if (auto found = FindIn(TableOf<Level>(), Part::kLevel, id, key)) return found;
  if (!key.starts_with(kPartitionKey)) return std::nullopt;
  const std::string_view tensor = key.substr(kPartitionKey.size());
  if (FindPartition(const_cast<Level*>(&level), tensor) == nullptr) return std::nullopt;
  const Field* capacity = FindKey(TableOf<Partition>(), "capacity");
  return Attribute{id, Part::kPartition, capacity, nullptr, std::string(tensor)};
}

// The struct whose member the attribute is, or that holds the object; null: there is none.
void* OwnerIn(Architecture* architecture, const Attribute& attribute) {
  if (attribute.part == Part::kCompute) return &architecture->compute;
  Level& level = architecture->levels[attribute.level];
  if (attribute.part == Part::kFanout) return &level.fanout;
  if (attribute.part == Part::kPartition) return FindPartition(&level, attribute.tensor);
  return &level;
}

std::optional<double> Number(const ValueType& type, const void* member) {
  const void* number = HeldBy(type, member);
  if (number == nullptr) return std::nullopt;
  const ValueType& held = HeldType(type);
  if (held.kind == Kind::kInteger) return static_cast<double>(held.integer(number));
  return *static_cast<const double*>(number);
}

void SetNumber(const ValueType& type, double value, void* member) {
  void* number = HeldOrMade(type, member);
  const ValueType& held = HeldType(type);
  if (held.kind == Kind::kInteger) {
    held.set_integer(number, static_cast<int64_t>(value));
  } else {
    *static_cast<double*>(number) = value;
  }
}

}  // namespace

bool Attribute::Is(Part of, std::string_view name) const {
  return part == of && object == nullptr && key->file_key == name;
}

bool IsCount(const Attribute& attribute) {
  return HeldType(*attribute.key->type).kind == Kind::kInteger;
}

bool IsFanout(const Attribute& attribute) { return attribute.part == Part::kFanout; }

std::optional<Attribute> FindAttribute(const Architecture& architecture, std::string_view name) {
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    if (const auto key = KeyAfter(name, level.name)) {
      if (auto found = FindLevelAttribute(level, l, *key)) return found;
    }
    if (const auto key = KeyAfter(name, level.fanout.name)) {
      if (auto found = FindIn(TableOf<Fanout>(), Part::kFanout, l, *key)) return found;
    }
  }
  const auto key = KeyAfter(name, architecture.compute.name);
  return key ? FindIn(TableOf<Compute>(), Part::kCompute, LevelId(0), *key) : std::nullopt;
}

std::optional<double> ValueOf(const Architecture& architecture, const Attribute& attribute) {
  const void* owner = OwnerIn(const_cast<Architecture*>(&architecture), attribute);
  if (owner != nullptr && attribute.object != nullptr) {
    owner = HeldBy(*attribute.object->type, attribute.object->In(owner));
  }
  if (owner == nullptr) return std::nullopt;
  return Number(*attribute.key->type, attribute.key->In(owner));
}

void SetValue(const Attribute& attribute, double value, Architecture* architecture) {
  void* owner = OwnerIn(architecture, attribute);
  if (owner == nullptr) return;
  if (attribute.object != nullptr) {
    owner = HeldOrMade(*attribute.object->type, attribute.object->member(owner));
  }
  const Field& key = *attribute.key;
  SetNumber(*key.type, value, key.member(owner));
  if (key.also != nullptr) SetNumber(*key.type, value, key.also(owner));
}

}  // namespace inlay

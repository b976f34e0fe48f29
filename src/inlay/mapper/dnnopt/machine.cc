#include "inlay/mapper/dnnopt/machine.h"

#include <cmath>
#include <string>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::dnnopt {
namespace {

std::optional<int64_t> Usable(const Level& level, std::optional<int64_t> capacity) {
  if (!capacity || level.buffering == 1) return capacity;
  return static_cast<int64_t>(std::floor(static_cast<double>(*capacity) / level.buffering));
}

bool IsSingle(const Fanout& fanout) { return fanout.x == 1 && fanout.y == 1; }

const char kSeen[] =
    "dnnopt sees off-chip memory, one on-chip memory, an array, and at most one level in its "
    "elements";

Faults Refusals(const Problem& problem, const Architecture& architecture) {
  Faults faults;
  const size_t levels = architecture.levels.size();
  if (levels < 2 || levels > 3) {
    faults.push_back({"levels",
                      std::string(kSeen) + "; '" + architecture.name + "' has " +
                          std::to_string(levels) + (levels == 1 ? " level" : " levels"),
                      "use the strategy exact, or an architecture like systolic-os"});
    return faults;
  }
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    if (l.value() == Machine::kMemory || IsSingle(level.fanout)) continue;
    faults.push_back({"levels." + level.name,
                      std::string(kSeen) + "; '" + architecture.name + "' has a fan-out '" +
                          level.fanout.name + "' below '" + level.name + "'",
                      "use the strategy exact"});
  }
  const Level& memory = architecture.levels[LevelId(Machine::kMemory)];
  for (const Tensor& tensor : problem.tensors) {
    if (KeepRuleOf(memory, tensor.name) != KeepRule::kBypass) continue;
    faults.push_back({"levels." + memory.name,
                      "dnnopt keeps blocks of all tensors in the memory below the outermost level, "
                      "but '" +
                          memory.name + "' does not hold " + tensor.name,
                      "use the strategy exact"});
  }
  return faults;
}

std::vector<Room> RoomsOf(const Problem& problem, const Level& memory) {
  std::vector<Room> rooms;
  if (memory.partitions.empty()) {
    rooms.push_back({Usable(memory, memory.capacity_words), memory.word_bits,
                     TensorSet::FirstN(problem.tensors.size())});
    return rooms;
  }
  for (const Partition& part : memory.partitions) {
    const auto tensor = FindTensor(problem, part.tensor);
    if (!tensor) continue;
    TensorSet only;
    only.insert(*tensor);
    rooms.push_back({Usable(memory, part.capacity_words), part.word_bits, only});
  }
  return rooms;
}

}  // namespace

tl::expected<Machine, Faults> MachineOf(const Problem& problem, const Architecture& architecture) {
  if (Faults faults = Refusals(problem, architecture); !faults.empty()) {
    return tl::unexpected(std::move(faults));
  }
  const Level& offchip = architecture.levels[LevelId(Machine::kOffchip)];
  const Level& memory = architecture.levels[LevelId(Machine::kMemory)];
  Machine machine;
  machine.rows = memory.fanout.y;
  machine.columns = memory.fanout.x;
  machine.has_element = architecture.levels.size() > Machine::kElement;
  machine.rooms = RoomsOf(problem, memory);
  for (const Tensor& tensor : problem.tensors) {
    machine.bits.push_back(WordBitsOf(memory, tensor.name));
  }
  machine.read_bandwidth = offchip.read_bandwidth;
  machine.write_bandwidth = offchip.write_bandwidth;
  machine.shared_bandwidth = offchip.shared_bandwidth;
  return machine;
}

bool Fits(const Machine& machine, const Layer& layer, const Sizes& blocks) {
  for (const Room& room : machine.rooms) {
    if (!room.usable_words) continue;
    Int128 bits = 0;
    for (const BlockTensor& tensor : layer.tensors) {
      if (!room.tensors.contains(tensor.id)) continue;
      bits += Int128{BlockWords(tensor, blocks)} * machine.bits[tensor.id];
    }
    if (bits > Int128{*room.usable_words} * room.word_bits) return false;
  }
  return true;
}

}  // namespace inlay::dnnopt

#include "inlay/cost/vector_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/shapes.h"
#include "inlay/cost/cost_from_counts.h"

namespace inlay {
namespace {

constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();
constexpr TensorId kWeights{0}, kInputs{1}, kOutputs{2};

// Words that can be used of so many; without a limit, infinite.
double Usable(const std::optional<int64_t>& words, double buffering) {
  if (!words) return std::numeric_limits<double>::infinity();
  return std::floor(static_cast<double>(*words) / buffering);
}

const std::string& NameOf(TensorId tensor) { return VectorTensors().tensors[tensor].name; }

// The words of a node, level by level: rules 1 to 7 of the page.
class WordCounter {
 public:
  WordCounter(const VectorWork& work, const Architecture& architecture, Cost* cost)
      : work_(work), architecture_(architecture), cost_(cost) {
    working_ = std::clamp<int64_t>(work.rows, 1, VectorInstances(architecture));
    for (LevelId l : Ids(architecture.levels)) {
      active_.push_back(std::clamp<int64_t>(work.rows, 1, Instances(architecture, l)));
      for (TensorId t : Ids(VectorTensors().tensors)) {
        cost->levels[l].tensors[t].instances = active_[l];
      }
      room_.push_back(RoomOf(architecture.levels[l]));
    }
    for (TensorId t : Ids(VectorTensors().tensors)) paths_.push_back(PathOf(t));
  }

  // The level that holds rows, where they are read several times.
  std::optional<LevelId> Count() {
    std::optional<LevelId> held;
    size_t next = 0;
    if (work_.passes > 1 && !work_.inputs.empty()) {
      held = CountRows(work_.inputs.front());
      next = 1;
    }
    for (; next < work_.inputs.size(); ++next) CountInput(work_.inputs[next]);
    Outwards(kOutputs, 0, work_.written);
    for (LevelCost& level : cost_->levels) {
      for (TensorCost& tensor : level.tensors) tensor.kept = tensor.total != Counts();
    }
    return held;
  }

  int64_t working() const { return working_; }

 private:
  // What is left of a level: of all its bits, or of the words of each partition. Unbounded:
  // infinite.
  struct Room {
    double bits = std::numeric_limits<double>::infinity();
    std::array<double, 3> part_words{};
  };
  using Path = std::vector<LevelId>;

  static Room RoomOf(const Level& level) {
    Room room;
    room.bits = Usable(level.capacity_words, level.buffering) * level.word_bits;
    for (const Partition& part : level.partitions) {
      const auto tensor = FindTensor(VectorTensors(), part.tensor);
      if (!tensor) continue;
      room.part_words[tensor->value()] = Usable(part.capacity_words, level.buffering);
    }
    return room;
  }

  Path PathOf(TensorId tensor) const {
    Path path = {LevelId(0)};
    for (size_t l = 1; l <= architecture_.vector_units.below.value(); ++l) {
      const Level& level = architecture_.levels[LevelId(l)];
      if (KeepRuleOf(level, NameOf(tensor)) != KeepRule::kBypass) path.emplace_back(l);
    }
    return path;
  }

  bool Take(LevelId l, TensorId tensor, int64_t words) {
    const Level& level = architecture_.levels[l];
    const bool parts = !level.partitions.empty();
    double& left = parts ? room_[l].part_words[tensor.value()] : room_[l].bits;
    const int bits = parts ? 1 : WordBitsOf(level, NameOf(tensor));
    const double needed = static_cast<double>(words) * bits;
    if (needed > left) return false;
    left -= needed;
    return true;
  }

  Counts& At(LevelId level, TensorId tensor) { return cost_->levels[level].tensors[tensor].total; }
  static void Add(int64_t more, int64_t* count) { *count = SaturatingAdd(*count, more); }

  // Words inwards from the i-th level of a path to the last.
  void Inwards(TensorId tensor, size_t i, int64_t words) {
    const Path& path = paths_[tensor];
    for (; i + 1 < path.size(); ++i) {
      Add(words, &At(path[i], tensor).reads);
      Add(words, &At(path[i + 1], tensor).fills);
    }
  }
  // Words from the unit outwards to the i-th level of a path.
  void Outwards(TensorId tensor, size_t i, int64_t words) {
    const Path& path = paths_[tensor];
    Add(words, &At(path.back(), tensor).updates);
    for (size_t q = path.size() - 1; q > i; --q) {
      Add(words, &At(path[q], tensor).drains);
      Add(words, &At(path[q - 1], tensor).updates);
    }
  }
  void Use(TensorId tensor, int64_t words) { Add(words, &At(paths_[tensor].back(), tensor).reads); }

  // Rule 4.
  LevelId CountRows(const VectorWork::Input& rows) {
    const TensorId tensor = rows.is_weight ? kWeights : kInputs;
    const Path& path = paths_[tensor];
    size_t held = path.size() - 1;
    for (; held > 0; --held) {
      const int64_t at_once = CeilDiv(working_, active_[path[held]]);
      if (Take(path[held], tensor, SaturatingMultiply(work_.row_words, at_once))) break;
    }
    const int64_t words = rows.uses;
    for (size_t i = 0; i < held; ++i) {
      Add(words, &At(path[i], tensor).reads);
      Add(words, &At(path[i + 1], tensor).fills);
    }
    const int64_t passing = SaturatingMultiply(work_.passes, words);
    Inwards(tensor, held, passing);
    Use(tensor, passing);
    if (work_.rewrites > 0) Outwards(tensor, held, SaturatingMultiply(work_.rewrites, words));
    return path[held];
  }

  bool Multicasts(LevelId from, LevelId to) const {
    for (size_t l = from.value(); l < to.value(); ++l) {
      const Fanout& fanout = architecture_.levels[LevelId(l)].fanout;
      if (fanout.x * fanout.y > 1 && fanout.multicast != Multicast::kTile) return false;
    }
    return true;
  }

  // Rule 5.
  void CountInput(const VectorWork::Input& input) {
    const TensorId tensor = input.is_weight ? kWeights : kInputs;
    const Path& path = paths_[tensor];
    Use(tensor, input.uses);
    if (input.steps == input.words) return Inwards(tensor, 0, input.words);
    size_t held = path.size() - 1;
    while (held > 0 && !Take(path[held], tensor, input.words)) --held;
    for (size_t i = 0; i < held; ++i) {
      const int64_t receivers = active_[path[i + 1]];
      const int64_t senders = Multicasts(path[i], path[i + 1]) ? active_[path[i]] : receivers;
      Add(SaturatingMultiply(input.words, senders), &At(path[i], tensor).reads);
      Add(SaturatingMultiply(input.words, receivers), &At(path[i + 1], tensor).fills);
    }
    Inwards(tensor, held, input.steps);
  }

  const VectorWork& work_;
  const Architecture& architecture_;
  Cost* cost_;
  int64_t working_ = 1;
  IndexedVector<LevelId, int64_t> active_;
  IndexedVector<LevelId, Room> room_;
  IndexedVector<TensorId, Path> paths_;
};

// What the units do: rule 8.
struct UnitWork {
  int64_t operations = 0;
  double energy_pj = 0;
  double cycles = 1;
};

// Of an operation by its place in VectorOpCounts: the first unit that has it.
const VectorUnit* UnitFor(const std::vector<VectorUnit>& units, size_t op) {
  if (op == kVectorOps) return &units.front();
  const auto unit = std::find_if(units.begin(), units.end(), [op](const VectorUnit& one) {
    return one.ops.contains(static_cast<VectorOp>(op));
  });
  return unit == units.end() ? nullptr : &*unit;
}

tl::expected<UnitWork, std::string> UnitWorkOf(const VectorWork& work,
                                               const Architecture& architecture) {
  const std::vector<VectorUnit>& units = architecture.vector_units.units;
  const int64_t rows_of_one = CeilDiv(work.rows, VectorInstances(architecture));
  UnitWork all;
  std::vector<int64_t> row_operations(units.size(), 0);
  for (size_t op = 0; op < work.row_operations.size(); ++op) {
    if (work.row_operations[op] == 0) continue;
    const VectorUnit* unit = UnitFor(units, op);
    if (unit == nullptr) {
      return tl::unexpected(std::string("no vector unit has '") + Name(static_cast<VectorOp>(op)) +
                            "'");
    }
    int64_t& count = row_operations[static_cast<size_t>(unit - units.data())];
    count = SaturatingAdd(count, work.row_operations[op]);
  }
  for (size_t u = 0; u < units.size(); ++u) {
    const int64_t operations = SaturatingMultiply(row_operations[u], work.rows);
    all.operations = SaturatingAdd(all.operations, operations);
    all.energy_pj += static_cast<double>(operations) * units[u].energy_pj;
    const auto of_one = static_cast<double>(SaturatingMultiply(row_operations[u], rows_of_one));
    all.cycles = std::max(all.cycles, CyclesFor(of_one, units[u].ops_per_cycle));
  }
  return all;
}

// The machine as the units see it: what they compute with, and no wires further inside.
Architecture SeenByUnits(const Architecture& architecture, const UnitWork& work) {
  Architecture seen = architecture;
  seen.compute.energy_pj =
      work.operations > 0 ? work.energy_pj / static_cast<double>(work.operations) : 0;
  const VectorUnits& vector = architecture.vector_units;
  const size_t first = vector.below.value() + (vector.in_fanout ? 1 : 0);
  for (size_t l = first; l < seen.levels.size(); ++l) {
    seen.levels[LevelId(l)].fanout.skew_cycles = 0;
  }
  return seen;
}

// The tiles of levels with an engine: rule 10.
class Tiles {
 public:
  Tiles(const Architecture& architecture, const Cost& cost) {
    for (LevelId l : Ids(architecture.levels)) {
      const Level& level = architecture.levels[l];
      const IndexedVector<TensorId, TensorCost>& tensors = cost.levels[l].tensors;
      IndexedVector<TensorId, int64_t> tiles(tensors.size(), 0);
      double bits = 0;
      for (TensorId t : Ids(tensors)) {
        if (tensors[t].kept) bits += WordBitsOf(level, NameOf(t));
      }
      const double shared = Usable(level.capacity_words, level.buffering) * level.word_bits / bits;
      for (TensorId t : Ids(tensors)) {
        const int64_t comes = Comes(tensors[t]);
        if (comes == 0) continue;
        const double fits = level.partitions.empty() ? std::floor(shared) : PartWords(level, t);
        const auto all = static_cast<double>(CeilDiv(comes, tensors[t].instances));
        tiles[t] = std::max<int64_t>(1, static_cast<int64_t>(std::min(fits, all)));
        most_ = std::max(most_, tiles[t]);
      }
      largest_.push_back(std::move(tiles));
    }
  }

  // Puts tiles of a 2^halvings-th of the largest into a cost. False: there are none so small.
  bool Set(int halvings, Cost* cost) const {
    if (halvings > 0 && most_ >> (halvings - 1) <= 1) return false;
    for (LevelId l : Ids(cost->levels)) {
      for (TensorId t : Ids(cost->levels[l].tensors)) {
        TensorCost& tensor = cost->levels[l].tensors[t];
        if (largest_[l][t] == 0) continue;
        tensor.tile_words = std::max<int64_t>(1, largest_[l][t] >> halvings);
        const int64_t at_once = SaturatingMultiply(tensor.instances, tensor.tile_words);
        tensor.moves = CeilDiv(Comes(tensor), at_once);
      }
    }
    return true;
  }

 private:
  static int64_t Comes(const TensorCost& tensor) {
    return std::max(tensor.total.fills, tensor.total.drains);
  }
  static double PartWords(const Level& level, TensorId tensor) {
    const auto part =
        std::find_if(level.partitions.begin(), level.partitions.end(),
                     [&](const Partition& one) { return one.tensor == NameOf(tensor); });
    return Usable(part->capacity_words, level.buffering);  // kept, so there is one
  }

  IndexedVector<LevelId, IndexedVector<TensorId, int64_t>> largest_;  // 0: nothing comes
  int64_t most_ = 0;
};

bool HasEngine(const TimeTable& time) {
  return std::any_of(time.levels.begin(), time.levels.end(),
                     [](const TimeTable::LevelTime& level) { return level.engine(); });
}

bool Overflows(const Cost& cost) {
  const auto too_many = [](const TensorCost& tensor) {
    const Counts& n = tensor.total;
    return std::max({n.reads, n.fills, n.updates, n.drains}) == kTooMany;
  };
  return cost.operations == kTooMany ||
         std::any_of(cost.levels.begin(), cost.levels.end(), [&](const LevelCost& level) {
           return std::any_of(level.tensors.begin(), level.tensors.end(), too_many);
         });
}

}  // namespace

const Problem& VectorTensors() {
  static const Problem problem = MakeGemm("", {});
  return problem;
}

tl::expected<double, std::string> VectorCyclesOf(const VectorWork& work,
                                                 const Architecture& architecture) {
  return UnitWorkOf(work, architecture).map([](const UnitWork& units) { return units.cycles; });
}

tl::expected<VectorCost, std::string> CostOfVectorWork(const VectorWork& work,
                                                       const Architecture& architecture) {
  const std::string overflow = "64 bits do not hold its counts";
  const auto units = UnitWorkOf(work, architecture);
  if (!units) return tl::unexpected(units.error());
  constexpr double kMostCycles = 4e18;
  if (units->cycles > kMostCycles) return tl::unexpected(overflow);
  const CostFromCounts finish(VectorTensors(), SeenByUnits(architecture, *units));
  VectorCost result{finish.Empty(), std::nullopt};
  Cost& cost = result.cost;
  WordCounter words(work, architecture, &cost);
  result.held_in = words.Count();
  cost.operations = units->operations;
  cost.compute_cycles = static_cast<int64_t>(units->cycles);
  cost.compute_lanes_used = words.working();
  if (Overflows(cost)) return tl::unexpected(overflow);
  const Tiles tiles(architecture, cost);
  tiles.Set(0, &cost);
  if (!finish.Finish(false, &cost)) return tl::unexpected(overflow);
  if (!HasEngine(finish.time())) return result;
  Cost smaller = cost;
  for (int halvings = 1; tiles.Set(halvings, &smaller); ++halvings) {
    if (!finish.Finish(false, &smaller)) break;
    if (smaller.cycles < cost.cycles) cost = smaller;
  }
  return result;
}

}  // namespace inlay

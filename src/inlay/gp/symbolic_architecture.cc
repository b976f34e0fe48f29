#include "inlay/gp/symbolic_architecture.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "inlay/core/memory_table.h"

namespace inlay::gp {
namespace {

// The fan-outs outside a level multiply.
Monomial InstancesOf(const Sizes& sizes, LevelId level) {
  Monomial instances;
  for (LevelId l(0); l < level; ++l) instances = instances * sizes.x[l] * sizes.y[l];
  return instances;
}

Signomial At(const SizeFunction& function, const Monomial& words) {
  return Signomial(Constant(function.constant)) + Signomial(Constant(function.linear) * words) +
         Signomial(Constant(function.root) * Pow(words, 0.5));
}

Signomial Scaled(const Signomial& signomial, double factor) {
  return Signomial(Constant(factor)) * signomial;
}

double WordScale(const Technology& technology, int word_bits) {
  return static_cast<double>(word_bits) / technology.word_bits;
}

// What a table of memories is asked for, but for the capacity.
MemorySize AccessesOf(const Level& level, int word_bits) {
  return {0, static_cast<double>(level.block_words) * word_bits, level.ports};
}

// Where a table prices a memory whose size is unknown, by the formula that is nearest to it.
SymbolicEnergy EnergyAt(const Architecture& architecture, const Sizes& sizes, LevelId l,
                        const std::string& tensor) {
  const Level& level = architecture.levels[l];
  const double per_word = 1 / static_cast<double>(level.block_words);
  const auto& capacity = sizes.capacity_words[l];
  if (level.energy || !level.partitions.empty() || !capacity || capacity->is_constant()) {
    const AccessEnergy energy = inlay::EnergyOf(architecture, l, tensor);
    return {Constant(per_word * energy.read_pj), Constant(per_word * energy.fill_pj),
            Constant(per_word * energy.update_pj)};
  }
  const Technology& technology = *architecture.technology;
  const MemoryTechnology& prices = technology.Of(level.kind);
  if (!prices.table.empty()) {
    const MemorySize size = AccessesOf(level, WordBitsOf(level, tensor));
    const auto formula = [&](MemoryFigure figure) {
      return Scaled(At(FormulaNear(prices.table, figure, size, level.word_bits), *capacity),
                    per_word);
    };
    const Signomial write = formula(MemoryFigure::kWrite);
    return {formula(MemoryFigure::kRead), write, write};
  }
  const Signomial pj = Scaled(At(prices.energy_pj, *capacity),
                              per_word * WordScale(technology, WordBitsOf(level, tensor)));
  return {pj, pj, pj};
}

// Of one instance of a memory, or of a part of it.
Signomial AreaOfMemory(const Technology& technology, const Level& level, MemoryKind kind,
                       const Monomial& words, int word_bits) {
  const MemoryTechnology& prices = technology.Of(kind);
  if (prices.table.empty()) {
    return Scaled(At(prices.area_um2, words), WordScale(technology, word_bits));
  }
  return At(FormulaNear(prices.table, MemoryFigure::kArea, AccessesOf(level, word_bits), word_bits),
            words);
}

std::vector<SymbolicRoom> RoomsOf(const Problem& problem, const Level& level,
                                  const std::optional<Monomial>& capacity) {
  std::vector<SymbolicRoom> rooms;
  SymbolicRoom shared{{}, IndexedVector<TensorId, double>(problem.tensors.size(), 0)};
  for (TensorId t : Ids(problem.tensors)) {
    const std::string& name = problem.tensors[t].name;
    shared.weights[t] = static_cast<double>(WordBitsOf(level, name)) / level.word_bits;
    for (const Partition& part : level.partitions) {
      if (part.tensor != name || !part.capacity_words) continue;
      const double usable = static_cast<double>(*part.capacity_words) / level.buffering;
      SymbolicRoom room{Constant(std::floor(usable)),
                        IndexedVector<TensorId, double>(problem.tensors.size(), 0)};
      room.weights[t] = 1;
      rooms.push_back(std::move(room));
    }
  }
  if (!level.partitions.empty() || !capacity) return rooms;
  shared.capacity = Constant(1 / level.buffering) * *capacity;
  if (capacity->is_constant())
    shared.capacity.coefficient = std::floor(shared.capacity.coefficient);
  rooms.push_back(std::move(shared));
  return rooms;
}

}  // namespace

Sizes SizesOf(const Architecture& architecture) {
  Sizes sizes;
  for (const Level& level : architecture.levels) {
    std::optional<Monomial> words;
    if (level.capacity_words) words = Constant(static_cast<double>(*level.capacity_words));
    sizes.capacity_words.push_back(words);
    sizes.x.push_back(Constant(static_cast<double>(level.fanout.x)));
    sizes.y.push_back(Constant(static_cast<double>(level.fanout.y)));
  }
  return sizes;
}

SymbolicArchitecture SymbolicArchitectureOf(const Problem& problem,
                                            const Architecture& architecture, const Sizes& sizes) {
  SymbolicArchitecture machine;
  machine.compute_pj = ComputeEnergyPj(architecture);
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    SymbolicLevel symbolic;
    for (const Tensor& tensor : problem.tensors) {
      symbolic.energy.push_back(EnergyAt(architecture, sizes, l, tensor.name));
    }
    symbolic.rooms = RoomsOf(problem, level, sizes.capacity_words[l]);
    symbolic.x = sizes.x[l];
    symbolic.y = sizes.y[l];
    symbolic.leakage_pj_per_cycle = Constant(level.leakage_pj_per_cycle) * InstancesOf(sizes, l);
    machine.levels.push_back(std::move(symbolic));
  }
  return machine;
}

Signomial AreaOf(const Architecture& architecture, const Sizes& sizes) {
  const Technology& technology = *architecture.technology;
  const LevelId compute(architecture.levels.size());
  const Compute& unit = architecture.compute;
  Signomial area = Constant(FiguresOfMac(technology, unit.type, unit.word_bits).area_um2) *
                   InstancesOf(sizes, compute);
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    Signomial one;
    if (const auto& words = sizes.capacity_words[l]) {
      one = AreaOfMemory(technology, level, level.kind, *words, level.word_bits);
    }
    for (const Partition& part : level.partitions) {
      if (!part.capacity_words) continue;
      const Monomial words = Constant(static_cast<double>(*part.capacity_words));
      one = one +
            AreaOfMemory(technology, level, part.kind.value_or(level.kind), words, part.word_bits);
    }
    area = area + one * Signomial(InstancesOf(sizes, l));
  }
  return area;
}

std::vector<Transfer> TransfersOf(const Problem& problem, const Nest& nest) {
  std::vector<Transfer> transfers;
  const LevelId compute(nest.levels.size());
  for (TensorId t : Ids(problem.tensors)) {
    std::optional<LevelId> outer;
    for (LevelId l(0); l.value() <= compute.value(); ++l) {
      if (l != compute && !nest.levels[l].keep.contains(t)) continue;
      if (outer) transfers.push_back({t, *outer, l, Volume(problem, nest, t, *outer, l)});
      outer = l;
    }
  }
  return transfers;
}

Signomial PjPerWord(const Problem& problem, const SymbolicArchitecture& machine,
                    const Transfer& transfer) {
  const SymbolicEnergy& outer = machine.levels[transfer.outer].energy[transfer.tensor];
  const bool is_output = problem.tensors[transfer.tensor].is_output;
  Signomial pj = outer.read;
  if (is_output) pj = pj + outer.update;
  if (transfer.inner == LevelId(machine.levels.size())) return pj;
  const SymbolicEnergy& inner = machine.levels[transfer.inner].energy[transfer.tensor];
  pj = pj + inner.fill;
  if (is_output) pj = pj + inner.read;
  return pj;
}

Signomial WithoutCorrections(Signomial signomial) {
  std::erase_if(signomial.terms, [](const Monomial& term) { return term.coefficient < 0; });
  return signomial;
}

Signomial EnergyOf(const Problem& problem, const SymbolicArchitecture& machine, const Nest& nest) {
  Signomial energy = Constant(static_cast<double>(Operations(problem)) * machine.compute_pj);
  for (const SymbolicLevel& level : machine.levels) {
    energy = energy + level.leakage_pj_per_cycle * Signomial(Steps(nest));
  }
  for (const Transfer& transfer : TransfersOf(problem, nest)) {
    energy =
        energy + PjPerWord(problem, machine, transfer) * WithoutCorrections(Expand(transfer.words));
  }
  return energy;
}

Signomial FirstReadsOf(const Problem& problem, const SymbolicArchitecture& machine,
                       const Nest& nest) {
  Signomial energy;
  for (const Transfer& transfer : TransfersOf(problem, nest)) {
    const bool to_compute = transfer.inner == LevelId(machine.levels.size());
    if (!problem.tensors[transfer.tensor].is_output || to_compute) continue;
    const Signomial pj = machine.levels[transfer.outer].energy[transfer.tensor].read +
                         machine.levels[transfer.inner].energy[transfer.tensor].fill;
    energy = energy + pj * Expand(FirstWords(problem, nest, transfer.tensor, transfer.outer));
  }
  return energy;
}

std::vector<Signomial> RoomConstraints(const Problem& problem, const SymbolicArchitecture& machine,
                                       const Nest& nest) {
  std::vector<Signomial> constraints;
  for (LevelId l : Ids(machine.levels)) {
    for (const SymbolicRoom& room : machine.levels[l].rooms) {
      Signomial used;
      for (TensorId t : Ids(problem.tensors)) {
        if (room.weights[t] == 0 || !nest.levels[l].keep.contains(t)) continue;
        const Signomial words = WithoutCorrections(Expand(Footprint(problem, nest, t, l)));
        used = used + Signomial(Constant(room.weights[t])) * words;
      }
      if (!used.terms.empty()) constraints.push_back(Signomial(Pow(room.capacity, -1)) * used);
    }
  }
  return constraints;
}

}  // namespace inlay::gp

#include "inlay/mapper/gp/programs.h"

#include <algorithm>
#include <utility>

#include "inlay/gp/orders.h"
#include "inlay/mapspace/enumerate.h"

namespace inlay::gp {
namespace {

std::vector<std::vector<DimId>> OrdersAt(const Space& space, const std::vector<DimId>& loops,
                                         LevelId level) {
  const OrderRule& rule = space.orders[level];
  std::vector<OrderClass> classes;
  if (level.value() + 1 == space.architecture.levels.size()) {
    return {OrdersOf(rule, loops).front()};  // which operand is asked for first costs nothing
  }
  if (rule.innermost.empty() && rule.outermost.empty()) {
    classes = OrderClasses(space.problem, loops, Pruning::kDominance);
  } else {
    classes = Undominated(ClassesOf(space.problem, OrdersOf(rule, loops)));
  }
  std::vector<std::vector<DimId>> orders;
  orders.reserve(classes.size());
  for (OrderClass& order : classes) orders.push_back(std::move(order.order));
  return orders;
}

// Cycles of the transfers of a level, all instances working: words per cycle is what one gives.
void AddTransferTimes(const Space& space, const Nest& nest, std::vector<Signomial>* times) {
  const Problem& problem = space.problem;
  const auto transfers = TransfersOf(problem, nest);
  for (LevelId l : Ids(space.architecture.levels)) {
    const Level& level = space.architecture.levels[l];
    Signomial reads, writes;
    for (const Transfer& transfer : transfers) {
      const Signomial words = WithoutCorrections(Expand(transfer.words));
      const bool is_output = problem.tensors[transfer.tensor].is_output;
      if (transfer.outer == l) {
        reads = reads + words;
        if (is_output) writes = writes + words;
      }
      if (transfer.inner == l) {
        writes = writes + words;
        if (is_output) reads = reads + words;
      }
    }
    const auto add = [&](const Signomial& words, const std::optional<double>& bandwidth) {
      if (!bandwidth || words.terms.empty()) return;
      times->push_back(Signomial(Constant(1 / *bandwidth) * Pow(Lanes(nest, l), -1)) * words);
    };
    add(reads, level.read_bandwidth);
    add(writes, level.write_bandwidth);
    add(reads + writes, level.shared_bandwidth);
  }
}

Signomial OffchipWords(const Problem& problem, const Nest& nest) {
  Signomial words;
  for (const Transfer& transfer : TransfersOf(problem, nest)) {
    if (transfer.outer != LevelId(0)) continue;
    const double times = problem.tensors[transfer.tensor].is_output ? 2 : 1;
    words = words + Signomial(Constant(times)) * WithoutCorrections(Expand(transfer.words));
  }
  return words;
}

// Is every term of a posynomial divided by the variable?
bool Divides(VariableId variable, const Signomial& posynomial) {
  return std::all_of(posynomial.terms.begin(), posynomial.terms.end(), [&](const Monomial& term) {
    return std::any_of(term.powers.begin(), term.powers.end(), [&](const Power& power) {
      return power.variable == variable && power.exponent == -1;
    });
  });
}

}  // namespace

std::vector<OrderedNest> OrderedNests(const Space& space, const Unknowns& unknowns) {
  std::vector<OrderedNest> nests(1);
  for (LevelId l : Ids(space.architecture.levels)) {
    const auto orders = OrdersAt(space, unknowns.LoopsAt(l), l);
    std::vector<OrderedNest> longer;
    for (const OrderedNest& nest : nests) {
      for (const std::vector<DimId>& order : orders) {
        longer.push_back(nest);
        longer.back().orders.push_back(order);
      }
    }
    nests = std::move(longer);
  }
  for (OrderedNest& nest : nests) nest.nest = unknowns.NestOf(nest.orders);
  return nests;
}

Program MakeProgram(const Space& space, const Unknowns& unknowns,
                    const SymbolicArchitecture& machine, const Nest& nest,
                    const ProgramOptions& options) {
  Program program;
  program.names = unknowns.names();
  program.constraints = unknowns.Constraints();
  for (SlotId slot : Ids(space.slots)) {
    const Slot& place = space.slots[slot];
    const Monomial steps = unknowns.StepsOf(slot);
    if (place.axis == Axis::kTime || steps.is_constant()) continue;
    const SymbolicLevel& level = machine.levels[place.level];
    program.constraints.emplace_back(Pow(place.axis == Axis::kX ? level.x : level.y, -1) * steps);
  }
  for (const Signomial& room : RoomConstraints(space.problem, machine, nest)) {
    const bool is_constant = room.terms.size() == 1 && room.terms.front().is_constant();
    if (is_constant && room.terms.front().coefficient <= 1) continue;  // no interior, no matter
    program.constraints.push_back(Signomial(Constant(1 / options.room)) * room);
  }
  program.constraints.insert(program.constraints.end(), machine.limits.begin(),
                             machine.limits.end());
  Monomial cycles = Steps(nest);
  if (options.metric == Metric::kDelay || options.metric == Metric::kEdp) {
    std::vector<Signomial> times;
    if (options.semantics != Semantics::kThistle) AddTransferTimes(space, nest, &times);
    if (!times.empty()) {
      times.emplace_back(cycles);
      cycles = Variable(VariableId(program.names.size()));
      program.names.push_back("cycles");
      for (const Signomial& time : times) {
        program.constraints.push_back(Signomial(Pow(cycles, -1)) * time);
      }
    }
  }
  switch (options.metric) {
    case Metric::kEnergy:
      program.objective = EnergyOf(space.problem, machine, nest);
      break;
    case Metric::kDelay:
      program.objective = cycles;
      break;
    case Metric::kEdp:
      program.objective = Signomial(cycles) * EnergyOf(space.problem, machine, nest);
      break;
    case Metric::kOffchip:
      program.objective = OffchipWords(space.problem, nest);
      break;
  }
  return program;
}

Values FindStart(const Program& program, const Unknowns& unknowns) {
  std::vector<VariableId> slacks;  // what only has to be large enough
  for (size_t i = 0; i < unknowns.size_count(); ++i) slacks.emplace_back(i);
  for (size_t i = unknowns.names().size(); i < program.names.size(); ++i) slacks.emplace_back(i);
  constexpr int kTries = 60;
  double spread = 1;
  for (int i = 0; i < kTries; ++i) {
    Values start = unknowns.Start(spread);
    while (start.size() < program.names.size()) start.push_back(1);
    for (const VariableId slack : slacks) {
      double needed = 0;
      for (const Signomial& constraint : program.constraints) {
        if (Divides(slack, constraint)) needed = std::max(needed, ValueOf(constraint, start));
      }
      constexpr double kRoom = 1.3;
      start[slack] = kRoom * needed;
    }
    if (IsStrictlyFeasible(program, start)) return start;
    spread *= 0.7;
  }
  return {};
}

}  // namespace inlay::gp

#include "inlay/cost/exact.h"

#include <limits>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/uneven.h"
#include "inlay/cost/cost_from_counts.h"
#include "inlay/cost/exact/traffic.h"

namespace inlay {
namespace {

using exact::kNoLevel;

}  // namespace

struct ExactModel::State {
  template <typename Int>
  struct Engine {
    exact::PerfectTraffic<Int> perfect;
    exact::RaggedTraffic<Int> ragged;
    std::vector<exact::Traffic<Int>> traffic;
  };

  State(const Problem& problem, const Architecture& architecture)
      : tables(problem), finisher(problem, architecture) {
    for (const Level& level : architecture.levels) {
      const bool single = level.fanout.x * level.fanout.y == 1;
      multicast.push_back(single || level.fanout.multicast == Multicast::kTile ? 1 : 0);
      reduce.push_back(single || level.fanout.reduce ? 1 : 0);
    }
    outer.resize(tables.tensors);
    innermost.resize(tables.tensors);
    feeder.resize(tables.tensors);
  }

  bool Count(const Mapping& mapping, Cost* cost);
  bool CountUneven(const Mapping& mapping, Cost* cost);
  template <typename Int>
  bool Run(const Mapping& mapping, Engine<Int>* engine, Cost* cost);
  template <typename Int>
  void Compute(Engine<Int>* engine, Cost* cost);
  void Reset(const Mapping& mapping, Cost* cost) const;
  void CountMoves(Cost* cost);

  template <typename Int>
  int64_t Lanes(const Engine<Int>& engine, size_t level) {
    if (nest.perfect) return engine.perfect.Lanes(nest, level);
    if (nest.above[level] == 0) return 1;
    int64_t lanes = 1;
    for (size_t d = 0; d < tables.dims; ++d) lanes *= counter.Lanes(tables, nest, d, level);
    return lanes;
  }
  template <typename Int>
  int64_t Steps(const Engine<Int>& engine) {
    if (nest.perfect) return engine.perfect.Steps();
    int64_t steps = 1;
    for (size_t d = 0; d < tables.dims; ++d) steps *= counter.Steps(tables, nest, d);
    return steps;
  }

  static bool All(const std::vector<uint8_t>& able, size_t from, size_t to) {
    for (size_t l = from; l < to; ++l) {
      if (able[l] == 0) return false;
    }
    return true;
  }

  // Stores a count that may be wider than the result's 64 bits.
  template <typename Int>
  void Store(Int from, int64_t* to) {
    if constexpr (sizeof(Int) > sizeof(int64_t)) {
      if (from > std::numeric_limits<int64_t>::max()) overflow = true;
    }
    *to = static_cast<int64_t>(from);
  }

  exact::Tables tables;
  CostFromCounts finisher;
  std::vector<uint8_t> multicast, reduce;  // per level: can the fan-out below it?
  exact::FlatNest nest;
  exact::StepCounter counter;
  std::vector<size_t> outer;      // per tensor: level that feeds the level under consideration
  std::vector<size_t> innermost;  // per tensor: the innermost level that keeps it
  std::vector<size_t> feeder;     // per tensor: the last keeping level seen
  Engine<int64_t> narrow;
  Engine<Int128> wide;
  bool overflow = false;
};

void ExactModel::State::Reset(const Mapping& mapping, Cost* cost) const {
  if (cost->levels.size() != mapping.levels.size() ||
      cost->levels.back().tensors.size() != tables.tensors) {
    *cost = Cost();
    cost->levels.resize(mapping.levels.size());
    for (LevelCost& level : cost->levels) level.tensors.resize(tables.tensors);
  }
  cost->padded_operations.reset();
  for (size_t l = 0; l < mapping.levels.size(); ++l) {
    LevelCost& level = cost->levels[LevelId(l)];
    const int64_t* extent = nest.ExtentsOf(tables, l);
    for (size_t t = 0; t < tables.tensors; ++t) {
      TensorCost& tensor = level.tensors[TensorId(t)];
      tensor = TensorCost();
      tensor.kept = mapping.levels[LevelId(l)].keep.contains(TensorId(t));
      if (!tensor.kept) continue;
      int64_t words = 1;
      for (size_t r = tables.rank_begin[t]; r < tables.rank_begin[t + 1]; ++r) {
        words *= extent[r];
      }
      tensor.tile_words = words;
    }
  }
}

template <typename Int>
bool ExactModel::State::Run(const Mapping& mapping, Engine<Int>* engine, Cost* cost) {
  overflow = false;
  if (nest.perfect) {
    engine->perfect.Begin(tables, nest);
  } else {
    engine->ragged.Begin(tables, nest);
  }
  feeder.assign(tables.tensors, kNoLevel);
  for (size_t l = 0; l < mapping.levels.size(); ++l) {
    LevelCost& level = cost->levels[LevelId(l)];
    engine->traffic.assign(tables.tensors, {});
    bool any = false;
    for (size_t t = 0; t < tables.tensors; ++t) {
      outer[t] = level.tensors[TensorId(t)].kept ? feeder[t] : kNoLevel;
      any = any || outer[t] != kNoLevel;
    }
    const int64_t lanes = !any ? Lanes(*engine, l)
                          : nest.perfect
                              ? engine->perfect.Compute(tables, nest, l, outer, &engine->traffic)
                              : engine->ragged.Compute(tables, nest, l, outer, &engine->traffic);
    for (size_t t = 0; t < tables.tensors; ++t) {
      TensorCost& inner = level.tensors[TensorId(t)];
      if (!inner.kept) continue;
      inner.instances = lanes;
      feeder[t] = l;
      if (outer[t] == kNoLevel) continue;
      const exact::Traffic<Int>& words = engine->traffic[t];
      Counts& from = cost->levels[LevelId(outer[t])].tensors[TensorId(t)].total;
      if (t == tables.output) {
        Store<Int>(words.groups - words.distinct, &inner.total.fills);
        from.reads = inner.total.fills;
        Store<Int>(words.lanes, &inner.total.drains);
        Store<Int>(All(reduce, outer[t], l) ? words.groups : words.lanes, &from.updates);
      } else {
        Store<Int>(words.lanes, &inner.total.fills);
        Store<Int>(All(multicast, outer[t], l) ? words.groups : words.lanes, &from.reads);
      }
    }
  }
  innermost = feeder;
  Compute(engine, cost);
  return !overflow;
}

// Rule 4: operands of the compute lanes.
template <typename Int>
void ExactModel::State::Compute(Engine<Int>* engine, Cost* cost) {
  const size_t compute = nest.above.size() - 1;
  cost->operations = tables.operations;
  for (size_t t = 0; t < tables.tensors; ++t) {
    const size_t from = innermost[t];
    Counts& counts = cost->levels[LevelId(from)].tensors[TensorId(t)].total;
    const bool shared = All(t == tables.output ? reduce : multicast, from, compute);
    Int operands = tables.operations;
    if (shared && nest.lanes_end > nest.above[from]) {  // else every lane has its own instance
      operands = nest.perfect ? engine->perfect.Operands(tables, nest, t, from)
                              : engine->ragged.Operands(tables, nest, t, from);
    }
    if (t != tables.output) {
      Store<Int>(operands, &counts.reads);
      continue;
    }
    Store<Int>(operands, &counts.updates);
    // Words touched for the first time need no read: each word once in every instance that works on
    // it.
    Int touched = 1;
    for (size_t d = 0; d < tables.dims; ++d) {
      touched *= tables.Relevant(t, d) ? tables.bound[d] : counter.Lanes(tables, nest, d, from);
    }
    Store<Int>(operands - touched, &counts.reads);
  }
  cost->compute_cycles = Steps(*engine);
  cost->compute_lanes_used = Lanes(*engine, compute);
}

// Rule 3 of docs/reference/time.md: steps of lane 0 through the loops down to the innermost
// temporal one that moves the tile.
void ExactModel::State::CountMoves(Cost* cost) {
  for (size_t t = 0; t < tables.tensors; ++t) {
    bool fed = false;
    for (size_t l = 0; l < cost->levels.size(); ++l) {
      TensorCost& tensor = cost->levels[LevelId(l)].tensors[TensorId(t)];
      if (!tensor.kept) continue;
      if (std::exchange(fed, true) == false) continue;  // the outermost that keeps it
      size_t loops = nest.above[l];
      while (loops > 0 &&
             (nest.loops[loops - 1].spatial || !tables.Relevant(t, nest.loops[loops - 1].dim))) {
        --loops;
      }
      tensor.moves = 1;
      for (size_t d = 0; d < tables.dims; ++d) {
        tensor.moves *= counter.Steps(tables, nest, d, loops);
      }
    }
  }
}

ExactModel::ExactModel(const Problem& problem, const Architecture& architecture)
    : state_(std::make_unique<State>(problem, architecture)) {}
ExactModel::~ExactModel() = default;
ExactModel::ExactModel(ExactModel&&) noexcept = default;
ExactModel& ExactModel::operator=(ExactModel&&) noexcept = default;

bool ExactModel::State::Count(const Mapping& mapping, Cost* cost) {
  nest.Build(tables, mapping);
  Reset(mapping, cost);
  return tables.fits_64 ? Run(mapping, &narrow, cost) : Run(mapping, &wide, cost);
}

// Counts the even form, whose levels have one child each but for the last part of a level.
bool ExactModel::State::CountUneven(const Mapping& mapping, Cost* cost) {
  const EvenForm form = EvenFormOf(mapping);
  const std::vector<uint8_t> real_multicast = multicast, real_reduce = reduce;
  multicast.clear();
  reduce.clear();
  for (LevelId part : Ids(form.origin)) {
    const size_t next = part.value() + 1;
    const bool last = next == form.origin.size() || form.origin[LevelId(next)] != form.origin[part];
    multicast.push_back(last ? real_multicast[form.origin[part].value()] : uint8_t{1});
    reduce.push_back(last ? real_reduce[form.origin[part].value()] : uint8_t{1});
  }
  Cost parts;
  const bool counted = Count(form.mapping, &parts);
  multicast = real_multicast;
  reduce = real_reduce;
  *cost = finisher.Empty();
  cost->operations = parts.operations;
  cost->compute_cycles = parts.compute_cycles;
  cost->compute_lanes_used = parts.compute_lanes_used;
  for (LevelId part : Ids(form.origin)) {
    for (size_t t = 0; t < tables.tensors; ++t) {
      const TensorCost& from = parts.levels[part].tensors[TensorId(t)];
      if (from.kept) cost->levels[form.origin[part]].tensors[TensorId(t)] = from;
    }
  }
  return counted;
}

bool ExactModel::Evaluate(const Mapping& mapping, Cost* cost, bool fill_and_drain) {
  State& state = *state_;
  const bool counted =
      IsUneven(mapping) ? state.CountUneven(mapping, cost) : state.Count(mapping, cost);
  if (state.finisher.time().active && !IsUneven(mapping)) state.CountMoves(cost);
  return counted && state.finisher.Finish(fill_and_drain, cost);
}

}  // namespace inlay

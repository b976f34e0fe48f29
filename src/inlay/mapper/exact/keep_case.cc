#include "inlay/mapper/exact/keep_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace inlay::exact_search {
namespace {

double Real(int64_t n) { return static_cast<double>(n); }

bool CanShare(const Architecture& architecture, size_t from, size_t to, bool output) {
  for (size_t l = from; l < to; ++l) {
    const Fanout& fanout = architecture.levels[LevelId(l)].fanout;
    if (fanout.x * fanout.y == 1) continue;
    if (output ? !fanout.reduce : fanout.multicast != Multicast::kTile) return false;
  }
  return true;
}

Edge MakeEdge(const Space& space, size_t t, size_t parent, size_t child) {
  const Architecture& architecture = space.architecture;
  const Tensor& tensor = space.problem.tensors[TensorId(t)];
  Edge edge;
  edge.tensor = t;
  edge.parent = parent;
  edge.child = child;
  edge.output = tensor.is_output;
  edge.offchip = parent == 0;
  edge.shares = CanShare(architecture, parent, child, edge.output);
  const AccessEnergy outer = EnergyOf(architecture, LevelId(parent), tensor.name);
  const double outer_block = Real(architecture.levels[LevelId(parent)].block_words);
  edge.at_parent = (edge.output ? outer.update_pj : outer.read_pj) / outer_block;
  if (edge.output) edge.back = outer.read_pj / outer_block;
  if (child == architecture.levels.size()) return edge;
  const AccessEnergy inner = EnergyOf(architecture, LevelId(child), tensor.name);
  const double inner_block = Real(architecture.levels[LevelId(child)].block_words);
  edge.at_child = (edge.output ? inner.read_pj : inner.fill_pj) / inner_block;
  if (edge.output) edge.back += inner.fill_pj / inner_block;
  return edge;
}

void AddPorts(const Level& level, size_t index, int tensor, std::vector<Port>* ports) {
  const auto add = [&](bool out, bool in, const std::optional<double>& words_per_cycle) {
    if (words_per_cycle) ports->push_back({index, index, tensor, out, in, *words_per_cycle});
  };
  add(true, false, level.read_bandwidth);
  add(false, true, level.write_bandwidth);
  add(true, true, level.shared_bandwidth);
}

// The ports by which the engine of level c moves what it is fed, at both ends.
void AddEnginePorts(const Architecture& architecture, const std::vector<Edge>& edges, size_t c,
                    std::vector<Port>* ports) {
  const auto add = [&](size_t l, int tensor) {
    const Level& level = architecture.levels[LevelId(l)];
    const auto add_one = [&](bool out, const std::optional<double>& words_per_cycle) {
      if (!words_per_cycle) return;
      ports->push_back({l, l, tensor, out, !out, *words_per_cycle, static_cast<int>(c)});
    };
    add_one(true, level.read_bandwidth);
    add_one(false, level.write_bandwidth);
    add_one(true, level.shared_bandwidth);
    add_one(false, level.shared_bandwidth);
  };
  std::vector<size_t> at = {c};
  for (const Edge& edge : edges) {
    if (std::find(at.begin(), at.end(), edge.parent) == at.end()) at.push_back(edge.parent);
  }
  for (const size_t l : at) {
    if (architecture.levels[LevelId(l)].partitions.empty()) {
      add(l, -1);
      continue;
    }
    for (const Edge& edge : edges) {
      if (l == c || edge.parent == l) add(l, static_cast<int>(edge.tensor));
    }
  }
}

double UsableBits(const Level& level, int64_t capacity_words, int word_bits) {
  return std::floor(Real(capacity_words) / level.buffering) * word_bits;
}

}  // namespace

KeepCase::KeepCase(const Space& space, const IndexedVector<LevelId, TensorSet>& kept)
    : keeps(kept),
      levels(space.architecture.levels.size()),
      dims(space.problem.dims.size()),
      regular(space.mapspace != Mapspace::kAny && space.mapspace != Mapspace::kUneven) {
  const Problem& problem = space.problem;
  for (const Tensor& tensor : problem.tensors) {
    TensorRanks keep_case;
    keep_case.rank_of.assign(dims, -1);
    keep_case.coefficient_of.assign(dims, 0);
    for (const Rank& rank : tensor.ranks) {
      std::vector<Term> terms;
      for (const inlay::Term& term : rank.terms) {
        if (term.coefficient == 0) continue;
        const double coefficient = Real(std::abs(term.coefficient));
        keep_case.rank_of[term.dim.value()] = static_cast<int>(keep_case.ranks.size());
        keep_case.coefficient_of[term.dim.value()] = coefficient;
        terms.push_back({term.dim.value(), coefficient});
      }
      keep_case.ranks.push_back(terms);
    }
    for (size_t d = 0; d < dims; ++d) {
      if (keep_case.rank_of[d] < 0) keep_case.irrelevant.push_back(d);
    }
    tensors.push_back(keep_case);
  }
  edges.resize(levels + 1);
  rooms.resize(levels);
  for (size_t t = 0; t < tensors.size(); ++t) {
    size_t parent = levels;
    for (size_t l = 0; l <= levels; ++l) {
      if (l < levels && !keeps[LevelId(l)].contains(TensorId(t))) continue;
      if (parent < levels) edges[l].push_back(MakeEdge(space, t, parent, l));
      parent = l;
    }
  }
  size_t memory = 0;  // the outermost of the levels that are the memory of this one
  for (size_t l = 0; l < levels; ++l) {
    const Level& level = space.architecture.levels[LevelId(l)];
    const bool joint = level.same_memory_as_outer;
    if (!joint) memory = l;
    Room shared;
    if (joint && !rooms[l - 1].empty() && level.partitions.empty()) shared = rooms[l - 1].front();
    for (TensorId t : Ids(problem.tensors)) {
      if (!keeps[LevelId(l)].contains(t)) continue;
      const std::string& name = problem.tensors[t].name;
      const Partition* part = nullptr;
      for (const Partition& p : level.partitions) part = p.tensor == name ? &p : part;
      if (part == nullptr) {
        shared.tensors.push_back(t.value());
        shared.bits.push_back(WordBitsOf(level, name));
      } else {
        AddPorts(level, l, static_cast<int>(t.value()), &ports);
        if (part->capacity_words) {
          rooms[l].push_back({{t.value()}, {1}, UsableBits(level, *part->capacity_words, 1)});
        }
      }
    }
    if (level.partitions.empty()) {
      if (!joint) AddPorts(level, l, -1, &ports);
      for (Port& port : ports) {
        if (joint && port.level == memory) port.last = l;
      }
      if (level.capacity_words && !shared.tensors.empty()) {
        shared.usable_bits = UsableBits(level, *level.capacity_words, level.word_bits);
        rooms[l].push_back(shared);
      }
    }
    if (!joint) {
      leakage_pj += level.leakage_pj_per_cycle * Real(Instances(space.architecture, LevelId(l)));
    }
  }
  for (size_t l = 0; l <= levels; ++l) {
    instances.push_back(Real(Instances(space.architecture, LevelId(l))));
  }
  compute_pj = ComputeEnergyPj(space.architecture);
  const TimeTable time(space.architecture);
  leakage_pj += time.idle_pj_per_cycle;
  has_time_keys = time.active;
  times.resize(levels);
  if (!has_time_keys) return;
  dynamic_pj_per_cycle = time.dynamic_pj_per_cycle;
  start_cycles = launch_cycles = time.launch;
  for (size_t c = 0; c <= levels; ++c) {
    double wait = 0;
    for (const Edge& edge : edges[c]) {
      if (!edge.output) wait = std::max(wait, time.Wait(LevelId(edge.parent), LevelId(c)));
    }
    if (c == levels || time.levels[LevelId(c)].overlap == Overlap::kStream) start_cycles += wait;
    if (c == levels) break;
    const TimeTable::LevelTime& of_level = time.levels[LevelId(c)];
    times[c] = {of_level.overlap, of_level.engine(), wait, of_level.transfer, {}, {}};
    for (const Edge& edge : edges[c]) {
      times[c].fed.push_back(edge.tensor);
      if (!edge.output) times[c].inputs.push_back(edge.tensor);
    }
    if (of_level.engine() && !edges[c].empty()) {
      AddEnginePorts(space.architecture, edges[c], c, &ports);
    }
  }
}

double KeepCase::CyclesOf(double steps) const {
  if (!has_time_keys) return steps;
  double cycles = steps;
  for (size_t c = levels; c-- > 0;) {
    const LevelTime& time = times[c];
    if (!time.engine || time.fed.empty()) continue;
    const auto fed = static_cast<double>(time.fed.size());
    const auto inputs = static_cast<double>(time.inputs.size());
    EngineTime engine;
    engine.busy = time.transfer * fed;
    if (time.overlap != Overlap::kStream && inputs > 0) engine.busy += time.wait;
    engine.first = inputs > 0 ? time.wait + time.transfer * inputs : 0;
    cycles = AroundLevel(time.overlap, 0, engine, cycles);
  }
  return std::ceil((start_cycles + cycles) * (1 - 1e-9) - 1e-9);
}

double KeepCase::TileWords(size_t tensor, const double* tile) const {
  double words = 1;
  for (const auto& rank : tensors[tensor].ranks) {
    double extent = 1;
    for (const Term& term : rank) extent += term.coefficient * (tile[term.dim] - 1);
    words *= extent;
  }
  return words;
}

bool KeepCase::Fits(size_t level, const double* tile) const {
  for (const Room& room : rooms[level]) {
    double bits = 0;
    for (size_t i = 0; i < room.tensors.size(); ++i) {
      bits += room.bits[i] * TileWords(room.tensors[i], tile);
    }
    if (bits > room.usable_bits) return false;
  }
  return true;
}

bool KeepCase::Holds(const Edge& edge, size_t level, const double* tile) const {
  // Different words, at least: a stride may leave gaps.
  double words = 1;
  for (const auto& rank : tensors[edge.tensor].ranks) {
    double most = 1, sum = 1;
    for (const Term& term : rank) {
      most = std::max(most, tile[term.dim]);
      if (term.coefficient == 1) sum += tile[term.dim] - 1;
    }
    words *= std::max(most, sum);
  }
  for (const Room& room : rooms[edge.child]) {
    for (size_t i = 0; i < room.tensors.size(); ++i) {
      if (room.tensors[i] != edge.tensor) continue;
      const double lanes = instances[edge.child] / instances[level];
      if (words * room.bits[i] > room.usable_bits * lanes) return false;
    }
  }
  return true;
}

std::vector<IndexedVector<LevelId, TensorSet>> KeepChoices(const Space& space) {
  std::vector<IndexedVector<LevelId, TensorSet>> choices;
  IndexedVector<LevelId, TensorSet> chosen(space.keeps.size());
  const uint64_t all = TensorSet::FirstN(space.problem.tensors.size()).bits();
  const auto choose = [&](const auto& self, size_t level, uint64_t kept) -> void {
    if (level == space.keeps.size()) {
      if (kept == all) choices.push_back(chosen);
      return;
    }
    for (const TensorSet& set : space.keeps[LevelId(level)]) {
      chosen[LevelId(level)] = set;
      self(self, level + 1, kept | set.bits());
    }
  };
  choose(choose, 0, 0);
  return choices;
}

}  // namespace inlay::exact_search

#include "inlay/core/mapping.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

// Visits the loops of the nest outer to inner with the range each one steps through, and leaves the
// range of every dimension inside the last loop visited in `ranges`.
template <typename Visit>
void WalkNest(const Mapping& mapping, IndexedVector<DimId, int64_t>* ranges, const Visit& visit) {
  for (LevelId l : Ids(mapping.levels)) {
    const LevelMapping& level = mapping.levels[l];
    for (const auto* loops : {&level.temporal, &level.spatial}) {
      for (size_t i = 0; i < loops->size(); ++i) {
        const Loop& loop = (*loops)[i];
        visit(l, loop, i, (*ranges)[loop.dim]);
        (*ranges)[loop.dim] = loop.step;
      }
    }
  }
}

IndexedVector<DimId, int64_t> Bounds(const Problem& problem) {
  IndexedVector<DimId, int64_t> bounds;
  for (const Dimension& dim : problem.dims) bounds.push_back(dim.bound);
  return bounds;
}

std::string LoopName(const Architecture& architecture, LevelId level, const Loop& loop, size_t i) {
  return "levels." + architecture.levels[level].name +
         (loop.axis == Axis::kTime ? ".temporal[" : ".spatial[") + std::to_string(i) + "]";
}

void ValidateLoops(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
                   Faults* faults) {
  IndexedVector<DimId, int64_t> ranges = Bounds(problem);
  WalkNest(mapping, &ranges, [&](LevelId l, const Loop& loop, size_t i, int64_t range) {
    const std::string& dim = problem.dims[loop.dim].name;
    const std::string where = LoopName(architecture, l, loop, i);
    if (loop.step < 1) {
      faults->push_back({where, "the step of '" + dim + "' is " + std::to_string(loop.step),
                         "steps are whole numbers from 1"});
    } else if (loop.step > range) {
      faults->push_back({where,
                         "the step of '" + dim + "' is " + std::to_string(loop.step) +
                             ", larger than its range " + std::to_string(range),
                         "a tile cannot be larger than its parent"});
    }
  });
  for (DimId d : Ids(problem.dims)) {
    if (ranges[d] <= 1) continue;
    faults->push_back({"dims." + problem.dims[d].name,
                       "the innermost step of '" + problem.dims[d].name + "' is " +
                           std::to_string(ranges[d]) + ", not 1",
                       "add a loop 'for " + problem.dims[d].name + " in " +
                           std::to_string(ranges[d]) + " step 1'"});
  }
}

void ValidateFanouts(const Problem& problem, const Architecture& architecture,
                     const Mapping& mapping, Faults* faults) {
  IndexedVector<LevelId, int64_t> used_x(mapping.levels.size(), 1);
  IndexedVector<LevelId, int64_t> used_y(mapping.levels.size(), 1);
  IndexedVector<DimId, int64_t> ranges = Bounds(problem);
  WalkNest(mapping, &ranges, [&](LevelId l, const Loop& loop, size_t, int64_t range) {
    if (loop.axis == Axis::kTime || loop.step < 1) return;
    int64_t& used = loop.axis == Axis::kX ? used_x[l] : used_y[l];
    used = CheckedMultiply(used, CeilDiv(std::max<int64_t>(range, 1), loop.step))
               .value_or(std::numeric_limits<int64_t>::max() / 2);
  });
  for (LevelId l : Ids(mapping.levels)) {
    const Level& level = architecture.levels[l];
    const auto check = [&](const char* axis, int64_t used, int64_t lanes) {
      if (used <= lanes) return;
      faults->push_back({"levels." + level.name + "." + axis,
                         std::to_string(used) + " lanes are used on " + axis + " below '" +
                             level.name + "', which has " + std::to_string(lanes),
                         "unroll less, or spread over the other axis"});
    };
    check("x", used_x[l], level.fanout.x);
    check("y", used_y[l], level.fanout.y);
  }
}

void ValidateKeeps(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
                   Faults* faults) {
  for (TensorId t : Ids(problem.tensors)) {
    const std::string& tensor = problem.tensors[t].name;
    bool kept = false;
    for (LevelId l : Ids(mapping.levels)) {
      const Level& level = architecture.levels[l];
      const bool here = mapping.levels[l].keep.contains(t);
      kept = kept || here;
      const KeepRule rule = KeepRuleOf(level, tensor);
      if (here && rule == KeepRule::kBypass) {
        faults->push_back({"levels." + level.name,
                           "'" + level.name + "' keeps '" + tensor +
                               "', which the architecture does not allow there",
                           ""});
      } else if (!here && rule == KeepRule::kKeep) {
        faults->push_back({"levels." + level.name,
                           "'" + level.name + "' must keep '" + tensor + "'",
                           "the architecture says so; list the tensor after 'keeps'"});
      }
    }
    if (!kept) faults->push_back({"mapping", "tensor '" + tensor + "' is kept nowhere", ""});
  }
}

void ValidateEntries(const Problem& problem, const Architecture& architecture,
                     const Mapping& mapping, Faults* faults) {
  for (LevelId l : Ids(mapping.levels)) {
    const LevelMapping& level = mapping.levels[l];
    const std::string& name = architecture.levels[l].name;
    TensorSet seen;
    for (const LateEntry& entry : level.late) {
      const bool known = entry.tensor.value() < problem.tensors.size();
      if (!known || !level.keep.contains(entry.tensor) || seen.contains(entry.tensor) ||
          entry.loops < 1 || entry.loops > level.temporal.size()) {
        faults->push_back({"levels." + name, "a late entry that is none at '" + name + "'", ""});
        continue;
      }
      seen.insert(entry.tensor);
      if (l.value() > 0) continue;
      faults->push_back({"levels." + name,
                         "'" + problem.tensors[entry.tensor].name + "' enters '" + name +
                             "', the outermost level, inside its loops",
                         "what is in the outermost level is there from the beginning"});
    }
  }
}

}  // namespace

std::optional<IndexedVector<LevelId, LevelFactors>> FactorsOf(const Problem& problem,
                                                              const Mapping& mapping) {
  IndexedVector<LevelId, LevelFactors> factors(mapping.levels.size());
  IndexedVector<DimId, std::vector<Factor*>> chains(problem.dims.size());  // outer to inner
  for (LevelId l : Ids(mapping.levels)) {
    factors[l].temporal.resize(mapping.levels[l].temporal.size());
    factors[l].spatial.resize(mapping.levels[l].spatial.size());
  }
  bool expressible = true;
  IndexedVector<DimId, int64_t> ranges = Bounds(problem);
  WalkNest(mapping, &ranges, [&](LevelId l, const Loop& loop, size_t i, int64_t range) {
    const bool outermost = range == problem.dims[loop.dim].bound;
    if (range % loop.step != 0 && !outermost) expressible = false;
    Factor& factor = loop.axis == Axis::kTime ? factors[l].temporal[i] : factors[l].spatial[i];
    factor.end = CeilDiv(range, loop.step);
    chains[loop.dim].push_back(&factor);
  });
  if (!expressible) return std::nullopt;
  for (DimId d : Ids(problem.dims)) {
    int64_t left = problem.dims[d].bound;
    for (auto factor = chains[d].rbegin(); factor != chains[d].rend(); ++factor) {
      (*factor)->residual = (left - 1) % (*factor)->end + 1;
      left = CeilDiv(left, (*factor)->end);
    }
  }
  return factors;
}

size_t LoopsOutside(const LevelMapping& level, TensorId tensor) {
  for (const LateEntry& entry : level.late) {
    if (entry.tensor == tensor) return entry.loops;
  }
  return 0;
}

bool IsUneven(const Mapping& mapping) {
  return std::any_of(mapping.levels.begin(), mapping.levels.end(),
                     [](const LevelMapping& level) { return !level.late.empty(); });
}

Mapspace Classify(const Problem& problem, const Mapping& mapping) {
  if (IsUneven(mapping)) return Mapspace::kUneven;
  const auto factors = FactorsOf(problem, mapping);
  if (!factors) return Mapspace::kAny;
  const auto imperfect = [](const std::vector<Factor>& loops) {
    return std::any_of(loops.begin(), loops.end(),
                       [](const Factor& f) { return f.end != f.residual; });
  };
  bool short_time = false, short_space = false;
  for (const LevelFactors& level : *factors) {
    short_time = short_time || imperfect(level.temporal);
    short_space = short_space || imperfect(level.spatial);
  }
  if (short_time && short_space) return Mapspace::kRuby;
  if (short_time) return Mapspace::kRubyT;
  return short_space ? Mapspace::kRubyS : Mapspace::kPerfect;
}

Faults Validate(const Problem& problem, const Architecture& architecture, const Mapping& mapping) {
  Faults faults;
  if (mapping.levels.size() != architecture.levels.size()) {
    faults.push_back({"mapping",
                      "the mapping has " + std::to_string(mapping.levels.size()) +
                          " levels, the architecture " + std::to_string(architecture.levels.size()),
                      ""});
    return faults;
  }
  ValidateLoops(problem, architecture, mapping, &faults);
  ValidateFanouts(problem, architecture, mapping, &faults);
  ValidateKeeps(problem, architecture, mapping, &faults);
  ValidateEntries(problem, architecture, mapping, &faults);
  return faults;
}

IndexedVector<DimId, int64_t> TileSizes(const Problem& problem, const Mapping& mapping,
                                        LevelId level) {
  IndexedVector<DimId, int64_t> sizes = Bounds(problem);
  for (LevelId l : Ids(mapping.levels)) {
    if (l >= level) break;
    for (const auto* loops : {&mapping.levels[l].temporal, &mapping.levels[l].spatial}) {
      for (const Loop& loop : *loops) sizes[loop.dim] = loop.step;
    }
  }
  return sizes;
}

IndexedVector<DimId, int64_t> TileSizes(const Problem& problem, const Mapping& mapping,
                                        LevelId level, TensorId tensor) {
  IndexedVector<DimId, int64_t> sizes = TileSizes(problem, mapping, level);
  const LevelMapping& here = mapping.levels[level];
  const size_t outside = LoopsOutside(here, tensor);
  for (size_t i = 0; i < outside; ++i) sizes[here.temporal[i].dim] = here.temporal[i].step;
  return sizes;
}

namespace {

// Words of the tile of every tensor that a level keeps.
using TileWordsOf = IndexedVector<TensorId, int64_t>;

TileWordsOf KeptWords(const Problem& problem, const Mapping& mapping, LevelId level) {
  TileWordsOf words(problem.tensors.size(), 0);
  const LevelMapping& here = mapping.levels[level];
  const auto at_top = TileSizes(problem, mapping, level);
  for (TensorId t : Ids(problem.tensors)) {
    if (!here.keep.contains(t)) continue;
    const bool late = LoopsOutside(here, t) > 0;
    words[t] = TileWords(problem.tensors[t], late ? TileSizes(problem, mapping, level, t) : at_top);
  }
  return words;
}

// Whole numbers of buffers multiply what is used; Timeloop's fractions divide what there is.
bool WholeBuffers(const Level& level) {
  return level.buffering == std::floor(level.buffering) && level.buffering < 1e6;
}

Occupancy MakeOccupancy(const Level& level, LevelId id, std::optional<TensorId> partition,
                        Int128 words, std::optional<int64_t> capacity) {
  Occupancy use{id, partition, 0, capacity};
  if (WholeBuffers(level)) {
    words *= static_cast<int64_t>(level.buffering);
  } else if (capacity) {
    use.usable_words =
        static_cast<int64_t>(std::floor(static_cast<double>(*capacity) / level.buffering));
  }
  use.used_words =
      static_cast<int64_t>(std::min<Int128>(words, std::numeric_limits<int64_t>::max()));
  return use;
}

const Partition* PartitionOf(const Level& level, const std::string& tensor) {
  for (const Partition& part : level.partitions) {
    if (part.tensor == tensor) return &part;
  }
  return nullptr;
}

// "Weights 6 + Outputs 9", with widths where they differ and buffers where there are several.
std::string ListTiles(const Problem& problem, const Level& level, const LevelMapping& mapping,
                      const TileWordsOf& words, const Occupancy& use) {
  std::string tiles;
  for (TensorId t : Ids(problem.tensors)) {
    if (!mapping.keep.contains(t) || (use.partition && *use.partition != t)) continue;
    const Tensor& tensor = problem.tensors[t];
    if (!tiles.empty()) tiles += " + ";
    tiles += tensor.name + " " + std::to_string(words[t]);
    if (!use.partition && !level.tensor_bits.empty()) {
      tiles += " of " + std::to_string(WordBitsOf(level, tensor.name)) + " bits";
    }
  }
  if (WholeBuffers(level) && level.buffering > 1) {
    tiles = "(" + tiles + ") × " + std::to_string(static_cast<int64_t>(level.buffering));
  }
  return tiles;
}

std::vector<Occupancy> OccupanciesOf(const Problem& problem, const Architecture& architecture,
                                     LevelId level_id, TensorSet keep, const TileWordsOf& tiles) {
  std::vector<Occupancy> result;
  const Level& level = architecture.levels[level_id];
  Int128 shared_bits = 0;
  for (TensorId t : Ids(problem.tensors)) {
    if (!keep.contains(t)) continue;
    const std::string& name = problem.tensors[t].name;
    const int64_t words = tiles[t];
    if (const Partition* part = PartitionOf(level, name)) {
      result.push_back(MakeOccupancy(level, level_id, t, words, part->capacity_words));
    } else {
      shared_bits += Int128{words} * WordBitsOf(level, name);
    }
  }
  if (!level.partitions.empty()) return result;
  const Int128 words = (shared_bits + level.word_bits - 1) / level.word_bits;
  result.push_back(MakeOccupancy(level, level_id, std::nullopt, words, level.capacity_words));
  return result;
}

}  // namespace

std::vector<Occupancy> OccupanciesAt(const Problem& problem, const Architecture& architecture,
                                     LevelId level, TensorSet keep,
                                     const IndexedVector<DimId, int64_t>& sizes) {
  TileWordsOf words(problem.tensors.size(), 0);
  for (TensorId t : Ids(problem.tensors)) {
    if (keep.contains(t)) words[t] = TileWords(problem.tensors[t], sizes);
  }
  return OccupanciesOf(problem, architecture, level, keep, words);
}

std::vector<Occupancy> Occupancies(const Problem& problem, const Architecture& architecture,
                                   const Mapping& mapping) {
  std::vector<Occupancy> result;
  // Levels that are one memory: what the outer of them hold comes before what the inner ones do.
  TensorSet keep;
  TileWordsOf words(problem.tensors.size(), 0);
  for (LevelId l : Ids(architecture.levels)) {
    const bool joint = architecture.levels[l].same_memory_as_outer;
    const TileWordsOf own = KeptWords(problem, mapping, l);
    for (TensorId t : Ids(own)) words[t] = joint ? words[t] + own[t] : own[t];
    if (!joint) keep = TensorSet();
    for (TensorId t : Ids(own)) {
      if (mapping.levels[l].keep.contains(t)) keep.insert(t);
    }
    const size_t next = l.value() + 1;
    const bool last = next == architecture.levels.size() ||
                      !architecture.levels[LevelId(next)].same_memory_as_outer;
    if (!last) continue;
    const auto of_level = OccupanciesOf(problem, architecture, l, keep, words);
    result.insert(result.end(), of_level.begin(), of_level.end());
  }
  return result;
}

Faults CheckCapacity(const Problem& problem, const Architecture& architecture,
                     const Mapping& mapping) {
  Faults faults;
  for (const Occupancy& use : Occupancies(problem, architecture, mapping)) {
    if (use.Fits()) continue;
    const Level& level = architecture.levels[use.level];
    const std::string tiles = ListTiles(problem, level, mapping.levels[use.level],
                                        KeptWords(problem, mapping, use.level), use);
    const bool mixed = !use.partition && !level.tensor_bits.empty();
    faults.push_back({"levels." + level.name,
                      "'" + level.name + "' overflows: " + tiles + " = " +
                          std::to_string(use.used_words) + " words" +
                          (mixed ? " of " + std::to_string(level.word_bits) + " bits" : "") +
                          ", room for " + std::to_string(*use.usable_words) + ", " +
                          std::to_string(use.used_words - *use.usable_words) + " too many",
                      "make the tiles above this level smaller"});
  }
  return faults;
}

}  // namespace inlay

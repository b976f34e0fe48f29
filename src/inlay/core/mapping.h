#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/enum_names.h"
#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/problem.h"

namespace inlay {

enum class Axis : uint8_t { kTime, kX, kY };

// Steps through the range given by the next outer loop of the same dimension (the bound, if there
// is none) in tiles of `step` iterations; the last tile is clipped to what is left. The number of
// steps is derived.
struct Loop {
  DimId dim;
  int64_t step = 1;
  Axis axis = Axis::kTime;
  bool operator==(const Loop&) const = default;
};

// A kept tensor that enters its level inside some of the level's own temporal loops: they move its
// tile as loops above the level do.
struct LateEntry {
  TensorId tensor;
  size_t loops = 1;  // the first so many temporal loops of the level are outside
  bool operator==(const LateEntry&) const = default;
};

// What one level does: the tile it holds covers its own loops, so everything written above it in
// the nest moves it. In an uneven mapping that is so for some of its tensors, and the others enter
// further in.
struct LevelMapping {
  TensorSet keep;
  std::vector<Loop> temporal;  // outer to inner
  std::vector<Loop>
      spatial;  // over the fan-out below the level; inside all temporal loops of the level
  std::vector<LateEntry> late = {};  // uneven mappings only; by tensor
  bool operator==(const LevelMapping&) const = default;
};

// A loop nest, outer to inner: level 0's temporal loops, its spatial loops, level 1's, … compute.
// The innermost step of every dimension is 1 (a dimension of bound 1 needs no loop).
struct Mapping {
  IndexedVector<LevelId, LevelMapping> levels;
  bool operator==(const Mapping&) const = default;
};

// A loop as Timeloop writes it: `end` steps, `residual` of them when every outer loop of the
// dimension is at its last step. A loop is imperfect where the two differ.
struct Factor {
  int64_t end = 1;
  int64_t residual = 1;
  bool operator==(const Factor&) const = default;
};
struct LevelFactors {
  std::vector<Factor> temporal, spatial;  // as the loops of the LevelMapping
};
// nullopt where steps are not multiples of the next inner ones, which factors cannot express.
std::optional<IndexedVector<LevelId, LevelFactors>> FactorsOf(const Problem& problem,
                                                              const Mapping& mapping);

// The smallest mapspace that holds a mapping: perfect = every loop perfect; ruby-s, ruby-t = only
// spatial, only temporal loops imperfect; ruby = both; any = beyond factors; uneven = tensors of a
// level enter at different loops. Padded is a space to search, perfect on a larger problem; no
// mapping is classified as it.
enum class Mapspace { kPerfect, kPadded, kRubyS, kRubyT, kRuby, kAny, kUneven };
template <>
inline constexpr auto kNames<Mapspace> =
    std::to_array<EnumName<Mapspace>>({{Mapspace::kPerfect, "perfect"},
                                       {Mapspace::kPadded, "padded"},
                                       {Mapspace::kRubyS, "ruby-s"},
                                       {Mapspace::kRubyT, "ruby-t"},
                                       {Mapspace::kRuby, "ruby"},
                                       {Mapspace::kAny, "any"},
                                       {Mapspace::kUneven, "uneven"}});
Mapspace Classify(const Problem& problem, const Mapping& mapping);

// What is wrong with the form of a mapping, whatever its cost: a step below 1 or larger than its
// range, an innermost step that is not 1, more lanes than the fan-out has, a tensor kept nowhere,
// or where it must not be, or not where it must; a late entry at the outermost level or at no
// place. `where` is "levels.NAME", "levels.NAME.temporal[i]" or "levels.NAME.spatial[i]".
Faults Validate(const Problem& problem, const Architecture& architecture, const Mapping& mapping);

// How full a level, or one partition of it, gets. Needs a valid mapping.
struct Occupancy {
  LevelId level;
  std::optional<TensorId> partition;  // the tensor whose partition it is; none: the shared capacity
  int64_t used_words = 0;  // largest tiles × buffering, in words of the level's (partition's) bits
  std::optional<int64_t> usable_words;  // none: unbounded
  bool Fits() const { return !usable_words || used_words <= *usable_words; }
};
std::vector<Occupancy> Occupancies(const Problem& problem, const Architecture& architecture,
                                   const Mapping& mapping);
// Of one level that keeps these tensors in tiles of these sizes.
std::vector<Occupancy> OccupanciesAt(const Problem& problem, const Architecture& architecture,
                                     LevelId level, TensorSet keep,
                                     const IndexedVector<DimId, int64_t>& sizes);

// One sentence per memory that is too small: which level, which tensor, how many words too many.
// Empty if all fits.
Faults CheckCapacity(const Problem& problem, const Architecture& architecture,
                     const Mapping& mapping);

// The largest tile of a level: iterations along each dimension left over for the loops of the level
// and inside it. Of a tensor: without the loops of the level outside its entry.
IndexedVector<DimId, int64_t> TileSizes(const Problem& problem, const Mapping& mapping,
                                        LevelId level);
IndexedVector<DimId, int64_t> TileSizes(const Problem& problem, const Mapping& mapping,
                                        LevelId level, TensorId tensor);

// How many temporal loops of its level are outside a tensor's tile; 0 but for late entries.
size_t LoopsOutside(const LevelMapping& level, TensorId tensor);
bool IsUneven(const Mapping& mapping);  // whether any tensor enters late

}  // namespace inlay

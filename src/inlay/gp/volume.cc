#include "inlay/gp/volume.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "inlay/base/check.h"

namespace inlay::gp {
namespace {

// The footprint of a block of iterations along each dimension.
Words WordsOf(const Tensor& tensor, const IndexedVector<DimId, Monomial>& sizes) {
  Words words;
  for (const Rank& rank : tensor.ranks) {
    INLAY_CHECK(rank.terms.size() <= 2);
    if (rank.terms.empty()) continue;
    RankWords factor;
    for (const Term& term : rank.terms) factor.sides.push_back({term.dim, sizes[term.dim], 1});
    if (rank.terms.size() == 2) {
      const int64_t a = std::abs(rank.terms[0].coefficient);
      const int64_t b = std::abs(rank.terms[1].coefficient);
      const auto common = static_cast<double>(std::gcd(a, b));
      factor.sides[0].gap = static_cast<double>(b) / common;
      factor.sides[1].gap = static_cast<double>(a) / common;
    }
    words.ranks.push_back(std::move(factor));
  }
  return words;
}

// Algorithm 1's replace: the tile grows along a dimension.
void Grow(DimId dim, const Monomial& steps, Words* words) {
  for (RankWords& rank : words->ranks) {
    for (RankWords::Side& side : rank.sides) {
      if (side.dim == dim) side.size = side.size * steps;
    }
  }
}

// What the loops from a level on run through.
IndexedVector<DimId, Monomial> SizesAt(const Problem& problem, const Nest& nest, LevelId level) {
  IndexedVector<DimId, Monomial> sizes(problem.dims.size());
  for (; level < LevelId(nest.levels.size()); ++level) {
    for (const auto* loops : {&nest.levels[level].temporal, &nest.levels[level].spatial}) {
      for (const NestLoop& loop : *loops) sizes[loop.dim] = sizes[loop.dim] * loop.steps;
    }
  }
  return sizes;
}

// The state of Algorithm 1 on its way outward.
class Builder {
 public:
  Builder(const Tensor& tensor, const IndexedVector<DimId, Monomial>& sizes, bool to_compute)
      : tensor_(tensor),
        words_(WordsOf(tensor, sizes)),
        to_compute_(to_compute),
        can_hoist_(!to_compute) {}

  void AddTemporal(const NestLoop& loop) {
    const bool present = IsRelevant(tensor_, loop.dim);
    if (!can_hoist_) {
      Repeat(loop);
    } else if (present) {
      can_hoist_ = false;
      Grow(loop.dim, loop.steps, &words_);
    }
  }

  // A word for several lanes is copied once. Neighbouring lanes share a halo, unless tiles of the
  // dimension are visited one after the other inside them.
  void AddSpatial(const NestLoop& loop) {
    if (!IsRelevant(tensor_, loop.dim)) return;
    if (to_compute_ || (repeated_ >> loop.dim.value() & 1) != 0) {
      Repeat(loop);
    } else {
      Grow(loop.dim, loop.steps, &words_);
    }
  }

  void Repeat(const NestLoop& loop) {
    words_.times = words_.times * loop.steps;
    repeated_ |= uint64_t{1} << loop.dim.value();
  }

  const Words& words() const { return words_; }

 private:
  const Tensor& tensor_;
  Words words_;
  bool to_compute_, can_hoist_;
  uint64_t repeated_ = 0;  // dimensions along which a loop further in repeats copies, as bits
};

double RankValue(const RankWords& rank, const Values& values) {
  const double a = ValueOf(rank.sides[0].size, values);
  if (rank.sides.size() == 1) return a;
  const double b = ValueOf(rank.sides[1].size, values);
  return a * b - std::max(a - rank.sides[0].gap, 0.0) * std::max(b - rank.sides[1].gap, 0.0);
}

Signomial RankSum(const RankWords& rank) {
  const RankWords::Side& a = rank.sides[0];
  if (rank.sides.size() == 1) return a.size;
  const RankWords::Side& b = rank.sides[1];
  // Smaller than its gap whatever the other is: nothing overlaps.
  for (const RankWords::Side* side : {&a, &b}) {
    if (side->size.is_constant() && side->size.coefficient <= side->gap) return a.size * b.size;
  }
  const std::vector<Monomial> terms = {Constant(b.gap) * a.size, Constant(a.gap) * b.size,
                                       Constant(-a.gap * b.gap)};
  if (a.size.is_constant() || b.size.is_constant()) {
    return Signomial(terms[0]) + Signomial(terms[1]) + Signomial(terms[2]);
  }
  Signomial sum;  // as the tensor is written, not by variables
  sum.terms = terms;
  return sum;
}

}  // namespace

double ValueOf(const Words& words, const Values& values) {
  double value = ValueOf(words.times, values);
  for (const RankWords& rank : words.ranks) value *= RankValue(rank, values);
  return value;
}

Signomial Expand(const Words& words) {
  Signomial product = words.times;
  for (const RankWords& rank : words.ranks) product = product * RankSum(rank);
  return product;
}

std::string ToString(const Words& words, const VariableNames& names) {
  Monomial times = words.times;
  std::string sums;
  for (const RankWords& rank : words.ranks) {
    const Signomial sum = RankSum(rank);
    if (sum.terms.size() == 1) {
      times = times * sum.terms.front();
    } else {
      sums += (sums.empty() ? "(" : "*(") + ToString(sum, names) + ")";
    }
  }
  if (sums.empty()) return ToString(times, names);
  if (times == Monomial()) return sums;
  return ToString(times, names) + "*" + sums;
}

Words Footprint(const Problem& problem, const Nest& nest, TensorId tensor, LevelId level) {
  return WordsOf(problem.tensors[tensor], SizesAt(problem, nest, level));
}

Words Volume(const Problem& problem, const Nest& nest, TensorId tensor, LevelId outer,
             LevelId inner, std::vector<Words>* trace) {
  const bool to_compute = inner == LevelId(nest.levels.size());
  Builder builder(problem.tensors[tensor], SizesAt(problem, nest, inner), to_compute);
  for (size_t l = inner.value(); l-- > 0;) {
    const NestLevel& level = nest.levels[LevelId(l)];
    const bool between = LevelId(l) >= outer;
    for (const NestLoop& loop : level.spatial) {
      if (between) {
        builder.AddSpatial(loop);
      } else {
        builder.Repeat(loop);
      }
      if (between && trace != nullptr) trace->push_back(builder.words());
    }
    for (size_t i = level.temporal.size(); i-- > 0;) {
      if (between) {
        builder.AddTemporal(level.temporal[i]);
      } else {
        builder.Repeat(level.temporal[i]);
      }
      if (between && trace != nullptr) trace->push_back(builder.words());
    }
  }
  return builder.words();
}

Words FirstWords(const Problem& problem, const Nest& nest, TensorId output, LevelId level) {
  const Tensor& tensor = problem.tensors[output];
  Words words = WordsOf(tensor, SizesAt(problem, nest, LevelId(0)));
  for (LevelId l(0); l < level; ++l) {
    for (const NestLoop& loop : nest.levels[l].spatial) {
      if (!IsRelevant(tensor, loop.dim)) words.times = words.times * loop.steps;
    }
  }
  return words;
}

Monomial Steps(const Nest& nest) {
  Monomial steps;
  for (const NestLevel& level : nest.levels) {
    for (const NestLoop& loop : level.temporal) steps = steps * loop.steps;
  }
  return steps;
}

Monomial Lanes(const Nest& nest, LevelId level) {
  Monomial lanes;
  for (LevelId l(0); l < level; ++l) {
    for (const NestLoop& loop : nest.levels[l].spatial) lanes = lanes * loop.steps;
  }
  return lanes;
}

}  // namespace inlay::gp

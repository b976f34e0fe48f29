// The symbolic footprints and volumes, evaluated, against the counts of the cost module.
#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/cost/thistle_volume.h"
#include "inlay/gp/volume.h"
#include "tests/support/random_case.h"

namespace inlay {
namespace {

using gp::Nest;
using gp::Values;
using gp::VariableId;
using testing::Random;

struct SymbolicCase {
  Problem problem;
  Mapping mapping;
  Nest nest;
  Values steps;
};

// The loops of a random mapping, each of a random number of steps; the bounds follow.
SymbolicCase RandomSymbolicCase(Random& random, const testing::Case& form) {
  SymbolicCase c{form.problem, form.mapping, {}, {}};
  IndexedVector<DimId, int64_t> size(form.problem.dims.size(), 1);
  c.nest.levels.resize(form.mapping.levels.size());
  const auto add = [&](Loop* loop, std::vector<gp::NestLoop>* loops) {
    const int64_t steps = testing::Pick(random, 2, 5);
    loop->step = size[loop->dim];
    size[loop->dim] *= steps;
    loops->insert(loops->begin(), {loop->dim, gp::Variable(VariableId(c.steps.size()))});
    c.steps.push_back(static_cast<double>(steps));
  };
  for (size_t l = form.mapping.levels.size(); l-- > 0;) {
    LevelMapping& level = c.mapping.levels[LevelId(l)];
    gp::NestLevel& nest = c.nest.levels[LevelId(l)];
    nest.keep = level.keep;
    for (size_t i = level.spatial.size(); i-- > 0;) add(&level.spatial[i], &nest.spatial);
    for (size_t i = level.temporal.size(); i-- > 0;) add(&level.temporal[i], &nest.temporal);
  }
  for (DimId d : Ids(c.problem.dims)) c.problem.dims[d].bound = size[d];
  return c;
}

// Within the numbers that doubles hold exactly.
bool IsSmall(const Problem& problem) {
  double operations = 1;
  for (const Dimension& dim : problem.dims) operations *= static_cast<double>(dim.bound);
  return operations < 1e15;
}

void ExpectSame(const SymbolicCase& c) {
  const thistle::Volumes volumes(c.problem, c.mapping);
  const LevelId compute(c.mapping.levels.size());
  EXPECT_EQ(gp::ValueOf(gp::Steps(c.nest), c.steps), static_cast<double>(volumes.Steps()));
  for (LevelId l(0); l < compute; ++l) {
    EXPECT_EQ(gp::ValueOf(gp::Lanes(c.nest, l), c.steps), static_cast<double>(volumes.Lanes(l)));
  }
  for (TensorId t : Ids(c.problem.tensors)) {
    const Tensor& tensor = c.problem.tensors[t];
    for (LevelId outer(0); outer < compute; ++outer) {
      const auto tile = thistle::TouchedWords(tensor, TileSizes(c.problem, c.mapping, outer));
      EXPECT_EQ(gp::ValueOf(gp::Footprint(c.problem, c.nest, t, outer), c.steps),
                static_cast<double>(tile));
      if (tensor.is_output) {
        EXPECT_EQ(gp::ValueOf(gp::FirstWords(c.problem, c.nest, t, outer), c.steps),
                  static_cast<double>(volumes.FirstWords(tensor, outer)));
      }
      for (LevelId inner(outer.value() + 1); inner.value() <= compute.value(); ++inner) {
        EXPECT_EQ(gp::ValueOf(gp::Volume(c.problem, c.nest, t, outer, inner), c.steps),
                  static_cast<double>(volumes.Between(tensor, outer, inner)))
            << tensor.name << " from " << outer.value() << " to " << inner.value();
      }
    }
  }
}

TEST(GpVolumeProperty, EqualsTheCostModuleAtRandomTileSizes) {
  const int64_t cases = testing::CaseCount(4000, 100000);
  int64_t compared = 0;
  for (uint64_t seed = 1; compared < cases; ++seed) {
    Random random(seed);
    const testing::Case form = testing::RandomCase(random, testing::Steps::kPerfect);
    const SymbolicCase c = RandomSymbolicCase(random, form);
    const bool has_wide_rank =
        std::any_of(c.problem.tensors.begin(), c.problem.tensors.end(), [](const Tensor& tensor) {
          return std::any_of(tensor.ranks.begin(), tensor.ranks.end(),
                             [](const Rank& rank) { return rank.terms.size() > 2; });
        });
    if (has_wide_rank || !IsSmall(c.problem)) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " +
                 testing::Describe({c.problem, form.architecture, c.mapping}));
    ExpectSame(c);
    if (HasFailure()) return;
  }
}

// Multiplied out, an expression is exact where no tile is smaller than a stride or a dilation.
TEST(GpVolumeProperty, ExpandedIsExactForTilesNoSmallerThanTheGaps) {
  const int64_t cases = testing::CaseCount(2000, 50000);
  int64_t exact = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    Random random(seed + 1'000'000);
    const testing::Case form = testing::RandomCase(random, testing::Steps::kPerfect);
    const SymbolicCase c = RandomSymbolicCase(random, form);
    if (!IsSmall(c.problem)) continue;
    for (TensorId t : Ids(c.problem.tensors)) {
      bool fits = true;
      for (const Rank& rank : c.problem.tensors[t].ranks) fits = fits && rank.terms.size() <= 2;
      if (!fits) continue;
      const gp::Words words = gp::Volume(c.problem, c.nest, t, LevelId(0), LevelId(1));
      bool wide = true;
      for (const gp::RankWords& rank : words.ranks) {
        for (const auto& side : rank.sides) {
          wide = wide && (rank.sides.size() == 1 || gp::ValueOf(side.size, c.steps) >= side.gap);
        }
      }
      if (!wide) continue;
      ++exact;
      EXPECT_DOUBLE_EQ(gp::ValueOf(gp::Expand(words), c.steps), gp::ValueOf(words, c.steps));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(exact, cases / 2);
}

}  // namespace
}  // namespace inlay

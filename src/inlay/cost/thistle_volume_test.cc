#include "inlay/cost/thistle_volume.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "inlay/core/shapes.h"

namespace inlay::thistle {
namespace {

using Key = std::vector<int64_t>;

// Visits every iteration of a problem with the step of every loop at which it happens, and counts
// copies as sets: the definition, written out.
class Literal {
 public:
  Literal(const Problem& problem, const Mapping& mapping) : problem_(problem) {
    for (LevelId l : Ids(mapping.levels)) {
      for (const auto* loops : {&mapping.levels[l].temporal, &mapping.levels[l].spatial}) {
        for (const Loop& loop : *loops) loops_.push_back({loop, l});
      }
    }
    Visit(Key(problem.dims.size(), 0), 0);
  }

  int64_t Between(const Tensor& tensor, LevelId outer, LevelId inner) const {
    size_t hoist = 0;  // the innermost loop of the outer level that moves the tensor
    for (size_t k = 0; k < loops_.size(); ++k) {
      if (loops_[k].level < outer) hoist = k + 1;
      if (loops_[k].level < outer || loops_[k].level >= inner) continue;
      if (loops_[k].loop.axis == Axis::kTime && IsRelevant(tensor, loops_[k].loop.dim) &&
          StepsOf(k) > 1) {
        hoist = k;
      }
    }
    return Distinct([&](const Point& point) {
      Key key = WordOf(tensor, point);
      for (size_t k = 0; k < hoist; ++k) key.push_back(point.steps[k]);
      return key;
    });
  }

  int64_t FirstWords(const Tensor& tensor, LevelId level) const {
    return Distinct([&](const Point& point) {
      Key key = WordOf(tensor, point);
      AppendLanes(point, level, &key);
      return key;
    });
  }

  int64_t Lanes(LevelId level) const {
    return Distinct([&](const Point& point) {
      Key key;
      AppendLanes(point, level, &key);
      return key;
    });
  }

  int64_t Steps() const {
    std::set<Key> keys;
    for (const Point& point : points_) {
      Key temporal, spatial;
      for (size_t k = 0; k < loops_.size(); ++k) {
        (loops_[k].loop.axis == Axis::kTime ? temporal : spatial).push_back(point.steps[k]);
      }
      if (std::all_of(spatial.begin(), spatial.end(), [](int64_t i) { return i == 0; })) {
        keys.insert(temporal);
      }
    }
    return static_cast<int64_t>(keys.size());
  }

 private:
  struct OwnedLoop {
    Loop loop;
    LevelId level;
  };
  struct Point {
    Key at;     // per dimension
    Key steps;  // per loop
  };

  void Visit(Key at, size_t d) {
    if (d < problem_.dims.size()) {
      for (at[d] = 0; at[d] < problem_.dims[DimId(d)].bound; ++at[d]) Visit(at, d + 1);
      return;
    }
    Key left = at, steps;
    for (const OwnedLoop& owned : loops_) {
      int64_t& offset = left[owned.loop.dim.value()];
      steps.push_back(offset / owned.loop.step);
      offset %= owned.loop.step;
    }
    points_.push_back({at, steps});
  }

  template <typename KeyOf>
  int64_t Distinct(const KeyOf& key_of) const {
    std::set<Key> keys;
    for (const Point& point : points_) keys.insert(key_of(point));
    return static_cast<int64_t>(keys.size());
  }

  int64_t StepsOf(size_t k) const {
    return Distinct([&](const Point& point) { return Key{point.steps[k]}; });
  }

  void AppendLanes(const Point& point, LevelId level, Key* key) const {
    for (size_t k = 0; k < loops_.size(); ++k) {
      if (loops_[k].level < level && loops_[k].loop.axis != Axis::kTime) {
        key->push_back(point.steps[k]);
      }
    }
  }

  static Key WordOf(const Tensor& tensor, const Point& point) {
    Key word;
    for (const Rank& rank : tensor.ranks) {
      word.push_back(0);
      for (const Term& term : rank.terms) {
        word.back() += term.coefficient * point.at[term.dim.value()];
      }
    }
    return word;
  }

  const Problem& problem_;
  std::vector<OwnedLoop> loops_;
  std::vector<Point> points_;
};

class RandomCase {
 public:
  explicit RandomCase(uint64_t seed) : random_(seed) {
    ConvShape shape;
    shape.k = Pick(1, 5);
    shape.c = Pick(1, 4);
    shape.p = Pick(1, 9);
    shape.q = Pick(1, 4);
    shape.r = Pick(1, 4);
    shape.stride_h = Pick(1, 3);
    shape.dilation_h = Pick(1, 2);
    problem = MakeConv("random", shape);
    mapping.levels.resize(3);
    std::vector<int64_t> range;
    for (const Dimension& dim : problem.dims) range.push_back(dim.bound);
    for (LevelId l : Ids(mapping.levels)) {
      AddLoops(l.value() == 2, Axis::kTime, &range, &mapping.levels[l].temporal);
      if (l.value() < 2) AddLoops(false, Axis::kX, &range, &mapping.levels[l].spatial);
    }
  }
  Problem problem;
  Mapping mapping;

 private:
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  // Tiles of any size: no relation to the outer ones.
  void AddLoops(bool to_one, Axis axis, std::vector<int64_t>* range, std::vector<Loop>* loops) {
    std::vector<size_t> dims(range->size());
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = d;
    std::shuffle(dims.begin(), dims.end(), random_);
    for (size_t d : dims) {
      if (!to_one && Pick(0, 1) == 0) continue;
      const int64_t step = to_one ? 1 : Pick(1, (*range)[d]);
      loops->push_back({DimId(d), step, axis});
      (*range)[d] = step;
    }
  }
  std::mt19937_64 random_;
};

TEST(ThistleVolumes, EqualTheLiteralCount) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase random(seed);
    const Literal literal(random.problem, random.mapping);
    const Volumes volumes(random.problem, random.mapping);
    EXPECT_EQ(volumes.Steps(), literal.Steps());
    for (size_t l = 0; l <= 3; ++l) EXPECT_EQ(volumes.Lanes(LevelId(l)), literal.Lanes(LevelId(l)));
    for (const Tensor& tensor : random.problem.tensors) {
      for (size_t l = 0; l < 2; ++l) {
        EXPECT_EQ(static_cast<int64_t>(volumes.Between(tensor, LevelId(l), LevelId(l + 1))),
                  literal.Between(tensor, LevelId(l), LevelId(l + 1)));
      }
      EXPECT_EQ(static_cast<int64_t>(volumes.Between(tensor, LevelId(2), LevelId(3))),
                Operations(random.problem));
    }
    const Tensor& output = random.problem.tensors[OutputTensor(random.problem)];
    for (size_t l = 0; l < 3; ++l) {
      EXPECT_EQ(static_cast<int64_t>(volumes.FirstWords(output, LevelId(l))),
                literal.FirstWords(output, LevelId(l)));
    }
  }
}

}  // namespace
}  // namespace inlay::thistle

#include "tests/support/dnnopt_walk.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "inlay/cost/systolic.h"

namespace inlay::testing {
namespace {

struct Span {
  int64_t begin = 0, end = 0;  // half-open
  bool operator==(const Span&) const = default;
  auto operator<=>(const Span&) const = default;
};
using Box = std::vector<Span>;

int64_t Volume(const Box& box) {
  int64_t words = 1;
  for (const Span& span : box) words *= std::max<int64_t>(0, span.end - span.begin);
  return words;
}

int64_t Overlap(const Box& a, const Box& b) {
  Box both;
  for (size_t i = 0; i < a.size(); ++i) {
    both.push_back({std::max(a[i].begin, b[i].begin), std::min(a[i].end, b[i].end)});
  }
  return Volume(both);
}

Box BoxOf(const Tensor& tensor, const IndexedVector<DimId, Span>& block) {
  Box box;
  for (const Rank& rank : tensor.ranks) {
    Span span{0, 1};
    for (const Term& term : rank.terms) {
      span.begin += term.coefficient * block[term.dim].begin;
      span.end += term.coefficient * (block[term.dim].end - 1);
    }
    box.push_back(span);
  }
  return box;
}

class Walk {
 public:
  Walk(const Problem& problem, const std::vector<BlockWalkLoop>& loops, const SystolicArray& array,
       double words_per_cycle)
      : problem_(problem),
        loops_(loops),
        array_(array),
        words_per_cycle_(words_per_cycle),
        index_(loops.size(), 0),
        previous_(problem.tensors.size()),
        innermost_(problem.tensors.size(), loops.size()) {
    for (const Dimension& dim : problem.dims) block_.push_back({0, dim.bound});
    for (TensorId t : Ids(problem.tensors)) {
      for (size_t i = 0; i < loops.size(); ++i) {
        const bool several = loops[i].block < problem.dims[loops[i].dim].bound;
        if (several && IsRelevant(problem.tensors[t], loops[i].dim)) innermost_[t] = i;
      }
    }
  }

  BlockWalk Run() {
    size_t advanced = loops_.size();
    do {
      Enter(advanced);
    } while (Advance(&advanced));
    walk_.words += last_out_;
    return walk_;
  }

 private:
  bool Advance(size_t* advanced) {
    for (size_t i = loops_.size(); i-- > 0;) {
      if (++index_[i] * loops_[i].block < problem_.dims[loops_[i].dim].bound) {
        *advanced = i;
        return true;
      }
      index_[i] = 0;
    }
    return false;
  }

  void Enter(size_t advanced) {
    for (size_t i = 0; i < loops_.size(); ++i) {
      const int64_t begin = index_[i] * loops_[i].block;
      block_[loops_[i].dim] = {
          begin, std::min(begin + loops_[i].block, problem_.dims[loops_[i].dim].bound)};
    }
    int64_t in = 0, out = 0;
    for (TensorId t : Ids(problem_.tensors)) {
      const Box box = BoxOf(problem_.tensors[t], block_);
      const bool first = previous_[t].empty();
      if (!first && box == previous_[t]) continue;
      const int64_t shared = first ? 0 : Overlap(box, previous_[t]);
      const bool halo = advanced == innermost_[t];
      int64_t words = Volume(box);
      if (halo) words -= shared;
      if (!halo) walk_.wrap_overlap += shared;
      if (problem_.tensors[t].is_output) {
        if (!first) out += last_out_;
        last_out_ = Volume(box);
        if (!seen_.insert(box).second) in += words;
      } else {
        in += words;
      }
      previous_[t] = box;
    }
    walk_.words += in + out;
    const SystolicShape shape = Shape();
    const auto cost = EvaluateSystolic(shape, array_);
    const int64_t cycles = cost->folds * cost->cycles_per_fold;
    if (advanced < loops_.size() && words_per_cycle_ > 0) {
      const auto fetch =
          static_cast<int64_t>(std::ceil(static_cast<double>(in + out) / words_per_cycle_));
      walk_.stalls += std::max<int64_t>(0, fetch - last_cycles_);
    }
    last_cycles_ = cycles;
    walk_.cycles += cycles;
  }

  SystolicShape Shape() const {
    Problem block = problem_;
    for (DimId d : Ids(block.dims)) block.dims[d].bound = block_[d].end - block_[d].begin;
    return *SystolicShapeOf(block);
  }

  const Problem& problem_;
  const std::vector<BlockWalkLoop>& loops_;
  SystolicArray array_;
  double words_per_cycle_;
  std::vector<int64_t> index_;
  IndexedVector<DimId, Span> block_;
  IndexedVector<TensorId, Box> previous_;
  IndexedVector<TensorId, size_t> innermost_;  // loop that moves the tensor; none: no loop
  std::set<Box> seen_;
  int64_t last_out_ = 0, last_cycles_ = 0;
  BlockWalk walk_;
};

}  // namespace

BlockWalk WalkBlocks(const Problem& problem, const std::vector<BlockWalkLoop>& loops,
                     const SystolicArray& array, double words_per_cycle) {
  return Walk(problem, loops, array, words_per_cycle).Run();
}

}  // namespace inlay::testing

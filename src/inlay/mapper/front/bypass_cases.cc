#include "inlay/mapper/front/bypass_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inlay/mapper/exact/edge_bounds.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kMostEdges = 3;  // each makes three times as many cases
constexpr size_t kMotions = 3;

}  // namespace

BypassCases::BypassCases(const Space& space, const KeepCase& keep_case, const Chains& chains)
    : space_(space), keep_case_(keep_case), chains_(chains) {
  for (size_t c = 2; c < keep_case.levels; ++c) {
    for (const Edge& edge : keep_case.edges[c]) {
      if (edge.offchip && edges_.size() < kMostEdges) edges_.push_back(&edge);
    }
  }
  for (size_t i = 0; i < edges_.size(); ++i) {
    size_ *= kMotions;
    FindShares(i);
  }
  still_.assign(size_, std::vector<uint64_t>(keep_case.dims, 0));
  for (size_t in_case = 0; in_case < size_; ++in_case) {
    for (size_t i = 0; i < edges_.size(); ++i) {
      if (MotionOf(in_case, i) != Motion::kStill) continue;
      for (size_t d = 0; d < keep_case.dims; ++d) {
        if (keep_case.tensors[edges_[i]->tensor].rank_of[d] < 0) continue;
        still_[in_case][d] |= (uint64_t{1} << edges_[i]->child) - 2;  // levels 1 … child − 1
      }
    }
  }
}

BypassCases::Motion BypassCases::MotionOf(size_t in_case, size_t edge) const {
  for (size_t i = 0; i < edge; ++i) in_case /= kMotions;
  return static_cast<Motion>(in_case % kMotions);
}

// Shares of rounds are of use only if every rank is one dimension with coefficient 1, so that all
// tiles together are the tensor once.
void BypassCases::FindShares(size_t i) {
  const Edge& edge = *edges_[i];
  const KeepCase::TensorRanks& tensor = keep_case_.tensors[edge.tensor];
  const bool plain =
      !edge.output && std::all_of(tensor.ranks.begin(), tensor.ranks.end(), [](const auto& rank) {
        return rank.size() == 1 && rank[0].coefficient == 1;
      });
  double once = plain ? 1 : 0;
  auto& shares = shares_.emplace_back(keep_case_.dims);
  irrelevant_steps_.emplace_back(keep_case_.dims);
  const size_t at = chains_.layout.At(edge.child);
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    if (tensor.rank_of[d] < 0) {
      for (const ChainTree::Node& node : chains_.trees[d].Singles()) {
        const double* row = chains_.trees[d].Row(node);
        irrelevant_steps_[i][d].push_back(
            row[at + RowLayout::DistinctLanes(edge.child, 0, edge.child)]);
      }
      continue;
    }
    once *= static_cast<double>(space_.problem.dims[DimId(d)].bound);
    for (const ChainTree::Node& node : chains_.trees[d].Singles()) {
      const double* row = chains_.trees[d].Row(node);
      Share share;
      if (plain && row[at + kMoves] != 0) {
        share.all = std::min(1.0, row[at + kRoundSizeLo] / row[at + kSizeLo]);
      }
      for (size_t l = 1; l < edge.child; ++l) {
        if (row[RowLayout::MayMove(l)] != 0) share.moves = true;
      }
      if (share.moves) share.inside = share.all;
      shares[d].push_back(share);
    }
  }
  once_words_.push_back(once);
}

bool BypassCases::Allows(size_t in_case, size_t dim, uint32_t chain) const {
  for (size_t i = 0; i < edges_.size(); ++i) {
    if (shares_[i][dim].empty()) continue;
    const Share& share = shares_[i][dim][chain];
    const Motion motion = MotionOf(in_case, i);
    if (motion == Motion::kStill && share.moves) return false;
    if (motion == Motion::kPartly && share.inside >= 1) return false;
  }
  return true;
}

bool BypassCases::AllowsSome(size_t in_case, size_t dim, size_t stage, uint32_t node) {
  if (some_.empty())
    some_.assign(size_, std::vector<std::vector<std::vector<uint8_t>>>(keep_case_.dims));
  std::vector<std::vector<uint8_t>>& by_stage = some_[in_case][dim];
  if (by_stage.empty()) {
    const ChainTree& tree = chains_.trees[dim];
    by_stage.resize(tree.stages());
    for (size_t s = tree.stages(); s-- > 0;) {
      by_stage[s].assign(tree.size(s), 0);
      for (uint32_t n = 0; n < tree.size(s); ++n) {
        if (s + 1 == tree.stages()) {
          by_stage[s][n] = Allows(in_case, dim, n) ? 1 : 0;
          continue;
        }
        const ChainTree::Node& at = tree.At(s, n);
        const auto begin = by_stage[s + 1].begin();
        by_stage[s][n] =
            std::find(begin + at.child_begin, begin + at.child_end, 1) != begin + at.child_end;
      }
    }
  }
  return by_stage[stage][node] != 0;
}

uint64_t BypassCases::Kind(size_t in_case, size_t dim) const {
  uint64_t kind = 0;
  for (size_t i = 0; i < edges_.size(); ++i) {
    const bool concerned = !shares_[i][dim].empty();
    kind =
        kind * kMotions + static_cast<uint64_t>(concerned ? MotionOf(in_case, i) : Motion::kAlways);
  }
  return kind;
}

bool BypassCases::Holds(size_t in_case, const std::vector<uint32_t>& chains) const {
  for (size_t i = 0; i < edges_.size(); ++i) {
    bool moves = false;
    double inside = 0;
    for (size_t d = 0; d < keep_case_.dims; ++d) {
      if (shares_[i][d].empty()) continue;
      const Share& share = shares_[i][d][chains[d]];
      moves = moves || share.moves;
      inside = std::max(inside, share.inside);
    }
    const Motion motion = !moves ? Motion::kStill : inside >= 1 ? Motion::kAlways : Motion::kPartly;
    if (motion != MotionOf(in_case, i)) return false;
  }
  return true;
}

void BypassCases::Bound(const MappingSet& set, Bounder* bounder, std::vector<double>* words) {
  moved_words_.clear();
  always_words_.clear();
  for (size_t i = 0; i < edges_.size(); ++i) {
    moved_words_.push_back(OffchipMoved(set, *edges_[i]));
    double again = 1;
    for (const size_t d : keep_case_.tensors[edges_[i]->tensor].irrelevant) {
      again *= set.rows[d][chains_.layout.At(edges_[i]->child) +
                           RowLayout::DistinctLanes(edges_[i]->child, 0, 1)];
    }
    const double always = once_words_[i] > 0 ? once_words_[i] * again : kInfinity;
    always_words_.push_back(std::max(moved_words_[i], always));
  }
  words->resize(size_);
  for (size_t in_case = 0; in_case < size_; ++in_case) {
    size_t moved = 0;
    double more = 0;
    for (size_t i = 0; i < edges_.size(); ++i) {
      const Motion motion = MotionOf(in_case, i);
      if (motion == Motion::kStill) continue;
      moved |= size_t{1} << i;
      // No more than a finite bound can be raised from an infinite one.
      if (moved_words_[i] < kInfinity) more += MovedWords(i, motion) - moved_words_[i];
    }
    const double all = bounder->OffchipInCase(set, edges_, moved) + more;
    (*words)[in_case] = SafeBound({0, 0, all}, Metric::kOffchip);
  }
}

double BypassCases::WordsOf(size_t edge, const Rounds& rounds,
                            const std::vector<uint32_t>& chains) const {
  double in_place = 1;  // the share that loops inside level 0 leave in place
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    if (!shares_[edge][d].empty()) in_place *= 1 - shares_[edge][d][chains[d]].inside;
  }
  double times = (1 - in_place) * rounds.all;
  for (const Rounds::Loop& loop : rounds.loops) {
    const Share& share = shares_[edge][loop.dim][chains[loop.dim]];
    if (share.moves) continue;
    times += in_place * share.all * loop.outside;
    in_place *= 1 - share.all;
  }
  return std::ceil(once_words_[edge] * (times + in_place) * (1 - 1e-12));
}

double BypassCases::WordsByInner(size_t edge, size_t inner,
                                 const std::vector<uint32_t>& chains) const {
  if (edges_[edge]->child != 2 || shares_[edge][inner].empty()) return 0;
  const double share = shares_[edge][inner][chains[inner]].all;
  double steps = 1;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    if (shares_[edge][d].empty()) steps *= irrelevant_steps_[edge][d][chains[d]];
  }
  return std::ceil(once_words_[edge] * (share * steps + 1 - share) * (1 - 1e-12));
}

}  // namespace inlay::exact_search

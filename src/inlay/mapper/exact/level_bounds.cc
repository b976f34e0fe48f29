#include "inlay/mapper/exact/level_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/dim_order.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The least energy and off-chip words into one level over all tiles that fit it.
class LevelBoundSearch {
 public:
  LevelBoundSearch(const Frame& frame, const Chains& chains, size_t level, Metric metric,
                   const Deadline& deadline)
      : frame_(frame),
        chains_(chains),
        tiles_(chains.tiles[level]),
        level_(level),
        watch_(deadline),
        bounder_(frame, chains.layout),
        offchip_(metric == Metric::kOffchip) {
    rows_.resize(frame.dims);
    tile_.resize(frame.dims);
    for (size_t c = level + 1; c < frame.levels; ++c) {
      for (const Edge& edge : frame.edges[c]) {
        if (edge.parent + 1 == level) bypassing_.push_back(&edge);
      }
    }
  }

  LevelBound Run() {
    LevelBound bound;
    bound.entering = Search(0);
    sent_ = true;
    bound.sent = Search(bypassing_.size());
    return bound;
  }

 private:
  // A lower bound over all cases of `bits` edges, moved or not: the highest of a series of values
  // below which there is nothing, as far as a limited search can tell.
  LowerBound Search(size_t bits) {
    cases_ = uint64_t{1} << bits;
    LowerBound whole = {kInfinity, 0, kInfinity};
    for (moved_ = 0; moved_ < cases_; ++moved_) {
      Begin();
      LowerBound root;
      if (!Bound(kAnyDim, &root)) continue;
      whole.energy_pj = std::min(whole.energy_pj, root.energy_pj);
      whole.offchip_words = std::min(whole.offchip_words, root.offchip_words);
    }
    LowerBound bound = whole;
    nodes_left_ = kMostNodes;
    metric_ = Metric::kEnergy;
    bound.energy_pj = Raise(whole.energy_pj);
    metric_ = Metric::kOffchip;
    if (offchip_) bound.offchip_words = Raise(whole.offchip_words);
    return bound;
  }

  double Raise(double bound) {
    if (!(bound > 0) || bound == kInfinity) return bound;
    double proven = bound;
    double found = kInfinity;
    double more = 0.002;
    for (int i = 0; i < 28; ++i, more *= 1.5) {
      const double cutoff = bound * (1 + more);
      const std::optional<bool> below = IsBelow(cutoff);
      if (!below) return proven;
      if (*below) {
        found = cutoff;
        break;
      }
      proven = cutoff;
    }
    // Between the last two.
    for (int i = 0; i < 4 && found < kInfinity; ++i) {
      const double middle = (proven + found) / 2;
      const std::optional<bool> below = IsBelow(middle);
      if (!below) break;
      (*below ? found : proven) = middle;
    }
    return proven;
  }

  // Whether some choice of tiles has a bound below the cut-off; nullopt if it takes too long.
  std::optional<bool> IsBelow(double cutoff) {
    for (moved_ = 0; moved_ < cases_; ++moved_) {
      Begin();
      for (int inner = kNoDim; inner < static_cast<int>(frame_.dims); ++inner) {
        inner_ = inner;
        order_ = DimOrder(frame_, level_, inner,
                          [&](size_t d) { return static_cast<double>(tiles_[d].tile.size()); });
        const std::optional<bool> below = Descend(0, cutoff);
        if (!below || *below) return below;
      }
    }
    return false;
  }

  void Begin() {
    for (size_t d = 0; d < frame_.dims; ++d) {
      rows_[d] = chains_.trees[d].RootRow();
      tile_[d] = tiles_[d].smallest;
    }
  }

  // False if there is no such mapping.
  bool Bound(int inner, LowerBound* bound) {
    const MappingSet set = bounder_.SetOf(rows_, {}, kAllLoops);
    bool possible = true;
    sum_.Begin(frame_);
    if (sent_) {
      possible = bounder_.AddSentInward(set, level_, bypassing_, moved_, inner, &sum_);
    } else {
      bounder_.AddMerged(set, level_, inner, &sum_);
    }
    *bound = sum_.total;
    return possible;
  }

  // A tile that no loop from the level on moves lies in the instances further in.
  bool Holds() const {
    for (size_t i = 0; sent_ && i < bypassing_.size(); ++i) {
      if ((moved_ >> i & 1) == 0 && !frame_.Holds(*bypassing_[i], level_, tile_.data()))
        return false;
    }
    return true;
  }

  std::optional<bool> Descend(size_t depth, double cutoff) {
    if (depth == frame_.dims) return true;
    const size_t d = order_[depth];
    const double* row = rows_[d];
    const double smallest = tile_[d];
    const std::optional<bool> below = DescendRange(depth, 0, tiles_[d].tile.size(), cutoff);
    rows_[d] = row;
    tile_[d] = smallest;
    return below;
  }

  // The larger tiles first.
  std::optional<bool> DescendRange(size_t depth, size_t begin, size_t end, double cutoff) {
    const size_t d = order_[depth];
    const size_t count = end - begin;
    if (count == 1 || count >= ChainTree::kLeastRange) {
      tile_[d] = tiles_[d].tile[begin];
      if (!frame_.Fits(level_, tile_.data()) || !Holds()) return false;
      if (watch_.Passed() || --nodes_left_ < 0) return std::nullopt;
      rows_[d] = count == 1 ? tiles_[d].Row(begin) : tiles_[d].RangeRow(begin, end);
      const double* at = rows_[d] + chains_.layout.At(level_);
      if (inner_ == kNoDim && at[kStays] == 0) return false;
      if (inner_ == static_cast<int>(d) && at[kMoves] == 0) return false;
      LowerBound one;
      if (!Bound(inner_, &one) || BoundOf(one, metric_) >= cutoff) return false;
      if (count == 1) return Descend(depth + 1, cutoff);
    }
    const size_t middle = begin + count / 2;
    const std::optional<bool> below = DescendRange(depth, middle, end, cutoff);
    if (!below || *below) return below;
    return DescendRange(depth, begin, middle, cutoff);
  }

  const Frame& frame_;
  const Chains& chains_;
  const std::vector<TileSet>& tiles_;
  size_t level_;
  DeadlineWatch watch_;
  Bounder bounder_;
  BoundSum sum_;
  std::vector<const Edge*> bypassing_;
  bool sent_ = false;
  uint64_t moved_ = 0;
  uint64_t cases_ = 1;
  bool offchip_;
  static constexpr int64_t kMostNodes = 60000;
  int64_t nodes_left_ = 0;
  Metric metric_ = Metric::kEnergy;
  Rows rows_;
  std::vector<double> tile_;
  std::vector<size_t> order_;
  int inner_ = kNoDim;
};

}  // namespace

LowerBound BoundOfAll(const Space& space, const Frame& frame) {
  const RowLayout layout(frame.levels);
  std::vector<std::vector<double>> figures;
  Rows rows;
  for (const Dimension& dim : space.problem.dims) {
    const auto bound = static_cast<double>(dim.bound);
    std::vector<double> row(layout.size(), 1);
    for (size_t l = 0; l < frame.levels; ++l) row[RowLayout::MustMove(l)] = 0;
    for (size_t c = 1; c <= frame.levels; ++c) {
      double* at = &row[layout.At(c)];
      const bool compute = c == frame.levels;
      if (compute) at[kTilesLo] = bound;
      at[kTilesHi] = at[kSizeLo] = at[kTileHi] = bound;
      at[kRoundTilesLo] = at[kRoundSizeLo] = at[kNextTilesLo] = at[kNextSizeLo] = 0;
      at[kRoundTilesHi] = at[kNextTilesHi] = bound;
      at[kLanesHi] = std::min(bound, frame.instances[c]);
      for (size_t q = 0; q < c; ++q) {
        const double lanes = std::min(bound, frame.instances[c] / frame.instances[q]);
        at[RowLayout::Between(c, q)] = lanes;
        if (compute) at[RowLayout::Leaders(c, q, c)] = std::ceil(bound / lanes * (1 - 1e-12));
      }
    }
    figures.push_back(std::move(row));
  }
  for (const auto& row : figures) rows.push_back(row.data());
  Bounder bounder(frame, layout);
  const MappingSet set = bounder.SetOf(rows);
  BoundSum sum;
  sum.Begin(frame);
  for (size_t c = 1; c <= frame.levels; ++c) bounder.AddMerged(set, c, kAnyDim, &sum);
  return Finish(set, FewestSteps(set, frame.instances[frame.levels]), sum);
}

double FixedPart(const Problem& problem, const Frame& frame, const LowerBound& least,
                 Metric metric) {
  if (metric == Metric::kDelay || metric == Metric::kOffchip) return 0;
  const double energy_pj =
      static_cast<double>(Operations(problem)) * frame.compute_pj + least.cycles * frame.leakage_pj;
  return metric == Metric::kEnergy ? energy_pj : energy_pj * least.cycles;
}

std::vector<LevelBound> BoundsByLevel(const Frame& frame, const Chains& chains, Metric metric,
                                      const Deadline& deadline) {
  std::vector<LevelBound> bound(frame.levels + 1);
  for (size_t l = 1; l + 1 < frame.levels; ++l) {
    bound[l] = LevelBoundSearch(frame, chains, l, metric, deadline).Run();
  }
  return bound;
}

}  // namespace inlay::exact_search

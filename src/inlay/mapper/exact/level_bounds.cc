#include "inlay/mapper/exact/level_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/dim_order.h"
#include "inlay/mapper/exact/entering_bound.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The least energy and off-chip words into one level over all tiles that fit it.
class LevelBoundSearch {
 public:
  LevelBoundSearch(const KeepCase& keep_case, const Chains& chains, size_t level, Metric metric,
                   const Deadline& deadline)
      : keep_case_(keep_case),
        chains_(chains),
        tiles_(chains.tiles[level]),
        level_(level),
        watch_(deadline),
        bounder_(keep_case, chains.layout),
        offchip_(metric == Metric::kOffchip) {
    rows_.resize(keep_case.dims);
    tile_.resize(keep_case.dims);
    for (size_t c = level + 1; c < keep_case.levels; ++c) {
      for (const Edge& edge : keep_case.edges[c]) {
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
      for (int inner = kNoDim; inner < static_cast<int>(keep_case_.dims); ++inner) {
        inner_ = inner;
        order_ = DimOrder(keep_case_, level_, inner,
                          [&](size_t d) { return static_cast<double>(tiles_[d].tile.size()); });
        const std::optional<bool> below = Descend(0, cutoff);
        if (!below || *below) return below;
      }
    }
    return false;
  }

  void Begin() {
    for (size_t d = 0; d < keep_case_.dims; ++d) {
      rows_[d] = chains_.trees[d].RootRow();
      tile_[d] = tiles_[d].smallest;
    }
  }

  // False if there is no such mapping.
  bool Bound(int inner, LowerBound* bound) {
    const MappingSet set = bounder_.SetOf(rows_, {}, kAllLoops);
    bool possible = true;
    sum_.Begin(keep_case_);
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
      if ((moved_ >> i & 1) == 0 && !keep_case_.Holds(*bypassing_[i], level_, tile_.data()))
        return false;
    }
    return true;
  }

  std::optional<bool> Descend(size_t depth, double cutoff) {
    if (depth == keep_case_.dims) return true;
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
      if (!keep_case_.Fits(level_, tile_.data()) || !Holds()) return false;
      if (watch_.Passed() || --nodes_left_ < 0) return std::nullopt;
      rows_[d] = count == 1 ? tiles_[d].Row(begin) : tiles_[d].RangeRow(begin, end);
      const double* at = rows_[d] + chains_.layout.At(level_);
      if (inner_ == kNoDim && at[kMayBeStill] == 0) return false;
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

  const KeepCase& keep_case_;
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

namespace {

// The row of figures of a dimension that holds whatever its chain.
std::vector<double> WidestRow(const KeepCase& keep_case, const RowLayout& layout, double bound) {
  std::vector<double> row(layout.size(), 1);
  for (size_t l = 0; l < keep_case.levels; ++l) row[RowLayout::MustMove(l)] = 0;
  for (size_t c = 1; c <= keep_case.levels; ++c) {
    double* at = &row[layout.At(c)];
    const bool compute = c == keep_case.levels;
    if (compute) at[kTilesLo] = bound;
    at[kTilesHi] = at[kSizeLo] = at[kTileHi] = bound;
    at[kRoundTilesLo] = at[kRoundSizeLo] = at[kNextTilesLo] = at[kNextSizeLo] = 0;
    at[kRoundTilesHi] = at[kNextTilesHi] = bound;
    at[kLanesHi] = std::min(bound, keep_case.instances[c]);
    for (size_t q = 0; q < c; ++q) {
      const double lanes = std::min(bound, keep_case.instances[c] / keep_case.instances[q]);
      at[RowLayout::Between(c, q)] = lanes;
      if (compute) at[RowLayout::DistinctLanes(c, q, c)] = std::ceil(bound / lanes * (1 - 1e-12));
    }
  }
  return row;
}

std::vector<std::vector<double>> WidestRows(const Space& space, const KeepCase& keep_case,
                                            const RowLayout& layout) {
  std::vector<std::vector<double>> rows;
  for (const Dimension& dim : space.problem.dims) {
    rows.push_back(WidestRow(keep_case, layout, static_cast<double>(dim.bound)));
  }
  return rows;
}

Rows PointersTo(const std::vector<std::vector<double>>& rows) {
  Rows pointers;
  for (const auto& row : rows) pointers.push_back(row.data());
  return pointers;
}

// Words of an output that some operation adds to: a stride leaves gaps in its box, which tiles of
// one iteration do not have.
double WordsOfOutput(const Space& space, const KeepCase& keep_case, size_t tensor) {
  double words = 1;
  for (const auto& rank : keep_case.tensors[tensor].ranks) {
    for (const KeepCase::Term& term : rank) {
      words *= static_cast<double>(space.problem.dims[DimId(term.dim)].bound);
    }
  }
  return words;
}

// The least energy of everything but leakage.
double EnergyOfHeld(const Space& space, const KeepCase& keep_case, const MappingSet& set) {
  const size_t tensors = keep_case.tensors.size();
  BoundSum compute;
  compute.Begin(keep_case);
  // One instance of the innermost level that keeps the output works on each of its words. Another
  // one saves compute as many reads as the level then drains more.
  compute.output_copies = 1;
  Bounder(keep_case, set.layout).AddMerged(set, keep_case.levels, kAnyDim, &compute);
  double energy_pj = compute.total.energy_pj;
  for (size_t c = 1; c < keep_case.levels; ++c) {
    WordPrices prices{std::vector<double>(tensors, 0), std::vector<double>(tensors, 0),
                      std::vector<double>(tensors, 0)};
    for (const Edge& edge : keep_case.edges[c]) {
      const auto& inward = keep_case.edges[keep_case.levels];
      const bool innermost = std::any_of(inward.begin(), inward.end(), [&](const Edge& last) {
        return last.tensor == edge.tensor && last.parent == c;
      });
      if (edge.output && innermost && keep_case.instances[c] > 1) {
        energy_pj +=
            WordsOfOutput(space, keep_case, edge.tensor) * (edge.at_parent + edge.at_child);
        continue;
      }
      prices.parent[edge.tensor] = edge.at_parent;
      prices.child[edge.tensor] = edge.at_child;
      prices.back[edge.tensor] = edge.back;
    }
    energy_pj += LeastEntering(space.problem, keep_case, c, prices);
  }
  return energy_pj;
}

// The fewest words through a port.
double WordsThrough(const Space& space, const KeepCase& keep_case, const Port& port) {
  const size_t tensors = keep_case.tensors.size();
  double words = 0;
  for (size_t c = 1; c < keep_case.levels; ++c) {
    WordPrices prices{std::vector<double>(tensors, 0), std::vector<double>(tensors, 0),
                      std::vector<double>(tensors, 0)};
    for (const Edge& edge : keep_case.edges[c]) {
      const size_t t = edge.tensor;
      if (port.tensor >= 0 && port.tensor != static_cast<int>(t)) continue;
      const auto one = [](bool counts) { return counts ? 1.0 : 0.0; };
      if (port.IsOf(edge.parent)) {
        prices.parent[t] = one(edge.output ? port.in : port.out);
        prices.back[t] = one(edge.output && port.out);
      } else if (port.IsOf(c)) {
        prices.child[t] = one(edge.output ? port.out : port.in);
        prices.back[t] = one(edge.output && port.in);
      }
    }
    words += LeastEntering(space.problem, keep_case, c, prices);
  }
  return words;
}

double OffchipOfHeld(const Space& space, const KeepCase& keep_case) {
  return WordsThrough(space, keep_case, Port{0, 0, -1, true, true, 1});
}

}  // namespace

LowerBound BoundOfAll(const Space& space, const KeepCase& keep_case) {
  const RowLayout layout(keep_case.levels);
  const auto figures = WidestRows(space, keep_case, layout);
  const Rows rows = PointersTo(figures);
  Bounder bounder(keep_case, layout);
  const MappingSet set = bounder.SetOf(rows);
  BoundSum sum;
  sum.Begin(keep_case);
  for (size_t c = 1; c <= keep_case.levels; ++c) bounder.AddMerged(set, c, kAnyDim, &sum);
  return Finish(set, FewestSteps(set, keep_case.instances[keep_case.levels]), sum);
}

LowerBound BoundOfHeld(const Space& space, const KeepCase& keep_case) {
  LowerBound bound = BoundOfAll(space, keep_case);
  const RowLayout layout(keep_case.levels);
  const auto figures = WidestRows(space, keep_case, layout);
  const Rows rows = PointersTo(figures);
  const Bounder bounder(keep_case, layout);
  const MappingSet set = bounder.SetOf(rows);
  // Off-chip words that compute asks for itself are in neither part.
  double offchip = OffchipOfHeld(space, keep_case);
  for (const Edge& edge : keep_case.edges[keep_case.levels]) {
    if (edge.offchip) offchip = 0;
  }
  bound.offchip_words = std::max(bound.offchip_words, std::ceil(offchip * (1 - 1e-9)));
  for (const Port& port : keep_case.ports) {
    const double cycles = WordsThrough(space, keep_case, port) /
                          (keep_case.instances[port.level] * port.words_per_cycle);
    bound.cycles = std::max(bound.cycles, std::ceil(cycles * (1 - 1e-9) - 1e-9));
  }
  const auto operations = static_cast<double>(Operations(space.problem));
  const double energy_pj = EnergyOfHeld(space, keep_case, set) + operations * keep_case.compute_pj +
                           bound.cycles * keep_case.leakage_pj;
  bound.energy_pj = std::max(bound.energy_pj, energy_pj);
  return bound;
}

double FixedPart(const Problem& problem, const KeepCase& keep_case, const LowerBound& least,
                 Metric metric) {
  if (metric == Metric::kDelay || metric == Metric::kOffchip) return 0;
  const double energy_pj = static_cast<double>(Operations(problem)) * keep_case.compute_pj +
                           least.cycles * keep_case.leakage_pj;
  return metric == Metric::kEnergy ? energy_pj : energy_pj * least.cycles;
}

std::vector<LevelBound> BoundsByLevel(const KeepCase& keep_case, const Chains& chains,
                                      Metric metric, const Deadline& deadline) {
  std::vector<LevelBound> bound(keep_case.levels + 1);
  for (size_t l = 1; l + 1 < keep_case.levels; ++l) {
    bound[l] = LevelBoundSearch(keep_case, chains, l, metric, deadline).Run();
  }
  return bound;
}

}  // namespace inlay::exact_search

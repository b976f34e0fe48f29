#include "inlay/mapper/thistle/chains.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::thistle {
namespace {

constexpr SlotId kDramTime(0), kSramTime(3), kRegisterTime(6);

// Nothing but upper limits, and none on the trips of the SRAM's loop.
bool IsPlain(const Space& space, DimId d) {
  for (const auto& factors : space.factors) {
    if (factors[d].min > 1) return false;
  }
  for (const auto& unrolling : space.unrolling) {
    if (unrolling[d].min > 1) return false;
  }
  return space.factors[kSramTime][d].max >= space.problem.dims[d].bound;
}

// Drops splits that need no fewer lanes and no smaller tile than another; they come by lanes.
void KeepLeast(std::vector<LaneSplit>* splits) {
  size_t kept = 0;
  for (const LaneSplit& split : *splits) {
    if (kept == 0 || split.tile < (*splits)[kept - 1].tile) (*splits)[kept++] = split;
  }
  splits->resize(kept);
}

}  // namespace

Chains::Chains(const Model& model, FreeIndex f, DeadlineWatch* watch, size_t most)
    : model_(&model), f_(f), watch_(watch), bound_(model.bound(f)) {
  const Space& space = model.space();
  const DimId d = model.dim(f);
  const SlotId spatial(3 + static_cast<size_t>(model.axis()));
  max_lanes_ = std::min(
      {bound_, model.lanes(), space.factors[spatial][d].max, space.unrolling[LevelId(1)][d].max});
  max_tile_ = std::min(bound_, space.factors[kRegisterTime][d].max);
  listed_ = space.mapspace != Mapspace::kAny || !IsPlain(space, d);
  if (listed_) {
    List(most);
    return;
  }
  is_too_long_ = max_lanes_ > static_cast<int64_t>(most);
  if (is_too_long_) return;
  MakeRangesOfAny();
  for (int64_t lanes = 1; lanes <= max_lanes_; ++lanes) lane_counts_.push_back(lanes);
}

double Chains::Steps(int64_t sram, int64_t array, int64_t tile) const {
  const auto of = [&](int64_t range) {
    return range / array * tile + std::min(range % array, tile);
  };
  const int64_t steps = bound_ / sram * of(sram) + of(bound_ % sram);
  return static_cast<double>(steps);
}

TileRange Chains::RangeOf(int64_t smallest, int64_t largest) const {
  return {smallest, largest, model_->CutBy(f_, largest)};
}

void Chains::MakeRangesOfAny() {
  const int64_t most_trips = model_->space().factors[kDramTime][model_->dim(f_)].max;
  for (int64_t largest = bound_; largest >= 1 && !watch_->Passed();) {
    const int64_t trips = CeilDiv(bound_, largest);
    const int64_t smallest = CeilDiv(bound_, trips);
    if (trips <= most_trips) sram_.push_back(RangeOf(smallest, largest));
    array_.push_back(RangeOf(smallest, largest));
    largest = smallest - 1;
  }
}

void Chains::List(size_t most) {
  list_ = ChainList(*model_, f_, watch_, most);
  is_too_long_ = list_.is_too_long();
  lane_counts_ = list_.lane_counts();
  const auto ranges = [&](const std::vector<int64_t>& tiles) {
    std::vector<TileRange> result;
    for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
      if (!result.empty() && CeilDiv(bound_, *tile) == CeilDiv(bound_, result.back().largest)) {
        result.back().smallest = *tile;
      } else {
        result.push_back(RangeOf(*tile, *tile));
      }
    }
    return result;
  };
  sram_ = ranges(list_.srams());
  array_ = ranges(list_.arrays());
  FindLeastTiles();
}

void Chains::FindLeastTiles() {
  least_tiles_.assign(array_.size(), {});
  if (list_.chains().empty()) return;
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> least(array_.size() * lane_counts_.size(), kNone);
  size_t range = array_.size() - 1;
  for (const ListedChain& chain : list_.chains()) {
    // Within an SRAM tile the array tiles rise, and so the ranges fall.
    if (chain.array < array_[range].smallest) range = array_.size() - 1;
    while (chain.array > array_[range].largest) --range;
    const auto lanes = std::lower_bound(lane_counts_.begin(), lane_counts_.end(), chain.lanes);
    int64_t& tile =
        least[range * lane_counts_.size() + static_cast<size_t>(lanes - lane_counts_.begin())];
    tile = std::min(tile, chain.tile);
  }
  for (size_t i = 0; i < least.size(); ++i) {
    if (least[i] == kNone) continue;
    const int64_t lanes = lane_counts_[i % lane_counts_.size()];
    least_tiles_[i / lane_counts_.size()].push_back({lanes, least[i], 0});
  }
}

namespace {

// Joins neighbours, which come from the fewest tiles to the most. How often: range i becomes
// i >> this.
size_t Coarsen(size_t most, std::vector<TileRange>* ranges) {
  size_t times = 0;
  for (; ranges->size() > std::max<size_t>(most, 1); ++times) {
    std::vector<TileRange> joined;
    for (size_t i = 0; i < ranges->size(); i += 2) {
      joined.push_back((*ranges)[i]);
      if (i + 1 < ranges->size()) joined.back().smallest = (*ranges)[i + 1].smallest;
    }
    *ranges = std::move(joined);
  }
  return times;
}

}  // namespace

void Chains::CoarsenSram(size_t most) { Coarsen(most, &sram_); }

void Chains::CoarsenArray(size_t most) {
  const size_t times = Coarsen(most, &array_);
  if (!listed_ || times == 0) return;
  std::vector<std::vector<LaneSplit>> joined(array_.size());
  for (size_t i = 0; i < least_tiles_.size(); ++i) {
    std::vector<LaneSplit>& splits = joined[i >> times];
    splits.insert(splits.end(), least_tiles_[i].begin(), least_tiles_[i].end());
  }
  for (std::vector<LaneSplit>& splits : joined) {
    std::sort(splits.begin(), splits.end(), [](const LaneSplit& a, const LaneSplit& b) {
      return std::tie(a.lanes, a.tile) < std::tie(b.lanes, b.tile);
    });
    const auto same_lanes = [](const LaneSplit& a, const LaneSplit& b) {
      return a.lanes == b.lanes;
    };
    splits.erase(std::unique(splits.begin(), splits.end(), same_lanes), splits.end());
  }
  least_tiles_ = std::move(joined);
}

std::vector<LaneSplit> Chains::SplitsOfAny(int64_t array) const {
  std::vector<LaneSplit> splits;
  for (int64_t lanes = 1; lanes <= std::min(array, max_lanes_); ++lanes) {
    const int64_t tile = CeilDiv(array, lanes);
    if (tile > max_tile_) continue;
    if (splits.empty() || tile < splits.back().tile) splits.push_back({lanes, tile, 0});
  }
  return splits;
}

std::vector<LaneSplit> Chains::LeastSplits(size_t array_range, std::optional<int64_t> lanes) const {
  std::vector<LaneSplit> splits;
  if (listed_) {
    for (const LaneSplit& split : least_tiles_[array_range]) {
      if (!lanes || split.lanes == *lanes) splits.push_back(split);
    }
    KeepLeast(&splits);
    return splits;
  }
  const int64_t array = array_[array_range].smallest;
  if (!lanes) return SplitsOfAny(array);
  const int64_t tile = CeilDiv(array, *lanes);
  if (tile <= max_tile_) splits.push_back({*lanes, tile, 0});
  return splits;
}

// Pieces of at most `array` iterations, each on `lanes` lanes: the steps are a concave function of
// the sizes of the pieces, so they are fewest if as many pieces as possible are full.
double Chains::LeastSteps(size_t array_range, int64_t lanes) const {
  if (listed_) return static_cast<double>(CeilDiv(bound_, lanes));
  std::vector<double>& known = least_steps_[lanes];
  known.resize(array_.size(), 0);
  double& least = known[array_range];
  if (least > 0) return least;
  const TileRange& range = array_[array_range];
  constexpr int64_t kMany = 1 << 16;
  if (range.largest - range.smallest > kMany) {
    return least = static_cast<double>(CeilDiv(bound_, lanes));
  }
  least = static_cast<double>(bound_);
  for (int64_t array = range.smallest; array <= range.largest; ++array) {
    least = std::min(least, Steps(bound_, array, CeilDiv(array, lanes)));
  }
  return least;
}

Cut Chains::LeastCut(size_t sram_range, size_t array_range, const TileLimits& limits) const {
  const TileRange& outer = sram_[sram_range];
  const TileRange& inner = array_[array_range];
  Cut cut = inner.cut;
  cut.pieces = std::max(cut.pieces, outer.cut.pieces);
  for (size_t g = 0; g < kMaxGaps; ++g) {
    cut.overlap[g] = std::min(cut.overlap[g], outer.cut.overlap[g]);
  }
  const int64_t sram = std::min(outer.largest, limits.sram);
  const int64_t array = std::min({inner.largest, limits.array, sram});
  const int64_t trips = CeilDiv(bound_, sram);
  if (listed_ || array < 1 || trips != CeilDiv(bound_, outer.smallest)) return cut;
  if (array >= outer.smallest) return cut;
  // Larger array tiles make fewer pieces. A multiple of them makes the fewest; if none is in reach,
  // all SRAM tiles in reach but the last have as many pieces, and the last the fewer the less is
  // left for it.
  const int64_t pieces = CeilDiv(outer.smallest, array);
  const int64_t least = pieces * array <= sram
                            ? CeilDiv(bound_, array)
                            : (trips - 1) * pieces + CeilDiv(bound_ - (trips - 1) * sram, array);
  cut.pieces = std::max(cut.pieces, static_cast<double>(least));
  model_->LimitOverlap(f_, &cut);
  return cut;
}

TileOption Chains::OptionOf(int64_t sram, int64_t array) const {
  TileOption option;
  option.sram = sram;
  option.array = array;
  option.outer = model_->CutBy(f_, sram);
  option.inner = model_->CutBy(f_, sram, array);
  return option;
}

void Chains::AddListedOptions(size_t sram_range, size_t array_range, const TileLimits& limits,
                              std::optional<int64_t> lanes,
                              std::vector<TileOption>* options) const {
  const TileRange& srams = sram_[sram_range];
  const TileRange& arrays = array_[array_range];
  const auto add = [&](const ListedChain& chain) {
    if (watch_->Passed()) return;
    if (!lanes) {
      const bool is_new = options->empty() || options->back().sram != chain.sram ||
                          options->back().array != chain.array;
      if (is_new) options->push_back(OptionOf(chain.sram, chain.array));
    } else if (chain.lanes == *lanes) {
      const double steps = Steps(chain.sram, chain.array, chain.tile);
      if (steps > limits.steps) return;
      options->push_back(OptionOf(chain.sram, chain.array));
      options->back().split = {chain.lanes, chain.tile, steps};
    }
  };
  list_.ForEachIn(srams.smallest, std::min(srams.largest, limits.sram), arrays.smallest,
                  std::min(arrays.largest, limits.array), add);
}

std::vector<LaneSplit> Chains::Splits(const TileOption& option) const {
  std::vector<LaneSplit> splits;
  if (listed_) {
    list_.ForEachIn(option.sram, option.sram, option.array, option.array,
                    [&](const ListedChain& chain) {
                      splits.push_back({chain.lanes, chain.tile, 0});
                    });
  } else {
    splits = SplitsOfAny(option.array);
  }
  for (LaneSplit& split : splits) split.steps = Steps(option.sram, option.array, split.tile);
  return splits;
}

void Chains::AddOptions(size_t sram_range, size_t array_range, const TileLimits& limits,
                        std::optional<int64_t> lanes, std::vector<TileOption>* options) const {
  if (listed_) {
    AddListedOptions(sram_range, array_range, limits, lanes, options);
    return;
  }
  const int64_t low = sram_[sram_range].smallest;
  const int64_t array_low = array_[array_range].smallest;
  const int64_t array_high = std::min(array_[array_range].largest, limits.array);
  for (int64_t high = std::min(sram_[sram_range].largest, limits.sram);
       high >= low && !watch_->Passed();) {
    const int64_t least = CeilDiv(bound_, CeilDiv(bound_, high));  // with the same number of trips
    // Beyond the first multiple of the array tile nothing gets better: there the pieces are those
    // of the whole dimension.
    const int64_t first = std::max(least, low);
    const int64_t last = std::min(high, first + array_high);
    if (lanes) {
      AddOptionsOnLanes(first, last, array_low, array_high, *lanes, limits.steps, options);
    } else {
      AddOptionsOfTrips(first, last, array_low, array_high, options);
    }
    high = least - 1;
  }
}

// SRAM tiles of one number of trips, the array tile as large as the lanes allow or all of it.
void Chains::AddOptionsOnLanes(int64_t sram_low, int64_t sram_high, int64_t array_low,
                               int64_t array_high, int64_t lanes, double most_steps,
                               std::vector<TileOption>* options) const {
  const auto add = [&](int64_t sram, int64_t tile) {
    const int64_t array = std::min(tile * lanes, sram);
    if (array < array_low || array > array_high || tile > max_tile_) return;
    const double steps = Steps(sram, array, tile);
    if (steps > most_steps) return;
    options->push_back(OptionOf(sram, array));
    options->back().split = {CeilDiv(array, tile), tile, steps};
  };
  for (int64_t tile = CeilDiv(array_low, lanes); tile * lanes <= array_high; ++tile) {
    if (watch_->Passed()) return;
    if (Steps(bound_, tile * lanes, tile) > most_steps) continue;
    const int64_t array = tile * lanes;
    const int64_t first_multiple = CeilDiv(sram_low, array) * array;
    for (int64_t sram = std::max(sram_low, array);
         sram <= std::min(sram_high, first_multiple) && !watch_->Passed(); ++sram) {
      add(sram, tile);
    }
  }
  for (int64_t sram = std::max(sram_low, array_low);
       sram <= std::min(sram_high, array_high) && !watch_->Passed(); ++sram) {
    if (sram % lanes != 0) add(sram, CeilDiv(sram, lanes));
  }
}

// SRAM tiles of one number of trips, any split.
void Chains::AddOptionsOfTrips(int64_t sram_low, int64_t sram_high, int64_t array_low,
                               int64_t array_high, std::vector<TileOption>* options) const {
  const auto add = [&](int64_t sram, int64_t array) {
    if (array < array_low || array > array_high || array > sram) return;
    for (auto it = options->rbegin(); it != options->rend() && it->sram == sram; ++it) {
      if (it->array == array) return;
    }
    options->push_back(OptionOf(sram, array));
  };
  const int64_t trips = CeilDiv(bound_, sram_high);
  for (int64_t sram = sram_low; sram <= sram_high && !watch_->Passed(); ++sram) {
    if (model_->uses_gaps_beyond_one()) {
      for (int64_t array = array_low; array <= array_high && !watch_->Passed(); ++array) {
        add(sram, array);
      }
      continue;
    }
    // The least array tiles at which the pieces of the full SRAM tiles, or of the last, get fewer.
    const int64_t last = bound_ - (trips - 1) * sram;
    for (const int64_t range : {sram, last}) {
      const int64_t most = CeilDiv(range, array_low);
      const int64_t least = CeilDiv(range, std::min(array_high, range));
      for (int64_t pieces = least; pieces <= most && !watch_->Passed(); ++pieces) {
        add(sram, CeilDiv(range, pieces));
      }
    }
    add(sram, array_low);
  }
}

}  // namespace inlay::thistle

#include "inlay/mapper/thistle/chains.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "inlay/base/checked.h"
#include "inlay/mapspace/tilings.h"

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

// Drops splits that need no fewer lanes and no smaller tile than another; sorts by lanes.
void KeepLeast(std::vector<LaneSplit>* splits) {
  std::sort(splits->begin(), splits->end(), [](const LaneSplit& a, const LaneSplit& b) {
    return std::tie(a.lanes, a.tile) < std::tie(b.lanes, b.tile);
  });
  size_t kept = 0;
  for (const LaneSplit& split : *splits) {
    if (kept == 0 || split.tile < (*splits)[kept - 1].tile) (*splits)[kept++] = split;
  }
  splits->resize(kept);
}

}  // namespace

Chains::Chains(const Model& model, FreeIndex f) : model_(&model), f_(f), bound_(model.bound(f)) {
  const Space& space = model.space();
  const DimId d = model.dim(f);
  const SlotId spatial(3 + static_cast<size_t>(model.axis()));
  max_lanes_ = std::min(
      {bound_, model.lanes(), space.factors[spatial][d].max, space.unrolling[LevelId(1)][d].max});
  max_tile_ = std::min(bound_, space.factors[kRegisterTime][d].max);
  listed_ = space.mapspace != Mapspace::kAny || !IsPlain(space, d);
  if (listed_) {
    List();
    return;
  }
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
  for (int64_t largest = bound_; largest >= 1;) {
    const int64_t trips = CeilDiv(bound_, largest);
    const int64_t smallest = CeilDiv(bound_, trips);
    if (trips <= most_trips) sram_.push_back(RangeOf(smallest, largest));
    array_.push_back(RangeOf(smallest, largest));
    largest = smallest - 1;
  }
}

void Chains::List() {
  const SlotId spatial(3 + static_cast<size_t>(model_->axis()));
  std::set<int64_t> lanes, srams, arrays;
  ForEachChain(model_->space(), model_->dim(f_), [&](const Chain& chain) {
    Listed entry;
    entry.sram = chain.tiles[kDramTime];
    entry.array = chain.tiles[kSramTime];
    entry.tile = chain.tiles[spatial];
    entry.lanes = chain.steps[spatial];
    lanes.insert(entry.lanes);
    srams.insert(entry.sram);
    arrays.insert(entry.array);
    chains_.push_back(entry);
    return true;
  });
  lane_counts_.assign(lanes.begin(), lanes.end());
  const auto ranges = [&](const std::set<int64_t>& tiles) {
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
  sram_ = ranges(srams);
  array_ = ranges(arrays);
  AssignRanges();
}

void Chains::AssignRanges() {
  const auto find = [](const std::vector<TileRange>& ranges, int64_t tile) {
    const auto it = std::lower_bound(
        ranges.begin(), ranges.end(), tile,
        [](const TileRange& range, int64_t size) { return range.smallest > size; });
    return static_cast<size_t>(it - ranges.begin());
  };
  for (Listed& chain : chains_) {
    chain.sram_range = find(sram_, chain.sram);
    chain.array_range = find(array_, chain.array);
  }
  std::sort(chains_.begin(), chains_.end(), [](const Listed& a, const Listed& b) {
    return std::tie(a.sram_range, a.array_range, a.sram, a.array, a.lanes, a.tile) <
           std::tie(b.sram_range, b.array_range, b.sram, b.array, b.lanes, b.tile);
  });
}

TileRange Chains::Join(const TileRange& less, const TileRange& more) const {
  return {more.smallest, less.largest, less.cut};
}

void Chains::CoarsenSram(size_t most) {
  while (sram_.size() > std::max<size_t>(most, 1)) {
    std::vector<TileRange> joined;
    for (size_t i = 0; i < sram_.size(); i += 2) {
      joined.push_back(i + 1 < sram_.size() ? Join(sram_[i], sram_[i + 1]) : sram_[i]);
    }
    sram_ = std::move(joined);
  }
  AssignRanges();
}

void Chains::CoarsenArray(size_t most) {
  while (array_.size() > std::max<size_t>(most, 1)) {
    std::vector<TileRange> joined;
    for (size_t i = 0; i < array_.size(); i += 2) {
      joined.push_back(i + 1 < array_.size() ? Join(array_[i], array_[i + 1]) : array_[i]);
    }
    array_ = std::move(joined);
  }
  AssignRanges();
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
    for (const Listed& chain : chains_) {
      if (chain.array_range != array_range || (lanes && chain.lanes != *lanes)) continue;
      splits.push_back({chain.lanes, chain.tile, 0});
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
  const auto key = std::make_pair(sram_range, array_range);
  auto it = std::lower_bound(chains_.begin(), chains_.end(), key,
                             [](const Listed& chain, const std::pair<size_t, size_t>& at) {
                               return std::make_pair(chain.sram_range, chain.array_range) < at;
                             });
  for (; it != chains_.end() && std::make_pair(it->sram_range, it->array_range) == key; ++it) {
    if (it->sram > limits.sram || it->array > limits.array) continue;
    if (!lanes) {
      if (options->empty() || options->back().sram != it->sram ||
          options->back().array != it->array) {
        options->push_back(OptionOf(it->sram, it->array));
      }
    } else if (it->lanes == *lanes) {
      const double steps = Steps(it->sram, it->array, it->tile);
      if (steps > limits.steps) continue;
      options->push_back(OptionOf(it->sram, it->array));
      options->back().split = {it->lanes, it->tile, steps};
    }
  }
}

std::vector<LaneSplit> Chains::Splits(const TileOption& option) const {
  std::vector<LaneSplit> splits;
  if (listed_) {
    for (const Listed& chain : chains_) {
      if (chain.sram == option.sram && chain.array == option.array) {
        splits.push_back({chain.lanes, chain.tile, 0});
      }
    }
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
  for (int64_t high = std::min(sram_[sram_range].largest, limits.sram); high >= low;) {
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
    if (Steps(bound_, tile * lanes, tile) > most_steps) continue;
    const int64_t array = tile * lanes;
    const int64_t first_multiple = CeilDiv(sram_low, array) * array;
    for (int64_t sram = std::max(sram_low, array); sram <= std::min(sram_high, first_multiple);
         ++sram) {
      add(sram, tile);
    }
  }
  for (int64_t sram = std::max(sram_low, array_low); sram <= std::min(sram_high, array_high);
       ++sram) {
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
  for (int64_t sram = sram_low; sram <= sram_high; ++sram) {
    if (model_->uses_gaps_beyond_one()) {
      for (int64_t array = array_low; array <= array_high; ++array) add(sram, array);
      continue;
    }
    // The least array tiles at which the pieces of the full SRAM tiles, or of the last, get fewer.
    const int64_t last = bound_ - (trips - 1) * sram;
    for (const int64_t range : {sram, last}) {
      const int64_t most = CeilDiv(range, array_low);
      const int64_t least = CeilDiv(range, std::min(array_high, range));
      for (int64_t pieces = least; pieces <= most; ++pieces) add(sram, CeilDiv(range, pieces));
    }
    add(sram, array_low);
  }
}

}  // namespace inlay::thistle

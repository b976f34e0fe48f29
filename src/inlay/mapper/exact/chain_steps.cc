#include "inlay/mapper/exact/chain_steps.h"

#include <algorithm>
#include <numeric>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::exact_search {
namespace {

// The largest divisor of a number that is at most `most`; of large ones, some divisor.
int64_t DivisorUpTo(int64_t number, int64_t most) {
  constexpr int64_t kMostTried = 256;
  if (most > kMostTried) return std::gcd(number, most);
  while (number % most != 0) --most;
  return most;
}

bool MustDivide(const CutSlot& cut, int64_t steps) {
  return cut.cut == Cut::kDivide || steps > cut.most_rounded;
}

// The steps that a place can take of what is left to cover, near to the wanted ones.
int64_t Nearest(const CutSlot& cut, int64_t left, int64_t wanted) {
  const int64_t steps = std::clamp<int64_t>(wanted, 1, std::min(cut.range.max, left));
  return MustDivide(cut, steps) ? DivisorUpTo(left, steps) : steps;
}

bool Allows(const CutSlot& cut, int64_t left, int64_t steps) {
  if (steps < cut.range.min || steps > cut.range.max || steps > left) return false;
  return !MustDivide(cut, steps) || left % steps == 0;
}

}  // namespace

ChainSteps::ChainSteps(const Space& space, DimId dim)
    : space_(&space),
      dim_(dim),
      bound_(space.problem.dims[dim].bound),
      cuts_(CutsOf(space, dim)),
      wanted_(cuts_.size(), 1) {}

bool ChainSteps::Set(size_t place, int64_t steps, size_t sink, Chain* chain) {
  return space_->mapspace == Mapspace::kAny ? SetByTiles(place, steps, sink, chain)
                                            : SetByCuts(place, steps, sink, chain);
}

// First all places but the sink, then again with it where it stands.
bool ChainSteps::SetByCuts(size_t place, int64_t steps, size_t sink, Chain* chain) {
  int64_t left = bound_;
  for (size_t k = 0; k < cuts_.size(); ++k) {
    if (k == sink) continue;
    const int64_t wanted = k == place ? steps : chain->steps[cuts_[k].slot];
    wanted_[k] = Nearest(cuts_[k], left, wanted);
    left = CeilDiv(left, wanted_[k]);
  }
  wanted_[sink] = left;
  left = bound_;
  for (size_t k = 0; k < cuts_.size(); ++k) {
    if (!Allows(cuts_[k], left, wanted_[k])) return false;
    left = CeilDiv(left, wanted_[k]);
  }
  if (left != 1) return false;
  for (size_t k = 0; k < cuts_.size(); ++k) chain->steps[cuts_[k].slot] = wanted_[k];
  if (!UnrollingAllowed(*space_, dim_, chain->steps)) return false;
  CompleteChain(*space_, dim_, chain);
  return true;
}

// The tiles between the two places grow or shrink by the same ratio, as far as they can.
bool ChainSteps::SetByTiles(size_t place, int64_t steps, size_t sink, Chain* chain) const {
  const size_t slot = cuts_[place].slot.value();
  const size_t other = cuts_[sink].slot.value();
  const auto range_of = [&](size_t s) { return s == 0 ? bound_ : chain->tiles[SlotId(s - 1)]; };
  const auto scaled = [](int64_t tile, int64_t more, int64_t less) {
    return static_cast<int64_t>((Int128{tile} * more + less - 1) / less);
  };
  const int64_t range = range_of(slot);
  const int64_t tile = chain->tiles[SlotId(slot)];
  if (other < slot) {
    const int64_t most = range_of(other);
    const auto wanted = static_cast<int64_t>(std::min<Int128>(Int128{tile} * steps, most));
    for (size_t s = other; s < slot; ++s) {
      int64_t& one = chain->tiles[SlotId(s)];
      one = std::clamp(scaled(one, wanted, range), tile, most);
    }
  } else {
    const int64_t wanted = CeilDiv(range, std::clamp<int64_t>(steps, 1, range));
    const int64_t least = chain->tiles[SlotId(other)];
    for (size_t s = slot; s < other; ++s) {
      int64_t& one = chain->tiles[SlotId(s)];
      one = std::clamp(scaled(one, wanted, tile), std::min(least, range), range);
    }
  }
  return CompleteTiles(chain);
}

bool ChainSteps::SetTile(size_t place, int64_t tile, Chain* chain) const {
  chain->tiles[cuts_[place].slot] = tile;
  return CompleteTiles(chain);
}

// The steps that follow from the tiles, if the constraints allow them.
bool ChainSteps::CompleteTiles(Chain* chain) const {
  int64_t range = bound_;
  size_t k = 0;
  for (SlotId s : Ids(space_->slots)) {
    const bool open = k < cuts_.size() && cuts_[k].slot == s;
    if (!open) chain->tiles[s] = range;
    const int64_t tile = chain->tiles[s];
    if (tile < 1 || tile > range) return false;
    chain->steps[s] = CeilDiv(range, tile);
    if (chain->steps[s] == 1) chain->tiles[s] = range;
    range = chain->tiles[s];
    if (!open) continue;
    const FactorRange& allowed = cuts_[k++].range;
    if (chain->steps[s] < allowed.min || chain->steps[s] > allowed.max) return false;
  }
  return range == 1 && UnrollingAllowed(*space_, dim_, chain->steps);
}

}  // namespace inlay::exact_search

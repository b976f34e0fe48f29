#include "inlay/mapspace/chain_counter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

// The numbers of steps, all of one range, by which a cut leads from one number to another; empty
// (min > max) if there is none.
FactorRange StepsBetween(Cut cut, int64_t from, int64_t to, const FactorRange& allowed) {
  FactorRange steps{1, 0};
  if (allowed.min > allowed.max) return steps;
  switch (cut) {
    case Cut::kDivide:
      if (from % to == 0) steps = {from / to, from / to};
      break;
    case Cut::kRound:  // with one tile left, only the steps that there are: n = from
      steps = {CeilDiv(from, to), to == 1 ? from : CeilDiv(from, to - 1) - 1};
      break;
    case Cut::kPad:
      steps = {CeilDiv(from, to), to == 1 ? FactorRange::kUnlimited : CeilDiv(from, to - 1) - 1};
      break;
    case Cut::kTile:
      if (to <= from) steps = {CeilDiv(from, to), CeilDiv(from, to)};
      break;
  }
  return {std::max(steps.min, allowed.min), std::min(steps.max, allowed.max)};
}

// Beyond this, frontiers are computed again when a chain is drawn: 32 bytes each.
constexpr size_t kMostKeptPairs = 1 << 20;

// The ways of a cut, which exclude each other: rounding up to the limit, beyond it divisors only.
struct Mode {
  Cut cut;
  FactorRange range;
};
std::array<Mode, 2> ModesOf(const CutSlot& cut, const FactorRange& range) {
  if (cut.cut != Cut::kRound || range.max <= cut.most_rounded) {
    return {{{cut.cut, range}, {Cut::kDivide, {1, 0}}}};
  }
  return {{{Cut::kRound, {range.min, cut.most_rounded}},
           {Cut::kDivide, {std::max(range.min, cut.most_rounded + 1), range.max}}}};
}

// Sums by numbers of the form ⌈bound / m⌉, of which there are 2·√bound: less one they are
// ⌊(bound − 1) / m⌋, so the small ones are their own index and the large ones have a small m.
class QuotientSums {
 public:
  explicit QuotientSums(int64_t bound)
      : top_(bound - 1), root_(static_cast<int64_t>(std::sqrt(static_cast<double>(bound)))) {
    small_.assign(static_cast<size_t>(root_) + 1, 0);
    large_.assign(static_cast<size_t>(top_ / (root_ + 1)) + 1, 0);
  }

  void Add(int64_t number, Uint128 ways, int64_t times) {
    Uint128 product = 0;
    Uint128& sum = number - 1 <= root_ ? small_[static_cast<size_t>(number - 1)]
                                       : large_[static_cast<size_t>(top_ / (number - 1))];
    overflow_ |= __builtin_mul_overflow(ways, static_cast<Uint128>(times), &product);
    overflow_ |= __builtin_add_overflow(sum, product, &sum);
  }

  bool overflow() const { return overflow_; }

  std::vector<std::pair<int64_t, Uint128>> Ascending() const {
    std::vector<std::pair<int64_t, Uint128>> sums;
    for (size_t i = 0; i < small_.size(); ++i) {
      if (small_[i] > 0) sums.emplace_back(static_cast<int64_t>(i) + 1, small_[i]);
    }
    for (size_t m = large_.size(); m-- > 1;) {
      if (large_[m] > 0) sums.emplace_back(top_ / static_cast<int64_t>(m) + 1, large_[m]);
    }
    return sums;
  }

 private:
  int64_t top_, root_;
  std::vector<Uint128> small_;  // by number − 1, up to the root
  std::vector<Uint128> large_;  // by m
  bool overflow_ = false;
};

// A difference array over the interval of tiles that each tile can be cut into.
std::optional<std::vector<Uint128>> CutTiles(const std::vector<std::pair<int64_t, Uint128>>& from,
                                             const FactorRange& range) {
  const auto most = static_cast<size_t>(from.back().first);
  std::vector<Uint128> change(most + 2, 0);
  for (const auto& [tile, ways] : from) {
    const int64_t first = CeilDiv(tile, std::min(range.max, tile));
    const int64_t last = range.min <= 1 ? tile : CeilDiv(tile, range.min - 1) - 1;
    if (first > last) continue;
    change[static_cast<size_t>(first)] += ways;  // wraps, and wraps back below
    change[static_cast<size_t>(last) + 1] -= ways;
  }
  Uint128 total = 0;
  for (const auto& [tile, ways] : from) {
    if (__builtin_add_overflow(total, ways, &total)) return std::nullopt;
  }
  for (size_t i = 1; i < change.size(); ++i) change[i] += change[i - 1];
  return change;
}

}  // namespace

std::vector<SlotId> SpatialSlots(const Space& space) {
  std::vector<SlotId> slots;
  for (SlotId s : Ids(space.slots)) {
    if (space.slots[s].axis != Axis::kTime && space.slots[s].max_lanes > 1) slots.push_back(s);
  }
  return slots;
}

ChainCounter::ChainCounter(const Space& space, DimId dim)
    : space_(&space),
      dim_(dim),
      spatial_(SpatialSlots(space)),
      cuts_(CutsOf(space, dim)),
      steps_(space.slots.size(), 1) {}

std::optional<ChainCounter> ChainCounter::Make(const Space& space, DimId dim,
                                               const Deadline* deadline) {
  ChainCounter counter(space, dim);
  counter.deadline_ = deadline;
  const int64_t bound = space.problem.dims[dim].bound;
  if (space.mapspace == Mapspace::kAny && bound > kMaxAnyBound) return std::nullopt;
  counter.path_ = {counter.Start()};
  if (!counter.Walk(0)) return std::nullopt;
  counter.path_.clear();
  counter.deadline_ = nullptr;
  return counter;
}

std::shared_ptr<const ChainCounter::Frontier> ChainCounter::Start() const {
  return std::make_shared<const Frontier>(Frontier{{space_->problem.dims[dim_].bound, 1}});
}

size_t ChainCounter::SpatialIndex(SlotId slot) const {
  const auto found = std::find(spatial_.begin(), spatial_.end(), slot);
  INLAY_CHECK(found != spatial_.end());
  return static_cast<size_t>(found - spatial_.begin());
}

// The last cut, of which only what ends at 1 counts.
std::optional<ChainCounter::Frontier> ChainCounter::AdvanceToOne(const Frontier& from,
                                                                 const CutSlot& cut,
                                                                 const FactorRange& range) {
  Uint128 sum = 0;
  for (const Mode& mode : ModesOf(cut, range)) {
    for (const auto& [left, ways] : from) {
      const FactorRange steps = StepsBetween(mode.cut, left, 1, mode.range);
      if (steps.min > steps.max) continue;
      const int64_t runs = steps.max - steps.min + 1;
      Uint128 product = 0;
      if (__builtin_mul_overflow(ways, static_cast<Uint128>(runs), &product) ||
          __builtin_add_overflow(sum, product, &sum)) {
        return std::nullopt;
      }
    }
  }
  return sum > 0 ? Frontier{{1, sum}} : Frontier();
}

std::optional<ChainCounter::Frontier> ChainCounter::Advance(const Frontier& from, size_t i,
                                                            const FactorRange& range) const {
  Frontier next;
  if (from.empty() || range.min > range.max) return next;
  if (i + 1 == cuts_.size()) return AdvanceToOne(from, cuts_[i], range);
  if (cuts_[i].cut == Cut::kTile) {
    const auto ways = CutTiles(from, range);
    if (!ways) return std::nullopt;
    for (size_t tile = 1; tile < ways->size(); ++tile) {
      if ((*ways)[tile] > 0) next.emplace_back(static_cast<int64_t>(tile), (*ways)[tile]);
    }
    return next;
  }
  QuotientSums sums(space_->problem.dims[dim_].bound);
  const auto add = [&sums](int64_t to, Uint128 ways, int64_t times) { sums.Add(to, ways, times); };
  for (const auto& [cut, allowed] : ModesOf(cuts_[i], range)) {
    if (allowed.min > allowed.max) continue;
    for (const auto& [left, ways] : from) {
      if (cut == Cut::kDivide && allowed.min == allowed.max) {
        if (left % allowed.min == 0) add(left / allowed.min, ways, 1);
        continue;
      }
      if (deadline_ != nullptr && deadline_->Passed()) return std::nullopt;
      if (cut == Cut::kDivide) {
        for (const int64_t steps : DivisorsOf(left)) {
          if (steps >= allowed.min && steps <= allowed.max) add(left / steps, ways, 1);
        }
        continue;
      }
      const int64_t most = cut == Cut::kPad ? allowed.max : std::min(allowed.max, left);
      for (int64_t steps = allowed.min; steps <= most;) {  // runs that leave the same number
        const int64_t to = CeilDiv(left, steps);
        const FactorRange run = StepsBetween(cut, left, to, {steps, most});
        if (run.min <= run.max) add(to, ways, run.max - run.min + 1);
        if (to == 1) break;
        steps = CeilDiv(left, to - 1);
      }
    }
  }
  if (sums.overflow()) return std::nullopt;
  return sums.Ascending();
}

bool ChainCounter::Walk(size_t i) {
  const Frontier& frontier = *path_.back();
  if (frontier.empty()) return true;
  if (deadline_ != nullptr && deadline_->Passed()) return false;
  if (i == cuts_.size()) return Record(frontier);
  const CutSlot& cut = cuts_[i];
  const Slot& slot = space_->slots[cut.slot];
  if (slot.axis == Axis::kTime) {
    if (cut.range.min <= 1 && !Step(i, {1, 1})) return false;
    loops_ |= uint64_t{1} << slot.level.value();
    const bool counted = Step(i, {std::max<int64_t>(cut.range.min, 2), cut.range.max});
    loops_ &= ~(uint64_t{1} << slot.level.value());
    return counted;
  }
  const int64_t most =
      cut.cut == Cut::kPad ? cut.range.max : std::min(cut.range.max, frontier.back().first);
  for (int64_t steps = cut.range.min; steps <= most; ++steps) {
    steps_[cut.slot] = steps;
    if (!Step(i, {steps, steps})) return false;
  }
  steps_[cut.slot] = 1;
  return true;
}

bool ChainCounter::Step(size_t i, const FactorRange& range) {
  if (range.min == 1 && range.max == 1) {  // no loop: nothing changes
    path_.push_back(path_.back());
  } else {
    auto next = Advance(*path_.back(), i, range);
    if (!next) return false;
    kept_pairs_ += next->size();
    path_.push_back(std::make_shared<const Frontier>(std::move(*next)));
  }
  const bool counted = Walk(i + 1);
  path_.pop_back();
  return counted;
}

bool ChainCounter::Record(const Frontier& frontier) {
  if (frontier.front().first != 1 || !UnrollingAllowed(*space_, dim_, steps_)) return true;
  Entry entry;
  for (const SlotId slot : spatial_) entry.loops.lanes.push_back(steps_[slot]);
  entry.loops.temporal = loops_;
  entry.chains = frontier.front().second;
  if (kept_pairs_ <= kMostKeptPairs) entry.path = path_;
  entries_.push_back(std::move(entry));
  return true;
}

FactorRange ChainCounter::RangeIn(const ChainLoops& loops, size_t i) const {
  const CutSlot& cut = cuts_[i];
  const Slot& slot = space_->slots[cut.slot];
  if (slot.axis != Axis::kTime) {
    const int64_t steps = loops.lanes[SpatialIndex(cut.slot)];
    return {steps, steps};
  }
  const bool present = ((loops.temporal >> slot.level.value()) & 1) != 0;
  return present ? FactorRange{std::max<int64_t>(cut.range.min, 2), cut.range.max}
                 : FactorRange{1, 1};
}

// Where a chain that is at `to` after a cut came from, and by how many steps: every way with its
// share.
std::pair<int64_t, int64_t> ChainCounter::DrawBack(const Frontier& frontier, const CutSlot& cut,
                                                   int64_t to, const FactorRange& range, Rng& rng) {
  struct Way {
    int64_t from;
    FactorRange steps;
    double weight;
  };
  std::vector<Way> ways;
  double total = 0;
  for (const Mode& mode : ModesOf(cut, range)) {
    for (const auto& [from, count] : frontier) {
      const FactorRange steps = StepsBetween(mode.cut, from, to, mode.range);
      if (steps.min > steps.max) continue;
      const auto runs = static_cast<double>(steps.max - steps.min + 1);
      ways.push_back({from, steps, static_cast<double>(count) * runs});
      total += ways.back().weight;
    }
  }
  INLAY_CHECK(!ways.empty());
  double pick = UniformUnit(rng) * total;
  size_t chosen = 0;
  while (chosen + 1 < ways.size() && pick >= ways[chosen].weight) pick -= ways[chosen++].weight;
  const FactorRange& steps = ways[chosen].steps;
  const uint64_t offset = UniformBelow(rng, static_cast<uint64_t>(steps.max - steps.min + 1));
  return {ways[chosen].from, steps.min + static_cast<int64_t>(offset)};
}

Chain ChainCounter::Draw(const Entry& entry, Rng& rng) const {
  Path path = entry.path;
  if (path.empty()) {  // too large to be kept
    path.push_back(Start());
    for (size_t i = 0; i < cuts_.size(); ++i) {
      auto next = Advance(*path.back(), i, RangeIn(entry.loops, i));
      INLAY_CHECK(next && !next->empty());
      path.push_back(std::make_shared<const Frontier>(std::move(*next)));
    }
  }
  Chain chain;
  chain.steps.assign(space_->slots.size(), 1);
  chain.tiles.assign(space_->slots.size(), 1);
  int64_t to = 1;
  for (size_t i = cuts_.size(); i-- > 0;) {
    const auto [from, steps] = DrawBack(*path[i], cuts_[i], to, RangeIn(entry.loops, i), rng);
    chain.steps[cuts_[i].slot] = steps;
    if (cuts_[i].cut == Cut::kTile) chain.tiles[cuts_[i].slot] = to;
    to = from;
  }
  CompleteChain(*space_, dim_, &chain);
  return chain;
}

}  // namespace inlay

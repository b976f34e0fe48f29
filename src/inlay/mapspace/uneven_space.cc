#include "inlay/mapspace/uneven_space.h"

#include <algorithm>

namespace inlay {
namespace {

SlotId SlotOf(size_t level, Axis axis) { return SlotId(3 * level + static_cast<size_t>(axis)); }

// Copies what a space says of a level to the end of another, as one of the parts of the level.
void AppendPart(const Space& from, LevelId level, bool first, bool last, TensorSet keep,
                EvenSpace* to) {
  Space& space = to->space;
  const size_t here = space.architecture.levels.size();
  Level part = from.architecture.levels[level];
  part.same_memory_as_outer = !first;
  if (!last) part.fanout = Fanout();
  space.architecture.levels.push_back(std::move(part));
  for (const Axis axis : {Axis::kTime, Axis::kX, Axis::kY}) {
    const SlotId slot = SlotOf(level.value(), axis);
    const bool open = axis == Axis::kTime || last;
    space.slots.push_back(open ? from.slots[slot] : Slot{LevelId(), axis, 1, 1});
    space.slots.back().level = LevelId(here);
    space.factors.push_back(from.factors[slot]);
    if (!open) space.factors.back().assign(from.problem.dims.size(), FactorRange{1, 1});
    space.remainders.push_back(from.remainders[slot]);
  }
  space.unrolling.push_back(from.unrolling[level]);
  if (!last) space.unrolling.back().assign(from.problem.dims.size(), FactorRange{1, 1});
  space.min_lanes.push_back(last ? from.min_lanes[level] : 1);
  space.orders.push_back(from.orders[level]);
  space.keeps.push_back({keep});
  space.min_utilization.push_back(from.min_utilization[level]);
  to->origin.push_back(level);
}

}  // namespace

bool MayBeUneven(const Space& space, LevelId level) {
  if (level.value() == 0 || space.min_utilization[level] > 0) return false;
  const OrderRule& rule = space.orders[level];
  if (!rule.outermost.empty() || !rule.innermost.empty()) return false;
  const auto& factors = space.factors[SlotOf(level.value(), Axis::kTime)];
  return std::all_of(factors.begin(), factors.end(), [](const FactorRange& range) {
    return range.min <= 1 && (range.max <= 1 || range.max == FactorRange::kUnlimited);
  });
}

EvenSpace MakeEvenSpace(const Space& space, const IndexedVector<LevelId, TensorSet>& keeps,
                        const EntryOrders& orders) {
  EvenSpace even;
  even.space.problem = space.problem;
  even.space.mapspace = Mapspace::kAny;
  even.space.architecture = space.architecture;
  even.space.architecture.levels = {};
  for (LevelId l : Ids(space.architecture.levels)) {
    if (orders[l].empty()) {
      AppendPart(space, l, true, true, keeps[l], &even);
      continue;
    }
    for (size_t i = 0; i < orders[l].size(); ++i) {
      TensorSet keep;
      keep.insert(orders[l][i]);
      AppendPart(space, l, i == 0, i + 1 == orders[l].size(), keep, &even);
    }
  }
  return even;
}

bool ForEachEntryOrder(const Space& space, const EntryVisitor& visit) {
  IndexedVector<LevelId, TensorSet> keeps(space.keeps.size());
  EntryOrders orders(space.keeps.size());
  const TensorSet all = TensorSet::FirstN(space.problem.tensors.size());
  const auto choose = [&](const auto& self, size_t level, uint64_t kept) -> bool {
    if (level == space.keeps.size()) return kept != all.bits() || visit(keeps, orders);
    const LevelId l(level);
    for (const TensorSet keep : space.keeps[l]) {
      keeps[l] = keep;
      std::vector<TensorId> order;
      if (keep.size() > 1 && MayBeUneven(space, l)) {
        for (TensorId t : Ids(space.problem.tensors)) {
          if (keep.contains(t)) order.push_back(t);
        }
      }
      do {
        orders[l] = order;
        if (!self(self, level + 1, kept | keep.bits())) return false;
      } while (std::next_permutation(order.begin(), order.end()));
    }
    return true;
  };
  return choose(choose, 0, 0);
}

std::optional<Mapping> InEvenSpace(const EvenSpace& even, const Mapping& mapping) {
  Mapping result;
  // The temporal loops of its level that are outside what a part keeps.
  const auto begin_of = [&](LevelId part) {
    const LevelMapping& level = mapping.levels[even.origin[part]];
    size_t loops = 0;
    for (const LateEntry& entry : level.late) {
      if (even.space.keeps[part].front().contains(entry.tensor)) loops = entry.loops;
    }
    return loops;
  };
  for (LevelId part : Ids(even.origin)) {
    const LevelMapping& level = mapping.levels[even.origin[part]];
    const LevelId next(part.value() + 1);
    const bool first =
        part.value() == 0 || even.origin[LevelId(part.value() - 1)] != even.origin[part];
    const bool last = next.value() == even.origin.size() || even.origin[next] != even.origin[part];
    const size_t begin = begin_of(part);
    const size_t end = last ? level.temporal.size() : begin_of(next);
    if ((first && begin > 0) || end < begin) return std::nullopt;
    LevelMapping own;
    own.keep = even.space.keeps[part].front();
    own.temporal.assign(level.temporal.begin() + static_cast<std::ptrdiff_t>(begin),
                        level.temporal.begin() + static_cast<std::ptrdiff_t>(end));
    if (last) own.spatial = level.spatial;
    result.levels.push_back(std::move(own));
  }
  return result;
}

}  // namespace inlay

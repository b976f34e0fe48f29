#include "inlay/cost/chain.h"

#include <algorithm>

namespace inlay::exact {
namespace {

// Size of child `index` of a block; 0 or less if there is none.
int64_t Child(int64_t size, int64_t step, int64_t index) {
  return std::min(step, size - index * step);
}

// The first index after `index` at which the size of a child can change.
int64_t NextChange(int64_t size, int64_t step, int64_t index, int64_t none) {
  const int64_t full = size / step;
  if (index < full) return full;
  return index * step < size ? index + 1 : none;
}

}  // namespace

void ChainEnumerator::Add(const Bundle& bundle) {
  for (Bundle& other : next_) {
    if (other.size == bundle.size && other.before == bundle.before && other.delta == bundle.delta &&
        other.except == bundle.except) {
      other.mult += bundle.mult;
      return;
    }
  }
  next_.push_back(bundle);
}

// Children with the same index before and after: a temporal loop outside, or lanes.
void ChainEnumerator::SameIndex(const Bundle& bundle, int64_t step) {
  if (bundle.Still() && bundle.except == 0) {
    const int64_t full = bundle.size / step;
    const int64_t rest = bundle.size - full * step;
    if (full > 0) Add({bundle.mult * full, step, step, 0, 0});
    if (rest > 0) Add({bundle.mult, rest, rest, 0, 0});
    return;
  }
  const int64_t end = (std::min(bundle.size, bundle.before) + step - 1) / step;
  for (int64_t i = 0; i < end;) {
    const int64_t next = std::min({end, NextChange(bundle.size, step, i, end),
                                   NextChange(bundle.before, step, i, end),
                                   NextChange(bundle.except, step, i, end)});
    const Bundle child = {bundle.mult * (next - i), Child(bundle.size, step, i),
                          Child(bundle.before, step, i), bundle.delta,
                          std::max<int64_t>(0, Child(bundle.except, step, i))};
    // Validity is monotone in the size: a block at least as large as one of the two excludes every
    // lane.
    if (child.except < std::min(child.size, child.before)) Add(child);
    i = next;
  }
}

// Children i and i + 1 of the same block. The earlier one is full.
void ChainEnumerator::Advance(const Bundle& bundle, int64_t step) {
  const int64_t full = bundle.size / step;
  const int64_t rest = bundle.size - full * step;
  if (full > 1) Add({bundle.mult * (full - 1), step, step, -step, 0});
  if (full > 0 && rest > 0) Add({bundle.mult, rest, step, -step, 0});
}

// Before: the last child that is valid for the lane. After: child 0. Lanes that do not exist in a
// short last child were last active in the full child before it.
void ChainEnumerator::Inside(const Bundle& bundle, int64_t step, bool lanes_follow) {
  const int64_t last = (bundle.before - 1) / step;
  const int64_t rest = bundle.before - last * step;
  const int64_t size = std::min(step, bundle.size);
  const int64_t except = std::min(step, bundle.except);
  if (except < std::min(size, rest)) {
    Add({bundle.mult, size, rest, bundle.delta + last * step, except});
  }
  if (lanes_follow && rest < step && last > 0 && std::max(except, rest) < size) {
    Add({bundle.mult, size, step, bundle.delta + (last - 1) * step, std::max(except, rest)});
  }
}

const std::vector<Bundle>& ChainEnumerator::Enumerate(int64_t bound,
                                                      const std::vector<ChainLoop>& loops) {
  size_t lanes_end = 0;  // one past the last spatial loop
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].part == Part::kLane) lanes_end = i + 1;
  }
  current_.clear();
  current_.push_back({1, bound, bound, 0, 0});
  for (size_t i = 0; i < loops.size(); ++i) {
    next_.clear();
    const int64_t step = loops[i].step;
    for (const Bundle& bundle : current_) {
      switch (loops[i].part) {
        case Part::kOutside:
        case Part::kLane:
          SameIndex(bundle, step);
          break;
        case Part::kAdvance:
          Advance(bundle, step);
          break;
        case Part::kInside:
          Inside(bundle, step, i < lanes_end);
          break;
        case Part::kFirst:
          Add({bundle.mult, std::min(step, bundle.size), std::min(step, bundle.before),
               bundle.delta, std::min(step, bundle.except)});
          break;
      }
    }
    std::swap(current_, next_);
  }
  std::erase_if(current_, [](const Bundle& bundle) { return bundle.except > 0; });
  return current_;
}

int64_t ChainEnumerator::Count(int64_t bound, const std::vector<ChainLoop>& loops) {
  current_.clear();
  current_.push_back({1, bound, bound, 0, 0});
  for (const ChainLoop& loop : loops) {
    next_.clear();
    for (const Bundle& bundle : current_) {
      const int64_t full = bundle.size / loop.step;
      const int64_t rest = bundle.size - full * loop.step;
      const auto add = [this](int64_t mult, int64_t size) { Add({mult, size, size, 0, 0}); };
      if (loop.part == Part::kInside || loop.part == Part::kFirst) {
        add(bundle.mult, std::min(loop.step, bundle.size));
        continue;
      }
      const int64_t skipped =
          loop.part == Part::kAdvance ? 1 : 0;  // the first child is nobody's successor
      if (full > skipped) add(bundle.mult * (full - skipped), loop.step);
      if (rest > 0 && full >= skipped) add(bundle.mult, rest);
    }
    std::swap(current_, next_);
  }
  int64_t count = 0;
  for (const Bundle& bundle : current_) count += bundle.mult;
  return count;
}

}  // namespace inlay::exact

#include "inlay/cost/exact/chain.h"

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

// Replaces every block by its children. All full ones become one entry, the first; a block has at
// most one short child, so there is one entry more than loops at most.
void ChainEnumerator::Descend(int64_t step, LoopRole role) {
  int64_t full_mult = 0;
  size_t kept = 0;
  const int64_t skipped = role == LoopRole::kAdvance ? 1 : 0;  // the first child succeeds none
  const bool first_only = role == LoopRole::kInside || role == LoopRole::kFirst;
  for (const Block block : blocks_) {
    if (block.size <= step) {
      if (skipped != 0) continue;  // the only child
      if (block.size == step) {
        full_mult += block.mult;
      } else {
        blocks_[kept++] = block;
      }
      continue;
    }
    if (first_only) {
      full_mult += block.mult;
      continue;
    }
    const int64_t full = block.size / step;
    const int64_t rest = block.size - full * step;
    full_mult += block.mult * (full - skipped);
    if (rest > 0) blocks_[kept++] = {block.mult, rest};
  }
  blocks_.resize(kept);
  if (full_mult > 0) blocks_.push_back({full_mult, step});
}

void ChainEnumerator::Enumerate(int64_t bound, std::span<const ChainLoop> loops,
                                std::vector<Bundle>* bundles) {
  // Nothing has moved until the loop that advances, or one inside it.
  blocks_.assign(1, {1, bound});
  size_t i = 0;
  while (i < loops.size() && loops[i].role != LoopRole::kAdvance &&
         loops[i].role != LoopRole::kInside) {
    Descend(loops[i].step, loops[i].role);
    ++i;
  }
  current_.clear();
  for (const Block& block : blocks_) current_.push_back({block.mult, block.size, block.size, 0, 0});
  size_t lanes_end = i;  // one past the last spatial loop
  for (size_t k = i; k < loops.size(); ++k) {
    if (loops[k].role == LoopRole::kLane) lanes_end = k + 1;
  }
  for (; i < loops.size(); ++i) {
    next_.clear();
    const int64_t step = loops[i].step;
    for (const Bundle& bundle : current_) {
      switch (loops[i].role) {
        case LoopRole::kOutside:
        case LoopRole::kLane:
          SameIndex(bundle, step);
          break;
        case LoopRole::kAdvance:
          Advance(bundle, step);
          break;
        case LoopRole::kInside:
          Inside(bundle, step, i < lanes_end);
          break;
        case LoopRole::kFirst:
          Add({bundle.mult, std::min(step, bundle.size), std::min(step, bundle.before),
               bundle.delta, std::min(step, bundle.except)});
          break;
      }
    }
    SwapScratch(&current_, &next_);
  }
  std::erase_if(current_, [](const Bundle& bundle) { return bundle.except > 0; });
  SwapScratch(&current_, bundles);
}

int64_t ChainEnumerator::Count(int64_t bound, std::span<const ChainLoop> loops) {
  blocks_.assign(1, {1, bound});
  for (const ChainLoop& loop : loops) Descend(loop.step, loop.role);
  int64_t count = 0;
  for (const Block& block : blocks_) count += block.mult;
  return count;
}

}  // namespace inlay::exact

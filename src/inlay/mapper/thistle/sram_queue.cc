#include "inlay/mapper/thistle/sram_queue.h"

#include <algorithm>
#include <cmath>

namespace inlay::thistle {

SramQueue::SramQueue(const Model& model, const std::vector<Chains>& chains, const ArrayGrid& grid,
                     Orders* dram_orders, DeadlineWatch* watch)
    : model_(model), chains_(chains), grid_(grid), dram_orders_(dram_orders), watch_(watch) {
  PerFree<int64_t> sizes{};
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    if (chains_[f].sram_ranges().size() > chains_[main_].sram_ranges().size()) main_ = f;
    sizes[f] = chains_[f].sram_ranges().back().smallest;
  }
  SramRanges ranges;
  AddColumns(0, &ranges, &sizes);
  std::make_heap(heap_.begin(), heap_.end(), After);
}

// Ties: the ranges themselves.
bool SramQueue::After(const SramRanges& a, const SramRanges& b) {
  return a.bound_pj != b.bound_pj ? a.bound_pj > b.bound_pj : a.range > b.range;
}

Cuts SramQueue::CutsOf(const SramRanges& ranges) const {
  Cuts cuts;
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    cuts[f] = chains_[f].sram_ranges()[ranges.range[f]].cut;
  }
  return cuts;
}

void SramQueue::AddColumns(FreeIndex f, SramRanges* ranges, PerFree<int64_t>* sizes) {
  if (watch_->Passed()) return;
  if (f == model_.free_count()) {
    const int64_t largest = model_.LargestFitting(1, *sizes, main_);
    const std::vector<TileRange>& mains = chains_[main_].sram_ranges();
    const auto first = std::lower_bound(
        mains.begin(), mains.end(), largest,
        [](const TileRange& range, int64_t size) { return range.smallest > size; });
    if (first == mains.end()) return;
    ranges->range[main_] = static_cast<uint32_t>(first - mains.begin());
    Push(*ranges);
    return;
  }
  if (f == main_) {
    AddColumns(f + 1, ranges, sizes);
    return;
  }
  const std::vector<TileRange>& all = chains_[f].sram_ranges();
  for (size_t i = 0; i < all.size(); ++i) {
    ranges->range[f] = static_cast<uint32_t>(i);
    (*sizes)[f] = all[i].smallest;
    if (model_.Fits(1, *sizes)) AddColumns(f + 1, ranges, sizes);
  }
  (*sizes)[f] = all.back().smallest;
}

void SramQueue::Push(SramRanges ranges) {
  const Cuts cuts = CutsOf(ranges);
  Cuts whole;
  uint32_t loops = 0;
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    whole[f] = model_.Whole(f);
    if (chains_[f].sram_ranges()[ranges.range[f]].largest < model_.bound(f)) {
      loops |= uint32_t{1} << f;
    }
  }
  ranges.dram_pj = Cheapest(model_, kDramSram, dram_orders_->For(loops), whole, cuts).pj;
  ranges.bound_pj = model_.base_pj() + ranges.dram_pj + grid_.LeastPj(cuts);
  if (!std::isinf(ranges.bound_pj)) heap_.push_back(ranges);
}

const SramRanges* SramQueue::Get(size_t i) {
  while (sorted_.size() <= i && !heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), After);
    SramRanges next = heap_.back();
    heap_.pop_back();
    sorted_.push_back(next);
    if (++next.range[main_] == chains_[main_].sram_ranges().size()) continue;
    const size_t before = heap_.size();
    Push(next);
    if (heap_.size() > before) std::push_heap(heap_.begin(), heap_.end(), After);
  }
  return i < sorted_.size() ? &sorted_[i] : nullptr;
}

}  // namespace inlay::thistle

#include "inlay/scratchpad/dsa/state.h"

#include <algorithm>

namespace inlay::dsa {

State::State(const Instance& instance, bool section_bound)
    : instance_(instance), section_bound_(section_bound) {
  const size_t items = instance.items.size();
  start_.resize(items);
  floor_.resize(items);
  placed_.assign(items, 0);
  blocked_.assign(items, 0);
  neighbours_.resize(items);
  members_.resize(instance.sections);
  sections_.resize(instance.sections);
  crossing_.assign(instance.sections, 0);
  to_come_.assign(instance.sections, 0);
  dirty_.assign(instance.sections, 0);
  for (const ItemId i : Ids(instance.items)) {
    const Item& item = instance.items[i];
    start_[i] = floor_[i] = item.min_start;
    size_.push_back(item.size);
    support_.push_back(i);
    for (SectionId s = item.first; s <= item.last; ++s) {
      members_[s].push_back(i);
      ++to_come_[s];
      if (s < item.last) ++crossing_[s];
    }
  }
  // Items are numbered by their first section: items after i overlap i until one starts behind its
  // last section.
  for (const ItemId i : Ids(instance.items)) {
    for (ItemId j = i;
         (++j).value() < items && instance.items[j].first <= instance.items[i].last;) {
      neighbours_[i].push_back(j);
      neighbours_[j].push_back(i);
    }
  }
}

bool State::Begin() {
  for (const ItemId i : Ids(instance_.items)) {
    if (start_[i] > instance_.items[i].max_start) return Fail(instance_.items[i].first);
    MarkDirty(i);
  }
  return Propagate();
}

bool State::Fail(SectionId s) {
  failed_at_ = s;
  for (const SectionId d : dirty_list_) dirty_[d] = 0;
  dirty_list_.clear();
  return false;
}

void State::MarkDirty(ItemId i) {
  const Item& item = instance_.items[i];
  for (SectionId s = item.first; s <= item.last; ++s) {
    if (dirty_[s]) continue;
    dirty_[s] = 1;
    dirty_list_.push_back(s);
  }
}

void State::SetStart(ItemId i, int64_t start) {
  trail_.push_back({Change::kStart, static_cast<uint32_t>(i.value()), start_[i]});
  start_[i] = start;
  MarkDirty(i);
}

bool State::Place(ItemId i) {
  const Item& item = instance_.items[i];
  const int64_t end = start_[i] + item.size;
  trail_.push_back({Change::kPlaced, static_cast<uint32_t>(i.value())});
  placed_[i] = 1;
  for (SectionId s = item.first; s < item.last; ++s) --crossing_[s];
  for (SectionId s = item.first; s <= item.last; ++s) --to_come_[s];
  MarkDirty(i);
  for (const ItemId j : neighbours_[i]) {
    if (placed_[j]) continue;
    const Item& other = instance_.items[j];
    const int64_t floor = AlignUp(end, other.alignment);
    if (floor <= floor_[j]) continue;
    trail_.push_back({Change::kFloor, static_cast<uint32_t>(j.value()), floor_[j]});
    floor_[j] = floor;
    if (blocked_[j]) {
      trail_.push_back({Change::kUnblocked, static_cast<uint32_t>(j.value())});
      blocked_[j] = 0;
      MarkDirty(j);
    }
    if (floor > start_[j]) SetStart(j, floor);
    if (start_[j] > other.max_start) return Fail(std::max(item.first, other.first));
  }
  return RaiseBlocked() && Propagate();
}

bool State::Block(const std::vector<ItemId>& items) {
  for (const ItemId i : items) {
    trail_.push_back({Change::kBlocked, static_cast<uint32_t>(i.value())});
    blocked_[i] = 1;
    blocked_list_.push_back(i);
  }
  return RaiseBlocked() && Propagate();
}

// Whether a blocked buffer can lie at its least start because another one, to come too, ends there
// or lower.
bool State::RestsOn(ItemId i, ItemId other) const {
  return !placed_[other] && other != i &&
         AlignUp(start_[other] + size_[other], instance_.items[i].alignment) <= start_[i];
}

// The lowest end of a buffer to come that lives with it; not above its start: some such end.
int64_t State::LowestRest(ItemId i) {
  if (RestsOn(i, support_[i])) return start_[i];
  int64_t rest = kNever;
  for (const ItemId j : neighbours_[i]) {
    if (placed_[j]) continue;
    if (RestsOn(i, j)) {
      support_[i] = j;
      return start_[i];
    }
    rest = std::min(rest, start_[j] + size_[j]);
  }
  return rest;
}

// Starts only rise, so going round until nothing changes ends at the least starts that agree with
// each other; a ring of buffers that could only rest on each other rises above the capacity.
bool State::RaiseBlocked() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const ItemId i : blocked_list_) {
      if (!blocked_[i] || placed_[i]) continue;
      const Item& item = instance_.items[i];
      int64_t rest = LowestRest(i);
      if (rest > item.max_start) return Fail(item.first);
      rest = AlignUp(rest, item.alignment);
      if (rest <= start_[i]) continue;
      if (rest > item.max_start) return Fail(item.first);
      SetStart(i, rest);
      changed = true;
    }
  }
  return true;
}

bool State::Propagate() {
  for (const SectionId s : dirty_list_) {
    if (!CheckSection(s)) return Fail(s);
  }
  for (const SectionId s : dirty_list_) dirty_[s] = 0;
  dirty_list_.clear();
  return true;
}

// Sorts the members to come to the front by descending start (insertion sort: they nearly are) and
// adds them up: the k buffers with the highest starts lie above the lowest of these starts.
bool State::CheckSection(SectionId s) {
  std::vector<ItemId>& members = members_[s];
  const auto to_come = static_cast<size_t>(to_come_[s]);
  size_t sorted = 0;
  for (size_t k = 0; sorted < to_come; ++k) {
    const ItemId i = members[k];
    if (placed_[i]) continue;
    const int64_t own = start_[i];
    if (sorted < k) members[k] = members[sorted];  // one that is placed
    size_t at = sorted++;
    for (; at > 0 && start_[members[at - 1]] < own; --at) members[at] = members[at - 1];
    members[at] = i;
  }
  Section now;
  int64_t sum = 0, need = 0;
  bool blocked = false;
  for (size_t k = 0; k < to_come; ++k) {
    const ItemId i = members[k];
    sum += size_[i];
    need = std::max(need, start_[i] + sum);
    if (start_[i] != now.floor) {
      now.floor = start_[i];
      now.candidates = 0;
      blocked = false;
    }
    ++now.candidates;
    blocked = blocked || blocked_[i];
  }
  if (blocked) now.candidates = 0;
  now.slack = instance_.capacity - need;
  trail_.push_back({Change::kSection, static_cast<uint32_t>(s.value()), 0, sections_[s]});
  sections_[s] = now;
  return !section_bound_ || now.slack >= 0;
}

void State::UndoTo(size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) {
    const Entry& entry = trail_.back();
    const ItemId i(entry.index);
    switch (entry.change) {
      case Change::kStart:
        start_[i] = entry.old;
        break;
      case Change::kFloor:
        floor_[i] = entry.old;
        break;
      case Change::kBlocked:
        blocked_[i] = 0;
        blocked_list_.pop_back();
        break;
      case Change::kUnblocked:
        blocked_[i] = 1;
        break;
      case Change::kPlaced: {
        placed_[i] = 0;
        const Item& item = instance_.items[i];
        for (SectionId s = item.first; s < item.last; ++s) ++crossing_[s];
        for (SectionId s = item.first; s <= item.last; ++s) ++to_come_[s];
        break;
      }
      case Change::kSection:
        sections_[SectionId(entry.index)] = entry.section;
        break;
    }
  }
}

}  // namespace inlay::dsa

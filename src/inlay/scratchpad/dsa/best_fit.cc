#include "inlay/scratchpad/dsa/best_fit.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/scratchpad/dsa/dsa.h"
#include "inlay/scratchpad/dsa/instance.h"

namespace inlay::dsa {
namespace {

constexpr int64_t kHighest = int64_t{1} << 62;

// The free stretches of addresses from a base on.
class Gaps {
 public:
  explicit Gaps(int64_t base) { Add(base, kHighest); }

  // Takes the lowest aligned address of the smallest gap; nullopt: none holds it.
  std::optional<int64_t> Take(int64_t size, int64_t alignment) {
    const auto wide = CheckedAdd(size, alignment - 1);
    // A few that may hold it, depending on where they begin; then one that does anyway.
    constexpr int kTries = 4;
    auto at = by_size_.lower_bound({size, 0});
    for (int i = 0; at != by_size_.end() && i < kTries && !Holds(at->second, size, alignment);
         ++i) {
      ++at;
    }
    if (at != by_size_.end() && !Holds(at->second, size, alignment)) {
      if (!wide) return std::nullopt;
      at = by_size_.lower_bound({*wide, 0});
    }
    if (at == by_size_.end()) return std::nullopt;
    const int64_t begin = at->second, end = by_begin_.at(begin);
    const int64_t offset = AlignUp(begin, alignment);
    Remove(begin);
    if (begin < offset) Add(begin, offset);
    if (offset + size < end) Add(offset + size, end);
    return offset;
  }

  void GiveBack(int64_t begin, int64_t end) {
    auto next = by_begin_.lower_bound(begin);
    if (next != by_begin_.end() && next->first == end) {
      end = next->second;
      Remove(next->first);
    }
    next = by_begin_.lower_bound(begin);
    if (next != by_begin_.begin()) {
      const auto before = std::prev(next);
      if (before->second == begin) {
        begin = before->first;
        Remove(begin);
      }
    }
    Add(begin, end);
  }

 private:
  bool Holds(int64_t begin, int64_t size, int64_t alignment) const {
    return by_begin_.at(begin) - AlignUp(begin, alignment) >= size;
  }
  void Add(int64_t begin, int64_t end) {
    by_begin_.emplace(begin, end);
    by_size_.emplace(end - begin, begin);
  }
  void Remove(int64_t begin) {
    const auto at = by_begin_.find(begin);
    by_size_.erase({at->second - begin, begin});
    by_begin_.erase(at);
  }

  std::map<int64_t, int64_t> by_begin_;            // to the end
  std::set<std::pair<int64_t, int64_t>> by_size_;  // size, begin
};

// The end of the highest fixed buffer; nullopt: two of them overlap.
std::optional<int64_t> EndOfFixed(const std::vector<Buffer>& buffers) {
  Problem fixed{{}, kHighest};
  std::vector<int64_t> offsets;
  for (const Buffer& b : buffers) {
    if (!b.fixed) continue;
    fixed.buffers.push_back(b);
    offsets.push_back(*b.fixed);
  }
  if (!CheckPlacement(fixed, offsets).empty()) return std::nullopt;
  return HeightOf(fixed.buffers, offsets);
}

}  // namespace

int64_t HeightOf(const std::vector<Buffer>& buffers, const std::vector<int64_t>& offsets) {
  int64_t height = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (TakesRoom(buffers[i])) height = std::max(height, offsets[i] + buffers[i].size);
  }
  return height;
}

std::optional<std::vector<int64_t>> BestFitInTime(const std::vector<Buffer>& buffers) {
  const auto base = EndOfFixed(buffers);
  if (!base) return std::nullopt;
  std::vector<std::tuple<int64_t, bool, size_t>> events;  // at equal times, ends come first
  std::vector<int64_t> offsets(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    offsets[i] = b.fixed.value_or(0);
    if (!TakesRoom(b) || b.fixed) continue;
    events.emplace_back(b.lower, true, i);
    events.emplace_back(b.upper, false, i);
  }
  std::sort(events.begin(), events.end());
  Gaps gaps(*base);
  for (const auto& [time, starts, i] : events) {
    if (!starts) {
      gaps.GiveBack(offsets[i], offsets[i] + buffers[i].size);
      continue;
    }
    const auto offset = gaps.Take(buffers[i].size, buffers[i].alignment);
    if (!offset) return std::nullopt;
    offsets[i] = *offset;
  }
  return offsets;
}

}  // namespace inlay::dsa

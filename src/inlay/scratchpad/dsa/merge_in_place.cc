#include <algorithm>
#include <numeric>

#include "inlay/base/check.h"
#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::dsa {
namespace {

// False where the two cannot share an address.
bool Absorb(const Buffer& from, Buffer* into) {
  if (from.fixed && into->fixed && *from.fixed != *into->fixed) return false;
  if (from.fixed) into->fixed = from.fixed;
  into->lower = std::min(into->lower, from.lower);
  into->upper = std::max(into->upper, from.upper);
  into->size = std::max(into->size, from.size);
  into->alignment = std::lcm(into->alignment, from.alignment);
  return true;
}

}  // namespace

std::vector<int64_t> Merged::OffsetsOfAll(const std::vector<int64_t>& offsets) const {
  INLAY_CHECK(offsets.size() == buffers.size());
  std::vector<int64_t> all(group_of.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = offsets[group_of[i]];
  return all;
}

std::optional<Merged> MergeInPlace(const std::vector<Buffer>& buffers,
                                   const std::vector<std::pair<size_t, size_t>>& pairs) {
  std::vector<size_t> root(buffers.size());  // the smallest index of a group is its root
  std::iota(root.begin(), root.end(), size_t{0});
  const auto find = [&](size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const auto& [first, second] : pairs) {
    INLAY_CHECK(first < buffers.size() && second < buffers.size());
    const size_t a = find(first), b = find(second);
    root[std::max(a, b)] = std::min(a, b);
  }
  Merged merged;
  merged.group_of.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    const size_t group = find(i);
    if (group == i) {
      merged.group_of[i] = merged.buffers.size();
      merged.buffers.push_back(buffers[i]);
    } else {
      merged.group_of[i] = merged.group_of[group];
      if (!Absorb(buffers[i], &merged.buffers[merged.group_of[i]])) return std::nullopt;
    }
  }
  for (const Buffer& b : merged.buffers) {
    if (b.fixed && *b.fixed % b.alignment != 0) return std::nullopt;
  }
  return merged;
}

}  // namespace inlay::dsa

#include "inlay/cost/timeloop/memo.h"

#include <algorithm>

namespace inlay::timeloop {

uint64_t Memo::Hash(std::span<const int64_t> key) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (int64_t word : key) {
    hash = (hash ^ static_cast<uint64_t>(word)) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

// Where the key is, or the empty slot where it would go.
size_t Memo::SlotOf(uint64_t hash, std::span<const int64_t> key) const {
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const uint32_t index = slots_[slot];
    if (index == kEmpty) return slot;
    if (entries_[index].hash == hash &&
        std::equal(key.begin(), key.end(), words_.data() + 2 * key_words_ * index)) {
      return slot;
    }
  }
}

std::optional<Memo::Entry> Memo::Find(std::span<const int64_t> key) const {
  const uint32_t index = slots_[SlotOf(Hash(key), key)];
  if (index == kEmpty) return std::nullopt;
  const Stored& stored = entries_[index];
  const int64_t* result = words_.data() + 2 * key_words_ * index + key_words_;
  return Entry{{result, key_words_}, {totals_.data() + stored.totals_begin, stored.totals_size}};
}

void Memo::Insert(std::span<const int64_t> key, std::span<const int64_t> result,
                  std::span<const double> totals) {
  if (2 * (entries_.size() + 1) > slots_.size()) Grow();
  const uint64_t hash = Hash(key);
  slots_[SlotOf(hash, key)] = static_cast<uint32_t>(entries_.size());
  entries_.push_back({hash, totals_.size(), totals.size()});
  words_.insert(words_.end(), key.begin(), key.end());
  words_.insert(words_.end(), result.begin(), result.end());
  totals_.insert(totals_.end(), totals.begin(), totals.end());
}

void Memo::Grow() {
  slots_.assign(slots_.size() * 2, kEmpty);
  const size_t mask = slots_.size() - 1;
  for (uint32_t index = 0; index < entries_.size(); ++index) {
    size_t slot = entries_[index].hash & mask;
    while (slots_[slot] != kEmpty) slot = (slot + 1) & mask;
    slots_[slot] = index;
  }
}

}  // namespace inlay::timeloop

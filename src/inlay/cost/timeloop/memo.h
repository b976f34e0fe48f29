#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace inlay::timeloop {

// Remembers, for keys of one fixed length, a result of equal length and a list of totals. Pointers
// into it are valid until the next Insert.
class Memo {
 public:
  explicit Memo(size_t key_words) : key_words_(key_words), slots_(64, kEmpty) {}

  struct Entry {
    std::span<const int64_t> result;
    std::span<const double> totals;
  };
  std::optional<Entry> Find(std::span<const int64_t> key) const;
  // The key is not in the memo yet.
  void Insert(std::span<const int64_t> key, std::span<const int64_t> result,
              std::span<const double> totals);

 private:
  static constexpr uint32_t kEmpty = ~uint32_t{0};
  struct Stored {
    uint64_t hash;
    size_t totals_begin;
    size_t totals_size;
  };
  static uint64_t Hash(std::span<const int64_t> key);
  size_t SlotOf(uint64_t hash, std::span<const int64_t> key) const;
  void Grow();

  size_t key_words_;
  std::vector<uint32_t> slots_;  // a power of two, open addressing
  std::vector<Stored> entries_;
  std::vector<int64_t> words_;  // per entry: key, result
  std::vector<double> totals_;
};

}  // namespace inlay::timeloop

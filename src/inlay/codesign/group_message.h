#pragma once

#include <bit>
#include <cstddef>
#include <utility>

#include "inlay/codesign/search_group.h"
#include "inlay/core/map_result.h"

namespace inlay {

// Writes what a process of a group has found, to be read in the same order by another.
class MessageWriter {
 public:
  void Number(int64_t number) { message_.push_back(number); }
  void Real(double value) { Number(std::bit_cast<int64_t>(value)); }
  void Mapped(const Solution& solution);  // without its cost
  GroupMessage Finish() { return std::move(message_); }

 private:
  GroupMessage message_;
};

class MessageReader {
 public:
  explicit MessageReader(const GroupMessage& message) : message_(message) {}

  bool AtEnd() const { return at_ == message_.size(); }
  int64_t Number();
  double Real() { return std::bit_cast<double>(Number()); }
  size_t Count() { return static_cast<size_t>(Number()); }
  // A mapping of this problem, or of one that is padded from it; what it costs is not known.
  Solution Mapped(const Problem& problem);

 private:
  const GroupMessage& message_;
  size_t at_ = 0;
};

}  // namespace inlay

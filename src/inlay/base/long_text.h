#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace inlay {

// Takes a text piece by piece.
using TextSink = std::function<void(std::string_view piece)>;

// A text that memory holds, or one that is made as it is written.
class LongText {
 public:
  // Puts all of the text into a sink, in pieces of any size; called once for every reader.
  using Writer = std::function<void(const TextSink& put)>;

  LongText(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  explicit LongText(Writer write) : write_(std::move(write)) {}

  // In pieces of some 64 KiB, or the whole that memory holds.
  void WriteTo(const TextSink& put) const;
  std::string Whole() const;

 private:
  std::string text_;  // without a writer
  Writer write_;
};

}  // namespace inlay

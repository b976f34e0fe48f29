#include "inlay/io/yaml/assembled_text.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace inlay::io {
namespace {

std::vector<size_t> LineStartsOf(std::string_view text) {
  std::vector<size_t> starts = {0};
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts.push_back(i + 1);
  }
  return starts;
}

}  // namespace

void AssembledText::Copy(std::shared_ptr<const Source> source, size_t offset, size_t length) {
  if (length == 0) return;
  pieces_.push_back({text_.size(), std::move(source), offset, true});
  text_.append(pieces_.back().source->text, offset, length);
}

void AssembledText::Insert(std::string_view text, std::shared_ptr<const Source> source,
                           size_t offset) {
  if (text.empty()) return;
  pieces_.push_back({text_.size(), std::move(source), offset, false});
  text_ += text;
}

void AssembledText::InsertValue(Node value, std::shared_ptr<const Source> source, size_t offset) {
  const std::string scalar = std::string(kValueTag) + " " + std::to_string(values_.size());
  values_.push_back(std::move(value));
  Insert(scalar, std::move(source), offset);
}

const Node* AssembledText::FindValue(std::string_view scalar) const {
  size_t index = 0;
  const auto [end, error] = std::from_chars(scalar.data(), scalar.data() + scalar.size(), index);
  const bool known = error == std::errc() && end == scalar.data() + scalar.size();
  return known && index < values_.size() ? &values_[index] : nullptr;
}

AssembledText::Place AssembledText::PlaceOf(size_t offset) const {
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                       [](size_t value, const Piece& piece) { return value < piece.begin; });
  if (after == pieces_.begin()) return {};
  const Piece& piece = *(after - 1);
  const size_t there = piece.offset + (piece.copied ? offset - piece.begin : 0);
  auto [starts, is_new] = line_starts_.try_emplace(piece.source.get());
  if (is_new) starts->second = LineStartsOf(piece.source->text);
  const auto next = std::upper_bound(starts->second.begin(), starts->second.end(), there);
  Place place;
  place.source = piece.source;
  place.line = static_cast<int>(next - starts->second.begin());
  place.line_start = *(next - 1);
  place.column = static_cast<int>(there - place.line_start) + 1;
  return place;
}

}  // namespace inlay::io

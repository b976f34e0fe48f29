#include "inlay/base/long_text.h"

namespace inlay {

void LongText::WriteTo(const TextSink& put) const {
  if (!write_) return put(text_);
  constexpr size_t kPiece = size_t{1} << 16;
  std::string piece;
  write_([&](std::string_view part) {
    piece += part;
    if (piece.size() < kPiece) return;
    put(piece);
    piece.clear();
  });
  if (!piece.empty()) put(piece);
}

std::string LongText::Whole() const {
  std::string whole;
  WriteTo([&whole](std::string_view piece) { whole += piece; });
  return whole;
}

}  // namespace inlay

#include "inlay/io/timeloop/template_pieces.h"

#include <algorithm>
#include <string>

namespace inlay::io::timeloop {
namespace {

class TemplateCutter {
 public:
  TemplateCutter(std::string_view text, std::vector<TemplateFault>* faults)
      : text_(text), faults_(faults) {
    if (text_.ends_with('\n')) text_.remove_suffix(1);
  }

  using Piece = TemplatePiece;

  std::vector<Piece> Cut() {
    size_t begin = 0;
    while (begin < text_.size()) {
      const size_t mark = FindMark(begin);
      AddText(begin, mark);
      if (mark == text_.size()) break;
      begin = text_[mark + 1] == '#' ? SkipComment(mark) : AddMarked(mark);
    }
    return std::move(pieces_);
  }

 private:
  static constexpr std::string_view kSpace = " \t\n";

  size_t FindMark(size_t begin) const {
    for (size_t i = text_.find('{', begin); i < text_.size(); i = text_.find('{', i + 1)) {
      if (i + 1 < text_.size() && std::string_view("{%#").find(text_[i + 1]) != std::string::npos) {
        return i;
      }
    }
    return text_.size();
  }

  void AddText(size_t begin, size_t end) {
    if (strip_next_) begin = std::min(end, text_.find_first_not_of(kSpace, begin));
    strip_next_ = false;
    const bool strips = end + 2 < text_.size() && text_[end + 2] == '-';
    if (strips) {
      const size_t last = text_.substr(begin, end - begin).find_last_not_of(kSpace);
      end = last == std::string_view::npos ? begin : begin + last + 1;
    }
    if (begin < end) pieces_.push_back({Piece::Kind::kText, begin, end, begin, end});
  }

  // The place behind what begins at `mark`, which is not closed: the end.
  size_t NotClosed(size_t mark, std::string_view closing) {
    faults_->push_back({mark, "'" + std::string(text_.substr(mark, 2)) + "' is not closed",
                        "write '" + std::string(closing) + "' at its end"});
    return text_.size();
  }

  size_t SkipComment(size_t mark) {
    const size_t end = text_.find("#}", mark + 2);
    if (end == std::string_view::npos) return NotClosed(mark, "#}");
    strip_next_ = text_[end - 1] == '-';
    return end + 2;
  }

  size_t AddMarked(size_t mark) {
    const bool output = text_[mark + 1] == '{';
    const std::string_view closing = output ? "}}" : "%}";
    const size_t end = FindClosing(mark + 2, closing);
    if (end == std::string_view::npos) return NotClosed(mark, closing);
    Piece piece{output ? Piece::Kind::kOutput : Piece::Kind::kStatement, mark, end + 2, mark + 2,
                end};
    const char first = piece.inner_begin < end ? text_[piece.inner_begin] : ' ';
    if (first == '-' || first == '+') ++piece.inner_begin;
    const char last = piece.inner_begin < end ? text_[end - 1] : ' ';
    if (last == '-' || (last == '+' && !output)) {
      strip_next_ = last == '-';
      --piece.inner_end;
    }
    pieces_.push_back(piece);
    return end + 2;
  }

  // Outside of texts in quotes.
  size_t FindClosing(size_t begin, std::string_view closing) const {
    char quote = 0;
    for (size_t i = begin; i < text_.size(); ++i) {
      const char c = text_[i];
      if (quote != 0) {
        if (c == '\\') ++i;
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (text_.substr(i).starts_with(closing)) {
        return i;
      }
    }
    return std::string_view::npos;
  }

  std::string_view text_;
  std::vector<TemplateFault>* faults_;
  std::vector<Piece> pieces_;
  bool strip_next_ = false;
};

}  // namespace

std::vector<TemplatePiece> CutTemplate(std::string_view text, std::vector<TemplateFault>* faults) {
  return TemplateCutter(text, faults).Cut();
}

bool IsInComment(std::string_view text, size_t offset) {
  const size_t before = text.substr(0, offset).rfind('\n');
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view line = text.substr(begin, offset - begin);
  const size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '#';
}

}  // namespace inlay::io::timeloop

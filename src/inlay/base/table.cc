#include "inlay/base/table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/printable.h"
#include "inlay/base/utf8.h"

namespace inlay {
namespace {

struct CodeRange {
  char32_t first, last;  // both included
};

// The blocks that matter for names; the full Unicode tables would be a hundred times as long.
constexpr std::array<CodeRange, 7> kZeroWidth = {{{0x0300, 0x036F},
                                                  {0x0483, 0x0489},
                                                  {0x0591, 0x05BD},
                                                  {0x200B, 0x200F},
                                                  {0x20D0, 0x20F0},
                                                  {0xFE00, 0xFE0F},
                                                  {0xFE20, 0xFE2F}}};
constexpr std::array<CodeRange, 8> kDoubleWidth = {{{0x1100, 0x115F},
                                                    {0x2E80, 0x303E},
                                                    {0x3041, 0xA4CF},
                                                    {0xAC00, 0xD7A3},
                                                    {0xF900, 0xFAFF},
                                                    {0xFE30, 0xFE6F},
                                                    {0xFF00, 0xFF60},
                                                    {0x1F300, 0x1FAFF}}};

template <size_t n>
bool Contains(const std::array<CodeRange, n>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const CodeRange& r) { return r.first <= code && code <= r.last; });
}

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

std::string Paint(std::string_view text, Tone tone, const TextStyle& style) {
  const bool ends_line = text.ends_with('\n');
  std::string shown =
      Printable(text.substr(0, text.size() - (ends_line ? 1 : 0))) + (ends_line ? "\n" : "");
  if (!style.colour || tone == Tone::kPlain || text.empty()) return shown;
  const char* code = tone == Tone::kBold     ? "\x1b[1m"
                     : tone == Tone::kDim    ? "\x1b[2m"
                     : tone == Tone::kAccent ? "\x1b[36m"
                                             : "\x1b[33m";
  return code + shown + "\x1b[0m";
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const char32_t code = TakeCodePoint(&text);
    if (Contains(kZeroWidth, code)) continue;
    width += Contains(kDoubleWidth, code) ? 2U : 1U;
  }
  return width;
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.header = PrintableName(column.header);
}

void Table::AddRow(std::vector<Cell> cells) {
  INLAY_CHECK(!cells.empty() && cells.size() <= columns_.size());
  for (Cell& cell : cells) cell.text = PrintableName(cell.text);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::AddRule() { rows_.emplace_back(); }

void Table::DropEmptyColumns() {
  for (size_t c = columns_.size(); c-- > 0;) {
    const bool empty = std::all_of(rows_.begin(), rows_.end(), [c](const std::vector<Cell>& row) {
      return row.empty() || row[c].text.empty();
    });
    if (!empty) continue;
    const auto at = static_cast<std::ptrdiff_t>(c);
    columns_.erase(columns_.begin() + at);
    for (auto& row : rows_) {
      if (!row.empty()) row.erase(row.begin() + at);
    }
  }
}

std::vector<size_t> Table::Widths() const {
  std::vector<size_t> widths;
  for (const Column& column : columns_) widths.push_back(DisplayWidth(column.header));
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], DisplayWidth(row[c].text));
    }
  }
  return widths;
}

size_t Table::Width() const {
  size_t width = 0;
  for (size_t column_width : Widths()) width += column_width + 2;
  return width < 2 ? 0 : width - 2;
}

std::string Table::Render(const TextStyle& style) const {
  const std::vector<size_t> widths = Widths();
  const std::string rule =
      Paint(Repeat(style.unicode ? "─" : "-", Width()), Tone::kDim, style) + "\n";
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string out;
    size_t owed = 0;  // blanks that are written only if something follows
    for (size_t c = 0; c < cells.size(); ++c) {
      const size_t fill = widths[c] - DisplayWidth(cells[c].text);
      const bool right = columns_[c].align == Align::kRight;
      if (!cells[c].text.empty()) {
        out += std::string(owed + (right ? fill : 0), ' ');
        out += Paint(cells[c].text, cells[c].tone, style);
        owed = (right ? 0 : fill) + 2;
      } else {
        owed += widths[c] + 2;
      }
    }
    return out + "\n";
  };
  std::vector<Cell> header;
  bool has_header = false;
  for (const Column& column : columns_) {
    header.emplace_back(column.header, Tone::kBold);
    has_header = has_header || !column.header.empty();
  }
  std::string out = has_header ? line(header) + rule : "";
  for (const auto& row : rows_) out += row.empty() ? rule : line(row);
  return out;
}

}  // namespace inlay

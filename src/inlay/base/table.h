#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace inlay {

// What the reader's screen can show.
struct TextStyle {
  bool unicode = true;  // else only ASCII is written (names of the user's stay as they are)
  bool colour = false;
  bool grouped = true;  // a separator between thousands; without it other programs can read along
};

enum class Tone { kPlain, kBold, kDim, kAccent, kWarn };

// The text in a tone, where the style has colours.
std::string Paint(std::string_view text, Tone tone, const TextStyle& style);

// Columns that a UTF-8 text takes on a terminal: combining marks none, East Asian wide letters and
// emoji two. Bytes that are not UTF-8 count one each.
size_t DisplayWidth(std::string_view text);

enum class Align { kLeft, kRight };

struct Column {
  std::string header;
  Align align = Align::kLeft;
};

struct Cell {
  Cell(std::string cell_text = "", Tone cell_tone = Tone::kPlain)  // NOLINT: a text is a cell
      : text(std::move(cell_text)), tone(cell_tone) {}
  Cell(const char* cell_text) : text(cell_text) {}  // NOLINT: a text is a cell

  std::string text;
  Tone tone = Tone::kPlain;
};

// A text table: columns two blanks apart and aligned by display width, a rule below the header, no
// blank at the end of a line.
class Table {
 public:
  explicit Table(std::vector<Column> columns);
  void AddRow(std::vector<Cell> cells);  // fewer cells than columns: the rest is empty
  void AddRule();
  void DropEmptyColumns();  // those without a text below their header
  size_t Width() const;     // of the longest line, in display columns
  std::string Render(const TextStyle& style) const;

 private:
  std::vector<size_t> Widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;  // an empty row is a rule
};

}  // namespace inlay

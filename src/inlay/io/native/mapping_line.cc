#include "inlay/io/native/mapping_line.h"

#include <fmt/format.h>

#include "inlay/base/suggest.h"

namespace inlay::io {
namespace {

constexpr std::string_view kForms =
    "a line is 'LEVEL keeps TENSOR …', 'for DIM in RANGE step STEP', 'parallel DIM in RANGE step "
    "STEP on FANOUT.x' or 'LEVEL also keeps TENSOR …'";

WrittenName TakeWrittenWord(Cursor* cursor) {
  const size_t offset = cursor->offset();
  return {std::string(cursor->TakeWord()), offset};
}

std::optional<TextError> Expect(Cursor* cursor, std::string_view word) {
  const WrittenName found = TakeWrittenWord(cursor);
  if (found.text == word) return std::nullopt;
  return TextError{found.offset, fmt::format("expected '{}'", word), std::string(kForms)};
}

std::optional<TextError> ExpectEnd(Cursor* cursor) {
  if (cursor->AtEnd()) return std::nullopt;
  return TextError{cursor->offset(), "unexpected text at the end of the line", std::string(kForms)};
}

// "in RANGE step STEP"; the dimension is already taken.
std::optional<TextError> TakeSteps(Cursor* cursor, MappingLine* line) {
  if (auto error = Expect(cursor, "in")) return error;
  line->range_offset = cursor->offset();
  const auto range = TakePositive(cursor, "the range");
  if (!range) return range.error();
  line->range = *range;
  if (auto error = Expect(cursor, "step")) return error;
  const auto step = TakePositive(cursor, "the step");
  if (!step) return step.error();
  line->step = *step;
  return std::nullopt;
}

// "on FANOUT.x"
std::optional<TextError> TakeFanout(Cursor* cursor, MappingLine* line) {
  if (auto error = Expect(cursor, "on")) return error;
  line->fanout = TakeWrittenWord(cursor);
  std::string& name = line->fanout.text;
  if (name.size() < 3 || !(name.ends_with(".x") || name.ends_with(".y"))) {
    return TextError{line->fanout.offset, "expected a fan-out and its axis",
                     "write for example 'on array.x' or 'on array.y'"};
  }
  line->axis = name.back() == 'x' ? Axis::kX : Axis::kY;
  name.resize(name.size() - 2);
  return std::nullopt;
}

Parsed<MappingLine> ParseLoop(Cursor cursor, bool parallel) {
  MappingLine line;
  line.kind = MappingLine::Kind::kLoop;
  line.dim = TakeWrittenWord(&cursor);
  if (!IsDimensionName(line.dim.text)) {
    return TextFail(line.dim.offset, "expected a dimension", std::string(kForms));
  }
  auto error = TakeSteps(&cursor, &line);
  if (!error && parallel) error = TakeFanout(&cursor, &line);
  if (!error) error = ExpectEnd(&cursor);
  if (error) return tl::unexpected(*error);
  return line;
}

Parsed<MappingLine> ParseKeep(Cursor cursor) {
  MappingLine line;
  line.level = TakeWrittenWord(&cursor);
  WrittenName verb = TakeWrittenWord(&cursor);
  if (verb.text == "also") {
    line.also = true;
    verb = TakeWrittenWord(&cursor);
  }
  if (Cursor after = cursor; after.TakeWord() == "in") {
    const auto near = Suggest(line.level.text, {"for", "parallel"});
    return TextFail(
        line.level.offset,
        fmt::format("a loop starts with 'for' or 'parallel', not '{}'", line.level.text),
        near ? fmt::format("did you mean '{}'?", *near) : std::string(kForms));
  }
  if (verb.text != "keeps" && verb.text != "keep") {
    return TextFail(verb.text.empty() ? line.level.offset : verb.offset,
                    verb.text.empty() ? "cannot read this line" : "expected 'keeps'",
                    std::string(kForms));
  }
  while (!cursor.AtEnd()) {
    const WrittenName tensor = TakeWrittenWord(&cursor);
    const bool alone = line.tensors.empty() && cursor.AtEnd();
    if (tensor.text == "all" && alone) {
      line.keeps_all = true;
      return line;
    }
    if (tensor.text == "none" && alone) return line;
    if (auto error = CheckName(tensor.text)) {
      error->offset += tensor.offset;
      if (tensor.text.ends_with(',')) error->hint = "separate the tensors by spaces";
      return tl::unexpected(*error);
    }
    line.tensors.push_back(tensor);
  }
  if (line.tensors.empty()) {
    return TextFail(cursor.offset(), "expected the tensors that the level keeps",
                    "list them, or write 'all' or 'none'");
  }
  return line;
}

}  // namespace

Parsed<MappingLine> ParseMappingLine(std::string_view text) {
  Cursor cursor(text);
  if (cursor.AtEnd()) return TextFail(0, "an empty line in the mapping", std::string(kForms));
  Cursor after_first = cursor;
  const std::string_view first = after_first.TakeWord();
  if (first == "for" || first == "parallel") return ParseLoop(after_first, first == "parallel");
  return ParseKeep(cursor);
}

MappingLine GuessMappingLine(std::string_view text) {
  Cursor cursor(text);
  const WrittenName first = TakeWrittenWord(&cursor);
  const WrittenName second = TakeWrittenWord(&cursor);
  MappingLine line;
  if (first.text == "for" || first.text == "parallel" || cursor.TakeWord() == "in") {
    line.kind = MappingLine::Kind::kBrokenLoop;
    line.dim = second;
  } else {
    line.kind = MappingLine::Kind::kBrokenKeep;
    line.level = first;
  }
  return line;
}

std::string MappingLinePattern() {
  const std::string loop = R"(\S+\s+in\s+[0-9]+\s+step\s+[0-9]+)";
  return fmt::format(
      R"(^\s*(for\s+{0}|parallel\s+{0}\s+on\s+\S+\.[xy]|\S+\s+(also\s+)?keeps?(\s+\S+)+)\s*$)",
      loop);
}

}  // namespace inlay::io

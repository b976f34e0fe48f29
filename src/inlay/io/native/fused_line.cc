#include "inlay/io/native/fused_line.h"

#include <fmt/format.h>

namespace inlay::io {
namespace {

constexpr const char* kForms =
    "a line is 'hold TENSOR …', 'retain TENSOR …', 'for DIM in RANGE step STEP:', 'branch:', "
    "'NODE' "
    "or 'NODE online'";

WrittenName TakeName(Cursor* cursor) {
  const size_t offset = cursor->offset();
  return {std::string(cursor->TakeWord()), offset};
}

Parsed<FusedLine> ParseHold(Cursor cursor, bool retain) {
  FusedLine line;
  line.retain = retain;
  while (!cursor.AtEnd()) {
    const WrittenName tensor = TakeName(&cursor);
    if (auto error = CheckName(tensor.text)) {
      error->offset += tensor.offset;
      if (tensor.text.ends_with(',')) error->hint = "separate the tensors by spaces";
      return tl::unexpected(*error);
    }
    line.tensors.push_back(tensor);
  }
  if (line.tensors.empty()) {
    return TextFail(cursor.offset(), "expected the tensors that are held", kForms);
  }
  return line;
}

Parsed<FusedLine> ParseLeaf(std::string_view text) {
  Cursor cursor(text);
  FusedLine line;
  line.kind = FusedLine::Kind::kLeaf;
  line.node = TakeName(&cursor);
  if (cursor.AtEnd()) return line;
  const WrittenName how = TakeName(&cursor);
  line.online = how.text == "online";
  if (line.online && cursor.AtEnd()) return line;
  return TextFail(line.online ? cursor.offset() : how.offset, "unexpected text after the node",
                  kForms);
}

}  // namespace

Parsed<FusedLine> ParseFusedLine(std::string_view text, bool has_inside) {
  Cursor cursor(text);
  if (cursor.AtEnd()) return TextFail(0, "an empty line in the tree", kForms);
  const std::string_view first = cursor.TakeWord();
  if (first == "hold" || first == "retain") {
    if (!has_inside) return ParseHold(cursor, first == "retain");
    return TextFail(0, fmt::format("'{}' holds for what follows it in the list", first),
                    "end the line without ':' and put what is inside behind it");
  }
  if (first == "for") {
    const auto loop = ParseMappingLine(text);
    if (!loop) return tl::unexpected(loop.error());
    if (!has_inside) {
      return TextFail(0, "a loop with nothing inside", "end the line with ':' and put it below");
    }
    FusedLine line;
    line.kind = FusedLine::Kind::kLoop;
    line.loop = *loop;
    return line;
  }
  if (first == "branch" && cursor.AtEnd() && has_inside) {
    FusedLine line;
    line.kind = FusedLine::Kind::kBranch;
    return line;
  }
  return ParseLeaf(text);
}

}  // namespace inlay::io

#include "inlay/emit/c_program.h"

#include <algorithm>

namespace inlay::emit {
namespace {

std::vector<std::string> Lines(const CText& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.text().size();) {
    const size_t end = text.text().find('\n', at);
    lines.push_back(text.text().substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string CProgram::AddCounts(LevelId level, const std::string& level_name, TensorId tensor,
                                const std::string& tensor_name) {
  Counts& counts = counts_[{level, tensor}];
  if (counts.variable.empty()) {
    counts = {names_.Unique(level_name + "_" + tensor_name + "_count"), level_name, tensor_name};
  }
  return counts.variable;
}

void CProgram::Fill(const CMemory& memory, size_t tensor) {
  fill_.Line(fmt::format("for (int64_t i = 0; i < {}; ++i) {}[i] = pattern(i, {});",
                         memory.WordsOfLane(), memory.name, tensor));
}

void CProgram::Compare(const CMemory& computed, const CMemory& plain) {
  compare_.Line(fmt::format("for (int64_t i = 0; i < {}; ++i) {{", computed.WordsOfLane()));
  compare_.Line(fmt::format("  if ({}[i] == {}[i]) continue;", computed.name, plain.name));
  compare_.Line(
      fmt::format("  printf(\"word %\" PRId64 \" of %s is %\" PRIu64 \", not %\" "
                  "PRIu64 \"\\n\", i, {},",
                  CString(computed.tensor->name)));
  compare_.Line(fmt::format("         {}[i], {}[i]);", computed.name, plain.name));
  compare_.Line("  return 1;");
  compare_.Line("}");
}

void CProgram::NeedServed(int64_t lanes, size_t ranks) {
  served_ = std::max(served_, lanes);
  served_ranks_ = std::max(served_ranks_, ranks);
}

void CProgram::WritePlainLoops(const IndexedVector<DimId, Dimension>& dims,
                               const std::vector<DimId>& own,
                               const IndexedVector<DimId, std::string>& coords,
                               const std::string& body, CText* text) {
  for (const DimId d : own) {
    text->Open(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", coords[d], dims[d].bound));
  }
  text->Line(body);
  for (size_t i = 0; i < own.size(); ++i) text->Close();
}

std::string CProgram::Text(const std::vector<std::string>& head, const CText& reports) const {
  CText counts;
  for (const auto& [at, count] : counts_) {
    counts.Line(fmt::format("static counts {};", count.variable));
  }
  for (const std::string& variable : totals) {
    counts.Line(fmt::format("static uint64_t {};", variable));
  }
  counts.Blank();

  CText main;
  main.Line("int main(void)");
  main.Open("");
  for (const std::string& line : Lines(setup)) main.Line(line);
  for (const std::string& line : Lines(fill_)) main.Line(line);
  for (const std::string& call : calls) main.Line(call);
  for (const std::string& line : Lines(compare_)) main.Line(line);
  main.Line(R"(printf("ok\n");)");
  for (const auto& [at, count] : counts_) {
    main.Line(fmt::format("report({}, {}, {});", CString(count.level), CString(count.tensor),
                          count.variable));
  }
  for (const std::string& line : Lines(reports)) main.Line(line);
  main.Line("return 0;");
  main.Close();

  const std::string body = definitions.text() + functions.text() + main.text();
  CText top;
  for (const std::string& line : head) top.Comment(line);
  top.Line("#include <inttypes.h>");
  top.Line("#include <stdio.h>");
  top.Line("#include <stdlib.h>");
  top.Blank();
  top.Line("typedef uint64_t word; /* modulo 2^64: sums are the same in any order */");
  top.Line("typedef struct { int64_t lo, end; } range; /* lo, lo + 1, ..., end - 1 */");
  top.Line("typedef struct { uint64_t reads, fills, updates, drains; } counts;");
  top.Blank();
  top.Append(counts.text());
  if (served_ > 0) {
    top.Line("typedef struct {");
    top.Line("  int what;");
    top.Line("  int64_t parent;");
    top.Line(fmt::format("  range before[{0}], to[{0}];", served_ranks_));
    top.Line("} transfer;");
    top.Line(fmt::format("static transfer served[{}]; /* what lanes got in this step */", served_));
    top.Line("static int64_t served_count;");
    top.Blank();
  }
  return top.text() + PreludeFor(body) + definitions.text() + functions.text() + main.text();
}

}  // namespace inlay::emit

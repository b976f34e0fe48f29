#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/io/native/mapping_line.h"

namespace inlay::io {

// One line of a tree, before its names are looked up.
//   hold Q O | retain T1
//   for m in 2048 step 64       with parts inside
//   branch                      with parts inside
//   QK | SM online              a leaf; inside, if anything, the lines of its mapping
struct FusedLine {
  enum class Kind { kHold, kLoop, kBranch, kLeaf };
  Kind kind = Kind::kHold;
  bool retain = false;
  std::vector<WrittenName> tensors;  // of holds
  MappingLine loop;
  WrittenName node;
  bool online = false;
};

// `has_inside`: whether the line ends in a colon and something stands below it.
Parsed<FusedLine> ParseFusedLine(std::string_view text, bool has_inside);

}  // namespace inlay::io

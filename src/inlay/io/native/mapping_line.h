#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/core/mapping.h"
#include "inlay/io/native/text.h"

namespace inlay::io {

// One line of a mapping, before its names are looked up. Offsets count from the start of the line.
//   GLB keeps Inputs Outputs | GLB keeps all | spads keep none
//   for P in 56 step 13
//   parallel Q in 14 step 1 on array.x
struct WrittenName {
  std::string text;
  size_t offset = 0;
};
struct MappingLine {
  enum class Kind { kKeep, kLoop, kBrokenKeep, kBrokenLoop };
  Kind kind = Kind::kKeep;

  WrittenName level;  // keep lines
  bool also = false;  // inside loops of the level, which has been named above them
  bool keeps_all = false;
  std::vector<WrittenName> tensors;  // empty and not keeps_all: none

  WrittenName dim;  // loops
  int64_t range = 1;
  size_t range_offset = 0;
  int64_t step = 1;
  Axis axis = Axis::kTime;
  WrittenName fanout;  // parallel loops
};

Parsed<MappingLine> ParseMappingLine(std::string_view text);

// What a line that cannot be read may have been meant as: a broken line with the level or the
// dimension that seems to be named, so that the other lines can be judged without it.
MappingLine GuessMappingLine(std::string_view text);

std::string MappingLinePattern();

}  // namespace inlay::io

#pragma once

#include <string>
#include <string_view>

#include "inlay/base/result.h"

namespace inlay::io {

// A text and the name it is known by in messages.
struct Source {
  std::string name;
  std::string text;  // UTF-8 without byte order mark; lines end with \n. Of an ONNX model its bytes
};

inline constexpr size_t kLargestFile = size_t{256} << 20;  // bytes

// Turns the bytes of a file into a Source: refuses what cannot be text (NUL and other control
// bytes, broken UTF-8, more than kLargestFile), strips a byte order mark and turns CRLF into LF.
Result<Source> MakeSource(std::string name, std::string bytes);

// Of a file that is no text: as large as protobuf reads it.
inline constexpr size_t kLargestBinaryFile = (size_t{1} << 31) - 1;

// Reads a whole file as it is. Refuses directories and what cannot be read.
Result<Source> ReadBinaryFile(const std::string& path);

// Reads a whole text file, as MakeSource does. Refuses directories and what cannot be read.
Result<Source> ReadTextFile(const std::string& path);

// The n-th line (from 1) without its end, or "" past the last.
std::string_view LineOf(const Source& source, int line);

// FNV-1a of the text, 16 hex digits: tells two inputs apart in results, nothing more.
std::string ContentHash(std::string_view text);

}  // namespace inlay::io

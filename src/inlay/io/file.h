#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

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

// The largest file that is no text: as much as protobuf reads.
inline constexpr size_t kLargestBinaryFile = (size_t{1} << 31) - 1;

// Reads a whole file as it is. Refuses directories and what cannot be read.
Result<Source> ReadBinaryFile(const std::string& path);

// Reads a whole text file, as MakeSource does. Refuses directories and what cannot be read.
Result<Source> ReadTextFile(const std::string& path);

// Whether a path leads to something that can be read as a file, or to a folder.
bool IsFile(const std::string& path);
bool IsFolder(const std::string& path);

// The files and folders that a path stands for, whose names may have *, ? and [a-z], in the order
// of their names; the path itself where there is something of that name.
std::vector<std::string> MatchingPaths(const std::string& pattern);

// Texts that stand in for files while it lives, in the thread that made it: for callers that hold
// their inputs in memory. A name may have folders, and goes before what is on disk.
class TextsAsFiles {
 public:
  explicit TextsAsFiles(std::map<std::string, std::string> texts);
  ~TextsAsFiles();
  TextsAsFiles(const TextsAsFiles&) = delete;
  TextsAsFiles& operator=(const TextsAsFiles&) = delete;

 private:
  std::map<std::string, std::string> texts_;
  const std::map<std::string, std::string>* outer_;  // what stood in before
};

// The n-th line (from 1) without its end, or "" past the last.
std::string_view LineOf(const Source& source, int line);

// FNV-1a of the text, 16 hex digits: tells two inputs apart in results, nothing more.
std::string ContentHash(std::string_view text);

}  // namespace inlay::io

#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "inlay/base/result.h"

namespace inlay::io {

// A file that only grows. What Append has returned from survives the end of this process at any
// instant. It survives a machine that fails once it is synced: by the first Append that comes a
// tenth of a second after the last sync, by Sync, and at the end.
class AppendFile {
 public:
  // Creates the file, or cuts it to its first `keep` bytes and goes on from there. Refuses what is
  // no regular file, links, and to empty a file that does not begin with `start`, as far as it
  // goes: that is another's.
  static Result<AppendFile> Open(const std::string& path, size_t keep, std::string_view start);

  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&&) = delete;
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();  // what is written reaches the disk

  size_t size() const { return size_; }

  // All of the text or, if that fails, nothing.
  Result<void> Append(std::string_view text);
  // All that was appended is on the disk.
  Result<void> Sync();

 private:
  AppendFile(std::string path, int descriptor, size_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

  std::string path_;
  int descriptor_;  // -1: moved from
  size_t size_;
  std::chrono::steady_clock::time_point synced_ = {};
};

}  // namespace inlay::io

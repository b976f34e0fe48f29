#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "inlay/base/result.h"

namespace inlay::io {

// A file that is read here and there, while it may grow. Several threads may read at once.
class RandomAccessFile {
 public:
  // Refuses what is not a regular file, and what cannot be read.
  static Result<RandomAccessFile> Open(const std::string& path);

  RandomAccessFile(RandomAccessFile&& other) noexcept;
  RandomAccessFile& operator=(RandomAccessFile&&) = delete;
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;
  ~RandomAccessFile();

  const std::string& path() const { return path_; }
  // How many bytes were there, up to `size`.
  Result<size_t> ReadAt(uint64_t offset, char* into, size_t size) const;

 private:
  RandomAccessFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;  // -1: moved from
};

}  // namespace inlay::io

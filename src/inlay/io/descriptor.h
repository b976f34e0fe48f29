#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "inlay/base/result.h"

namespace inlay::io {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }  // negative: none
  int Close() { return close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

// The error of a file that could not be written, by the errno of the failure.
tl::unexpected<Diagnostics> CannotWrite(const std::string& path, int error);

// The functions below return 0, or the errno of the failure.

// Writes until all is written.
int WriteAll(int fd, std::string_view text);

// What is written is on the disk. What cannot be synced (a pipe, some file systems) is no failure.
int Sync(int fd);

// The names of the folder's files are on the disk. "" is the working folder.
int SyncFolder(const std::string& path);

}  // namespace inlay::io

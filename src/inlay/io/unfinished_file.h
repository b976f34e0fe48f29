#pragma once

#include <sys/types.h>

#include <string>

#include "inlay/io/descriptor.h"

namespace inlay::io {

// A new file that is written aside. As long as this lives, a signal that ends the process removes
// it. A file that was there before is never removed.
class UnfinishedFile {
 public:
  // Creates it; `mode` as open(2) has it.
  UnfinishedFile(const std::string& path, mode_t mode) : UnfinishedFile(Create(path, mode)) {}
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile();

  Descriptor& file() { return file_; }  // none: it could not be created
  int error() const { return error_; }  // why; EEXIST: it is there already

 private:
  struct Created {
    int fd, error, slot;
  };
  static Created Create(const std::string& path, mode_t mode);
  explicit UnfinishedFile(Created created)
      : file_(created.fd), error_(created.error), slot_(created.slot) {}

  Descriptor file_;
  int error_;
  int slot_;  // -1: one too many at a time, or too long a path; it is then left behind
};

// Removes what is unfinished; for the handler of a signal that ends the process.
void RemoveUnfinishedFiles() noexcept;

}  // namespace inlay::io

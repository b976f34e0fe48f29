#pragma once

#include <string>

namespace inlay::io {

// A file that is written aside, known by its path as long as this lives: a signal that ends the
// process removes it.
class Unfinished {
 public:
  explicit Unfinished(const std::string& path);
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished();

 private:
  int slot_;  // -1: one too many at a time, or too long a path; it is then left behind
};

// Removes what is unfinished; for the handler of a signal that ends the process.
void RemoveUnfinished() noexcept;

}  // namespace inlay::io

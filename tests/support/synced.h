#pragma once

#include <string>
#include <vector>

namespace inlay::testing {

// What reaches the disk while this lives, in order: the paths that fsync is called for, as they are
// then. Programs that use it have an fsync of their own, which does what the C library's does.
class Synced {
 public:
  Synced();
  Synced(const Synced&) = delete;
  Synced& operator=(const Synced&) = delete;
  ~Synced();
  const std::vector<std::string>& paths() const;
};

}  // namespace inlay::testing

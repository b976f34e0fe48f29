#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace inlay::io {

// The names of values that decoders take, of all that were read. Networks that a mix names are read
// by functions that any thread may call.
class TakenNames {
 public:
  void Add(std::string name) {
    const std::lock_guard lock(mutex_);
    names_.insert(std::move(name));
  }
  std::set<std::string> All() const {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> names_;
};

// What is given for the keys of decoders, and where to put their names.
struct DecoderValues {
  std::vector<std::pair<std::string, std::string>> values = {};
  std::shared_ptr<TakenNames> taken = {};  // none: of no interest
};

}  // namespace inlay::io

#include "cli/long_search.h"

#include <utility>

namespace inlay::cli {

LongSearchNote::LongSearchNote(std::function<void()> tell, std::chrono::milliseconds patience)
    : thread_([this, tell = std::move(tell), patience] {
        std::unique_lock lock(mutex_);
        if (!ended_.wait_for(lock, patience, [this] { return has_ended_; })) tell();
      }) {}

LongSearchNote::~LongSearchNote() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

}  // namespace inlay::cli

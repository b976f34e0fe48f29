#include "inlay/io/unfinished_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

namespace inlay::io {
namespace {

enum class State { kFree, kTaken, kNamed };

// A signal handler may neither allocate nor lock.
struct Slot {
  std::atomic<State> state{State::kFree};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<State>::is_always_lock_free);

constexpr int kSlots = 16;  // files that threads write at a time
std::array<Slot, kSlots> slots;

// The index of the slot that has the path now, or -1.
int Remember(const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (int i = 0; i < kSlots; ++i) {
    Slot& slot = slots[static_cast<size_t>(i)];
    State free = State::kFree;
    if (!slot.state.compare_exchange_strong(free, State::kTaken)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.state = State::kNamed;
    return i;
  }
  return -1;
}

// Holds the signals of this thread back.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

}  // namespace

UnfinishedFile::Created UnfinishedFile::Create(const std::string& path, mode_t mode) {
  // Remembered once it is known to be new. In between a signal would leave it behind.
  const SignalsHeld held;
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return {-1, errno, -1};
  return {fd, 0, Remember(path)};
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ >= 0) slots[static_cast<size_t>(slot_)].state = State::kFree;
}

void RemoveUnfinishedFiles() noexcept {
  for (const Slot& slot : slots) {
    if (slot.state == State::kNamed) unlink(slot.path.data());
  }
}

}  // namespace inlay::io

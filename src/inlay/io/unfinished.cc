#include "inlay/io/unfinished.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
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

}  // namespace

Unfinished::Unfinished(const std::string& path) : slot_(-1) {
  if (path.size() >= PATH_MAX) return;
  for (int i = 0; i < kSlots; ++i) {
    Slot& slot = slots[static_cast<size_t>(i)];
    State free = State::kFree;
    if (!slot.state.compare_exchange_strong(free, State::kTaken)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.state = State::kNamed;
    slot_ = i;
    return;
  }
}

Unfinished::~Unfinished() {
  if (slot_ >= 0) slots[static_cast<size_t>(slot_)].state = State::kFree;
}

void RemoveUnfinished() noexcept {
  for (const Slot& slot : slots) {
    if (slot.state == State::kNamed) unlink(slot.path.data());
  }
}

}  // namespace inlay::io

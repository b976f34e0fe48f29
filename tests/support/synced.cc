#include "tests/support/synced.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

namespace inlay::testing {
namespace {

bool listening = false;
std::vector<std::string> synced;

}  // namespace

Synced::Synced() {
  synced.clear();
  listening = true;
}
Synced::~Synced() { listening = false; }
const std::vector<std::string>& Synced::paths() const { return synced; }  // NOLINT: of this one

static void Note(int descriptor) {
  if (!listening) return;
  synced.push_back(
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).string());
}

}  // namespace inlay::testing

extern "C" int fsync(int descriptor) {
  inlay::testing::Note(descriptor);
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

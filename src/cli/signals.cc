#include "cli/signals.h"

#include <csignal>

namespace inlay::cli {
namespace {

StopFlag stop_flag;  // signal handlers can reach nothing but globals

void RequestStop(int) { stop_flag.Request(); }

}  // namespace

const StopFlag* HandleSignals() {
  for (int signal : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = RequestStop;
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // no SA_RESTART: a blocked read ends
    sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  return &stop_flag;
}

}  // namespace inlay::cli

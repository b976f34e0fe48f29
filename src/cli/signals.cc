#include "cli/signals.h"

#include <csignal>

#include "inlay/io/unfinished_file.h"

namespace inlay::cli {
namespace {

StopFlag stop_flag;  // signal handlers can reach nothing but globals

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;  // no SA_RESTART: a blocked read ends
  sigaction(signal, &action, nullptr);
}

// As if there were no handler, but that no half-written file is left.
void End(int signal) {
  io::RemoveUnfinishedFiles();
  Handle(signal, SIG_DFL);
  raise(signal);
}

void RequestStop(int signal) {
  stop_flag.Request();
  // A terminal that closes and its shell both send SIGHUP: a second one does not end the process.
  if (signal != SIGHUP) Handle(signal, End);
}

// Whether it ends the process by itself: neither ignored nor already handled (by a sanitizer).
bool EndsProcess(int signal) {
  for (const int harmless :
       {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP}) {
    if (signal == harmless) return false;
  }
  struct sigaction now = {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
}

}  // namespace

const StopFlag* HandleSignals() {
  for (int signal : {SIGPIPE, SIGXFSZ}) Handle(signal, SIG_IGN);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (EndsProcess(signal)) Handle(signal, RequestStop);
  }
  // All others: SIGKILL and the two that the C library keeps to itself cannot be handled.
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (EndsProcess(signal)) Handle(signal, End);
  }
  return &stop_flag;
}

}  // namespace inlay::cli

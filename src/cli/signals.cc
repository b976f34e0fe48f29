#include "cli/signals.h"

#include <csignal>

#include "inlay/io/unfinished.h"

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
  io::RemoveUnfinished();
  Handle(signal, SIG_DFL);
  raise(signal);
}

void RequestStop(int signal) {
  stop_flag.Request();
  // A terminal that is closed sends SIGHUP, and so does its shell: the second is no haste.
  if (signal != SIGHUP) Handle(signal, End);
}

void HandleUnlessIgnored(int signal, void (*handler)(int)) {
  struct sigaction before = {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) Handle(signal, handler);
}

}  // namespace

const StopFlag* HandleSignals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) HandleUnlessIgnored(signal, RequestStop);
  for (int signal : {SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU}) HandleUnlessIgnored(signal, End);
  for (int signal : {SIGPIPE, SIGXFSZ}) Handle(signal, SIG_IGN);
  return &stop_flag;
}

}  // namespace inlay::cli

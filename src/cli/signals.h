#pragma once

#include "inlay/base/stop.h"

namespace inlay::cli {

// From now on SIGINT and SIGTERM request a stop (a second one ends the process at once), and a
// closed pipe is an error of the write, not a signal. A signal that was ignored when the process
// started stays ignored. The flag lives as long as the process.
const StopFlag* HandleSignals();

}  // namespace inlay::cli

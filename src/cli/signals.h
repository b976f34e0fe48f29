#pragma once

#include "inlay/base/stop.h"

namespace inlay::cli {

// SIGINT, SIGTERM and SIGHUP request a stop; a second SIGINT or SIGTERM ends the process at once,
// as other signals do, without leaving a file that is written aside. A closed pipe and a file that
// may not grow are errors of the write, not signals. A signal that was ignored when the process
// started stays ignored. The flag lives as long as the process.
const StopFlag* HandleSignals();

}  // namespace inlay::cli

#pragma once

#include <string>

#include "inlay/core/batch_trace.h"

namespace inlay::io {

// A timeline for Perfetto and chrome://tracing: one event per line.
std::string WriteBatchTrace(const BatchTrace& trace);

}  // namespace inlay::io

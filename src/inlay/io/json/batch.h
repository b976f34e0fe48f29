#pragma once

#include <string>

#include "inlay/base/result.h"
#include "inlay/core/batch_result.h"
#include "inlay/core/batch_trace.h"
#include "inlay/io/file.h"

namespace inlay::io {

std::string WriteBatchResult(const BatchResult& result);

// Reads what WriteBatchResult wrote; all faults at once.
Result<BatchResult> ReadBatchResult(const Source& source);

// A timeline for Perfetto and chrome://tracing: one event per line.
std::string WriteBatchTrace(const BatchTrace& trace);

}  // namespace inlay::io

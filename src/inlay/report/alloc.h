#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/alloc_result.h"

namespace inlay::report {

// What was placed, how high, and how much of that is needed; the addresses of a few buffers.
std::string AllocSummary(const std::string& name, const AllocResult& result,
                         const TextStyle& style);

// Why there is no placement: a sentence, and what would help. "" where there is one.
std::string AllocReason(const AllocResult& result);
std::string AllocHint(const AllocResult& result);

}  // namespace inlay::report

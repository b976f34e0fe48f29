#pragma once

#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/result.h"
#include "inlay/io/file.h"

namespace inlay::io {

// result.json of `eval` and `walk`: one result is an object, several are an array of them.
std::string WriteEvalResults(const std::vector<EvalResult>& results);

// What WriteEvalResults wrote. All faults at once.
Result<std::vector<EvalResult>> ReadEvalResults(const Source& source);

}  // namespace inlay::io

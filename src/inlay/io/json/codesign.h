#pragma once

#include <string>

#include "inlay/core/codesign_result.h"

namespace inlay::io {

// result.json of `codesign`.
std::string WriteCodesignResult(const CodesignResult& result);

}  // namespace inlay::io

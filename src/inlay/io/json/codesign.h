#pragma once

#include <string>
#include <vector>

#include "inlay/core/codesign_result.h"
#include "inlay/core/explanation.h"

namespace inlay::io {

// result.json of `codesign`.
std::string WriteCodesignResult(const CodesignResult& result);

// Of `codesign --explain`.
std::string WriteExplanations(const ResultHeader& header,
                              const std::vector<Explanation>& explanations);

}  // namespace inlay::io

#pragma once

#include <string>
#include <vector>

#include "inlay/core/explanation.h"
#include "inlay/core/result.h"

namespace inlay::io {

// result.json of `codesign --explain`.
std::string WriteExplanations(const ResultHeader& header,
                              const std::vector<Explanation>& explanations);

}  // namespace inlay::io

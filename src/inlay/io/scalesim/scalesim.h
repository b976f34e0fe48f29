#pragma once

#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/technology.h"
#include "inlay/io/file.h"
#include "inlay/io/inputs.h"

namespace inlay::io {

// True for a text whose first line that is neither blank nor a comment is a "[section]".
bool LooksLikeScaleSimConfig(const Source& source);

// A cfg gives the architecture, a topology CSV the network; at most one of each. Errors of all
// files are reported together.
Result<Inputs> ReadScaleSim(const std::vector<Source>& sources, const Technology& technology);

}  // namespace inlay::io

#pragma once

#include "inlay/codesign/codesign.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

// A small GEMM and a small convolution, on DRAM – SRAM – lanes – registers of a few sizes, under
// thistle semantics.
CodesignTask RandomCodesignTask(Random& random);

}  // namespace inlay::testing

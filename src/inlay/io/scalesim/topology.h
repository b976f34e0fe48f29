#pragma once

#include "inlay/base/result.h"
#include "inlay/core/network.h"
#include "inlay/io/file.h"

namespace inlay::io {

// SCALE-Sim tells the two kinds of topology apart on its command line; a reader of files must look.
enum class ScaleSimTopology {
  kDetect,  // by the header: M, N, K, or at least 8 columns; else by the fields of the first row
  kConv,    // name, ifmap height, width, filter height, width, channels, filters, stride[, N:M],
  kGemm,    // name, M, N, K[, N:M or number of products],
};

// The layers of a topology CSV; rows without a comma may be separated by tabs. The header is
// skipped, the comma at the end of a row is optional, everything after '#' is a comment. Padding is
// part of the ifmap; the last window may reach past it, because SCALE-Sim rounds the number of
// windows up. 'DP' in a name makes one group of each channel. M, N, K become P, K, C. The network
// is named after the file.
Result<WithWarnings<Network>> ReadScaleSimTopology(
    const Source& source, ScaleSimTopology kind = ScaleSimTopology::kDetect);

}  // namespace inlay::io

#pragma once

#include <vector>

#include "inlay/core/study.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {

// The settings that one entry of an axis stands for. A text is one; "1..256" is the whole numbers
// from 1 to 256. A mapping is a variant of a built-in architecture (axis "arch") or a layer
// (axis "workload"); every list or range of numbers inside it multiplies it.
std::vector<StudySetting> ExpandSetting(const std::string& axis, const Node& entry,
                                        Reading* reading);

}  // namespace inlay::io

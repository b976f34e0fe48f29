#pragma once

#include <optional>
#include <string>

#include "inlay/core/study.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {

// The settings that one entry of an axis stands for. A text is one; "1..256" is the whole numbers
// from 1 to 256. A mapping is a variant of a built-in architecture (axis "arch") or a layer
// (axis "workload"); every list or range of numbers inside it multiplies it. Variants are made when
// they are asked for; here those of StudyEntry::Probes are, and what is wrong with them is
// reported. None where there is nothing to go on with.
std::optional<StudyEntry> ReadSettings(const std::string& axis, const Node& entry,
                                       Reading* reading);

}  // namespace inlay::io

#pragma once

#include <string>

#include "inlay/core/study.h"

namespace inlay::testing {

// A study of a few dozen quick points of several kinds, some of them without an answer: random and
// exact searches, sizes of mapspaces, an evaluation.
std::string QuickStudyText();

// The text of a native file of one study, read.
Study ReadStudy(const std::string& text);

// result.json without what was measured.
std::string Unmeasured(const std::string& json);

}  // namespace inlay::testing

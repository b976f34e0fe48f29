#pragma once

#include "inlay/base/deadline.h"
#include "inlay/codesign/codesign.h"

namespace inlay {

// For a task whose budgets allow architectures, but none on which every layer has a mapping: of
// each resource that is limited, how much is enough with the other budgets as they are. Nothing
// where more of one resource does not help, or the time is up.
Faults SuggestBudgets(const CodesignTask& task, const Deadline& deadline);

}  // namespace inlay

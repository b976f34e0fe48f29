#pragma once

#include <vector>

#include "inlay/base/options.h"
#include "inlay/cost/evaluate.h"

namespace inlay {

// --accounting.
Option AccountingRecord();

// The options of an evaluation: --semantics (a list), --accounting, --fill-and-drain.
std::vector<Option> EvaluateOptionRecords();

// One set of options for every semantics in the list, in its order.
std::vector<EvaluateOptions> EvaluateOptionsFrom(const OptionValues& values);

}  // namespace inlay

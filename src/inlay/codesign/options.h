#pragma once

#include <optional>
#include <vector>

#include "inlay/base/options.h"
#include "inlay/codesign/codesign.h"

namespace inlay {

// How to search: --method and what gp heeds, --scope, --objective, --mapspace, --semantics,
// --accounting. Not among what: layers, family, budgets.
std::vector<Option> CodesignOptionRecords();

// Into `task`, with --time-limit and --threads. What is wrong or contradicts itself, all at once.
Diagnostics ReadCodesignOptions(const OptionValues& values, CodesignTask* task);

// The second method of a list, whose answer is compared with the first's.
std::optional<Method> SecondMethod(const OptionValues& values);

}  // namespace inlay

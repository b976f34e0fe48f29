#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/options.h"
#include "inlay/batch/policy.h"

namespace inlay::batch {

// What `batch` and studies of it have in common, each declared once.
Option PolicyChoiceRecord();  // --policy: several, or all
Option DeadlockRecord();
Option OrderRecord();
Option MemoryModelRecord();
Option CascadeRecord();
// Of the accelerator: "20 MiB", "450 B/cycle".
Option MemoryRecord();
Option BandwidthRecord();
Option WindowRecord();

// The policies of a list, "all" being every one, in the order of the table.
std::vector<std::string_view> ChosenPolicies(const std::vector<std::string>& names);

// The values of DeadlockRecord, OrderRecord, MemoryModelRecord and CascadeRecord.
PolicyOptions PolicyOptionsFrom(const OptionValues& values);

}  // namespace inlay::batch

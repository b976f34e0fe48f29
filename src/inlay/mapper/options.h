#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inlay/base/options.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// --mapspace, with what it means for a command.
Option MapspaceRecord(std::string_view sentence, std::string_view default_text);
// --semantics of a search: one.
Option SearchSemanticsRecord();

// The options of a search: --objective, --mapspace, --strategy, what each strategy heeds, --front.
// Without those that every command has (--time-limit, --threads, --seed).
std::vector<Option> MapOptionRecords();

// What the values say, the common ones included; without --threads, all that the machine has.
// `--onchip`, which names tensors, is not looked at. An error where options contradict each other
// or the strategy; all at once.
Result<MapOptions> MapOptionsFrom(const OptionValues& values);

// Into `options`: --objective, --semantics, --accounting, --time-limit and --threads, as every
// search has them. What contradicts itself.
Diagnostics ReadSearchOptions(const OptionValues& values, MapOptions* options);

// For the result: the values that could have changed the answer, not those of other strategies.
std::vector<std::pair<std::string, OptionValue>> HeededOptions(const OptionValues& values);

Mapspace MapspaceFrom(const OptionValues& values);

}  // namespace inlay

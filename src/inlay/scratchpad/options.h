#pragma once

#include <string_view>

#include "inlay/base/options.h"

namespace inlay {

// --strategy, --objective and --bits, as every command that plans has them.
Option PlanStrategyRecord();
Option PlanObjectiveRecord();
// Of every element; what they are for is the command's to say.
Option BitsRecord(std::string_view sentence);

}  // namespace inlay

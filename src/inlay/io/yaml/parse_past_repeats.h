#pragma once

#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// ParseYaml for readers that look for further faults: if nothing is wrong but that keys are given
// twice, these errors go to `repeated` and the documents hold the first value of each key.
Result<std::vector<Node>> ParseYamlPastRepeats(Diagnostics* repeated, Source source,
                                               const YamlLimits& limits = {});

}  // namespace inlay::io

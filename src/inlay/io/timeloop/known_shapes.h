#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/io/yaml/node.h"

namespace inlay::io::timeloop {

inline constexpr std::string_view kDefaultShape = "cnn_layer";

// A shape that files name without describing it, as the mapping that would describe it.
std::optional<Node> KnownShape(std::string_view name);
std::vector<std::string> KnownShapeNames();

}  // namespace inlay::io::timeloop

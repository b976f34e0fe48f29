#pragma once

#include <string_view>

namespace inlay::io {

inline constexpr std::string_view kPlanFormat = "inlay/plan/1";

}  // namespace inlay::io

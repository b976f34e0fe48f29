#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "inlay/base/diagnostic.h"

namespace inlay {

// A value, or everything that is wrong with the user's input.
template <typename T>
using Result = tl::expected<T, Diagnostics>;

inline tl::unexpected<Diagnostics> Fail(Diagnostics diagnostics) {
  return tl::unexpected<Diagnostics>(std::move(diagnostics));
}
inline tl::unexpected<Diagnostics> Fail(Diagnostic diagnostic) {
  return Fail(Diagnostics{std::move(diagnostic)});
}

// A value that could be read, with the warnings that came along.
template <typename T>
struct WithWarnings {
  T value;
  Diagnostics warnings;
};

}  // namespace inlay

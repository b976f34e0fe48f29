#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace inlay {

// What is wrong with a core value, without the file that it came from, which core does not know.
// `where` names the part in the vocabulary of the native format ("dims.K", "tensors.Inputs",
// "levels.GLB.capacity", "mapping[3]"); the reader that built the value turns it into
// file:line:col.
struct Fault {
  std::string where;
  std::string message;
  std::string hint;
};
using Faults = std::vector<Fault>;

// A fault of the whole value.
inline tl::unexpected<Fault> FailWhole(std::string message, std::string hint = "") {
  return tl::unexpected<Fault>({"", std::move(message), std::move(hint)});
}

}  // namespace inlay

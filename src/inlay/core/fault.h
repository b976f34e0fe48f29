#pragma once

#include <string>
#include <vector>

namespace inlay {

// What is wrong with a core value, before anybody knows which file it came from. `where` names the
// part in the vocabulary of the native format ("dims.K", "tensors.Inputs", "levels.GLB.capacity",
// "mapping[3]"); the reader that built the value turns it into file:line:col.
struct Fault {
  std::string where;
  std::string message;
  std::string hint;
};
using Faults = std::vector<Fault>;

}  // namespace inlay

#pragma once

#include <string>
#include <vector>

#include "inlay/core/result.h"

namespace inlay {

struct ListedBuiltin {
  std::string kind;  // "architecture", "network", …
  std::string name;
  std::string sentence;
};
// What result.json of `list` says.
struct ListResult {
  ResultHeader header;
  std::vector<ListedBuiltin> builtins;
};
const Structure& StructureOf(const ListedBuiltin*);
const Structure& StructureOf(const ListResult*);

}  // namespace inlay

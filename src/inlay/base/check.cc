#include "inlay/base/check.h"

namespace inlay {

void FailCheck(const char* condition, const char* file, int line) {
  std::string path = file;
  const size_t root = path.rfind("inlay/");  // never show where it was built
  if (root != std::string::npos) path.erase(0, root);
  throw InternalError(path + ":" + std::to_string(line) + ": broken invariant: " + condition);
}

}  // namespace inlay

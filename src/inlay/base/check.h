#pragma once

#include <stdexcept>
#include <string>

namespace inlay {

// Thrown when Inlay breaks one of its own rules. User input never causes it; the command line turns
// it into exit code 3 and asks for a report.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void FailCheck(const char* condition, const char* file, int line);

}  // namespace inlay

// States an invariant of ours. Stays on in release builds; keep it out of inner loops.
#define INLAY_CHECK(condition)                            \
  do {                                                    \
    if (!(condition)) [[unlikely]] {                      \
      ::inlay::FailCheck(#condition, __FILE__, __LINE__); \
    }                                                     \
  } while (false)

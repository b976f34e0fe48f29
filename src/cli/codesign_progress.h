#pragma once

#include <chrono>
#include <string>

#include "cli/session.h"
#include "inlay/codesign/codesign.h"

namespace inlay::cli {

// The line on a terminal while architectures are looked at: how many of what are done, the best so
// far, and the time that is left.
class CodesignProgressLine {
 public:
  // Both outlive the line.
  CodesignProgressLine(const CodesignTask& task, const Session& session);

  void Show(const CodesignProgress& state);
  // Replaces the line by what it took, and ends it.
  void Finish();

 private:
  using Clock = std::chrono::steady_clock;

  const CodesignTask& task_;
  const Session& session_;
  const char* what_;  // layers or architectures
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_;
  CodesignProgress last_;
};

}  // namespace inlay::cli

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/session.h"
#include "inlay/core/network.h"
#include "inlay/mapper/mapper.h"

namespace inlay::cli {

// The line on a terminal while layers are mapped: layers done, the layer that reported last
// with its incumbent, bound and gap, and the time that is left.
class MapProgressLine {
 public:
  // `searches` layers are searched; the others are copies. All outlive the line.
  MapProgressLine(const Network& network, size_t searches, const MapOptions& options,
                  const Session& session);

  void Show(const MapProgress& state);
  // Replaces the line by what it took, and ends it.
  void Finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string Line(const MapProgress& state, double seconds) const;
  std::string TimeLeft(double seconds) const;

  const Network& network_;
  size_t searches_;
  const MapOptions& options_;
  const Session& session_;
  TextStyle style_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_;
  size_t done_ = 0;
};

}  // namespace inlay::cli

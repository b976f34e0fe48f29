#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/session.h"

namespace inlay::python {

// What a command delivered, printed and reported, for Python to turn into a result, a text or an
// exception.
struct RecordedOutput {
  // Names and texts, as in the folder of -o; empty: no result was delivered.
  std::vector<std::pair<std::string, std::string>> files;
  std::string printed;
  Diagnostics diagnostics;
};

// Keeps the output of a command instead of printing it. Progress may be shown by any thread and is
// fetched by the one that waits for the command.
class RecordingSession final : public cli::Session {
 public:
  explicit RecordingSession(const StopFlag* stop) : Session(stop, FileStyle()) {}

  void Take(const cli::Delivery& delivery) override;
  void Print(std::string_view text) override { output_.printed += text; }
  void Report(const Diagnostics& diagnostics) const override;
  void ShowProgress(const std::string& line) const override;

  // The newest line since the last call, if there is one.
  std::optional<std::string> NextProgress() const;
  // Only once the command has ended.
  RecordedOutput& output() { return output_; }

 private:
  mutable RecordedOutput output_;
  mutable std::mutex mutex_;  // of the line
  mutable std::optional<std::string> line_;
};

}  // namespace inlay::python

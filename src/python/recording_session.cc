#include "python/recording_session.h"

#include <utility>

#include "cli/deliver_result.h"

namespace inlay::python {

void RecordingSession::Take(const cli::Delivery& delivery) {
  output_.files.clear();
  for (const cli::OutputFile& file : cli::FilesOf(delivery)) {
    output_.files.emplace_back(file.name, file.text.Whole());  // what it is made of ends here
  }
}

void RecordingSession::Report(const Diagnostics& diagnostics) const {
  if (Stopped()) return;
  Append(diagnostics, &output_.diagnostics);
}

void RecordingSession::ShowProgress(const std::string& line) const {
  const std::lock_guard lock(mutex_);
  line_ = line;
}

std::optional<std::string> RecordingSession::NextProgress() const {
  const std::lock_guard lock(mutex_);
  return std::exchange(line_, std::nullopt);
}

}  // namespace inlay::python

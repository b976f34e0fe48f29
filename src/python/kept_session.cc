#include "python/kept_session.h"

#include <utility>

#include "cli/deliver.h"

namespace inlay::python {

void KeptSession::Take(const cli::Delivery& delivery) {
  words_.files.clear();
  for (const cli::OutputFile& file : cli::FilesOf(delivery)) {
    words_.files.emplace_back(file.name, file.text.Whole());  // what it is made of ends here
  }
}

void KeptSession::Report(const Diagnostics& diagnostics) const {
  if (Stopped()) return;
  words_.diagnostics.insert(words_.diagnostics.end(), diagnostics.begin(), diagnostics.end());
}

void KeptSession::ShowProgress(const std::string& line) const {
  const std::lock_guard lock(mutex_);
  line_ = line;
}

std::optional<std::string> KeptSession::NextProgress() const {
  const std::lock_guard lock(mutex_);
  return std::exchange(line_, std::nullopt);
}

}  // namespace inlay::python

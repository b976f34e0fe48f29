#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"
#include "inlay/base/diagnostic.h"
#include "inlay/base/stop.h"
#include "inlay/base/table.h"

namespace inlay::cli {

// What a file descriptor leads to: colours only on a terminal that knows them and whose user has
// not asked for none (NO_COLOR), Unicode where the locale says UTF-8 and the terminal is not dumb,
// grouped digits only for people, that is on a terminal.
TextStyle StyleOf(int descriptor);

// One run of a command: where its words go. Nothing else in the program prints.
class Session {
 public:
  explicit Session(const StopFlag* stop) : stop_(stop), style_(StyleOf(1)) {}

  // Of the options --quiet, --json and --ascii, as far as the command has them.
  void Configure(const Command& command, const OptionValues& options);

  bool quiet() const { return quiet_; }
  bool json() const { return json_; }
  const TextStyle& style() const { return style_; }
  // For files: always UTF-8, without colours, digits ungrouped, whatever the terminal.
  static TextStyle FileStyle() { return {.unicode = true, .colour = false, .grouped = false}; }
  bool Stopped() const { return stop_->Requested(); }
  const StopFlag& stop() const { return *stop_; }

  // Standard output. A closed pipe ends it silently; any other failure is noted and makes the
  // command fail in the end.
  void Print(std::string_view text);
  // Standard error: warnings are held back by --quiet, and everything once a stop was requested,
  // because what fails then fails of it.
  void Report(const Diagnostics& diagnostics) const;
  static void ReportInterrupt();
  // Standard error, where it is a terminal that can wipe a line: a line that the next one
  // overwrites; "" wipes it.
  void ShowProgress(const std::string& line) const;

  bool output_failed() const { return output_failed_; }

 private:
  const StopFlag* stop_;
  TextStyle style_;
  bool quiet_ = false, json_ = false;
  bool output_closed_ = false, output_failed_ = false;
};

// Writes to a descriptor until all is written. The errno of the failure, or 0.
int WriteAll(int descriptor, std::string_view text);

}  // namespace inlay::cli

#pragma once

#include <set>
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

struct Delivery;  // deliver_result.h

// One run of a command: its stop flag, and where its output goes. Nothing else in the program
// prints. TerminalSession is the command line's; the Python module has one that keeps the output.
class Session {
 public:
  Session(const StopFlag* stop, TextStyle style) : stop_(stop), style_(style) {}
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const TextStyle& style() const { return style_; }
  // For files: always UTF-8, without colours, digits ungrouped, whatever the terminal.
  static TextStyle FileStyle() { return {.unicode = true, .colour = false, .grouped = false}; }
  bool Stopped() const { return stop_->Requested(); }
  const StopFlag& stop() const { return *stop_; }

  // Whether the process is this command's, to be joined with others by MPI.
  virtual bool OwnsProcess() const { return false; }

  // What a command has found out; called through Deliver.
  virtual void Take(const Delivery& delivery) = 0;
  // A text that is no result: a converted file, a schema, help.
  virtual void Print(std::string_view text) = 0;
  // Errors and warnings. Silent once a stop was requested, because what fails then fails of it.
  virtual void Report(const Diagnostics& diagnostics) const = 0;
  // A line that the next one replaces; "" wipes it, and one that ends with a newline stays.
  virtual void ShowProgress(const std::string& line) const = 0;

 protected:
  void set_unicode(bool unicode) { style_.unicode = unicode; }

 private:
  const StopFlag* stop_;
  TextStyle style_;
};

// Results on standard output, diagnostics and progress on standard error.
class TerminalSession final : public Session {
 public:
  explicit TerminalSession(const StopFlag* stop) : Session(stop, StyleOf(1)) {}

  bool OwnsProcess() const override { return true; }

  // Of the options --quiet, --json and --ascii, as far as the command has them.
  void Configure(const Command& command, const OptionValues& options);

  // Prints the JSON, or the summary, or nothing.
  void Take(const Delivery& delivery) override;
  // A closed pipe ends it silently; any other failure is noted and makes the command fail in the
  // end.
  void Print(std::string_view text) override;
  // Warnings are held back by --quiet, and printed once however often they are reported.
  void Report(const Diagnostics& diagnostics) const override;
  // Only where standard error is a terminal that can wipe a line.
  void ShowProgress(const std::string& line) const override;
  // A line on standard error where --quiet holds back all others.
  void Remark(const std::string& line) const;
  static void ReportInterrupt();

  bool output_failed() const { return output_failed_; }

 private:
  bool ShowsProgress() const;

  bool quiet_ = false, json_ = false;
  mutable std::set<std::string> warned_;  // each warning is printed once
  bool output_closed_ = false, output_failed_ = false;
};

}  // namespace inlay::cli

#include "cli/session.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/deliver_result.h"
#include "inlay/base/printable.h"
#include "inlay/io/descriptor.h"

namespace inlay::cli {
namespace {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return value == nullptr ? "" : value;
}

// By the variable that decides the character set: the first that is set and not empty.
bool LocaleIsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale(Environment(name));
    if (locale.empty()) continue;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

TextStyle StyleOf(int descriptor) {
  const bool terminal = ::isatty(descriptor) == 1;
  const bool dumb = Environment("TERM") == "dumb";
  return {.unicode = LocaleIsUtf8() && !(terminal && dumb),
          .colour = terminal && !dumb && Environment("NO_COLOR").empty(),
          .grouped = terminal};
}

void TerminalSession::Configure(const Command& command, const OptionValues& options) {
  const auto flag = [&](std::string_view name) {
    const bool has = std::any_of(command.options.begin(), command.options.end(),
                                 [&](const Option& option) { return option.key == name; });
    return has && options.Flag(name);
  };
  quiet_ = flag("quiet");
  json_ = flag("json");
  if (flag("ascii")) set_unicode(false);
}

void TerminalSession::Take(const Delivery& delivery) {
  if (json_) {
    delivery.json.WriteTo([this](std::string_view piece) { Print(piece); });
  } else if (delivery.instead_of_summary) {
    delivery.instead_of_summary->WriteTo([this](std::string_view piece) { Print(piece); });
  } else if (!quiet_) {
    Print(SummaryOf(delivery, style()));
  }
}

void TerminalSession::Print(std::string_view text) {
  if (output_closed_ || output_failed_) return;
  const int error = io::WriteAll(1, text);
  if (error == EPIPE) {
    output_closed_ = true;
  } else if (error != 0) {
    output_failed_ = true;
    Report({MakeError({}, "cannot write to standard output: " + std::string(::strerror(error)))});
  }
}

void TerminalSession::Report(const Diagnostics& diagnostics) const {
  if (Stopped()) return;
  Diagnostics shown = diagnostics;
  std::erase_if(shown, [this](const Diagnostic& d) {
    return d.severity == Severity::kWarning && (quiet_ || !warned_.insert(Format({d})).second);
  });
  io::WriteAll(2, Format(shown));  // a failed write to standard error cannot be reported
}

void TerminalSession::ReportInterrupt() { io::WriteAll(2, Format(MakeError({}, "interrupted"))); }

bool TerminalSession::ShowsProgress() const {
  const std::string_view terminal = Environment("TERM");
  return !quiet_ && ::isatty(2) == 1 && !terminal.empty() && terminal != "dumb";
}

void TerminalSession::Remark(const std::string& line) const {
  if (quiet_ && !Stopped()) io::WriteAll(2, line + "\n");
}

void TerminalSession::ShowProgress(const std::string& line) const {
  if (!ShowsProgress()) return;
  const bool stays = line.ends_with('\n');
  std::string_view text = line;
  if (stays) text.remove_suffix(1);
  io::WriteAll(2, "\r\x1b[K" + Printable(text) + (stays ? "\n" : ""));
}

}  // namespace inlay::cli

#include "inlay/base/diagnostic.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "inlay/base/mention.h"
#include "inlay/base/printable.h"

namespace inlay {
namespace {

constexpr size_t kLongestQuotedLine = 160;
constexpr size_t kLongestPath = 4096;

void AppendQuotedLine(const Diagnostic& diagnostic, std::string* out) {
  if (diagnostic.source_line.empty() || diagnostic.source_line.size() > kLongestQuotedLine) return;
  std::string line = diagnostic.source_line;
  std::replace(line.begin(), line.end(), '\t', ' ');
  *out += "  | " + Printable(line) + "\n";
  const int column = diagnostic.location.column;
  if (column >= 1 && static_cast<size_t>(column) <= line.size() + 1) {
    *out += "  | " + std::string(static_cast<size_t>(column - 1), ' ') + "^\n";
  }
}

}  // namespace

Diagnostic MakeError(SourceLocation location, std::string message, std::string hint) {
  return {Severity::kError, std::move(location), std::move(message), std::move(hint), ""};
}

Diagnostic MakeWarning(SourceLocation location, std::string message, std::string hint) {
  return {Severity::kWarning, std::move(location), std::move(message), std::move(hint), ""};
}

bool HasErrors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

void Append(Diagnostics more, Diagnostics* to) {
  std::move(more.begin(), more.end(), std::back_inserter(*to));
}

std::string Format(const Diagnostic& diagnostic) {
  std::string out;
  const SourceLocation& at = diagnostic.location;
  if (!at.file.empty()) {
    out += PrintableName(at.file, kLongestPath) + ":";
    if (at.line > 0) {
      out += std::to_string(at.line) + ":";
      if (at.column > 0) out += std::to_string(at.column) + ":";
    }
    out += " ";
  }
  out += diagnostic.severity == Severity::kError ? "error: " : "warning: ";
  out += PrintableSentence(Spell(diagnostic.message)) + "\n";
  AppendQuotedLine(diagnostic, &out);
  if (!diagnostic.hint.empty())
    out += "  hint: " + PrintableSentence(Spell(diagnostic.hint)) + "\n";
  return out;
}

std::string Format(const Diagnostics& diagnostics) {
  std::string out;
  size_t errors = 0, warnings = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    size_t& count = diagnostic.severity == Severity::kError ? errors : warnings;
    if (++count <= kMostErrors) out += Format(diagnostic);
  }
  const auto more = [&](size_t count, const std::string& what) {
    if (count <= kMostErrors) return;
    const size_t left = count - kMostErrors;
    out += "and " + std::to_string(left) + " more " + what + (left > 1 ? "s" : "") + "\n";
  };
  more(errors, "error");
  more(warnings, "warning");
  return out;
}

}  // namespace inlay

#include "inlay/base/diagnostic.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "inlay/base/mention.h"
#include "inlay/base/printable.h"

namespace inlay {
namespace {

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

std::string PlaceText(const SourceLocation& at) {
  std::string text = PrintableName(at.file, kLongestPath);
  if (at.line > 0) text += ":" + std::to_string(at.line);
  if (at.line > 0 && at.column > 0) text += ":" + std::to_string(at.column);
  return text;
}

// A warning that many files give, such as the layers of a network, is quoted once.
constexpr size_t kMostAlike = 3;
constexpr size_t kMostPlaces = 5;
using Alike = std::vector<const Diagnostic*>;
using WarningsAlike = std::map<std::pair<std::string_view, std::string_view>, Alike>;

WarningsAlike FindAlike(const Diagnostics& diagnostics) {
  WarningsAlike found;
  for (const Diagnostic& one : diagnostics) {
    if (one.severity != Severity::kWarning || one.location.file.empty()) continue;
    found[{one.message, one.hint}].push_back(&one);
  }
  std::erase_if(found, [](const auto& entry) { return entry.second.size() <= kMostAlike; });
  return found;
}

std::string OtherPlaces(const Alike& alike) {
  std::string text = "  also at ";
  const size_t named = std::min(alike.size() - 1, kMostPlaces);
  for (size_t i = 1; i <= named; ++i) {
    text += (i == 1 ? "" : ", ") + PlaceText(alike[i]->location);
  }
  const size_t left = alike.size() - 1 - named;
  if (left > 0)
    text += ", and at " + std::to_string(left) + (left > 1 ? " more places" : " more place");
  return text + "\n";
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
  if (!diagnostic.location.file.empty()) out += PlaceText(diagnostic.location) + ": ";
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
  const WarningsAlike alike = FindAlike(diagnostics);
  for (const Diagnostic& diagnostic : diagnostics) {
    const auto group = diagnostic.severity == Severity::kWarning
                           ? alike.find({diagnostic.message, diagnostic.hint})
                           : alike.end();
    const bool grouped = group != alike.end() && !diagnostic.location.file.empty();
    if (grouped && group->second.front() != &diagnostic) continue;
    size_t& count = diagnostic.severity == Severity::kError ? errors : warnings;
    if (++count > kMostPrintedErrors) continue;
    out += Format(diagnostic);
    if (grouped) out += OtherPlaces(group->second);
  }
  const auto more = [&](size_t count, const std::string& what) {
    if (count <= kMostPrintedErrors) return;
    const size_t left = count - kMostPrintedErrors;
    out += "and " + std::to_string(left) + " more " + what + (left > 1 ? "s" : "") + "\n";
  };
  more(errors, "error");
  more(warnings, "warning");
  return out;
}

}  // namespace inlay

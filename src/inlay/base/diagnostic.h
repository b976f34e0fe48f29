#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace inlay {

// A place in a text file. Lines and columns count from 1; 0 means "the file as a whole".
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

// Where a value was written, for faults that are found long after it was read. No part of the
// value: all places are equal.
struct SourcePlace {
  SourceLocation location;
  std::string line;  // of the source, to be quoted
  bool operator==(const SourcePlace&) const { return true; }
};

enum class Severity { kError, kWarning };

// One sentence to the user about their input.
struct Diagnostic {
  Severity severity = Severity::kError;
  SourceLocation location;
  std::string message;
  std::string hint;         // empty, or what to do about it
  std::string source_line;  // the offending line, quoted under the message when not empty
};

// Everything wrong with an input, in file order. A failed Result holds at least one error.
using Diagnostics = std::vector<Diagnostic>;

Diagnostic MakeError(SourceLocation location, std::string message, std::string hint = "");
Diagnostic MakeWarning(SourceLocation location, std::string message, std::string hint = "");
bool HasErrors(const Diagnostics& diagnostics);
void Append(Diagnostics more, Diagnostics* to);

// "file:line:col: error: message", the line quoted with a caret below the column, and the hint;
// ends with a newline.
std::string Format(const Diagnostic& diagnostic);
std::string Format(const Diagnostics& diagnostics);

}  // namespace inlay

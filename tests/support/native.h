#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "inlay/io/native/native.h"

namespace inlay::testing {

// Reads one native text as file "f".
inline Result<io::Inputs> ReadText(const std::string& text, const io::NativeContext& context = {}) {
  return io::ReadNative({{"f", text}}, context);
}

// Every error as "line:column: message", with " (hint)" after it if there is one.
inline std::vector<std::string> Brief(const Diagnostics& diagnostics) {
  std::vector<std::string> result;
  for (const Diagnostic& d : diagnostics) {
    result.push_back(fmt::format("{}:{}: {}", d.location.line, d.location.column, d.message));
    if (!d.hint.empty()) result.back() += fmt::format(" ({})", d.hint);
  }
  return result;
}
inline std::vector<std::string> ErrorsOf(const std::string& text) {
  const auto inputs = ReadText(text);
  return inputs ? std::vector<std::string>() : Brief(inputs.error());
}

}  // namespace inlay::testing

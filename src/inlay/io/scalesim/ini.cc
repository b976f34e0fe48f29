#include "inlay/io/scalesim/ini.h"

#include <string>

namespace inlay::io::scalesim {
namespace {

Field WithoutComment(const Field& line) {
  for (size_t i = 0; i < line.text.size(); ++i) {
    const char c = line.text[i];
    if (c != '#' && c != ';') continue;
    if (i == 0 || line.text[i - 1] == ' ' || line.text[i - 1] == '\t') return Part(line, 0, i);
  }
  return line;
}

}  // namespace

const IniEntry* Ini::Find(std::string_view section, std::string_view key) const {
  for (const IniEntry& entry : entries) {
    if (EqualsIgnoringCase(entry.section, section) && EqualsIgnoringCase(entry.key.text, key)) {
      return &entry;
    }
  }
  return nullptr;
}

Ini ParseIni(const Source& source, Diagnostics* diagnostics) {
  Ini ini;
  const auto error = [&](const Field& at, std::string message, std::string hint) {
    diagnostics->push_back(ErrorAt(source, at, std::move(message), std::move(hint)));
  };
  std::string_view section;
  for (const Field& whole : LinesOf(source)) {
    const Field line = WithoutComment(whole);
    if (line.text.empty()) continue;
    if (line.text.front() == '[') {
      if (line.text.back() != ']') {
        error(line, "the section's name does not end with ']'", "");
        continue;
      }
      ini.sections.push_back(Part(line, 1, line.text.size() - 1));
      section = ini.sections.back().text;
      continue;
    }
    const size_t separator = line.text.find_first_of(":=");
    if (separator == std::string_view::npos || separator == 0) {
      error(line, "expected 'key: value', 'key = value' or '[section]'", "");
      continue;
    }
    const IniEntry entry{section, Part(line, 0, separator), Part(line, separator + 1)};
    if (section.empty()) {
      error(line, "key '" + std::string(entry.key.text) + "' stands before the first section",
            "SCALE-Sim's first section is [general]");
    } else if (const IniEntry* first = ini.Find(section, entry.key.text)) {
      error(entry.key, "key '" + std::string(entry.key.text) + "' is given twice",
            "the first one is in line " + std::to_string(first->key.line));
    } else {
      ini.entries.push_back(entry);
    }
  }
  return ini;
}

}  // namespace inlay::io::scalesim

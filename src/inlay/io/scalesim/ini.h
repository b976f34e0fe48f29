#pragma once

#include <string_view>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/io/file.h"
#include "inlay/io/scalesim/text.h"

namespace inlay::io::scalesim {

struct IniEntry {
  std::string_view section;
  Field key, value;
};

struct Ini {
  std::vector<Field> sections;
  std::vector<IniEntry> entries;
  // The value, or nullptr. Sections and keys match whatever their case.
  const IniEntry* Find(std::string_view section, std::string_view key) const;
};

// "[section]" lines and "key: value" or "key = value" lines; '#' or ';' starts a comment at the
// beginning of a line or after a blank. Reports broken lines and keys given twice.
Ini ParseIni(const Source& source, Diagnostics* diagnostics);

}  // namespace inlay::io::scalesim

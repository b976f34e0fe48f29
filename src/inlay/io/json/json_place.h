#pragma once

#include <string_view>

#include "inlay/base/diagnostic.h"
#include "inlay/io/file.h"

namespace inlay::io {

// The place of a byte of the text.
SourcePlace PlaceAt(const Source& source, size_t offset);

// The place of what a path ("levels[0].cycles") leads to in a document that is valid JSON: of a
// key, or of an item of a list. Of what is missing, the place of what it is missing in.
SourcePlace PlaceOfPath(const Source& source, std::string_view path);

// The same for the errors of a document, one after the other: those that are not shown get the file
// alone, for each is looked for from the start.
SourcePlace PlaceOfNextError(const Source& source, std::string_view path,
                             const Diagnostics& before);

// An error with the line of its place quoted.
Diagnostic MakeErrorAt(const SourcePlace& place, std::string message, std::string hint = "");

}  // namespace inlay::io

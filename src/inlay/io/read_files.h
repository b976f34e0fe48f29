#pragma once

#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/file.h"
#include "inlay/io/inputs.h"

namespace inlay::io {

enum class FileFormat { kNative, kTimeloop, kScaleSim };

// The format of a text, by what it says, else by the extension of its name. An error where it is
// none that can be read; `ONNX` and libconfig are named as such.
Result<FileFormat> DetectFormat(const Source& source);

// Reads texts of any formats into one set of inputs; texts of one format are merged by its reader.
// All errors of all texts. A thing (a problem, a mapping, …) that two formats hold is an error.
Result<Inputs> ReadSources(const std::vector<Source>& sources);

// Reads a file, unless its name says that it is no text (ONNX).
Result<Source> ReadInputFile(const std::string& path);

}  // namespace inlay::io

#pragma once

#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/file.h"
#include "inlay/io/inputs.h"
#include "inlay/io/onnx/onnx.h"
#include "inlay/io/timeloop/template.h"

namespace inlay::io {

enum class FileFormat { kNative, kTimeloop, kScaleSim, kOnnx };

// The format of a text, by what it says, else by the extension of its name; of an ONNX model by the
// extension alone. An error where it is none that can be read; libconfig is named as such.
Result<FileFormat> DetectFormat(const Source& source);

// A file that another one names: "network", "architecture", "accelerator".
struct ReferredFile {
  std::string role;
  Source source;
};

// What is given for the reading, and where to put what is met on the way.
struct ReadContext {
  DimValues dims = {};         // for symbolic dimensions of ONNX models
  TemplateValues values = {};  // for templates of Timeloop, and for decoders
  std::vector<Problem> layers =
      {};  // the problems that will be mapped, if they come from elsewhere
  TemplateUse* templates = nullptr;
  std::vector<ReferredFile>* referred = nullptr;  // the files that the texts name
};

// Reads texts of any formats into one set of inputs; texts of one format are merged by its reader.
// All errors of all texts. A thing (a problem, a mapping, …) that two formats hold is an error.
Result<Inputs> ReadSources(const std::vector<Source>& sources, const ReadContext& given = {});

// Whether a file is an ONNX model, by its name.
bool IsModelFile(const std::string& path);

// Reads a file as what its name says: an ONNX model as bytes, all others as text.
Result<Source> ReadInputFile(const std::string& path);

}  // namespace inlay::io

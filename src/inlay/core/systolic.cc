#include "inlay/core/systolic.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace inlay {

const char* ShortName(Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::kOutputStationary:
      return "os";
    case Dataflow::kWeightStationary:
      return "ws";
    case Dataflow::kInputStationary:
      return "is";
  }
  return "";
}

std::optional<Dataflow> DataflowFromShortName(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (Dataflow dataflow :
       {Dataflow::kOutputStationary, Dataflow::kWeightStationary, Dataflow::kInputStationary}) {
    if (lower == ShortName(dataflow)) return dataflow;
  }
  return std::nullopt;
}

}  // namespace inlay

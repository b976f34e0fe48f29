#include "inlay/core/study_result.h"

namespace inlay {

std::optional<double> StudyFigures::Find(const std::string& name) const {
  for (const auto& [key, value] : values) {
    if (key == name) return value;
  }
  return std::nullopt;
}

const char* Name(PointStatus status) {
  switch (status) {
    case PointStatus::kDone:
      return "done";
    case PointStatus::kNoAnswer:
      return "no answer";
    case PointStatus::kCut:
      return "cut short";
    case PointStatus::kNotRun:
      return "not run";
  }
  return "";
}

}  // namespace inlay

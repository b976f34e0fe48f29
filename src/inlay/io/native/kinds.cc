#include <array>

#include "inlay/io/native/reading.h"

namespace inlay::io {
namespace {

// A kind whose values this version cannot hold yet; its files are recognised, not misread.
constexpr Kind Later(std::string_view name, std::string_view sentence) {
  return {name, sentence, nullptr, nullptr};
}

}  // namespace

std::span<const Kind> Kinds() {
  static const std::array kinds = {
      TechnologyKind(),  ProblemKind(), ArchitectureKind(),
      ConstraintsKind(), MappingKind(), LayersKind(),
      NetworkKind(),     MachineKind(), Later("mix", "several networks on one accelerator"),
      StudyKind(),
  };
  return kinds;
}

}  // namespace inlay::io

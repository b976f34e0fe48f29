#include <array>

#include "inlay/io/native/reading.h"

namespace inlay::io {

std::span<const Kind> Kinds() {
  static const std::array kinds = {
      TechnologyKind(), ProblemKind(),     ArchitectureKind(), ConstraintsKind(),
      MappingKind(),    FusedKind(),       LayersKind(),       NetworkKind(),
      MachineKind(),    AcceleratorKind(), MixKind(),          StudyKind(),
  };
  return kinds;
}

}  // namespace inlay::io

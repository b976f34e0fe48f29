#include <memory>
#include <utility>
#include <vector>

#include "inlay/io/native/architecture_types.h"

namespace inlay::io {
namespace {

std::vector<Constraint> Build(const Node& list, const Architecture& architecture,
                              Diagnostics* diagnostics) {
  std::vector<Constraint> constraints;
  for (const Node& entry : list.items) {
    if (diagnostics->size() >= kMostErrors) break;
    if (entry.IsMapping()) constraints.push_back(BuildConstraint(entry, architecture, diagnostics));
  }
  return constraints;
}

// Constraints beside an architecture belong to it; alone, they wait for one.
void ReadConstraints(const Node& node, Reading* reading) {
  if (!node.IsSequence()) return;
  if (std::optional<Architecture>& architecture = reading->inputs.architecture) {
    for (Constraint& more : Build(node, *architecture, &reading->diagnostics)) {
      architecture->constraints.push_back(std::move(more));
    }
    return;
  }
  if (!reading->KindIsClean()) return;
  reading->inputs.constraints =
      [list = std::make_shared<const Node>(node)](
          const Architecture& architecture) -> Result<WithWarnings<std::vector<Constraint>>> {
    Diagnostics diagnostics;
    std::vector<Constraint> constraints = Build(*list, architecture, &diagnostics);
    if (!diagnostics.empty()) return Fail(std::move(diagnostics));
    return WithWarnings<std::vector<Constraint>>{std::move(constraints), {}};
  };
}

}  // namespace

Kind ConstraintsKind() {
  return {.name = "constraints",
          .sentence = "limits on the mappings that a search may try, as in an architecture",
          .type = &ConstraintsType(),
          .read = ReadConstraints,
          .adds_up = true};
}

}  // namespace inlay::io

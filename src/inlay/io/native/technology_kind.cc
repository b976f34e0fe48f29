#include <string>

#include "inlay/io/native/keys.h"

namespace inlay::io {
namespace {

void ReadTechnology(const Node& node, Reading* reading) {
  if (!node.IsMapping()) return;
  Places places(node);
  Technology technology = BuildTechnology(node, "", &places);
  places.Report(Validate(technology), &reading->diagnostics);
  reading->inputs.technology = std::move(technology);
}

}  // namespace

Technology BuildTechnology(const Node& node, const std::string& prefix, Places* places) {
  places->SetEntries(prefix, node);
  Technology technology;
  Diagnostics none;  // its units depend on nothing: Check has reported all that is wrong
  ReadKeys(node, {}, &technology, &none);
  return technology;
}

Kind TechnologyKind() {
  return {"technology", "energies and areas by the size of a memory", &TypeOf<Technology>(),
          ReadTechnology};
}

}  // namespace inlay::io

#include <memory>
#include <utility>
#include <vector>

#include "inlay/io/native/bind_mapping.h"
#include "inlay/io/native/mapping_line.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {
namespace {

constinit const Type kLine = {.form = Form::kText,
                              .what = "a line such as 'GLB keeps all' or 'for P in 56 step 13'",
                              .check = CheckBy<ParseMappingLine>,
                              .pattern = MappingLinePattern};
constinit const Type kMappingType = {
    .form = Form::kList, .what = "a list of lines, outer to inner", .element = &kLine};

void ReadMapping(const Node& node, Reading* reading) {
  if (!node.IsSequence()) return;
  const bool clean = reading->KindIsClean();
  const Inputs& inputs = reading->inputs;
  // What is wrong with the other lines is reported together with those that cannot be read, if the
  // names can be looked up and are right themselves.
  if (!clean && (reading->kind_start > 0 || !inputs.problem || !inputs.architecture)) return;
  auto written = std::make_shared<WrittenMapping>();
  written->root = node;
  for (const Node& item : node.items) {
    const auto line = ParseMappingLine(item.text);
    written->lines.push_back(line ? *line : GuessMappingLine(item.text));
  }
  if (!clean) {
    const auto bound = BindMapping(*written, *inputs.problem, *inputs.architecture);
    if (bound) return;
    for (const Diagnostic& diagnostic : bound.error()) {
      if (reading->diagnostics.size() < kMostErrors) reading->Add(diagnostic);
    }
    return;
  }
  reading->inputs.mapping = [written = std::shared_ptr<const WrittenMapping>(std::move(written))](
                                const Problem& problem, const Architecture& architecture) {
    return BindMapping(*written, problem, architecture);
  };
}

}  // namespace

Kind MappingKind() {
  return {"mapping", "a loop nest, outer to inner, a line per level and per loop", &kMappingType,
          ReadMapping};
}

}  // namespace inlay::io

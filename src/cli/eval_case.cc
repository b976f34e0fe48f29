#include "cli/eval_case.h"

#include <utility>

#include "cli/map_files.h"
#include "inlay/io/timeloop/map_text.h"

namespace inlay::cli {

std::vector<Argument> CaseArguments() {
  return {{.name = "CASE",
           .sentence = "files that hold problem, architecture and mapping, in one or several, or a "
                       "built-in example; the options below replace what they hold",
           .required = false,
           .repeated = true}};
}

std::vector<OutputFile> MappingFiles(const io::Case& input) {
  return {{"mapping.yaml", MappingText(input.asked_for.value_or(input.problem), input.problem,
                                       input.architecture, input.mapping)},
          {"map.txt", io::WriteMapText(input.problem, input.architecture, input.mapping)}};
}

}  // namespace inlay::cli

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inlay/codesign/codesign.h"
#include "inlay/core/codesign_result.h"
#include "inlay/core/explanation.h"
#include "inlay/run/layers.h"

namespace inlay::run {

// What `inlay codesign` is asked for.
struct CodesignRequest {
  std::vector<std::string> workloads;
  // A family of architectures: that of a technology and an area, or what a file marks as free.
  std::optional<std::string> technology, area, arch;
  std::optional<std::string> power, sram, bandwidth;  // budgets, in the units of files
  std::vector<Method> method = {Method::kExact};      // the second is compared with the first
  std::string scope = Name(Scope::kLayer);            // of hetero: "hetero:N"
  MapOptions options = ForEnergy();
  Mapspace mapspace = Mapspace::kPerfect;
  std::vector<std::string> constraints;
  std::optional<std::string> baseline;
  bool explain = false;
  CommonRequest common;

 private:
  static MapOptions ForEnergy() {
    MapOptions options;
    options.objective = {Metric::kEnergy};
    return options;
  }
};
const Structure& StructureOf(const CodesignRequest*);

struct CodesignInputs {
  CodesignTask task;
  std::optional<Architecture> baseline;
  bool tensor_names_resolved =
      true;  // of tensors, between the baseline and all layers; see ForLayer
  io::LoadRecord record;
};
// Everything that can be wrong before the search starts, all at once.
Result<CodesignInputs> Load(const CodesignRequest* request);
// The same for a family and layers that are known; errors of options.
Diagnostics SetOptions(const CodesignRequest& request, CodesignTask* task);
// What the family's tensors are in the layers: errors and warnings of CheckRoles.
void MatchNames(CodesignTask* task, io::LoadRecord* record, Diagnostics* errors);

struct CodesignRun {
  CodesignResult result;
  CodesignAnswer answer;
};
// `search` finds an answer to a task, and may show how far it has come.
using CodesignSearch = std::function<CodesignAnswer(const CodesignTask&)>;
Outcome<CodesignRun> Run(const CodesignRequest& request, const CodesignInputs& inputs,
                         const CodesignSearch& search, const StopFlag& stop);

// The expressions of every layer instead of a search.
Outcome<std::vector<Explanation>> Explain(const CodesignInputs& inputs);

// In um2: "2363756", "2.36e6 um2", "2.36 mm2".
std::optional<double> ParseArea(const std::string& text);

}  // namespace inlay::run

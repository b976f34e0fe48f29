#include "inlay/io/timeloop/read.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "inlay/io/timeloop/architecture.h"
#include "inlay/io/timeloop/constraints.h"
#include "inlay/io/timeloop/expression.h"
#include "inlay/io/timeloop/mapping.h"
#include "inlay/io/timeloop/problem.h"
#include "inlay/io/timeloop/sections.h"

namespace inlay::io {
namespace {

using timeloop::Report;
using timeloop::Scope;
using timeloop::Sections;

// The version that a file without architecture shows by its problem, if it does.
std::string FormatWithoutArchitecture(const Sections& sections) {
  const Node* version = sections.problem == nullptr ? nullptr : sections.problem->Find("version");
  return version != nullptr && version->text == "0.4" ? "timeloop-0.4" : "timeloop-0.3";
}

ConstraintsBinder BinderOf(std::shared_ptr<const Sections> sections, std::optional<Problem> problem,
                           const std::vector<Problem>& layers) {
  return [sections = std::move(sections), problem = std::move(problem), layers](
             const Architecture& architecture) -> Result<WithWarnings<std::vector<Constraint>>> {
    Report report;
    auto constraints = timeloop::ReadConstraints(*sections, architecture,
                                                 problem ? &*problem : nullptr, layers, &report);
    timeloop::SortByPlace(&report.errors);
    if (!report.errors.empty()) return Fail(std::move(report.errors));
    return WithWarnings<std::vector<Constraint>>{std::move(constraints),
                                                 std::move(report.warnings)};
  };
}

}  // namespace

bool LooksLikeTimeloop(const std::vector<Node>& documents) {
  bool found = false;
  for (const Node& document : documents) {
    if (document.Find("format") != nullptr) return false;
    for (const auto& [key, value] : document.entries) {
      const std::string name = timeloop::Normalise(key.text);
      found = found || (name != "name" && name != "version" && timeloop::IsSectionName(name));
    }
  }
  return found;
}

bool HoldsPartOfArchitecture(const Source& source) {
  if (timeloop::IsTemplate(source)) return false;
  const auto documents = ParseYaml(source);
  if (!documents || !LooksLikeTimeloop(*documents)) return false;
  Report ignored;
  TemplateUse unused;
  const auto sections = timeloop::ReadSections({source}, {}, &unused, &ignored);
  return sections && sections->problem == nullptr && sections->architecture == nullptr &&
         sections->mapping == nullptr &&
         (sections->ert != nullptr || !sections->components.empty() ||
          !sections->variables.empty());
}

Result<Inputs> ReadTimeloop(const std::vector<Source>& files, const std::vector<Problem>& layers,
                            const TemplateValues& values, TemplateUse* use) {
  Report report;
  TemplateUse ignored;
  auto read = timeloop::ReadSections(files, values, use == nullptr ? &ignored : use, &report);
  if (!read) return Fail(std::move(read.error()));
  const auto sections = std::make_shared<const Sections>(*std::move(read));
  Scope variables;
  for (const Node* mapping : sections->variables) variables.Push(*mapping);
  Inputs inputs;
  inputs.format = FormatWithoutArchitecture(*sections);
  if (sections->problem != nullptr) {
    inputs.problem = timeloop::ReadProblem(*sections->problem, sections->shape, variables, &report);
  }
  bool is_nodes = false;
  if (sections->architecture != nullptr) {
    auto file = timeloop::ReadArchitecture(*sections, variables, &report);
    inputs.format = file.format;
    is_nodes = file.is_nodes;
    if (file.architecture) {
      timeloop::ReadConstraints(*sections, file, inputs.problem ? &*inputs.problem : nullptr,
                                layers, &*file.architecture, &report);
      inputs.architecture = std::move(file.architecture);
      inputs.by_class = std::move(file.by_class);
    }
  }
  if (sections->architecture == nullptr) {
    if (sections->ert != nullptr) {
      report.Warn(*sections->ert, "an ERT without an architecture is not used",
                  "give the file with the architecture together with this one");
    }
    if (!sections->constraints.empty()) {
      inputs.constraints = BinderOf(sections, inputs.problem, layers);
    }
  }
  if (sections->mapping != nullptr) {
    inputs.mapping = timeloop::ReadMapping(sections, is_nodes, &report);
  }
  timeloop::SortByPlace(&report.errors);
  timeloop::SortByPlace(&report.warnings);
  if (!report.errors.empty()) return Fail(std::move(report.errors));
  inputs.warnings = std::move(report.warnings);
  return inputs;
}

}  // namespace inlay::io

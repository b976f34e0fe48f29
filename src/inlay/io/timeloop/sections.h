#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/file.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/timeloop/template.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io::timeloop {

// The top-level sections of all files together; nullptr where there is none. Everything points into
// `documents`.
struct Sections {
  std::vector<Node> documents;
  const Node* problem = nullptr;
  const Node* shape = nullptr;  // of the problem, in a file of its own
  const Node* architecture = nullptr;
  const Node* mapping = nullptr;
  const Node* ert = nullptr;
  std::vector<const Node*> variables;    // mappings
  std::vector<const Node*> components;   // compound_components, components
  std::vector<const Node*> constraints;  // architecture_constraints, mapspace_constraints, …
  const Node* first = nullptr;           // any place, for messages about the whole
};

// Parses the files, expands those that are templates, and sorts their sections; a section in two
// files is an error.
Result<Sections> ReadSections(const std::vector<Source>& files, const TemplateValues& values,
                              TemplateUse* use, Report* report);

bool IsSectionName(const std::string& normalised);

}  // namespace inlay::io::timeloop

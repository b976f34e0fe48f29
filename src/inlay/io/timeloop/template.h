#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/file.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// Names and values for templates, as given on the command line.
using TemplateValues = std::vector<std::pair<std::string, std::string>>;

// What the templates of a run ask for and bring in.
struct TemplateUse {
  std::set<std::string> asked;   // names that were looked up
  std::vector<Source> included;  // files that were read, each once
  bool any = false;              // markup was met
};

}  // namespace inlay::io

namespace inlay::io::timeloop {

// Whether a text has markup of Jinja2 outside of comments.
bool IsTemplate(const Source& source);

// The documents of a Timeloop file, whose markup of Jinja2 is expanded as Timeloop's front end does
// it. Nodes have the places where they stand, in this file or in one that it includes.
Result<std::vector<Node>> ReadTemplate(const Source& source, const TemplateValues& values,
                                       TemplateUse* use);

}  // namespace inlay::io::timeloop

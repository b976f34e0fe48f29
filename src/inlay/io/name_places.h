#pragma once

#include <vector>

#include "inlay/core/roles.h"
#include "inlay/io/file.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// Finds where these files name tensors, for errors that come up long after they were read: each
// question reads them again. What is no YAML by itself, such as a template, has no places.
// `sources` must outlive the answer.
NamePlaces PlacesIn(const std::vector<Source>& sources);

// Where the tensors of a problem are defined: the first of them. No place where that is not found.
SourcePlace PlaceOfTensors(const std::vector<Source>& sources, const Problem& problem);
SourcePlace PlaceOfTensors(const std::vector<Node>& documents, const Problem& problem);

void SetPlace(const SourcePlace& place, Diagnostic* diagnostic);

}  // namespace inlay::io

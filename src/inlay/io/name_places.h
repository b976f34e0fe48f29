#pragma once

#include <vector>

#include "inlay/core/roles.h"
#include "inlay/io/file.h"

namespace inlay::io {

// Finds where these files name tensors, for errors that come up long after they were read: each
// question reads them again. What is no YAML by itself, such as a template, has no places.
// `sources` must outlive the answer.
NamePlaces PlacesIn(const std::vector<Source>& sources);

}  // namespace inlay::io

#pragma once

#include "inlay/base/diagnostic.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// Replaces the merge key of a mapping, if it has one, by what it refers to: `<<` adds the keys that
// the mapping does not have; `<<<` (of Timeloop's front end) also merges mappings into mappings and
// appends lists to lists, unless tagged !nomerge. Where several mappings are listed, earlier ones
// win. New keys stand where the merge key stood. Faults go to `faults`; the mapping is then left
// without the merge key.
void ResolveMerge(Node* mapping, Diagnostics* faults);

bool IsMergeKey(const Node& key);

// The node itself and everything below it.
size_t CountNodes(const Node& node);

// Collections inside each other, at most: 0 for a scalar, 1 for an empty list.
int HeightOf(const Node& node);

}  // namespace inlay::io

#pragma once

#include <optional>

#include "inlay/core/graph.h"
#include "inlay/core/operator.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {

const Type& NetworkType();

// An extent from 0; nullopt where Check has reported it.
std::optional<int64_t> AsExtent(const Node& value);

// The graph of a decoder, with the values that are given for its keys in place of those of the
// file. nullopt: what is wrong has been reported, at its place or with the option's name.
std::optional<Graph> ReadDecoder(const Node& node, Reading* reading);

// What a node says besides its operands. `rank` is that of its first input. Reports keys that its
// operator does not have, and entries that do not fit the rank.
OpAttributes ReadAttributes(const Node& node, Op op, size_t rank, Diagnostics* diagnostics);

}  // namespace inlay::io

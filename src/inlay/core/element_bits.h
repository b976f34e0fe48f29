#pragma once

#include <tl/expected.hpp>

#include "inlay/core/fault.h"
#include "inlay/core/graph.h"

namespace inlay {

// Which elements are how wide. Of several entries that name a value the most specific one counts:
// its name, then "kv", then its role, then "all". A view has the width of what it looks at.
//   all           every value
//   inputs        what is given at every run
//   weights       what is the same in every run
//   activations   what nodes write
//   kv            keys and values of attention: the second operand of a product of two values that
//                 are no weights, and what that one is a copy of, by transpositions,
//                 concatenations, expansions and borders

inline constexpr int kMostBits = 4096;  // of an element
inline constexpr int kUsualBits = 16;   // of what no entry names

inline constexpr const char* kAllValues = "all";

using ValueBits = IndexedVector<ValueId, int>;

// The bits of every value of a valid graph. Faults: entries that name nothing, at "bits.NAME".
tl::expected<ValueBits, Faults> BitsOfValues(const Graph& graph, const ElementBits& bits);

// The bits of the entry "all".
int BitsOfAll(const ElementBits& bits);

// "16 bits", "16 bits, weights 4, kv 8": that of all, then the others.
std::string BitsText(const ElementBits& bits);

}  // namespace inlay

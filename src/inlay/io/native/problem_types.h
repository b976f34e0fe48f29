#pragma once

#include <string>

#include "inlay/io/native/projection.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {

// What the kinds share that have dimensions and tensors over them.

extern const Type kDimBounds;     // dimensions and their bounds
extern const Type kNamedNumbers;  // coefficients
extern const Type kProjections;   // tensors and their projections

// The named coefficients; a name that is a dimension too is an error.
Coefficients BuildCoefficients(const Node& node, const Problem& problem, Diagnostics* diagnostics);

// Adds the tensors that a node lists, over the dimensions of the problem; names that cannot be
// resolved are reported. false: a projection cannot be read, which Check reported.
bool ReadTensors(const Node& node, const std::string& prefix, const Coefficients& coefficients,
                 const Problem& problem, Places* places, Diagnostics* diagnostics,
                 IndexedVector<TensorId, Tensor>* tensors);

}  // namespace inlay::io

#pragma once

#include <cstdint>

#include "inlay/core/fused_problem.h"

namespace inlay {

// What has to be read, made and computed, at least and once, for the final outputs and for the
// intermediates that are needed outside.
struct NeededWork {
  IndexedVector<TensorId, int64_t> words;
  IndexedVector<NodeId, int64_t> operations;
};
NeededWork NeededWorkOf(const FusedProblem& problem);

// Words that every fused mapping of the problem moves off chip: those of inputs that are needed,
// and each word of a final output and of an intermediate that is needed outside.
int64_t CompulsoryWords(const FusedProblem& problem);

}  // namespace inlay

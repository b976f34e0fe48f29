#pragma once

#include "inlay/core/mapping.h"

namespace inlay {

// A mapping as one on an architecture in which a level is followed by another that is the same
// memory (Level::same_memory_as_outer) wherever tensors enter it late: then all tensors of a level
// enter at its beginning, and what holds for even mappings holds for it.
struct EvenForm {
  Mapping mapping;
  IndexedVector<LevelId, LevelId> origin;  // by level of the even form: the level it is part of
};
EvenForm EvenFormOf(const Mapping& mapping);

// The way back: a mapping on an architecture that has `levels` levels. Levels of the even form may
// be empty.
Mapping FromEvenForm(const Mapping& even, const IndexedVector<LevelId, LevelId>& origin,
                     size_t levels);

}  // namespace inlay

#pragma once

#include "inlay/base/deadline.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// The best mapping of a layer in the mapspace `uneven`: first the best even one, then, for every
// choice of tensors kept and every order in which they enter their levels, the exact search of the
// even forms (MakeEvenSpace). Proven where all of these end; else the least of their bounds holds.
LayerAnswer SearchUneven(const Space& space, const MapOptions& options, const Deadline& deadline,
                         const MapProgressSink& progress = {});

}  // namespace inlay

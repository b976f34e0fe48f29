#pragma once

#include "inlay/mapper/strategy.h"

namespace inlay {

// Draws mappings of the space at random, each as likely as any other, and keeps the best of those
// that fit; ends by Timeloop's rules (RandomOptions) or at the deadline. Of mappings of equal value
// the first stays. Without a time limit the answer depends on the seed alone, not on the number of
// threads. Proves nothing, but for an empty space.
LayerAnswer SearchRandom(const Space& space, const MapOptions& options, const Deadline& deadline,
                         const MapProgressSink& progress);

}  // namespace inlay

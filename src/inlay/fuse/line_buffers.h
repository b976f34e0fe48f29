#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/fuse/fuse.h"

namespace inlay {

// A good tree with all nodes of the problem under common loops, by trying forms: one or two loops
// over what the last node makes, intermediates kept between their turns or computed again, the
// other tensors above the loops or streamed where they are used; `whole` are held at the root.
// Nothing is proven. None: no such tree takes so few words of the pad.
std::optional<FusedSolution> BestLineBuffer(const FusedProblem& problem,
                                            const Architecture& architecture,
                                            const FuseOptions& options, int64_t room_words,
                                            const std::vector<TensorId>& whole,
                                            const Deadline& deadline);

// The same of another form, which takes less room and computes more again: below one loop over what
// the last node makes, parts that pass on retained intermediates; around each part of several nodes
// a loop over what its last one sums up, inside which nothing is kept.
std::optional<FusedSolution> BestOfParts(const FusedProblem& problem,
                                         const Architecture& architecture,
                                         const FuseOptions& options, int64_t room_words,
                                         const Deadline& deadline);

}  // namespace inlay

#pragma once

#include <vector>

#include "inlay/mapper/gp/unknowns.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::gp {

// The paper's way from real tile sizes to whole ones: along every dimension, from the outermost
// tile inward, the `nearest` divisors of the next outer tile that come closest (in ratio) to the
// real size, as far as the constraints on the loop allow them. Of each dimension only so many
// chains are kept, the closest to the real one, that there are at most `most` combinations. Chains
// of dimensions that are not tiled are the one there is. Empty for a dimension for which no
// divisors fit the constraints. With `all_lanes` spatial loops try every divisor, and the closest
// chain of each unrolling is kept before the second of any: programs that ask for cycles have many
// optima, and which divisors fill an array is no matter of distance.
IndexedVector<DimId, std::vector<Chain>> NearestChains(const Space& space, const Unknowns& unknowns,
                                                       const Values& values, int nearest,
                                                       double most, bool all_lanes);

}  // namespace inlay::gp

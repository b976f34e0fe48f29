#pragma once

#include <string>
#include <tl/expected.hpp>

#include "inlay/base/big_uint.h"
#include "inlay/base/deadline.h"
#include "inlay/mapspace/space.h"

namespace inlay {

// How many mappings a space holds, capacities not looked at.
struct SpaceSize {
  BigUint size;     // distinct canonical mappings: Σ over tilings of their orders, × bypass
  BigUint tilings;  // one chain per dimension, within the lanes
  BigUint bypass;   // choices of the tensors kept at every level, each tensor somewhere
  // Orders per tiling, size / (tilings × bypass). A tiling with fewer loops has fewer orders, so
  // this is a mean, in lowest terms; 0 / 1 where there is no tiling.
  BigUint orders_numerator, orders_denominator;
};

// Exact, without listing: per dimension the chains are counted by what the other dimensions see of
// them, then the dimensions are joined one by one. A fault where a bound is too large for that (in
// `any`, beyond 2^20), or the numbers are (beyond 2^510), or the deadline has passed.
tl::expected<SpaceSize, Faults> CountMappings(const Space& space,
                                              const Deadline* deadline = nullptr);

// "12", or "35/6" where it is no whole number.
std::string OrdersText(const SpaceSize& size);

}  // namespace inlay

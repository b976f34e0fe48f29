#pragma once

#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/thistle/chains.h"
#include "inlay/mapper/thistle/model.h"

namespace inlay::thistle {

// Lanes of each dimension, and the steps that N iterations on p lanes take at least: Π ⌈N / p⌉.
struct LaneSteps {
  PerFree<int64_t> lanes{};
  double steps = 0;
};

// The fewest such steps with at most `most` lanes of each dimension, no more in all than the array
// has, and an SRAM that holds an iteration for every lane. No mapping takes fewer: p lanes need an
// array tile of at least p iterations, which lies in the SRAM. In `any` such tiles, and registers
// of one iteration, take just so many. nullopt: not even one lane each fits, or the time is up.
std::optional<LaneSteps> FewestSteps(const Model& model, const std::vector<Chains>& chains,
                                     const PerFree<int64_t>& most, DeadlineWatch* watch);

// With all lanes that the dimensions can have.
std::optional<LaneSteps> FewestSteps(const Model& model, const std::vector<Chains>& chains,
                                     DeadlineWatch* watch);

}  // namespace inlay::thistle

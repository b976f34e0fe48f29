#pragma once

#include "inlay/batch/profile.h"
#include "inlay/core/mix.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

struct ProfileLimits {
  size_t most_layers = 6;
  bool streams = true;   // layers with bytes that go through
  bool residual = true;  // tensors that later layers read
};

// A chain or a graph with shortcuts, whose bytes and cycles are small numbers: what lies in memory
// comes from tensors with a writer and a last reader.
batch::NetworkProfile RandomProfile(Random& random, const ProfileLimits& limits);

// Few small arrays of any dataflow, small blocks and window; memory and bandwidth are set.
Accelerator SmallAccelerator(Random& random);

}  // namespace inlay::testing

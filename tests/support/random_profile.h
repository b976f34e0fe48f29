#pragma once

#include <string>

#include "inlay/batch/network_profile.h"
#include "inlay/batch/simulate.h"
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

// One to four such networks with small batches; the memory is between what the largest needs alone
// and what all take together.
batch::Task RandomTask(Random& random, const ProfileLimits& limits);

// Any rules without controls.
batch::Rules RandomRules(Random& random);

std::string Describe(const batch::Task& task, const batch::Rules& rules);

}  // namespace inlay::testing

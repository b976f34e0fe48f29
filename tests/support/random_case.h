#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "inlay/core/architecture.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay::testing {

using Random = std::mt19937_64;

// Uniform in [low, high].
int64_t Pick(Random& random, int64_t low, int64_t high);
bool Chance(Random& random, double probability);

// How the steps of a random mapping are drawn.
enum class Steps { kPerfect, kRuby, kAny };

struct Case {
  Problem problem;
  Architecture architecture;
  Mapping mapping;
};

struct CaseLimits {
  int64_t most_operations = 2500;
  int64_t most_lanes = 24;
  size_t most_levels = 4;
  double timed = 0;  // how often the architecture says more of time than rates
};

// Gives an architecture some of the keys of docs/reference/time.md.
void AddTimeKeys(Random& random, Architecture* architecture);

// conv (strides, dilations), depthwise and grouped, GEMM, batched matmul and random einsums, small
// enough to walk.
Problem RandomProblem(Random& random, int64_t most_operations);

// Valid steps in random places and orders, random bypasses; the fan-outs are to be made to fit.
Mapping RandomMapping(Random& random, const Problem& problem, size_t levels, Steps steps);

// A problem, 1 to 4 levels with or without multicast, reduction, blocks and bandwidths, and a valid
// mapping with random bypasses. Capacities are unbounded.
Case RandomCase(Random& random, Steps steps, const CaseLimits& limits = {});

// For failure messages: the problem's tensors and bounds, the fan-outs, and the nest.
std::string Describe(const Case& c);

// Cases per test: `plain`, or `all` when the environment says INLAY_LONG=1. A quarter of `plain`,
// if that is more than a few, in builds with a sanitizer, which is 5 to 20 times slower: these look
// for faults of memory and threads, the other builds for wrong answers.
int64_t CaseCount(int64_t plain, int64_t all);

}  // namespace inlay::testing

#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay::golden {

// One value for each of K, C, H (output rows), W (output columns).
using Kchw = std::array<int64_t, 4>;

struct ThistleLayer {
  Kchw bounds{};
  int64_t r = 1, s = 1, stride = 1;
};

// Of the architecture DRAM – SRAM – lanes × (registers – MAC).
struct ThistleSizes {
  int64_t lanes = 1;
  int64_t register_words = 1;
  int64_t sram_words = 1;
};

struct ThistleTiling {
  Kchw sram{}, array{}, registers{};  // tile sizes; array = what all lanes cover together
  std::array<size_t, 4> dram_order{}, sram_order{};  // of the dimensions, innermost loop first
};

// "KH" = K innermost, then H, then the others in the order K, C, H, W.
std::array<size_t, 4> InnermostFirst(const std::string& names);

Problem MakeThistleProblem(const ThistleLayer& layer);
Architecture MakeThistleArchitecture(const ThistleSizes& sizes);  // Table III's energies
Mapping MakeThistleMapping(const Problem& problem, const ThistleLayer& layer,
                           const ThistleTiling& tiling);

struct ThistleOptimum {
  ThistleTiling tiling;
  double energy_pj = 0;
  int64_t lanes = 0;
};
struct ThistleOptima {
  ThistleOptimum energy, edp, delay;  // delay: ties are not broken
};

// All perfect tilings with R and S untiled, all loop orders. Computes energies by the paper's
// formulas written out for this architecture, not by EvaluateThistle.
ThistleOptima SearchThistle(const ThistleLayer& layer, const ThistleSizes& sizes,
                            Accounting accounting);

}  // namespace inlay::golden

#pragma once

#include <cstdint>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/base/stop.h"
#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/problem.h"

namespace inlay {

inline constexpr LevelId kInside{1U};  // the on-chip level next to the outermost

// One way to compute a layer, of a mapping that exists.
struct LayerTiling {
  struct Words {
    int64_t tile = 0;     // held at the level inside the outermost; 0 where that is passed by
    int64_t traffic = 0;  // to and from the outermost level
    bool operator==(const Words&) const = default;
  };
  int64_t cycles = 0;
  IndexedVector<TensorId, Words> tensors;
  bool operator==(const LayerTiling&) const = default;
};

// Tilings of a layer for every amount of room at the level inside the outermost, up to its
// capacity, and for every set of operands that lie on chip already, in the mapspace `perfect`. The
// lanes are those of a mapping of fewest cycles, the levels further inside those of the one of
// fewest cycles, then off-chip words, with these lanes; what the two outermost levels do is on the
// fronts of footprint, off-chip words and cycles. None beats another one in
// everything; at most kMostTilings, spread evenly by room. Deterministic.
// With `seconds` the searches share what is left of them; where one is cut short, by the time or by
// a stop, the lanes and the tilings are those of the mappings that were found by then, one at
// least. Faults: why the architecture cannot compute the layer.
inline constexpr size_t kMostTilings = 24;
struct LayerTilings {
  std::vector<LayerTiling> tilings;
  bool cut = false;
};
tl::expected<LayerTilings, Faults> TilingsOf(const Problem& problem,
                                             const Architecture& architecture, const StopFlag& stop,
                                             std::optional<double> seconds = {});

}  // namespace inlay

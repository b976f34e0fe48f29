#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/network.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// A network to be mapped, layer by layer.
struct NetworkTask {
  Network network;
  Architecture architecture;
  Mapspace mapspace = Mapspace::kRubyS;
  std::vector<Constraint> constraints;  // besides the architecture's own
  bool tensor_names_resolved = true;    // of tensors; otherwise see ForLayer
  MapOptions options;
  std::vector<std::string> onchip;  // with a front: the tensors on chip; skipped by layers without
  // For all layers together; none: no limit but that of each layer. A layer that begins gets an
  // equal share of what is left, so that what a quick one leaves goes to those after it.
  std::optional<double> seconds;
  std::optional<VectorTotals> vector = {};  // what goes into the totals besides the layers
};

struct NetworkAnswer {
  std::vector<LayerAnswer> layers;  // as the network's
  std::vector<size_t> same_as;      // the first layer with the same problem; itself, if it is that
  std::optional<MapTotals> totals;  // where every layer has a mapping and no front was asked for
};

// Searches every layer by its own objective, layers of the same problem once (names of problems
// aside); the copies took no effort. With MinimisedOf::kNetwork then mappings of the least totals:
// their certificate says what is proven of them, those of the layers what is proven of each by
// itself. Layers run side by side on the threads; where there are fewer layers than threads, the
// search of a layer gets its share of them. The answer does not depend on the number of threads as
// far as MapLayer's does not.
//
// Once a stop is requested, or the time for all layers has passed, layers that have not begun stay
// without an answer, marked interrupted and not begun.
// Errors: constraints that name what is not there, or contradict each other; each once, with the
// first layer that it concerns, at the place of the constraint.
Result<NetworkAnswer> MapNetwork(const NetworkTask& task, const StopFlag& stop,
                                 const MapProgressSink& progress = {});

// How many layers of a network are searched: those whose problem no earlier layer has.
size_t SearchCount(const Network& network);

// The sums over all layers, every repeat counted, and what the task has besides them. nullopt where
// a layer has no mapping, or the cycles do not fit into 64 bits.
std::optional<MapTotals> TotalsOf(const NetworkTask& task, const std::vector<LayerAnswer>& answers);

}  // namespace inlay

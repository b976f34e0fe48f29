#include "tests/support/random_profile.h"

#include <algorithm>
#include <string>

namespace inlay::testing {

batch::NetworkProfile RandomProfile(Random& random, const ProfileLimits& limits) {
  batch::NetworkProfile profile;
  profile.name = "random";
  const auto layers =
      static_cast<size_t>(Pick(random, 1, static_cast<int64_t>(limits.most_layers)));
  profile.layers.resize(layers);
  profile.layers[0].live_bytes = Pick(random, 0, 20);
  for (size_t l = 0; l < layers; ++l) {
    batch::LayerProfile& layer = profile.layers[l];
    layer.name = "l" + std::to_string(l);
    layer.weight_bytes = Chance(random, 0.2) ? 0 : Pick(random, 1, 60);
    if (limits.streams && Chance(random, 0.15)) {
      layer.stream_bytes = Pick(random, 1, 30);
      layer.workspace_bytes = Pick(random, 0, 5);
    }
    for (int64_t tensors = Pick(random, 1, 2); tensors > 0; --tensors) {
      const int64_t bytes = Pick(random, 0, 20);
      const bool far = limits.residual && Chance(random, 0.3);
      const size_t last =
          std::min(layers - 1, l + static_cast<size_t>(far ? Pick(random, 1, 4) : 1));
      layer.output_bytes += bytes;
      for (size_t k = l + 1; k <= last; ++k) profile.layers[k].live_bytes += bytes;
    }
    for (int64_t products = Pick(random, 1, 2); products > 0; --products) {
      layer.products.push_back({Pick(random, 1, 2), Pick(random, 1, 9), Pick(random, 1, 9),
                                Pick(random, 1, 12), Pick(random, 1, 2), Chance(random, 0.8)});
    }
  }
  for (const batch::LayerProfile& layer : profile.layers) {
    for (const batch::Product& p : layer.products) {
      profile.operations += p.groups * p.pixels * p.filters * p.window * p.repeat;
    }
  }
  return profile;
}

Accelerator SmallAccelerator(Random& random) {
  Accelerator accelerator;
  accelerator.name = "small";
  accelerator.arrays = Pick(random, 1, 3);
  accelerator.array = {Pick(random, 1, 4), Pick(random, 1, 4),
                       static_cast<Dataflow>(Pick(random, 0, 2))};
  accelerator.block_bytes = Pick(random, 4, 24);
  accelerator.window_bytes = Pick(random, 4, 100);
  accelerator.window_layers = Pick(random, 0, 4);
  accelerator.bytes_per_cycle = static_cast<double>(Pick(random, 1, 16)) / 4;
  accelerator.memory_bytes = 1 << 20;
  return accelerator;
}

}  // namespace inlay::testing

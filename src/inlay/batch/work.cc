#include <algorithm>

#include "inlay/base/checked.h"
#include "inlay/batch/profile.h"

namespace inlay::batch {

Work WorkOf(const Product& product, const Accelerator& accelerator, int64_t n) {
  const int64_t turns = product.in_turn ? n : 1;
  n /= turns;
  const SystolicArray& array = accelerator.array;
  const int64_t pixels = SaturatingMultiply(product.pixels, product.shared_weights ? n : 1);
  const int64_t groups = SaturatingMultiply(product.groups, product.shared_weights ? 1 : n);
  const int64_t skew = array.rows + array.columns - 2;
  int64_t along_rows = product.window, along_columns = product.filters;
  int64_t streamed = SaturatingAdd(pixels, array.rows + skew);
  if (array.dataflow == Dataflow::kOutputStationary) {
    along_rows = pixels;
    streamed = SaturatingAdd(product.window, skew);
  } else if (array.dataflow == Dataflow::kInputStationary) {
    along_columns = pixels;
    streamed = SaturatingAdd(product.filters, array.rows + skew);
  }
  const int64_t folds = SaturatingMultiply(
      SaturatingMultiply(CeilDiv(along_rows, array.rows), CeilDiv(along_columns, array.columns)),
      groups);
  const int64_t repeat = SaturatingMultiply(product.repeat, turns);
  return {SaturatingMultiply(CeilDiv(folds, accelerator.arrays), repeat),
          std::max<int64_t>(1, SaturatingAdd(streamed, product.more_cycles))};
}

int64_t CyclesOf(const LayerProfile& layer, const Accelerator& accelerator, int64_t n) {
  int64_t cycles = 0;
  for (const Product& product : layer.products) {
    const Work work = WorkOf(product, accelerator, n);
    cycles = SaturatingAdd(cycles, SaturatingMultiply(work.steps, work.cycles_per_step));
  }
  return cycles;
}

int64_t BlocksOf(const LayerProfile& layer, const Accelerator& accelerator) {
  return std::max<int64_t>(1, CeilDiv(layer.weight_bytes, accelerator.block_bytes));
}

int64_t HeldBefore(const NetworkProfile& profile, size_t layer, int64_t n) {
  if (layer == 0 || layer >= profile.layers.size()) return 0;
  return SaturatingMultiply(n, profile.layers[layer].live_bytes);
}

}  // namespace inlay::batch

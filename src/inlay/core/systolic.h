#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "inlay/base/structure.h"

namespace inlay {

// Which operand stays in the processing elements of a systolic array during a fold.
enum class Dataflow { kOutputStationary, kWeightStationary, kInputStationary };

template <>
inline constexpr auto kNames<Dataflow> =
    std::to_array<EnumName<Dataflow>>({{Dataflow::kOutputStationary, "os"},
                                       {Dataflow::kWeightStationary, "ws"},
                                       {Dataflow::kInputStationary, "is"}});
// Ignores case; nullopt for anything but these names.
std::optional<Dataflow> DataflowFromShortName(std::string_view name);

struct SystolicArray {
  int64_t rows = 1;
  int64_t columns = 1;
  Dataflow dataflow = Dataflow::kOutputStationary;
  bool operator==(const SystolicArray&) const = default;
};
const Structure& StructureOf(const SystolicArray*);

// A layer as a systolic array sees it: `groups` products of a pixels × reduction by a reduction ×
// filters matrix, one after the other.
struct SystolicShape {
  int64_t groups = 1;
  int64_t pixels = 1;     // S_r: output pixels, the batch included; rows of a GEMM
  int64_t filters = 1;    // S_c: columns of a GEMM
  int64_t reduction = 1;  // T: filter height × width × channels; the reduced dimension of a GEMM
  bool operator==(const SystolicShape&) const = default;
};

// All groups together, without stalls.
struct SystolicCost {
  int64_t operations = 0;
  int64_t folds = 0;
  int64_t cycles_per_fold = 0;
  int64_t cycles = 0;  // per group: index of the last cycle, folds × cycles_per_fold − 1
  double mapping_efficiency = 0;  // share of the elements that hold work, averaged over the folds
  double utilization = 0;         // operations / (elements × cycles), at most 1
  // Words between the three SRAMs and the array.
  int64_t input_reads = 0;
  int64_t weight_reads = 0;
  int64_t output_writes = 0;  // ws, is: every fold along the reduction writes its partial sums
};
const Structure& StructureOf(const SystolicCost*);

}  // namespace inlay

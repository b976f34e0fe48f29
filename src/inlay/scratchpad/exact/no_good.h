#pragma once

#include <optional>
#include <vector>

#include "inlay/scratchpad/choices_to_plan.h"
#include "inlay/scratchpad/exact/model.h"

namespace inlay::exact {

struct NoGood {
  milp::Row row;
  // Every plan with addresses satisfies the row. Not so where the misfit is not proven, where a
  // workspace is part of it, or where tensors share addresses in place that need not.
  bool valid = false;
};

// Says that the stays of a misfit are not all there, each throughout its part of the window.
// `values` is the answer that stands for the choices. nullopt: the stays are not found in it.
std::optional<NoGood> MakeNoGood(const Model& model, const Choices& choices,
                                 const std::vector<double>& values, const Misfit& misfit);

}  // namespace inlay::exact

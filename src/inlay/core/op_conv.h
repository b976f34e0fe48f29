#pragma once

#include "inlay/core/op_work.h"

namespace inlay {

// Convolutions and transposed convolutions, for op_work.cc.
tl::expected<Shape, Fault> ConvOutput(const OpAttributes& attributes,
                                      const std::vector<Shape>& inputs);
tl::expected<Shape, Fault> ConvTransposeOutput(const OpAttributes& attributes,
                                               const std::vector<Shape>& inputs);
tl::expected<OpWork, Fault> ConvWork(const OpAttributes& attributes,
                                     const std::vector<Shape>& inputs, const Shape& output);
tl::expected<OpWork, Fault> ConvTransposeWork(const OpAttributes& attributes,
                                              const std::vector<Shape>& inputs,
                                              const Shape& output);

}  // namespace inlay

#pragma once

#include "mlir/planning.h"
#include "mlir/translate.h"

namespace inlay::plugin {

// The name of the attribute that says that a function is planned.
inline constexpr const char* kPlanAttribute = "inlay.plan";

// Writes the plan into attributes; docs/guide/mlir.md lists them.
void Annotate(mlir::func::FuncOp function, const Translation& translation, const PlanResult& result,
              const std::vector<std::string>& memories);

}  // namespace inlay::plugin

#include "inlay/core/batch_result.h"

#include <algorithm>

namespace inlay {

const BatchPolicyResult* FindPolicy(const BatchFigures& figures, std::string_view name) {
  const auto found = std::find_if(figures.policies.begin(), figures.policies.end(),
                                  [name](const auto& policy) { return policy.name == name; });
  return found == figures.policies.end() ? nullptr : &*found;
}

const BatchPolicyResult* BestPolicy(const BatchFigures& figures) {
  const BatchPolicyResult* best = nullptr;
  for (const BatchPolicyResult& policy : figures.policies) {
    if (policy.deadlocked) continue;
    if (best == nullptr || policy.makespan_cycles < best->makespan_cycles) best = &policy;
  }
  return best;
}

}  // namespace inlay

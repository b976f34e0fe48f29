#pragma once

#include <memory>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay {

// The `exact` semantics in closed form: the same figures as the walker, without walking. The cost
// of an evaluation does not depend on the bounds. Built once per problem and architecture; after
// the first few calls Evaluate allocates nothing. Not thread-safe: one model per thread.
class ExactModel {
 public:
  ExactModel(const Problem& problem, const Architecture& architecture);
  ~ExactModel();
  ExactModel(ExactModel&&) noexcept;
  ExactModel& operator=(ExactModel&&) noexcept;

  // The mapping is valid for the problem and the architecture. False if a count does not fit into
  // 64 bits.
  bool Evaluate(const Mapping& mapping, Cost* cost, bool fill_and_drain = false);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace inlay

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

struct PlanCase {
  PlanProblem problem;
  Plan plan;
};

// One way to break an allowed plan, or to change the problem so that it is not allowed any more.
struct Breach {
  const char* clause;  // of docs/reference/scratchpad.md
  const char* what;
  std::function<bool(PlanCase&, Random&)> make;  // false: not in this plan
};
std::vector<Breach> BreachesOfCopies();  // C1 to C6: written, kept, read, moved
std::vector<Breach> BreachesOfEnds();    // C7 to C11: written back, in place, staying, outputs
std::vector<Breach> BreachesOfSpace();   // capacity, addresses, steps

// What the breaches have in common.

inline int64_t StepsOf(const PlanCase& c) { return static_cast<int64_t>(c.plan.steps.size()); }
// Null: the step does not use the tensor.
const Operand* OperandIn(const PlanCase& c, int64_t step, ValueId tensor);
UnitId UnitOf(const PlanCase& c, int64_t step);
// The number of steps if there is none.
int64_t NextUse(const PlanCase& c, ValueId tensor, int64_t after);
// A copy of this kind, to or from a pad or not.
bool Is(const Transfer& t, TransferKind kind, bool pad);
// Transfers stay sorted.
void Add(PlanCase* c, const Transfer& transfer);
void SortTransfers(PlanCase* c);

// The transfer or residency of a plan that a breach starts from, of those that `fits` takes.
template <typename T, typename Fits>
T* Some(std::vector<T>& all, Random& random, const Fits& fits) {
  std::vector<T*> fitting;
  for (T& one : all) {
    if (fits(one)) fitting.push_back(&one);
  }
  return fitting.empty() ? nullptr : fitting[random() % fitting.size()];
}

template <typename T, typename Fits>
bool Drop(std::vector<T>& all, Random& random, const Fits& fits) {
  T* one = Some(all, random, fits);
  if (one == nullptr) return false;
  all.erase(all.begin() + (one - all.data()));
  return true;
}

}  // namespace inlay::testing

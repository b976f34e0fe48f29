#pragma once

#include <cstdint>
#include <vector>

#include "inlay/gp/posynomial.h"

namespace inlay::gp {

// Minimise a posynomial of positive variables subject to posynomials ≤ 1.
struct Program {
  VariableNames names;  // of the variables
  Signomial objective;
  std::vector<Signomial> constraints;
};

struct SolverOptions {
  double tolerance = 1e-10;  // relative, of the objective
  int max_iterations = 200;
};

enum class SolverStatus : uint8_t {
  kOptimal,
  kNoStart,  // the start violates a constraint, or meets it exactly
  kStalled,  // no progress, or too many iterations
};

struct ProgramSolution {
  SolverStatus status = SolverStatus::kStalled;
  Values values;
  double objective = 0;
  double gap = 0;  // (objective − optimum) / objective is at most about this
  int iterations = 0;
};

// Is every constraint of the program below 1 there?
bool IsStrictlyFeasible(const Program& program, const Values& values);

// A primal-dual interior-point method on the logarithms: log Σ exp(a·log x + b) is convex, so the
// optimum is global. Starts at a strictly feasible point and stays within. Every variable must be
// bounded by the constraints or the objective.
ProgramSolution Solve(const Program& program, const Values& start,
                      const SolverOptions& options = {});

}  // namespace inlay::gp

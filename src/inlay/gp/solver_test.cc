#include "inlay/gp/solver.h"

#include <gtest/gtest.h>

#include <cmath>

namespace inlay::gp {
namespace {

const VariableId kX(0), kY(1), kZ(2);

Signomial Sum(std::initializer_list<Monomial> terms) {
  Signomial sum;
  for (const Monomial& term : terms) sum = sum + Signomial(term);
  return sum;
}

TEST(GpSolver, FindsTheLargestBox) {
  // The box of the largest volume x·y·z with a surface 2(xy + yz + zx) of at most 6 is the cube.
  const Monomial x = Variable(kX), y = Variable(kY), z = Variable(kZ);
  Program program{{"x", "y", "z"}, Pow(x * y * z, -1), {}};
  const Monomial third = Constant(1.0 / 3);
  program.constraints = {Sum({third * x * y, third * y * z, third * z * x})};
  const ProgramSolution solution = Solve(program, {0.2, 0.9, 0.5});
  ASSERT_EQ(solution.status, SolverStatus::kOptimal);
  EXPECT_NEAR(solution.objective, 1, 1e-8);
  for (const double side : solution.values) EXPECT_NEAR(side, 1, 1e-4);
  EXPECT_LE(solution.gap, 1e-9);
}

TEST(GpSolver, NeedsNoConstraint) {
  const Monomial x = Variable(kX);
  const Program program{{"x"}, Sum({x, Constant(4) * Pow(x, -1)}), {}};  // least at x = 2
  const ProgramSolution solution = Solve(program, {50});
  ASSERT_EQ(solution.status, SolverStatus::kOptimal);
  EXPECT_NEAR(solution.objective, 4, 1e-8);
}

TEST(GpSolver, NeedsNoVariable) {
  Program program{{}, Sum({Constant(3), Constant(4)}), {Sum({Constant(0.5)})}};
  const ProgramSolution solution = Solve(program, {});
  ASSERT_EQ(solution.status, SolverStatus::kOptimal);
  EXPECT_NEAR(solution.objective, 7, 1e-12);
  program.constraints = {Sum({Constant(2)})};
  EXPECT_EQ(Solve(program, {}).status, SolverStatus::kNoStart);
}

TEST(GpSolver, AConstraintMayBeSlack) {
  const Monomial x = Variable(kX), y = Variable(kY);
  Program program{{"x", "y"}, Sum({x * y, Pow(x, -1), Pow(y, -1)}), {}};  // least at (1, 1)
  program.constraints = {Constant(1e-3) * x, Constant(1e-3) * y, Constant(1e-3) * Pow(x, -1)};
  const ProgramSolution solution = Solve(program, {0.01, 500});
  ASSERT_EQ(solution.status, SolverStatus::kOptimal);
  EXPECT_NEAR(solution.objective, 3, 1e-8);
}

TEST(GpSolver, SaysWhereTheStartIsOutside) {
  const Monomial x = Variable(kX);
  const Program program{{"x"}, x, {Constant(2) * Pow(x, -1)}};
  EXPECT_EQ(Solve(program, {1}).status, SolverStatus::kNoStart);
  EXPECT_EQ(Solve(program, {2}).status, SolverStatus::kNoStart);
  EXPECT_NEAR(Solve(program, {3}).objective, 2, 1e-8);
}

}  // namespace
}  // namespace inlay::gp

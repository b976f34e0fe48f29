// Every geometric program of the 23 layers of the Thistle paper through our solver and through
// Ipopt, which is here for this only.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <coin/IpIpoptApplication.hpp>
#include <coin/IpTNLP.hpp>
#include <string>
#include <vector>

#include "inlay/gp/solver.h"
#include "inlay/gp/symbolic_architecture.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/gp/programs.h"

namespace inlay {
namespace {

using Ipopt::Index;
using Ipopt::Number;

// The logarithms of a program: minimise f_0(y) subject to f_i(y) ≤ 0, with gradients; Ipopt finds
// curvature by itself.
class LogProgram : public Ipopt::TNLP {
 public:
  LogProgram(const gp::Program& program, gp::Values start)
      : program_(program), start_(std::move(start)) {}

  double optimum() const { return optimum_; }

  bool get_nlp_info(Index& n, Index& m, Index& nnz_jacobian, Index& nnz_hessian,
                    IndexStyleEnum& style) override {
    n = static_cast<Index>(program_.names.size());
    m = static_cast<Index>(program_.constraints.size());
    nnz_jacobian = n * m;
    nnz_hessian = n * (n + 1) / 2;
    style = C_STYLE;
    return true;
  }
  bool get_bounds_info(Index n, Number* low, Number* high, Index m, Number* g_low,
                       Number* g_high) override {
    for (Index i = 0; i < n; ++i) {
      low[i] = -50;
      high[i] = 50;
    }
    for (Index i = 0; i < m; ++i) {
      g_low[i] = -1e19;
      g_high[i] = 0;
    }
    return true;
  }
  bool get_starting_point(Index n, bool, Number* x, bool, Number*, Number*, Index, bool,
                          Number*) override {
    for (Index i = 0; i < n; ++i) x[i] = std::log(start_[Id(i)]);
    return true;
  }
  bool eval_f(Index n, const Number* x, bool, Number& value) override {
    value = Value(program_.objective, n, x);
    return true;
  }
  bool eval_grad_f(Index n, const Number* x, bool, Number* gradient) override {
    Gradient(program_.objective, n, x, gradient);
    return true;
  }
  bool eval_g(Index n, const Number* x, bool, Index m, Number* g) override {
    for (Index i = 0; i < m; ++i) g[i] = Value(Constraint(i), n, x);
    return true;
  }
  bool eval_jac_g(Index n, const Number* x, bool, Index m, Index, Index* rows, Index* columns,
                  Number* values) override {
    for (Index i = 0; i < m; ++i) {
      if (values != nullptr) Gradient(Constraint(i), n, x, values + i * n);
      for (Index j = 0; values == nullptr && j < n; ++j) {
        rows[i * n + j] = i;
        columns[i * n + j] = j;
      }
    }
    return true;
  }
  bool eval_h(Index n, const Number* x, bool, Number factor, Index m, const Number* lambda, bool,
              Index, Index* rows, Index* columns, Number* values) override {
    if (values == nullptr) {
      Index k = 0;
      for (Index r = 0; r < n; ++r) {
        for (Index c = 0; c <= r; ++c) {
          rows[k] = r;
          columns[k++] = c;
        }
      }
      return true;
    }
    std::fill(values, values + n * (n + 1) / 2, 0);
    AddHessian(program_.objective, factor, n, x, values);
    for (Index i = 0; i < m; ++i) AddHessian(Constraint(i), lambda[i], n, x, values);
    return true;
  }
  void finalize_solution(Ipopt::SolverReturn, Index, const Number*, const Number*, const Number*,
                         Index, const Number*, const Number*, Number value, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    optimum_ = std::exp(value);
  }

 private:
  static gp::VariableId Id(Index i) { return gp::VariableId(static_cast<size_t>(i)); }
  const gp::Signomial& Constraint(Index i) const {
    return program_.constraints[static_cast<size_t>(i)];
  }
  static gp::Values Exp(Index n, const Number* x) {
    gp::Values values;
    for (Index i = 0; i < n; ++i) values.push_back(std::exp(x[i]));
    return values;
  }
  static double Value(const gp::Signomial& f, Index n, const Number* x) {
    return std::log(gp::ValueOf(f, Exp(n, x)));
  }
  static void Gradient(const gp::Signomial& f, Index n, const Number* x, Number* gradient) {
    const gp::Values values = Exp(n, x);
    const double sum = gp::ValueOf(f, values);
    std::fill(gradient, gradient + n, 0);
    for (const gp::Monomial& term : f.terms) {
      const double share = gp::ValueOf(term, values) / sum;
      for (const gp::Power& power : term.powers) {
        gradient[power.variable.value()] += share * power.exponent;
      }
    }
  }
  static void AddHessian(const gp::Signomial& f, double factor, Index n, const Number* x,
                         Number* hessian) {
    const gp::Values values = Exp(n, x);
    const double sum = gp::ValueOf(f, values);
    std::vector<double> mean(static_cast<size_t>(n));
    Gradient(f, n, x, mean.data());
    const auto at = [](size_t r, size_t c) { return r * (r + 1) / 2 + c; };
    for (size_t r = 0; r < mean.size(); ++r) {
      for (size_t c = 0; c <= r; ++c) hessian[at(r, c)] -= factor * mean[r] * mean[c];
    }
    for (const gp::Monomial& term : f.terms) {
      const double share = gp::ValueOf(term, values) / sum;
      for (const gp::Power& a : term.powers) {
        for (const gp::Power& b : term.powers) {
          if (b.variable <= a.variable) {
            hessian[at(a.variable.value(), b.variable.value())] +=
                factor * share * a.exponent * b.exponent;
          }
        }
      }
    }
  }

  const gp::Program& program_;
  gp::Values start_;
  double optimum_ = 0;
};

struct Tally {
  int64_t programs = 0, iterations = 0;
  double worst = 0;
};

void Compare(const gp::Program& program, const gp::Unknowns& unknowns,
             Ipopt::IpoptApplication* ipopt, Tally* tally) {
  const gp::Values start = gp::FindStart(program, unknowns);
  ASSERT_FALSE(start.empty());
  const gp::ProgramSolution ours = gp::Solve(program, start);
  ASSERT_EQ(ours.status, gp::SolverStatus::kOptimal);
  Ipopt::SmartPtr<LogProgram> theirs = new LogProgram(program, start);
  const auto status = ipopt->OptimizeTNLP(theirs);
  ASSERT_TRUE(status == Ipopt::Solve_Succeeded || status == Ipopt::Solved_To_Acceptable_Level);
  EXPECT_NEAR(ours.objective / theirs->optimum(), 1, 1e-6);
  for (const gp::Signomial& constraint : program.constraints) {
    EXPECT_LE(gp::ValueOf(constraint, ours.values), 1);
  }
  ++tally->programs;
  tally->iterations += ours.iterations;
  tally->worst = std::max(tally->worst, std::abs(ours.objective / theirs->optimum() - 1));
}

class GpOracle : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Architecture, GpOracle, ::testing::Values(false, true),
                         [](const auto& of) { return of.param ? "Free" : "Fixed"; });

TEST_P(GpOracle, EveryProgramOfTableTwoAgreesWithIpopt) {
  const bool free = GetParam();
  auto inputs = io::LoadBuiltin(io::BuiltinKind::kNetwork, "thistle-table2");
  Architecture architecture =
      *io::LoadBuiltin(io::BuiltinKind::kArchitecture, "thistle-eyeriss").value().architecture;
  const double area = AreaUm2(architecture).value();
  if (free) architecture.levels[LevelId(1)].fanout.x = 1 << 20;
  Ipopt::SmartPtr<Ipopt::IpoptApplication> ipopt = IpoptApplicationFactory();
  ipopt->Options()->SetIntegerValue("print_level", 0);
  ipopt->Options()->SetStringValue("sb", "yes");
  ipopt->Options()->SetNumericValue("tol", 1e-10);
  ASSERT_EQ(ipopt->Initialize(), Ipopt::Solve_Succeeded);
  Tally tally;
  for (const Layer& layer : inputs.value().network->layers) {
    SCOPED_TRACE(layer.name);
    const Space space = MakeSpace(layer.problem, architecture, Mapspace::kPerfect).value();
    gp::Sizes sizes = gp::SizesOf(architecture);
    gp::VariableNames names;
    std::vector<gp::Signomial> limits;
    if (free) {
      names = {"S", "R", "P"};
      sizes.capacity_words[LevelId(1)] = gp::Variable(gp::VariableId(0));
      sizes.capacity_words[LevelId(2)] = gp::Variable(gp::VariableId(1));
      sizes.x[LevelId(1)] = gp::Variable(gp::VariableId(2));
      limits.push_back(gp::Signomial(gp::Constant(1 / area)) * gp::AreaOf(architecture, sizes));
    }
    const gp::Unknowns unknowns(space, names);
    gp::SymbolicArchitecture machine =
        gp::SymbolicArchitectureOf(layer.problem, architecture, sizes);
    machine.limits = limits;
    for (const gp::OrderedNest& nest : gp::OrderedNests(space, unknowns)) {
      Compare(gp::MakeProgram(space, unknowns, machine, nest.nest, {}), unknowns,
              Ipopt::GetRawPtr(ipopt), &tally);
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(tally.programs, 14 * 25 + 9 * 9);
  RecordProperty("worst_difference", std::to_string(1e9 * tally.worst) + "e-9");
  RecordProperty("mean_iterations", std::to_string(tally.iterations / tally.programs));
}

}  // namespace
}  // namespace inlay

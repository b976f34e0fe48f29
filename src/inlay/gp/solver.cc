#include "inlay/gp/solver.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "inlay/base/check.h"

namespace inlay::gp {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

// The functions f_i(y) = log Σ_k exp(a_k·y + b_k) of y = log x. The objective is the first, the
// constraints f_i ≤ 0 follow.
class LogSumExp {
 public:
  explicit LogSumExp(const Program& program)
      : variables_(static_cast<Index>(program.names.size())),
        count_(static_cast<Index>(program.constraints.size()) + 1) {
    auto terms = static_cast<Index>(program.objective.terms.size());
    for (const Signomial& constraint : program.constraints) {
      terms += static_cast<Index>(constraint.terms.size());
    }
    exponents_ = Matrix::Zero(terms, variables_);
    logs_.resize(terms);
    begin_.resize(count_ + 1);
    begin_[0] = 0;
    Index next = 0;
    Add(program.objective, next++);
    for (const Signomial& constraint : program.constraints) Add(constraint, next++);
    values_.resize(count_);
    weights_.resize(terms);
    gradients_ = Matrix::Zero(count_, variables_);
  }

  Index variables() const { return variables_; }
  Index constraints() const { return count_ - 1; }

  // Values only.
  void Evaluate(const Vector& y) {
    weights_.noalias() = exponents_ * y;
    weights_ += logs_;
    for (Index i = 0; i < count_; ++i) {
      const auto terms = weights_.segment(begin_[i], begin_[i + 1] - begin_[i]);
      if (terms.size() == 1) {
        values_[i] = terms[0];
        weights_[begin_[i]] = 1;
        continue;
      }
      const double largest = terms.maxCoeff();
      double sum = 0;
      for (Index k = begin_[i]; k < begin_[i + 1]; ++k) {
        weights_[k] = std::exp(weights_[k] - largest);
        sum += weights_[k];
      }
      values_[i] = largest + std::log(sum);
      for (Index k = begin_[i]; k < begin_[i + 1]; ++k) weights_[k] /= sum;
    }
  }
  double objective() const { return values_[0]; }
  auto constraint_values() const { return values_.tail(count_ - 1); }

  // Gradients at the point evaluated last.
  void Differentiate() {
    gradients_.setZero();
    for (Index i = 0; i < count_; ++i) {
      for (Index k = begin_[i]; k < begin_[i + 1]; ++k) {
        gradients_.row(i) += weights_[k] * exponents_.row(k);
      }
    }
  }
  auto objective_gradient() const { return gradients_.row(0).transpose(); }
  auto constraint_gradients() const { return gradients_.bottomRows(count_ - 1); }

  // ∇²f_0 + Σ λ_i ∇²f_i + Σ λ_i / −f_i · ∇f_i ∇f_iᵀ, lower triangle.
  void Hessian(const Vector& lambda, Matrix* hessian) const {
    hessian->setZero(variables_, variables_);
    for (Index i = 0; i < count_; ++i) {
      const double multiplier = i == 0 ? 1 : lambda[i - 1];
      double outer = i == 0 ? 0 : multiplier / -values_[i];
      if (begin_[i + 1] - begin_[i] > 1) {
        for (Index k = begin_[i]; k < begin_[i + 1]; ++k) {
          AddOuter(multiplier * weights_[k], exponents_.row(k).data(), hessian);
        }
        outer -= multiplier;
      }
      AddOuter(outer, gradients_.row(i).data(), hessian);
    }
  }

 private:
  void Add(const Signomial& posynomial, Index i) {
    INLAY_CHECK(posynomial.is_posynomial() && !posynomial.terms.empty());
    Index row = begin_[i];
    for (const Monomial& term : posynomial.terms) {
      for (const Power& power : term.powers) {
        exponents_(row, static_cast<Index>(power.variable.value())) = power.exponent;
      }
      logs_[row++] = std::log(term.coefficient);
    }
    begin_[i + 1] = row;
  }

  void AddOuter(double factor, const double* v, Matrix* hessian) const {
    if (factor == 0) return;
    for (Index r = 0; r < variables_; ++r) {
      const double scaled = factor * v[r];
      if (scaled == 0) continue;
      double* row = hessian->data() + r * variables_;
      for (Index c = 0; c <= r; ++c) row[c] += scaled * v[c];
    }
  }

  Index variables_, count_;
  Matrix exponents_;                               // terms × variables
  Vector logs_;                                    // of the coefficients
  Eigen::Matrix<Index, Eigen::Dynamic, 1> begin_;  // of the terms of each function
  Vector values_, weights_;  // of functions; of terms: their shares of their function
  Matrix gradients_;         // functions × variables
};

// Boyd and Vandenberghe, Convex Optimization, 11.7: Newton steps on the optimality conditions with
// λ_i·f_i = −1/t, t raised with the gap.
class Method {
 public:
  Method(const Program& program, const Values& start, const SolverOptions& options)
      : functions_(program), options_(options), y_(functions_.variables()) {
    for (Index i = 0; i < y_.size(); ++i)
      y_[i] = std::log(start[VariableId(static_cast<size_t>(i))]);
  }

  ProgramSolution Run() {
    ProgramSolution solution;
    functions_.Evaluate(y_);
    if (functions_.constraints() > 0 && !(functions_.constraint_values().maxCoeff() < 0)) {
      solution.status = SolverStatus::kNoStart;
      return solution;
    }
    if (y_.size() == 0) {  // nothing to choose
      solution.status = SolverStatus::kOptimal;
      solution.objective = std::exp(functions_.objective());
      return solution;
    }
    lambda_ = -functions_.constraint_values().cwiseInverse();
    functions_.Differentiate();
    for (; solution.iterations < options_.max_iterations; ++solution.iterations) {
      if (IsDone()) {
        solution.status = SolverStatus::kOptimal;
        break;
      }
      if (!Step()) {
        // Rounding ends some runs a little early.
        const bool close = Gap() <= 1e3 * options_.tolerance && DualNorm() <= kCloseDual;
        solution.status = close ? SolverStatus::kOptimal : SolverStatus::kStalled;
        break;
      }
    }
    for (Index i = 0; i < y_.size(); ++i) solution.values.push_back(std::exp(y_[i]));
    solution.objective = std::exp(functions_.objective());
    solution.gap = Gap();
    return solution;
  }

 private:
  static constexpr double kDual = 1e-8, kCloseDual = 1e-6;

  double Gap() const { return -functions_.constraint_values().dot(lambda_); }
  double DualNorm() const { return Dual().lpNorm<Eigen::Infinity>(); }
  bool IsDone() const { return Gap() <= options_.tolerance && DualNorm() <= kDual; }

  Vector Dual() const {
    return functions_.objective_gradient() +
           functions_.constraint_gradients().transpose() * lambda_;
  }
  double ResidualNorm(double inverse_t) const {
    const auto values = functions_.constraint_values();
    const double central = (lambda_.array() * values.array() + inverse_t).matrix().squaredNorm();
    return std::sqrt(Dual().squaredNorm() + central);
  }

  bool Step() {
    constexpr double kRaise = 12;
    const auto count = static_cast<double>(functions_.constraints());
    const double inverse_t = count > 0 ? Gap() / (kRaise * count) : 0;
    const Vector values = functions_.constraint_values();
    const Matrix gradients = functions_.constraint_gradients();
    Vector right = -functions_.objective_gradient();
    right -= gradients.transpose() * (-inverse_t * values.cwiseInverse());
    functions_.Hessian(lambda_, &hessian_);
    const double scale = hessian_.diagonal().maxCoeff();
    hessian_.diagonal().array() += 1e-15 * scale;
    const auto factor = hessian_.selfadjointView<Eigen::Lower>().ldlt();
    const Vector dy = factor.solve(right);
    if (!dy.allFinite()) return false;
    // From the linearised λ_i·f_i = −1/t.
    const Vector slope = gradients * dy;
    const Vector d_lambda =
        -(lambda_.array() * slope.array() + inverse_t).cwiseQuotient(values.array()).matrix() -
        lambda_;
    return Move(dy, d_lambda, inverse_t);
  }

  // As far as everything stays positive and the residuals shrink.
  bool Move(const Vector& dy, const Vector& d_lambda, double inverse_t) {
    double length = 1;
    for (Index i = 0; i < lambda_.size(); ++i) {
      if (d_lambda[i] < 0) length = std::min(length, -lambda_[i] / d_lambda[i]);
    }
    length *= 0.99;
    const double before = ResidualNorm(inverse_t);
    const Vector y = y_, lambda = lambda_;
    while (length > 1e-12) {
      const double tried = length;
      length /= 2;
      y_ = y + tried * dy;
      lambda_ = lambda + tried * d_lambda;
      functions_.Evaluate(y_);
      if (functions_.constraints() > 0 && !(functions_.constraint_values().maxCoeff() < 0))
        continue;
      functions_.Differentiate();
      if (ResidualNorm(inverse_t) <= (1 - 0.01 * tried) * before) return true;
    }
    y_ = y;
    lambda_ = lambda;
    functions_.Evaluate(y_);
    functions_.Differentiate();
    return false;
  }

  LogSumExp functions_;
  SolverOptions options_;
  Vector y_, lambda_;
  Matrix hessian_;
};

}  // namespace

bool IsStrictlyFeasible(const Program& program, const Values& values) {
  return std::all_of(program.constraints.begin(), program.constraints.end(),
                     [&](const Signomial& constraint) { return ValueOf(constraint, values) < 1; });
}

ProgramSolution Solve(const Program& program, const Values& start, const SolverOptions& options) {
  INLAY_CHECK(start.size() == program.names.size());
  return Method(program, start, options).Run();
}

}  // namespace inlay::gp

#include "inlay/scratchpad/milp/solver.h"

#include <algorithm>
#include <cmath>
#include <coin/CbcEventHandler.hpp>
#include <coin/CbcHeuristic.hpp>
#include <coin/CbcHeuristicDiveCoefficient.hpp>
#include <coin/CbcHeuristicRINS.hpp>
#include <coin/CbcModel.hpp>
#include <coin/CglClique.hpp>
#include <coin/CglFlowCover.hpp>
#include <coin/CglGomory.hpp>
#include <coin/CglKnapsackCover.hpp>
#include <coin/CglProbing.hpp>
#include <coin/ClpEventHandler.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/ClpSolve.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/CoinWarmStartBasis.hpp>
#include <coin/OsiClpSolverInterface.hpp>
#include <coin/OsiCuts.hpp>

namespace inlay::milp {
namespace {

class LpStop : public ClpEventHandler {
 public:
  explicit LpStop(const Deadline& deadline) : deadline_(&deadline) {}
  int event(Event which) override {
    constexpr int kGoOn = -1, kStop = 5;
    if (which != endOfFactorization && which != endOfIteration) return kGoOn;
    if (which == endOfIteration && (++calls_ & 63) != 0) return kGoOn;
    return deadline_->Passed() ? kStop : kGoOn;
  }
  ClpEventHandler* clone() const override { return new LpStop(*this); }

 private:
  const Deadline* deadline_;
  unsigned calls_ = 0;
};

class SearchStop : public CbcEventHandler {
 public:
  explicit SearchStop(const Deadline& deadline) : deadline_(&deadline) {}
  CbcAction event(CbcEvent which) override {
    // Only of these does CBC read the answer as it is meant.
    const bool asks = which == node || which == treeStatus || which == afterHeuristic;
    return asks && deadline_->Passed() ? stop : noAction;
  }
  CbcEventHandler* clone() const override { return new SearchStop(*this); }

 private:
  const Deadline* deadline_;
};

double Finite(double bound) { return std::clamp(bound, -COIN_DBL_MAX, COIN_DBL_MAX); }

void Load(const Milp& milp, OsiClpSolverInterface* lp) {
  lp->messageHandler()->setLogLevel(0);
  lp->getModelPtr()->setLogLevel(0);
  CoinPackedMatrix matrix(/*colordered=*/false, 0, 0);
  matrix.setDimensions(0, static_cast<int>(milp.columns.size()));
  std::vector<double> row_lower, row_upper;
  std::vector<int> starts = {0}, indices;
  std::vector<double> elements;
  for (const Row& row : milp.rows) {
    row_lower.push_back(Finite(row.lower));
    row_upper.push_back(Finite(row.upper));
    for (const Term& term : row.terms) {
      indices.push_back(term.column);
      elements.push_back(term.coefficient);
    }
    starts.push_back(static_cast<int>(indices.size()));
  }
  matrix.appendRows(static_cast<int>(milp.rows.size()), starts.data(), indices.data(),
                    elements.data());
  std::vector<double> lower, upper, cost;
  std::vector<int> integers;
  for (size_t j = 0; j < milp.columns.size(); ++j) {
    const Column& column = milp.columns[j];
    lower.push_back(column.lower);
    upper.push_back(column.upper);
    cost.push_back(column.cost);
    if (column.integer) integers.push_back(static_cast<int>(j));
  }
  lp->loadProblem(matrix, lower.data(), upper.data(), cost.data(), row_lower.data(),
                  row_upper.data());
  lp->setInteger(integers.data(), static_cast<int>(integers.size()));
  lp->setDblParam(OsiObjOffset, -milp.constant);
  lp->setHintParam(OsiDoReducePrint, true, OsiHintTry);
  // CLP would take Ctrl-C for itself while it solves, and the process would not get it.
  constexpr int kInterrupts = 2;
  ClpSolve options;
  options.setSpecialOption(kInterrupts, 1);
  lp->setSolveOptions(options);
}

}  // namespace

struct Relaxation::Impl {
  mutable OsiClpSolverInterface lp;
  size_t own_rows = 0;
  std::vector<double> values;
  bool begun = false;
};

Relaxation::Relaxation(const Milp& milp) : impl_(std::make_unique<Impl>()) {
  Load(milp, &impl_->lp);
  impl_->own_rows = milp.rows.size();
}
Relaxation::~Relaxation() = default;

Relaxation::Status Relaxation::Solve(const Deadline& deadline) {
  OsiClpSolverInterface& lp = impl_->lp;
  const LpStop stop(deadline);
  lp.getModelPtr()->passInEventHandler(&stop);
  // Staircases make the programs so degenerate that the dual simplex stalls; with perturbed costs
  // the rounds of cuts of a network of 430 nodes take a seventh of the time.
  constexpr int kPerturb = 50;
  lp.getModelPtr()->setPerturbation(kPerturb);
  if (impl_->begun) {
    lp.resolve();
  } else {
    lp.initialSolve();
    impl_->begun = true;
  }
  impl_->values.assign(lp.getColSolution(), lp.getColSolution() + lp.getNumCols());
  if (lp.isProvenOptimal()) return Status::kOptimal;
  return lp.isProvenPrimalInfeasible() ? Status::kInfeasible : Status::kStopped;
}

const std::vector<double>& Relaxation::values() const { return impl_->values; }

std::vector<double> Relaxation::ReducedCosts() const {
  const OsiClpSolverInterface& lp = impl_->lp;
  return {lp.getReducedCost(), lp.getReducedCost() + lp.getNumCols()};
}

namespace {

// By weak duality: any prices do, as all columns have finite bounds. What rounding can do to the
// sum, by the size of what is added up, is taken off.
double BoundOf(const OsiClpSolverInterface& lp, const std::vector<double>& prices) {
  constexpr double kRoundOff = 1e-14;
  double offset = 0;
  lp.getDblParam(OsiObjOffset, offset);
  const auto columns = static_cast<size_t>(lp.getNumCols());
  std::vector<double> reduced(lp.getObjCoefficients(), lp.getObjCoefficients() + columns);
  std::vector<double> size(columns);  // of what each reduced cost is the sum of
  for (size_t j = 0; j < columns; ++j) size[j] = std::abs(reduced[j]);
  const CoinPackedMatrix& matrix = *lp.getMatrixByRow();
  double bound = -offset;
  double total = std::abs(offset);
  for (int i = 0; i < lp.getNumRows(); ++i) {
    const double price = prices[static_cast<size_t>(i)];
    const double side = price > 0 ? lp.getRowLower()[i] : lp.getRowUpper()[i];
    if (price == 0 || std::abs(side) >= COIN_DBL_MAX) continue;
    bound += price * side;
    total += std::abs(price * side);
    const int first = matrix.getVectorStarts()[i];
    for (int k = first; k < first + matrix.getVectorLengths()[i]; ++k) {
      const auto j = static_cast<size_t>(matrix.getIndices()[k]);
      const double part = price * matrix.getElements()[k];
      reduced[j] -= part;
      size[j] += std::abs(part);
    }
  }
  for (size_t j = 0; j < columns; ++j) {
    const double lower = lp.getColLower()[j], upper = lp.getColUpper()[j];
    bound += reduced[j] * (reduced[j] > 0 ? lower : upper);
    total += size[j] * std::max(std::abs(lower), std::abs(upper));
  }
  return bound - kRoundOff * total;
}

}  // namespace

double Relaxation::Bound() const {
  const OsiClpSolverInterface& lp = impl_->lp;
  const std::vector<double> prices(lp.getRowPrice(), lp.getRowPrice() + lp.getNumRows());
  double bound = BoundOf(lp, prices);
  if (!lp.isProvenPrimalInfeasible()) return bound;
  // Along the ray the bound rises without end.
  std::vector<double*> rays = lp.getDualRays(1, false);
  if (!rays.empty() && rays[0] != nullptr) {
    for (const double length : {1e4, -1e4, 1e8, -1e8}) {
      std::vector<double> along = prices;
      for (size_t i = 0; i < along.size(); ++i) along[i] += length * rays[0][i];
      bound = std::max(bound, BoundOf(lp, along));
    }
  }
  for (double* ray : rays) delete[] ray;
  return bound;
}

void Relaxation::SetBounds(int column, double lower, double upper) {
  impl_->lp.setColBounds(column, lower, upper);
}

struct Relaxation::Basis {
  std::unique_ptr<CoinWarmStartBasis> basis;
};

std::shared_ptr<const Relaxation::Basis> Relaxation::SaveBasis() const {
  auto saved = std::make_shared<Basis>();
  saved->basis.reset(dynamic_cast<CoinWarmStartBasis*>(impl_->lp.getWarmStart()));
  return saved;
}

void Relaxation::Restore(const Basis& basis) {
  if (!basis.basis) return;
  CoinWarmStartBasis grown(*basis.basis);  // rows may have been added since
  grown.resize(impl_->lp.getNumRows(), impl_->lp.getNumCols());
  impl_->lp.setWarmStart(&grown);
}

std::pair<double, double> Relaxation::TryChildren(int column) {
  OsiClpSolverInterface& lp = impl_->lp;
  constexpr int kIterations = 40;
  lp.setIntParam(OsiMaxNumIterationHotStart, kIterations);
  const double lower = lp.getColLower()[column], upper = lp.getColUpper()[column];
  const double before = lp.getObjValue();
  double found[2] = {before, before};
  lp.markHotStart();
  for (const int value : {0, 1}) {
    lp.setColBounds(column, value, value);
    lp.solveFromHotStart();
    const bool closed = lp.isProvenPrimalInfeasible() || lp.isDualObjectiveLimitReached();
    found[value] = std::max(before, lp.getObjValue());
    if (closed) found[value] = kInfinity;
    lp.setColBounds(column, lower, upper);
  }
  lp.unmarkHotStart();
  return {found[0], found[1]};
}

void Relaxation::Add(const std::vector<Row>& rows) {
  OsiCuts cuts;
  for (const Row& row : rows) {
    CoinPackedVector vector;
    for (const Term& term : row.terms) vector.insert(term.column, term.coefficient);
    OsiRowCut cut;
    cut.setRow(vector);
    cut.setLb(Finite(row.lower));
    cut.setUb(Finite(row.upper));
    cuts.insert(cut);
  }
  std::vector<const OsiRowCut*> pointers;
  pointers.reserve(rows.size());
  for (int i = 0; i < cuts.sizeRowCuts(); ++i) pointers.push_back(cuts.rowCutPtr(i));
  impl_->lp.applyRowCuts(static_cast<int>(pointers.size()), pointers.data());
}

void Relaxation::DropLoose() {
  OsiClpSolverInterface& lp = impl_->lp;
  const auto total = static_cast<size_t>(lp.getNumRows());
  std::vector<int> loose;
  for (size_t i = impl_->own_rows; i < total; ++i) {
    if (lp.getModelPtr()->getRowStatus(static_cast<int>(i)) == ClpSimplex::basic) {
      loose.push_back(static_cast<int>(i));
    }
  }
  if (!loose.empty()) lp.deleteRows(static_cast<int>(loose.size()), loose.data());
}

std::vector<Row> Relaxation::AddedRows() const {
  const OsiClpSolverInterface& lp = impl_->lp;
  const CoinPackedMatrix& matrix = *lp.getMatrixByRow();
  std::vector<Row> rows;
  for (int i = static_cast<int>(impl_->own_rows); i < lp.getNumRows(); ++i) {
    Row row;
    if (lp.getRowLower()[i] > -COIN_DBL_MAX) row.lower = lp.getRowLower()[i];
    if (lp.getRowUpper()[i] < COIN_DBL_MAX) row.upper = lp.getRowUpper()[i];
    const int first = matrix.getVectorStarts()[i];
    for (int k = first; k < first + matrix.getVectorLengths()[i]; ++k) {
      row.terms.push_back({matrix.getIndices()[k], matrix.getElements()[k]});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

namespace {

// CBC keeps pointers to some of these until it ends. No mixed-integer rounding: CGL 0.60 gave a cut
// that removed a valid plan (tests/property/plan_exact_test.cc, seed 21, case 285).
struct Tools {
  CglProbing probing;
  CglGomory gomory;
  CglKnapsackCover cover;
  CglClique clique;
  CglFlowCover flow;
};

void AddTools(bool thorough, Tools* tools, CbcModel* model) {
  tools->probing.setUsingObjective(1);
  tools->probing.setMaxPass(thorough ? 3 : 1);
  tools->probing.setMaxLook(10);
  tools->probing.setRowCuts(3);
  tools->gomory.setLimit(thorough ? 300 : 100);
  tools->clique.setStarCliqueReport(false);
  tools->clique.setRowCliqueReport(false);
  const int often = -1;  // as often as it turns out to pay
  if (thorough) model->addCutGenerator(&tools->probing, often, "probing");
  model->addCutGenerator(&tools->gomory, often, "gomory");
  model->addCutGenerator(&tools->cover, often, "cover");
  if (thorough) model->addCutGenerator(&tools->clique, often, "clique");
  model->addCutGenerator(&tools->flow, often, "flow");
  CbcRounding round(*model);
  model->addHeuristic(&round);
  CbcHeuristicDiveCoefficient dive(*model);
  dive.setWhen(thorough ? 3 : 1);
  model->addHeuristic(&dive);
  if (thorough) {
    CbcHeuristicRINS rins(*model);
    rins.setHowOften(50);
    model->addHeuristic(&rins);
  }
}

}  // namespace

MilpAnswer SolveMilp(const Milp& milp, const MilpOptions& options, const Deadline& deadline) {
  OsiClpSolverInterface lp;
  Load(milp, &lp);
  const LpStop lp_stop(deadline);
  lp.getModelPtr()->passInEventHandler(&lp_stop);
  CbcModel model(lp);
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  model.solver()->messageHandler()->setLogLevel(0);
  const SearchStop stop(deadline);
  model.passInEventHandler(&stop);
  Tools tools;
  AddTools(options.thorough, &tools, &model);
  model.setMaximumCutPassesAtRoot(options.thorough ? 30 : 10);
  model.setMaximumCutPasses(2);
  model.setNumberStrong(options.thorough ? 10 : 5);
  model.setMaximumNodes(static_cast<int>(std::min<int64_t>(options.node_limit, 1'000'000'000)));
  model.setAllowableGap(options.absolute_gap);
  model.setAllowableFractionGap(0);
  model.setCutoffIncrement(0);
  if (options.cutoff < kInfinity) model.setCutoff(options.cutoff);
  MilpAnswer answer;
  model.initialSolve();
  if (model.isInitialSolveProvenPrimalInfeasible()) {
    answer.finished = true;
    return answer;
  }
  if (!model.isInitialSolveProvenOptimal()) return answer;  // stopped
  model.branchAndBound();
  answer.nodes = model.getNodeCount();
  answer.finished = model.status() == 0 && !model.isSecondsLimitReached();
  if (model.bestSolution() != nullptr && model.getObjValue() < options.cutoff) {
    answer.values.assign(model.bestSolution(), model.bestSolution() + model.getNumCols());
    answer.objective = ObjectiveOf(milp, answer.values);
  }
  return answer;
}

}  // namespace inlay::milp

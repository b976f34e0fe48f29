#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/milp/milp.h"

namespace inlay::milp {

// Linear and mixed-integer programs, solved by Clp and CBC, which only solver.cc includes. Nothing
// is printed; the same program gives the same answer unless a deadline ends it. Different objects
// may be used by different threads at the same time.

// A linear relaxation to which rows are added. Starts from the basis of the last solution.
class Relaxation {
 public:
  explicit Relaxation(const Milp& milp);
  ~Relaxation();
  Relaxation(const Relaxation&) = delete;
  Relaxation& operator=(const Relaxation&) = delete;

  enum class Status { kOptimal, kInfeasible, kStopped };
  // kStopped: by the deadline, or given up; the bound is valid all the same.
  Status Solve(const Deadline& deadline);

  const std::vector<double>& values() const;  // of the last Solve
  // A lower bound on the program with its current rows and bounds, from the last duals by weak
  // duality alone, or, where it is infeasible, from the ray that shows it: valid whatever Clp's
  // tolerances, and what rounding can do is taken off.
  double Bound() const;
  std::vector<double> ReducedCosts() const;

  // Sets the bounds of a column for the next solve.
  void SetBounds(int column, double lower, double upper);
  // The basis from which the next solve starts.
  struct Basis;
  std::shared_ptr<const Basis> SaveBasis() const;
  void Restore(const Basis& basis);
  // About what the objective would be with the column at 0 and at 1, after a few iterations. The
  // last solution must be optimal; it stays.
  std::pair<double, double> TryChildren(int column);

  void Add(const std::vector<Row>& rows);
  // Forgets added rows that do not bind in the last solution.
  void DropLoose();
  std::vector<Row> AddedRows() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct MilpOptions {
  double cutoff = kInfinity;  // only answers below it are looked for
  double absolute_gap = 0;    // a proof within this is enough
  int64_t node_limit = 1'000'000'000;
  bool thorough = true;  // cuts and heuristics as for a large program; else as for a small one
};

// What CBC proves on the way is not reported: it holds up to its tolerances only, and has been
// wrong. ProveBound proves.
struct MilpAnswer {
  std::vector<double> values;  // empty: nothing below the cutoff was found
  double objective = kInfinity;
  bool finished = false;  // not stopped by the deadline or the node limit
  int64_t nodes = 0;
};

MilpAnswer SolveMilp(const Milp& milp, const MilpOptions& options, const Deadline& deadline);

}  // namespace inlay::milp

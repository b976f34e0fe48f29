#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "inlay/core/architecture.h"
#include "inlay/core/fused_cost.h"
#include "inlay/core/fused_problem.h"

namespace inlay::fused_walk {

// Adds up what happens in one run after the other. Throws Stopped if a sum does not fit.
class Counter {
 public:
  Counter(const FusedProblem& problem, const Architecture& architecture, FusedCounts* counts);

  void StartRun();

  // Words that come from off chip into the pad, or leave it, at once.
  void Enter(TensorId tensor, int64_t words);
  void Leave(TensorId tensor, int64_t words);
  // The leaf of a node runs, at the cost of its own problem on the architecture of leaves.
  void Execute(NodeId node, int64_t operations, const Cost& cost);
  // Sums in the pad that an execution goes on with.
  void ContinueSums(TensorId output, int64_t words);
  // The vectors of maxima and sums of a softmax, for so many rows.
  void UpdateRows(TensorId output, int64_t rows);
  // Words of the output of a reader of a softmax are multiplied by something.
  void Scale(NodeId reader, int64_t words);

 private:
  using Rate = std::optional<double>;  // words per cycle; none: no limit
  Counts& At(size_t level, TensorId tensor);
  int64_t CyclesAt(int64_t words, std::initializer_list<Rate> rates) const;

  const FusedProblem& problem_;
  const Level& offchip_;
  const Level& pad_;
  size_t levels_;
  int64_t lanes_;
  FusedCounts* counts_;
};

}  // namespace inlay::fused_walk

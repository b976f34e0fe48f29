#pragma once

#include <cstdint>
#include <optional>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/exact/model.h"
#include "inlay/scratchpad/exact/root_relaxation.h"
#include "inlay/scratchpad/strategies/lns.h"

namespace inlay::exact {

// What the exact model knows and does about the plans of one order.
class OrderSearch {
 public:
  // The model leaves out what gains little as far as that keeps it small. None: the deadline
  // passed before it was made, or it is too large (BoundByIntervals has a bound then).
  static std::optional<OrderSearch> Make(const PlanProblem& problem,
                                         const std::vector<size_t>& order, PlanObjective objective,
                                         const Deadline& deadline);

  // A lower bound on the figure of all plans, by rounds of cuts. Ends as soon as it is close to the
  // incumbent's figure.
  void Prove(double incumbent, const Deadline& deadline);
  double bound() const { return bound_; }

  // Makes `best` better by exact parts, until `patience` of them in a row did not. Returns how
  // many.
  int64_t Improve(uint64_t seed, int patience, const Deadline& deadline, PlacedPlan* best,
                  const PlacedSink& sink);

  // Branch and cut over all choices: at the end `best` is proven, unless the deadline passed or
  // addresses were not decided. Returns the nodes.
  int64_t Finish(const Deadline& deadline, PlacedPlan* best, const PlacedSink& sink);

 private:
  class Finisher;
  explicit OrderSearch(Model model) : model_(std::move(model)), with_cuts_(model_.milp) {}
  double FigureOf(const Choices& choices) const;
  tl::expected<PlacedPlan, Misfit> PlaceAsIs(const Choices& choices,
                                             const Deadline& deadline) const;
  void Raise(double program_bound);

  Model model_;
  RootRelaxation root_;
  milp::Milp with_cuts_;
  double bound_ = 0;
};

}  // namespace inlay::exact

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

// Every plan of a tiny problem in the order of its nodes, from the clauses C1 to C11 of
// docs/reference/scratchpad.md alone: a state is where each tensor lies after a step, and all
// decisions of a step are tried. It shares no line with the planners.
//
// Left out is only what never helps: residencies without a later use or write-back, copies of what
// lies off chip already, and copies of what is not needed any more.
class ContractPlans {
 public:
  static constexpr size_t kMostTensors = 16, kMostPads = 3;

  ContractPlans(const PlanProblem& problem, PlanObjective objective);

  // The least value of a plan whose sizes fit in every step, whether or not there are addresses for
  // it. None: there is no such plan.
  std::optional<double> Optimum();

  struct Found {
    std::optional<Plan> plan;  // with addresses
    double value = 0;          // of the plan
    bool complete = true;      // false: given up before all were looked at
  };
  // A plan with addresses of less than `limit`, the cheapest first where that is easy.
  Found FindBelow(double limit, int64_t most_visits = 2000000);

  // The cheapest plan with addresses, if there is one; `complete`: none is cheaper.
  Found Best();

  // A random plan; none where what was drawn has no addresses, or there is no plan.
  Found Draw(Random& random);

  size_t states() const;  // looked at so far

 private:
  // Where a tensor lies after a step.
  struct Lie {
    uint8_t pad = 0;  // 0: in none
    bool offchip = false;
    bool bound = false;    // copied here since the last use: it has to last until the next (C5, C6)
    bool staying = false;  // C9
  };
  enum class Act : uint8_t {
    kNone,
    kKeep,
    kMove,
    kPrefetch,
    kStream,
    kFetch,
    kWriteOff,
    kWritePad
  };
  struct Deed {
    Act act = Act::kNone;
    uint8_t pad = 0;  // where it lies afterwards
    bool write_back = false;
  };
  using State = uint64_t;
  struct Move {  // all that is done in a step
    State next = 0;
    double cost = 0;
    size_t tiling = 0;
    int64_t workspace = 0;           // rounded up
    std::optional<size_t> replaced;  // C8
    std::array<Deed, kMostTensors> deeds;
  };
  struct Tally;
  class Writer;  // of a plan

  static constexpr double kNever = std::numeric_limits<double>::infinity();

  Lie LieOf(State state, size_t tensor) const;
  State With(State state, size_t tensor, const Lie& lie) const;

  std::vector<State> Starts() const;
  std::vector<Move> MovesOf(size_t step, State state) const;
  void Try(size_t step, State state, size_t at, Tally* tally, std::vector<Move>* moves) const;
  void TryRead(size_t step, State state, size_t at, size_t operand, Tally* tally,
               std::vector<Move>* moves) const;
  void TryWritten(size_t step, State state, size_t at, size_t operand, Tally* tally,
                  std::vector<Move>* moves) const;
  void TryUnused(size_t step, State state, size_t at, Tally* tally, std::vector<Move>* moves) const;
  bool Overflows(const Tally& tally) const;
  void Finish(size_t step, const Tally& tally, std::vector<Move>* moves) const;
  double CostOf(size_t step, const Tally& tally) const;

  double ToGo(size_t step, State state);
  bool Visit(size_t step, State state, double spent, double limit, std::vector<Move>* path,
             Found* found, int64_t* visits);

  using Placing = std::vector<std::array<int64_t, 3>>;  // size, from, to
  std::optional<Plan> PlanOf(State start, const std::vector<Move>& path);
  const std::optional<std::vector<int64_t>>& AddressesOf(size_t pad, const Placing& placing);

  bool Reached(size_t pad, size_t step) const;  // by the unit of the step
  bool Connected(size_t a, size_t b) const;
  std::optional<size_t> NextUse(size_t tensor, size_t after) const;
  // Whether it is of use that it lies off chip after the step, or in a pad.
  bool Wanted(size_t tensor, size_t after, bool offchip) const;

  const PlanProblem& problem_;
  PlanObjective objective_;
  size_t tensors_, pads_;
  std::vector<std::vector<int>> operand_;  // by step and tensor; −1: not used
  std::vector<std::optional<size_t>> written_in_;
  std::vector<double> least_rest_;  // by step: no plan of the steps from it on takes less
  std::vector<std::unordered_map<State, double>> to_go_;
  State start_ = 0;  // of the plan that is being made
  std::array<std::map<Placing, std::optional<std::vector<int64_t>>>, kMostPads> addresses_;
};

}  // namespace inlay::testing

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/choices.h"
#include "inlay/scratchpad/milp/milp.h"

namespace inlay::exact {

// The choices for one order as a mixed-integer program: docs/reference/scratchpad-bounds.md. The
// program has the least value of all choices that fit, addresses aside, up to `lost`.

// constant + Σ coefficient · column.
struct Affine {
  double constant = 0;
  std::vector<milp::Term> terms;

  void Add(int column, double coefficient) { terms.push_back({column, coefficient}); }
  void Add(const Affine& other, double factor = 1);
  // No column twice, none with coefficient 0.
  void Merge();
  double At(const std::vector<double>& values) const;
};

struct PadColumn {
  PadId pad;
  int column = 0;
};

// A tensor that stays in a pad after a use until it is written back, and then leaves before the
// next use or for good.
struct HoldColumns {
  PadId pad;
  std::vector<int64_t> steps;  // ascending
  std::vector<int> until;      // as steps: it stays through this one. None is above the one before.
};

// A write-back after the step that writes the tensor, from the pad.
struct LateColumn {
  PadId pad;
  int64_t step = 0;
  int column = 0;
};

// A tensor on its way to a read: between the use before it and the read itself. All columns but
// those of moves say that the tensor lies in the pad from some step of the gap on.
struct ReadColumns {
  int64_t before = -1;  // step of the use before
  int64_t step = 0;
  size_t operand = 0;
  int streamed = 0;
  struct Pad {
    PadId pad;
    // present[0]: kept since the use before (−1 where it cannot be); present[k]: lies there from
    // steps[k − 1] on. Each is at least the one before it. What is fetched in a step is the
    // difference.
    std::vector<int64_t> steps;
    std::vector<int> present;
    int fetched = -1;  // in the step that reads it, and kept
  };
  std::vector<Pad> pads;
  struct Move {
    PadId from, to;
    int64_t step = 0;
    int column = 0;
  };
  std::vector<Move> moves;
  std::vector<HoldColumns> holds;
};

struct TensorColumns {
  std::vector<PadColumn> written_into;
  int written_back = -1;         // of a produced tensor: off chip by the step that writes it
  std::vector<LateColumn> late;  // ascending by step
  std::vector<PadColumn> stays_in;
  std::vector<ReadColumns> reads;
  std::vector<HoldColumns> tail;  // after the last use
};

struct InPlaceColumn {
  ValueId under;
  PadId pad;
  int column = 0;
};

struct StepColumns {
  int time = -1;                // −1: constant, or the objective is not latency
  double least_seconds = 0;     // of all tilings
  std::vector<size_t> tilings;  // those worth considering
  std::vector<int> tiling;      // columns, as tilings; empty where there is one
  std::vector<InPlaceColumn> in_place;
};

// What lies in a pad in a step. Presences are 0 or 1 in every answer.
struct Knapsack {
  PadId pad;
  int64_t step = 0;
  double capacity = 0;  // bytes
  struct Item {
    ValueId tensor;
    double bytes = 0;
    Affine presence;
  };
  std::vector<Item> items;
  Affine workspace;  // bytes; not rounded
};

// What a step may have to wait for off chip: of each group at most one alternative is 1 in every
// answer.
struct TimeGroups {
  int64_t step = 0;
  struct Alternative {
    double seconds = 0;
    Affine when;
  };
  std::vector<std::vector<Alternative>> groups;
};

struct Model {
  const PlanProblem* problem = nullptr;
  PlanObjective objective = PlanObjective::kLatency;
  std::vector<size_t> order;
  IndexedVector<ValueId, TensorLife> lives;
  milp::Milp milp;
  double unit = 1;  // the objective's figure = unit × the program's value
  double lost = 0;  // the program may be above the least figure by this much (in the figure's unit)
  IndexedVector<ValueId, TensorColumns> tensors;
  std::vector<StepColumns> steps;
  std::vector<Knapsack> knapsacks;  // those that can overflow and are not within another
  std::vector<TimeGroups> time_groups;
};

struct ModelOptions {
  PlanObjective objective = PlanObjective::kLatency;
  // Which share of a simple bound may be lost by leaving out prefetches that gain little.
  double tolerance = 1e-4;
  size_t most_columns = std::numeric_limits<size_t>::max();
  // The order is an interval of a longer one: what lies in pads before its first step is free; what
  // has to be off chip in the end may be written back later.
  bool begins_inside = false, ends_inside = false;
};

// None where it would have more columns than that, or the deadline passed.
std::optional<Model> MakeModel(const PlanProblem& problem, std::vector<size_t> order,
                               const ModelOptions& options, const Deadline& deadline);

// The choices that an answer of the program stands for.
Choices ChoicesOf(const Model& model, const std::vector<double>& values);

// The answer that stands for choices, of the model's order; what the model leaves out is replaced
// by what is no dearer but for `lost`.
std::vector<double> ValuesOf(const Model& model, const Choices& choices);

// No worse than the other in anything.
bool IsAsGood(const Tiling& a, const Tiling& b);

// When a tensor lies in a pad, at a step, as the model says it. Without terms: never.
Affine PresenceOf(const Model& model, ValueId tensor, PadId pad, int64_t step);
// The same, but not by a move in this step, so that it can be written back from there.
Affine PresenceBefore(const Model& model, ValueId tensor, PadId pad, int64_t step);

// The step of the last use.
int64_t LastUse(const TensorLife& life);

}  // namespace inlay::exact

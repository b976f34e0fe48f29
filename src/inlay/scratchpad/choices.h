#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

// The decisions behind a plan, before addresses, for one order of the nodes. This is what the
// strategies search over; PlanFrom turns it into a plan.

// A step that uses a tensor, and what there is to decide until it does.
struct TensorUse {
  int64_t step = 0;
  size_t operand = 0;  // of the step's node
};

// What happens to each tensor in a given order.
struct TensorLife {
  std::optional<TensorUse> written;  // none: off chip from the start
  std::vector<TensorUse> reads;      // ascending by step
};
IndexedVector<ValueId, TensorLife> LivesOf(const PlanProblem& problem,
                                           const std::vector<size_t>& order);

// How a tensor gets to a step that reads it. Where it says pad, it lies there in that step, and can
// be kept there afterwards.
struct ReadChoice {
  enum class Way : uint8_t {
    kKept,        // in `pad` since the use before
    kMoved,       // in another pad since the use before, moved into `pad` in `step`
    kPrefetched,  // copied into `pad` in `step`
    kFetched,     // copied into `pad` in the step that reads it
    kStreamed,    // read from off chip, not kept
  };
  Way way = Way::kStreamed;
  PadId pad;         // none of kStreamed
  int64_t step = 0;  // kMoved, kPrefetched: strictly between the use before (or −1) and this one
  bool operator==(const ReadChoice&) const = default;
};

struct TensorChoice {
  std::optional<PadId> written_into;  // of a produced tensor
  // Of a produced tensor: the step that writes it off chip, or in which it is written back from the
  // pad that it lies in. A tensor that the next use does not find in that pad stays there until
  // this step. None: never off chip.
  std::optional<int64_t> written_back_at;
  std::optional<PadId> stays_in;  // of a weight that is never fetched; all reads are kKept there
  std::vector<ReadChoice> reads;  // as TensorLife::reads
  bool operator==(const TensorChoice&) const = default;
};

struct Choices {
  std::vector<size_t> order;    // of the problem's nodes: order[step]
  std::vector<size_t> tilings;  // by step
  // By step: the tensor read there whose place the first written one takes; both lie in one pad.
  std::vector<std::optional<ValueId>> in_place;
  IndexedVector<ValueId, TensorChoice> tensors;  // empty for views and unused tensors
  bool operator==(const Choices&) const = default;
};

// Everything streamed and written back, the given order, for each node the tiling that is best by
// the objective alone and whose workspace fits. Strategy `none`.
Choices NothingKept(const PlanProblem& problem, PlanObjective objective);
// The same in another order: order[step] is a node of the problem.
Choices NothingKept(const PlanProblem& problem, PlanObjective objective, std::vector<size_t> order);

// What the choices cost, step by step; they need not fit.
struct StepLoad {
  double seconds = 0;
  int64_t offchip_bytes = 0;
  IndexedVector<PadId, int64_t> pad_bytes;   // traffic
  IndexedVector<PadId, int64_t> held_bytes;  // residents, rounded up, and workspace
};
std::vector<StepLoad> LoadsOf(const PlanProblem& problem, const Choices& choices);
PlanFigures FiguresOf(const PlanProblem& problem, const Choices& choices);

// Whether every pad holds what it has to in every step, addresses aside.
bool Fits(const PlanProblem& problem, const Choices& choices);

}  // namespace inlay

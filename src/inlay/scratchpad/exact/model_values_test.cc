// Choices as values of the program's columns, and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/scratchpad/exact/model.h"
#include "inlay/scratchpad/exact/window_search.h"
#include "inlay/scratchpad/incremental_cost.h"
#include "tests/support/all_choices.h"
#include "tests/support/plan_text.h"
#include "tests/support/tiny_plan_problem.h"

namespace inlay::exact {
namespace {

using testing::Random;
using Way = ReadChoice::Way;

constexpr PlanObjective kObjectives[] = {PlanObjective::kLatency, PlanObjective::kBytes,
                                         PlanObjective::kEnergy};

struct Maker {
  PlanProblem problem;
  std::vector<size_t> order;
  std::vector<std::vector<TensorChoice>> lists;  // by tensor

  explicit Maker(PlanProblem made) : problem(std::move(made)), order(problem.nodes.size()) {
    std::iota(order.begin(), order.end(), size_t{0});
    for (const ValueId tensor : Ids(problem.tensors)) {
      lists.push_back(testing::ChoicesForTensor(problem, order, tensor));
    }
  }

  // In place wherever that is possible.
  Choices Draw(PlanObjective objective, Random& random) const {
    Choices choices;
    choices.order = order;
    choices.in_place.resize(order.size());
    choices.tensors.resize(problem.tensors.size());
    for (const PlanNode& node : problem.nodes) {
      choices.tilings.push_back(random() % node.tilings.size());
    }
    for (const ValueId tensor : Ids(problem.tensors)) {
      const auto& list = lists[tensor.value()];
      choices.tensors[tensor] = list[random() % list.size()];
    }
    return IncrementalCost(problem, objective, choices).Snapshot();
  }
};

// Late write-backs by what follows.
struct Late {
  int64_t kept = 0;  // or moved: it is there at the next use
  int64_t held = 0;  // leaves before the next use
  int64_t tail = 0;  // after the last use

  void Count(const Model& model, const Choices& choices, ValueId tensor) {
    const TensorChoice& choice = choices.tensors[tensor];
    const TensorLife& life = model.lives[tensor];
    if (!choice.written_back_at || *choice.written_back_at == life.written->step) return;
    size_t next = 0;
    while (next < life.reads.size() && life.reads[next].step < *choice.written_back_at) ++next;
    if (next == life.reads.size()) {
      ++tail;
    } else {
      const Way way = choice.reads[next].way;
      ++(way == Way::kKept || way == Way::kMoved ? kept : held);
    }
  }
};

// Whether the model has columns for the way to the read. `at`: the pad it lay in at the use before.
bool KnowsRead(const ReadColumns& columns, const ReadChoice& choice, std::optional<PadId> at) {
  if (choice.way == Way::kStreamed) return true;
  if (choice.way == Way::kMoved) {
    return std::any_of(columns.moves.begin(), columns.moves.end(), [&](const auto& move) {
      return move.from == at && move.to == choice.pad && move.step == choice.step;
    });
  }
  const auto in = std::find_if(columns.pads.begin(), columns.pads.end(),
                               [&](const auto& pad) { return pad.pad == choice.pad; });
  if (in == columns.pads.end()) return false;
  if (choice.way == Way::kKept) return in->present[0] >= 0;
  if (choice.way == Way::kFetched) return in->fetched >= 0;
  return std::find(in->steps.begin(), in->steps.end(), choice.step) != in->steps.end();
}

// Whether it has columns for all of the choice, so that it has to come back as it was. What is off
// chip for nothing does not; nor, for energy, what could be written back in an earlier use.
bool Knows(const Model& model, ValueId tensor, const TensorChoice& choice) {
  const TensorColumns& columns = model.tensors[tensor];
  const TensorLife& life = model.lives[tensor];
  if (choice.stays_in) return true;
  std::optional<PadId> at = choice.written_into;
  if (at && std::none_of(columns.written_into.begin(), columns.written_into.end(),
                         [&](const PadColumn& into) { return into.pad == *at; })) {
    return false;
  }
  bool needed = model.problem->tensors[tensor].needed_after || !at;
  for (size_t j = 0; j < choice.reads.size(); ++j) {
    const ReadChoice& read = choice.reads[j];
    if (!KnowsRead(columns.reads[j], read, at)) return false;
    needed = needed || (read.way != Way::kKept && read.way != Way::kMoved);
    at = read.way == Way::kStreamed ? std::nullopt : std::optional(read.pad);
  }
  if (!life.written) return true;
  if (needed != choice.written_back_at.has_value()) return false;
  if (!needed || *choice.written_back_at == life.written->step) return true;
  return model.objective == PlanObjective::kLatency &&
         std::any_of(columns.late.begin(), columns.late.end(),
                     [&](const LateColumn& late) { return late.step == *choice.written_back_at; });
}

struct Seen {
  int64_t fitting = 0, same = 0;
  Late late;  // of those that came back as they were
};

void ExpectRoundTrip(const Model& model, const Choices& choices, Seen* seen) {
  const StopFlag never;
  const Deadline deadline(never);
  const PlanProblem& problem = *model.problem;
  const std::vector<double> values = Completed(model, ValuesOf(model, choices), deadline);
  ASSERT_FALSE(values.empty());
  EXPECT_TRUE(milp::IsFeasible(model.milp, values, 1e-5));
  // What the model leaves out is replaced by what is no dearer, and a write-back that nothing needs
  // is left out in the end.
  const auto program = [&](const std::vector<double>& some) {
    return milp::ObjectiveOf(model.milp, some) * model.unit;
  };
  const Choices back = ChoicesOf(model, values);
  EXPECT_TRUE(Fits(problem, back));
  const double figure = ValueOf(FiguresOf(problem, choices), model.objective);
  const double less = ValueOf(FiguresOf(problem, back), model.objective);
  const double slack = 1e-6 * (1 + figure);
  EXPECT_LE(program(values), figure + slack);
  EXPECT_LE(less, program(values) + slack);
  // The rest is as it was.
  const std::vector<double> after = Completed(model, ValuesOf(model, back), deadline);
  ASSERT_FALSE(after.empty());
  EXPECT_NEAR(program(after), less, slack);
  EXPECT_EQ(ChoicesOf(model, after), back);
  for (const ValueId tensor : Ids(problem.tensors)) {
    if (!Knows(model, tensor, choices.tensors[tensor])) continue;
    EXPECT_EQ(back.tensors[tensor], choices.tensors[tensor]) << problem.tensors[tensor].name;
    seen->late.Count(model, choices, tensor);
    ++seen->same;
  }
  ++seen->fitting;
}

TEST(ExactValues, ChoicesThatFitSatisfyAllRowsAndComeBack) {
  const StopFlag never;
  const Deadline deadline(never);
  Seen seen;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    PlanProblem drawn = testing::TinyPlanProblem(random);
    // Two of three times there is room for everything.
    for (Scratchpad& pad : drawn.machine.pads) pad.bytes *= seed % 3 == 0 ? 1 : 20;
    const Maker maker(std::move(drawn));
    for (const PlanObjective objective : kObjectives) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " " + Name(objective) + "\n" +
                   testing::Describe(maker.problem));
      const Model model = MakeModel(maker.problem, maker.order, {objective, 0}, deadline).value();
      for (int i = 0; i < 20; ++i) {
        const Choices choices = maker.Draw(objective, random);
        if (Fits(maker.problem, choices)) ExpectRoundTrip(model, choices, &seen);
      }
    }
  }
  EXPECT_GT(seen.fitting, 1000);
  EXPECT_GT(seen.same, 1000);
  EXPECT_GT(seen.late.kept, 50);
  EXPECT_GT(seen.late.held, 50);
  EXPECT_GT(seen.late.tail, 50);
}

}  // namespace
}  // namespace inlay::exact

#include "tests/support/contract_plans.h"

#include <algorithm>

#include "inlay/base/check.h"

namespace inlay::testing {

ContractPlans::ContractPlans(const PlanProblem& problem, PlanObjective objective)
    : problem_(problem),
      objective_(objective),
      tensors_(problem.tensors.size()),
      pads_(problem.machine.pads.size()) {
  INLAY_CHECK(tensors_ <= kMostTensors && pads_ <= kMostPads);
  written_in_.resize(tensors_);
  for (size_t s = 0; s < problem.nodes.size(); ++s) {
    operand_.emplace_back(tensors_, -1);
    const std::vector<Operand>& operands = problem.nodes[s].operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      operand_[s][operands[i].tensor.value()] = static_cast<int>(i);
      if (operands[i].written) written_in_[operands[i].tensor.value()] = s;
    }
  }
  least_rest_.assign(problem.nodes.size() + 1, 0);
  for (size_t s = problem.nodes.size(); s-- > 0;) {
    double least = kNever;
    for (const Tiling& tiling : problem.nodes[s].tilings) {
      least = std::min(least, tiling.compute_seconds);
    }
    least_rest_[s] = least_rest_[s + 1] + (objective == PlanObjective::kLatency ? least : 0);
  }
  to_go_.resize(problem.nodes.size());
}

// Four bits: what a node writes never stays, and what is given always lies off chip.
ContractPlans::Lie ContractPlans::LieOf(State state, size_t tensor) const {
  const bool given = !problem_.tensors[ValueId(tensor)].produced;
  const auto bits = static_cast<uint8_t>((state >> (4 * tensor)) & 15);
  if (bits < 4) return {0, given || (bits & 1) != 0, false, false};
  const bool either = (bits & 1) != 0;
  return {static_cast<uint8_t>(bits >> 2), given || either, (bits & 2) != 0, given && either};
}

ContractPlans::State ContractPlans::With(State state, size_t tensor, const Lie& lie) const {
  const bool given = !problem_.tensors[ValueId(tensor)].produced;
  const bool either = given ? lie.staying : lie.offchip;
  const int bits = (lie.pad << 2) + (lie.bound ? 2 : 0) + (either ? 1 : 0);
  const size_t shift = 4 * tensor;
  return (state & ~(State{15} << shift)) | (static_cast<State>(bits) << shift);
}

bool ContractPlans::Reached(size_t pad, size_t step) const {
  return Reaches(problem_.machine, problem_.nodes[step].unit, PadId(pad));
}

bool ContractPlans::Connected(size_t a, size_t b) const {
  const auto& moves = problem_.machine.dma.moves;
  return std::any_of(moves.begin(), moves.end(), [&](const auto& move) {
    return (move.first == PadId(a) && move.second == PadId(b)) ||
           (move.first == PadId(b) && move.second == PadId(a));
  });
}

std::optional<size_t> ContractPlans::NextUse(size_t tensor, size_t after) const {
  for (size_t s = after + 1; s < operand_.size(); ++s) {
    if (operand_[s][tensor] >= 0) return s;
  }
  return std::nullopt;
}

bool ContractPlans::Wanted(size_t tensor, size_t after, bool offchip) const {
  return NextUse(tensor, after) || (problem_.tensors[ValueId(tensor)].needed_after && !offchip);
}

// Inputs and weights lie off chip; each weight can stay in a pad (C9).
std::vector<ContractPlans::State> ContractPlans::Starts() const {
  std::vector<State> starts = {0};
  for (size_t t = 0; t < tensors_; ++t) {
    const PlanTensor& tensor = problem_.tensors[ValueId(t)];
    if (tensor.produced) continue;
    std::vector<State> more;
    for (const State start : starts) {
      more.push_back(With(start, t, {0, true, false, false}));
      if (!tensor.weight || !problem_.weights_stay) continue;
      for (size_t p = 0; p < pads_; ++p) {
        more.push_back(With(start, t, {static_cast<uint8_t>(p + 1), true, false, true}));
      }
    }
    starts = std::move(more);
  }
  return starts;
}

double ContractPlans::ToGo(size_t step, State state) {
  if (step == operand_.size()) return 0;
  if (const auto found = to_go_[step].find(state); found != to_go_[step].end()) {
    return found->second;
  }
  std::unordered_map<State, double> cheapest;
  for (const Move& move : MovesOf(step, state)) {
    const auto [at, fresh] = cheapest.emplace(move.next, move.cost);
    if (!fresh) at->second = std::min(at->second, move.cost);
  }
  std::vector<std::pair<double, State>> sorted;
  for (const auto& [next, cost] : cheapest) sorted.emplace_back(cost, next);
  std::sort(sorted.begin(), sorted.end());
  double best = kNever;
  for (const auto& [cost, next] : sorted) {
    if (cost + least_rest_[step + 1] >= best) break;
    best = std::min(best, cost + ToGo(step + 1, next));
  }
  to_go_[step].emplace(state, best);
  return best;
}

std::optional<double> ContractPlans::Optimum() {
  double best = kNever;
  for (const State start : Starts()) best = std::min(best, ToGo(0, start));
  if (best == kNever) return std::nullopt;
  return best;
}

size_t ContractPlans::states() const {
  size_t count = 0;
  for (const auto& states : to_go_) count += states.size();
  return count;
}

ContractPlans::Found ContractPlans::FindBelow(double limit, int64_t most_visits) {
  Found found;
  for (const State start : Starts()) {
    start_ = start;
    if (ToGo(0, start) >= limit) continue;
    std::vector<Move> path;
    if (!Visit(0, start, 0, limit, &path, &found, &most_visits)) break;
  }
  return found;
}

ContractPlans::Found ContractPlans::Best() {
  const std::optional<double> optimum = Optimum();
  if (!optimum) return {};
  const auto slack = [](double value) { return 1e-9 * std::max(1.0, value); };
  Found best = FindBelow(*optimum + slack(*optimum));
  if (best.plan || !best.complete) return best;
  best = FindBelow(kNever);  // addresses cost more
  while (best.plan) {
    Found better = FindBelow(best.value - slack(best.value));
    best.complete = better.complete;
    if (!better.plan) break;
    best = std::move(better);
  }
  return best;
}

// False: the search is over.
bool ContractPlans::Visit(size_t step, State state, double spent, double limit,
                          std::vector<Move>* path, Found* found, int64_t* visits) {
  if (--*visits < 0) {
    found->complete = false;
    return false;
  }
  // Where what lies on chip up to here has no addresses, no continuation has.
  std::optional<Plan> plan = PlanOf(start_, *path);
  if (!plan) return true;
  if (step == operand_.size()) {
    found->plan = std::move(plan);
    found->value = spent;
    return false;
  }
  std::vector<Move> moves = MovesOf(step, state);
  std::vector<std::pair<double, size_t>> sorted;
  for (size_t i = 0; i < moves.size(); ++i) {
    if (spent + moves[i].cost + least_rest_[step + 1] >= limit) continue;
    const double whole = spent + moves[i].cost + ToGo(step + 1, moves[i].next);
    if (whole < limit) sorted.emplace_back(whole, i);
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [whole, i] : sorted) {
    path->push_back(moves[i]);
    const bool go_on =
        Visit(step + 1, moves[i].next, spent + moves[i].cost, limit, path, found, visits);
    path->pop_back();
    if (!go_on) return false;
  }
  return true;
}

ContractPlans::Found ContractPlans::Draw(Random& random) {
  const std::vector<State> starts = Starts();
  State state = start_ = starts[random() % starts.size()];
  Found found;
  std::vector<Move> path;
  for (size_t step = 0; step < operand_.size(); ++step) {
    std::vector<Move> moves = MovesOf(step, state);
    std::shuffle(moves.begin(), moves.end(), random);
    const auto chosen = std::find_if(moves.begin(), moves.end(), [&](const Move& move) {
      return ToGo(step + 1, move.next) < kNever;
    });
    if (chosen == moves.end()) return found;
    path.push_back(*chosen);
    state = chosen->next;
    found.value += chosen->cost;
  }
  found.plan = PlanOf(start_, path);
  return found;
}

}  // namespace inlay::testing

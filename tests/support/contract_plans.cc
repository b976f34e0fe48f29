#include "tests/support/contract_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "inlay/base/check.h"

namespace inlay::testing {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kBitsPerTensor = 5;

// Lowest addresses of blocks placed one on top of the others, in every order: where blocks fit at
// all they fit so, each resting on the ground or on one that is there at the same time.
struct Stack {
  const std::vector<std::array<int64_t, 3>>& blocks;
  int64_t capacity;
  std::vector<int64_t> at;

  bool Meets(size_t i, size_t j) const {
    return blocks[i][1] < blocks[j][2] && blocks[j][1] < blocks[i][2];
  }
  bool Place(size_t placed, int64_t last) {
    if (placed == blocks.size()) return true;
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (at[i] >= 0) continue;
      int64_t address = 0;
      for (size_t j = 0; j < blocks.size(); ++j) {
        if (at[j] >= 0 && Meets(i, j)) address = std::max(address, at[j] + blocks[j][0]);
      }
      if (address < last || address + blocks[i][0] > capacity) continue;
      at[i] = address;
      if (Place(placed + 1, address)) return true;
      at[i] = -1;
    }
    return false;
  }
};

double Slower(const std::optional<double>& a, const std::optional<double>& b) {
  return std::min(a.value_or(kNever), b.value_or(kNever));
}

}  // namespace

// What a step has come to, as far as its tensors have been decided.
struct ContractPlans::Tally {
  size_t tiling = 0;
  std::optional<size_t> replaced;
  int64_t offchip = 0, workspace = 0;
  std::array<int64_t, kMostPads> moved{}, held{};  // bytes to and from a pad, bytes in it
  double dma_seconds = 0;                          // of one engine
  State next = 0;
  std::array<Deed, kMostTensors> deeds;
};

struct ContractPlans::Block {
  int64_t bytes = 0;
  size_t from = 0, to = 0;
  std::vector<size_t> stays;  // of the plan; none: the workspace of step `from`
};

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

ContractPlans::Lie ContractPlans::LieOf(State state, size_t tensor) {
  const auto bits = static_cast<uint8_t>((state >> (kBitsPerTensor * tensor)) & 31);
  return {static_cast<uint8_t>(bits & 3), (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0};
}

ContractPlans::State ContractPlans::With(State state, size_t tensor, const Lie& lie) {
  const int bits = lie.pad + (lie.offchip ? 4 : 0) + (lie.bound ? 8 : 0) + (lie.staying ? 16 : 0);
  const size_t shift = kBitsPerTensor * tensor;
  return (state & ~(State{31} << shift)) | (static_cast<State>(bits) << shift);
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

std::vector<ContractPlans::Move> ContractPlans::MovesOf(size_t step, State state) const {
  const PlanNode& node = problem_.nodes[step];
  std::vector<std::optional<size_t>> replaced = {std::nullopt};
  for (const ValueId v : node.in_place) {
    INLAY_CHECK(!problem_.tensors[v].weight);
    if (!NextUse(v.value(), step)) replaced.emplace_back(v.value());
  }
  std::vector<Move> moves;
  for (size_t tiling = 0; tiling < node.tilings.size(); ++tiling) {
    for (const std::optional<size_t>& tensor : replaced) {
      Tally tally;
      tally.tiling = tiling;
      tally.replaced = tensor;
      Try(step, state, 0, &tally, &moves);
    }
  }
  return moves;
}

// `at` counts the operands, what is read before what is written, then the tensors that are not
// used.
void ContractPlans::Try(size_t step, State state, size_t at, Tally* tally,
                        std::vector<Move>* moves) const {
  const std::vector<Operand>& operands = problem_.nodes[step].operands;
  if (at < operands.size()) {
    if (operands[at].written) return TryWritten(step, state, at, at, tally, moves);
    return TryRead(step, state, at, at, tally, moves);
  }
  if (at == operands.size() + tensors_) return Finish(step, *tally, moves);
  const size_t t = at - operands.size();
  const bool there = !written_in_[t] || *written_in_[t] < step;
  if (operand_[step][t] >= 0 || !there) return Try(step, state, at + 1, tally, moves);
  TryUnused(step, state, at, tally, moves);
}

void ContractPlans::TryRead(size_t step, State state, size_t at, size_t operand, Tally* tally,
                            std::vector<Move>* moves) const {
  const PlanNode& node = problem_.nodes[step];
  const size_t t = node.operands[operand].tensor.value();
  const int64_t size = problem_.tensors[ValueId(t)].bytes;
  const OperandTraffic& traffic = node.tilings[tally->tiling].operands[operand];
  const Lie lie = LieOf(state, t);
  const Tally before = *tally;
  const bool replaced = tally->replaced == t;
  const auto next = [&](const Deed& deed, const Lie& after) {
    tally->deeds[t] = deed;
    // What is overwritten lies nowhere on chip afterwards.
    const Lie rest = replaced ? Lie{0, after.offchip, false, false} : after;
    tally->next = With(tally->next, t, rest);
    Try(step, state, at + 1, tally, moves);
    *tally = before;
  };
  if (lie.pad > 0 && Reached(lie.pad - 1U, step)) {  // kept (C2, C9, C10)
    const size_t p = lie.pad - 1U;
    for (const bool back : {false, true}) {
      if (back && (lie.offchip || replaced || !Wanted(t, step, false))) continue;
      tally->held[p] += AlignedBytes(problem_.machine.pads[PadId(p)], size);
      tally->moved[p] += traffic.bytes + (back ? size : 0);
      tally->offchip += back ? size : 0;
      next({Act::kKeep, lie.pad, back}, {lie.pad, lie.offchip || back, false, lie.staying});
    }
  }
  if (lie.staying || lie.bound || !lie.offchip) return;
  if (!replaced) {  // streamed (C3)
    tally->offchip += traffic.bytes;
    tally->workspace += traffic.workspace_bytes;
    next({Act::kStream, 0, false}, {0, true, false, false});
  }
  for (size_t p = 0; p < pads_; ++p) {  // fetched (C4)
    if (!Reached(p, step)) continue;
    tally->held[p] += AlignedBytes(problem_.machine.pads[PadId(p)], size);
    tally->moved[p] += traffic.bytes + size;
    tally->offchip += size;
    const auto pad = static_cast<uint8_t>(p + 1);
    next({Act::kFetch, pad, false}, {pad, true, false, false});
  }
}

void ContractPlans::TryWritten(size_t step, State state, size_t at, size_t operand, Tally* tally,
                               std::vector<Move>* moves) const {
  const PlanNode& node = problem_.nodes[step];
  const size_t t = node.operands[operand].tensor.value();
  const int64_t size = problem_.tensors[ValueId(t)].bytes;
  const OperandTraffic& traffic = node.tilings[tally->tiling].operands[operand];
  const bool first = operand == 0 || !node.operands[operand - 1].written;
  const bool in_place = first && tally->replaced;  // C8
  const Tally before = *tally;
  const auto next = [&](const Deed& deed, const Lie& after) {
    tally->deeds[t] = deed;
    tally->next = With(tally->next, t, after);
    Try(step, state, at + 1, tally, moves);
    *tally = before;
  };
  if (!in_place) {  // off chip (C1)
    tally->offchip += traffic.bytes;
    tally->workspace += traffic.workspace_bytes;
    next({Act::kWriteOff, 0, false}, {0, true, false, false});
  }
  for (size_t p = 0; p < pads_; ++p) {  // into a pad, or both (C1, C7)
    if (!Reached(p, step)) continue;
    if (in_place && tally->deeds[*tally->replaced].pad != p + 1) continue;
    for (const bool back : {false, true}) {
      if (back && !Wanted(t, step, false)) continue;
      if (!in_place) tally->held[p] += AlignedBytes(problem_.machine.pads[PadId(p)], size);
      tally->moved[p] += traffic.bytes + (back ? size : 0);
      tally->offchip += back ? size : 0;
      const auto pad = static_cast<uint8_t>(p + 1);
      next({Act::kWritePad, pad, back}, {pad, back, false, false});
    }
  }
}

void ContractPlans::TryUnused(size_t step, State state, size_t at, Tally* tally,
                              std::vector<Move>* moves) const {
  const Machine& machine = problem_.machine;
  const size_t t = at - problem_.nodes[step].operands.size();
  const int64_t size = problem_.tensors[ValueId(t)].bytes;
  const auto aligned = [&](size_t p) { return AlignedBytes(machine.pads[PadId(p)], size); };
  const Lie lie = LieOf(state, t);
  const std::optional<size_t> use = NextUse(t, step);
  const Tally before = *tally;
  const auto next = [&](const Deed& deed, const Lie& after) {
    tally->deeds[t] = deed;
    tally->next = With(tally->next, t, after);
    Try(step, state, at + 1, tally, moves);
    *tally = before;
  };
  // Whether it is used before this step: what is written is, by the node that writes it.
  bool used = false;
  for (size_t s = 0; s < step; ++s) used = used || operand_[s][t] >= 0;
  for (const bool back : {false, true}) {
    if (lie.pad == 0) break;
    if (back && (lie.offchip || !Wanted(t, step, false))) continue;
    const size_t p = lie.pad - 1U;
    const int64_t copied = back ? size : 0;
    if (lie.staying || Wanted(t, step, lie.offchip)) {  // kept (C2, C9), written back (C7)
      tally->held[p] += aligned(p);
      tally->moved[p] += copied;
      tally->offchip += copied;
      next({Act::kKeep, lie.pad, back}, {lie.pad, lie.offchip || back, lie.bound, lie.staying});
    }
    if (lie.bound || lie.staying || !used || !use) continue;
    for (size_t q = 0; q < pads_; ++q) {  // moved (C6)
      if (!Connected(p, q) || !Reached(q, *use)) continue;
      tally->held[p] += aligned(p);
      tally->held[q] += aligned(q);
      tally->moved[p] += size + copied;
      tally->moved[q] += size;
      tally->offchip += copied;
      tally->dma_seconds +=
          static_cast<double>(size) /
          Slower(machine.pads[PadId(p)].bytes_per_second, machine.pads[PadId(q)].bytes_per_second);
      const auto pad = static_cast<uint8_t>(q + 1);
      next({Act::kMove, pad, back}, {pad, lie.offchip || back, true, false});
    }
  }
  if (lie.bound || lie.staying) return;
  next({}, {0, lie.offchip, false, false});  // not on chip, or not any more
  if (!lie.offchip || !use) return;
  for (size_t q = 0; q < pads_; ++q) {  // prefetched (C5)
    if (!Reached(q, *use)) continue;
    tally->held[q] += aligned(q);
    tally->moved[q] += size;
    tally->offchip += size;
    tally->dma_seconds +=
        static_cast<double>(size) /
        Slower(machine.pads[PadId(q)].bytes_per_second, machine.offchip.bytes_per_second);
    const auto pad = static_cast<uint8_t>(q + 1);
    next({Act::kPrefetch, pad, false}, {pad, true, true, false});
  }
}

void ContractPlans::Finish(size_t step, const Tally& tally, std::vector<Move>* moves) const {
  Move move{tally.next, 0, tally.tiling, 0, tally.replaced, tally.deeds};
  const PadId pad = problem_.workspace_pad[problem_.nodes[step].unit];
  move.workspace =
      tally.workspace == 0 ? 0 : AlignedBytes(problem_.machine.pads[pad], tally.workspace);
  for (size_t p = 0; p < pads_; ++p) {
    const int64_t held = tally.held[p] + (pad == PadId(p) ? move.workspace : 0);
    if (held > problem_.machine.pads[PadId(p)].bytes) return;
  }
  for (size_t t = 0; t < tensors_; ++t) {
    const Lie lie = LieOf(move.next, t);
    const bool there = !written_in_[t] || *written_in_[t] <= step;
    if (!there || lie.staying) continue;
    const bool wanted = Wanted(t, step, lie.offchip);
    if (wanted && lie.pad == 0 && !lie.offchip) return;  // lost
    if (!wanted) move.next = With(move.next, t, {0, problem_.tensors[ValueId(t)].needed_after});
    if (wanted && step + 1 == operand_.size()) return;  // C11
  }
  move.cost = CostOf(step, tally);
  moves->push_back(move);
}

double ContractPlans::CostOf(size_t step, const Tally& tally) const {
  const Machine& machine = problem_.machine;
  if (objective_ == PlanObjective::kBytes) return static_cast<double>(tally.offchip);
  double energy = static_cast<double>(tally.offchip) * machine.offchip.pj_per_byte;
  double seconds = problem_.nodes[step].tilings[tally.tiling].compute_seconds;
  seconds = std::max(seconds, tally.dma_seconds / static_cast<double>(machine.dma.engines));
  const auto take = [&](int64_t bytes, const std::optional<double>& rate) {
    if (rate) seconds = std::max(seconds, static_cast<double>(bytes) / *rate);
  };
  take(tally.offchip, machine.offchip.bytes_per_second);
  for (size_t p = 0; p < pads_; ++p) {
    take(tally.moved[p], machine.pads[PadId(p)].bytes_per_second);
    energy += static_cast<double>(tally.moved[p]) * machine.pads[PadId(p)].pj_per_byte;
  }
  return objective_ == PlanObjective::kLatency ? seconds : energy;
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

// The plan of the first path.size() steps, or none where it has no addresses.
std::optional<Plan> ContractPlans::PlanOf(State start, const std::vector<Move>& path) {
  Plan plan;
  std::array<std::vector<Block>, kMostPads> blocks;
  std::vector<std::optional<size_t>> open(tensors_);  // the stay that the tensor lies in
  std::vector<std::pair<size_t, size_t>> block_of;    // by stay: pad and block
  const auto begin = [&](size_t t, size_t p, size_t step, std::optional<size_t> place_of) {
    const int64_t bytes =
        AlignedBytes(problem_.machine.pads[PadId(p)], problem_.tensors[ValueId(t)].bytes);
    if (place_of) {
      block_of.push_back(block_of[*place_of]);
    } else {
      block_of.emplace_back(p, blocks[p].size());
      blocks[p].push_back({bytes, step, step, {}});
    }
    blocks[block_of.back().first][block_of.back().second].stays.push_back(plan.stays.size());
    open[t] = plan.stays.size();
    plan.stays.push_back({ValueId(t), PadId(p), 0, bytes, static_cast<int64_t>(step), 0});
  };
  const auto last = [&](size_t stay, size_t step) {
    plan.stays[stay].to = static_cast<int64_t>(step) + 1;
    blocks[block_of[stay].first][block_of[stay].second].to = step + 1;
  };
  for (size_t t = 0; t < tensors_ && !path.empty(); ++t) {
    const Lie lie = LieOf(start, t);
    if (lie.staying) begin(t, lie.pad - 1U, 0, std::nullopt);
  }
  for (size_t step = 0; step < path.size(); ++step) {
    const Move& move = path[step];
    const PlanNode& node = problem_.nodes[step];
    plan.steps.push_back({node.node, node.unit, move.tiling, 0, move.workspace});
    if (move.workspace > 0) {
      blocks[problem_.workspace_pad[node.unit].value()].push_back(
          {move.workspace, step, step + 1, {}});
    }
    const auto copy = [&](size_t t, TransferKind kind, std::optional<size_t> from,
                          std::optional<size_t> to, int64_t bytes) {
      Transfer transfer{ValueId(t), kind, {}, {}, bytes, static_cast<int64_t>(step)};
      if (from) transfer.from = PadId(*from);
      if (to) transfer.to = PadId(*to);
      plan.transfers.push_back(transfer);
    };
    // What is overwritten first: what takes its place needs its stay.
    std::vector<size_t> order;
    if (move.replaced) order.push_back(*move.replaced);
    for (size_t t = 0; t < tensors_; ++t) {
      if (move.replaced != t) order.push_back(t);
    }
    bool first = true;
    std::optional<size_t> replaced_stay, taker;
    for (const Operand& operand : node.operands) {
      if (operand.written && !taker) taker = operand.tensor.value();
    }
    for (const size_t t : order) {
      const Deed& deed = move.deeds[t];
      const int64_t size = problem_.tensors[ValueId(t)].bytes;
      const int operand = operand_[step][t];
      const int64_t traffic =
          operand < 0 ? 0 : node.tilings[move.tiling].operands[static_cast<size_t>(operand)].bytes;
      std::optional<size_t> leaves;
      if (open[t]) leaves = plan.stays[*open[t]].pad.value();
      const size_t pad = deed.pad - 1U;
      switch (deed.act) {
        case Act::kNone:
          open[t] = std::nullopt;
          break;
        case Act::kStream:
          open[t] = std::nullopt;
          copy(t, TransferKind::kFetch, {}, {}, traffic);
          break;
        case Act::kWriteOff:
          copy(t, TransferKind::kWriteBack, {}, {}, traffic);
          break;
        case Act::kKeep:
          INLAY_CHECK(leaves == pad);
          break;
        case Act::kMove:
          last(*open[t], step);
          begin(t, pad, step, std::nullopt);
          copy(t, TransferKind::kMove, leaves, pad, size);
          break;
        case Act::kFetch:
        case Act::kPrefetch:
          begin(t, pad, step, std::nullopt);
          copy(t, deed.act == Act::kFetch ? TransferKind::kFetch : TransferKind::kPrefetch, {}, pad,
               size);
          break;
        case Act::kWritePad:
          begin(t, pad, step, taker == t ? replaced_stay : std::nullopt);
          leaves = pad;
          break;
      }
      if (open[t]) last(*open[t], step);
      if (deed.write_back) copy(t, TransferKind::kWriteBack, leaves, {}, size);
      if (first && move.replaced) {
        replaced_stay = open[t];
        open[t] = std::nullopt;
      }
      first = false;
    }
  }
  for (size_t p = 0; p < pads_; ++p) {
    const auto& addresses = AddressesOf(p, blocks[p]);
    if (!addresses) return std::nullopt;
    for (size_t i = 0; i < blocks[p].size(); ++i) {
      for (const size_t stay : blocks[p][i].stays) plan.stays[stay].address = (*addresses)[i];
      if (blocks[p][i].stays.empty()) {
        plan.steps[blocks[p][i].from].workspace_address = (*addresses)[i];
      }
    }
  }
  std::sort(plan.stays.begin(), plan.stays.end(), [](const Stay& a, const Stay& b) {
    return std::tie(a.tensor, a.from) < std::tie(b.tensor, b.from);
  });
  std::sort(plan.transfers.begin(), plan.transfers.end(), [](const Transfer& a, const Transfer& b) {
    return std::tie(a.step, a.tensor, a.kind) < std::tie(b.step, b.tensor, b.kind);
  });
  return plan;
}

const std::optional<std::vector<int64_t>>& ContractPlans::AddressesOf(
    size_t pad, const std::vector<Block>& blocks) {
  Placing placing;
  for (const Block& block : blocks) {
    placing.push_back(
        {block.bytes, static_cast<int64_t>(block.from), static_cast<int64_t>(block.to)});
  }
  const auto [at, fresh] = addresses_[pad].emplace(placing, std::nullopt);
  if (fresh) {
    Stack stack{at->first, problem_.machine.pads[PadId(pad)].bytes,
                std::vector<int64_t>(placing.size(), -1)};
    if (stack.Place(0, 0)) at->second = std::move(stack.at);
  }
  return at->second;
}

std::string TextOf(const PlanProblem& problem) {
  const Machine& machine = problem.machine;
  std::string text =
      fmt::format("off chip {} B/s {} pJ/B, {} engines, weights {}\n",
                  machine.offchip.bytes_per_second.value_or(kNever), machine.offchip.pj_per_byte,
                  machine.dma.engines, problem.weights_stay ? "stay" : "do not stay");
  for (const Scratchpad& pad : machine.pads) {
    text +=
        fmt::format("pad {} {} B align {} {} B/s {} pJ/B units", pad.name, pad.bytes,
                    pad.alignment_bytes, pad.bytes_per_second.value_or(kNever), pad.pj_per_byte);
    for (const UnitId u : pad.reached_by) text += fmt::format(" {}", u.value());
    text += "\n";
  }
  for (const auto& [a, b] : machine.dma.moves) {
    text += fmt::format("moves {} {}\n", machine.pads[a].name, machine.pads[b].name);
  }
  for (const PlanTensor& t : problem.tensors) {
    text += fmt::format("tensor {} {} B{}{}{}\n", t.name, t.bytes, t.produced ? "" : " given",
                        t.weight ? " weight" : "", t.needed_after ? " output" : "");
  }
  for (const PlanNode& node : problem.nodes) {
    text += fmt::format("node {} unit {}:", node.name, node.unit.value());
    for (const Operand& o : node.operands) {
      text += fmt::format(" {}{}", o.written ? ">" : "", problem.tensors[o.tensor].name);
    }
    for (const ValueId v : node.in_place) {
      text += fmt::format(" (in place of {})", problem.tensors[v].name);
    }
    text += "\n";
    for (const Tiling& tiling : node.tilings) {
      text += fmt::format("  {} s", tiling.compute_seconds);
      for (const OperandTraffic& o : tiling.operands) {
        text += fmt::format(" {}/{}", o.bytes, o.workspace_bytes);
      }
      text += "\n";
    }
  }
  return text;
}

std::string TextOf(const PlanProblem& problem, const Plan& plan) {
  const auto pad = [&](const std::optional<PadId>& p) {
    return p ? problem.machine.pads[*p].name : std::string("-");
  };
  std::string text;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    text += fmt::format("step {} tiling {} workspace {} at {}\n", s, plan.steps[s].tiling,
                        plan.steps[s].workspace_bytes, plan.steps[s].workspace_address);
  }
  for (const Stay& stay : plan.stays) {
    text += fmt::format("{} in {} at {} + {} [{}, {})\n", problem.tensors[stay.tensor].name,
                        pad(stay.pad), stay.address, stay.bytes, stay.from, stay.to);
  }
  for (const Transfer& t : plan.transfers) {
    text += fmt::format("step {} {} {} {} -> {} {} B\n", t.step, Name(t.kind),
                        problem.tensors[t.tensor].name, pad(t.from), pad(t.to), t.bytes);
  }
  return text;
}

}  // namespace inlay::testing

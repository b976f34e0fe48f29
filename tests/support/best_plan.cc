#include "tests/support/best_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace inlay::testing {
namespace {

constexpr int8_t kNowhere = -1;

// A tensor between two steps. `at` counts in units of the pad's alignment.
struct Where {
  int8_t pad = kNowhere, at = 0;
  bool off_chip = false;
  bool moved = false;    // or prefetched, since the use before
  bool staying = false;  // a weight that is never fetched
  auto operator<=>(const Where&) const = default;
};
using State = std::vector<Where>;  // by tensor

struct Block {
  int8_t pad = 0, at = 0;
  int64_t units = 0;
  size_t tensor = 0;
};

// What happens in a step.
struct Doing {
  std::vector<Block> blocks;  // everything on chip in the step
  std::vector<Transfer> transfers;
  State after;
};

struct Reached {
  double value = 0;
  State before;
  Doing doing;
  PlanStep step;
};

class Table {
 public:
  Table(const PlanProblem& problem, const std::vector<size_t>& order, PlanObjective objective)
      : problem_(problem), machine_(problem.machine), order_(order), objective_(objective) {
    uses_.resize(problem.tensors.size());
    for (size_t s = 0; s < order.size(); ++s) {
      for (const Operand& o : problem.nodes[order[s]].operands) {
        uses_[o.tensor.value()].push_back(s);
      }
    }
  }

  std::optional<BestPlanAnswer> Solve() {
    FindLimits();
    // A plan without prefetches and moves first, whose cost no part of the best one exceeds.
    copies_ahead_ = false;
    if (const auto simple = Fill()) limit_ = simple->value;
    copies_ahead_ = true;
    return Fill();
  }

 private:
  std::optional<BestPlanAnswer> Fill() {
    layers_.clear();
    layers_.resize(order_.size());
    frontier_.clear();
    for (const State& state : Starts()) frontier_[state] = 0;
    for (step_ = 0; step_ < order_.size(); ++step_) {
      std::map<State, double> states;
      std::swap(states, frontier_);
      for (const auto& [state, value] : states) {
        before_ = &state;
        value_ = value;
        Doing doing;
        doing.after = state;
        Choose(0, &doing);
      }
    }
    const State* best = nullptr;
    for (const auto& [state, value] : frontier_) {
      if (best == nullptr || value < frontier_[*best]) best = &state;
    }
    if (best == nullptr) return std::nullopt;
    return BestPlanAnswer{frontier_[*best], Trace(*best)};
  }

  int64_t Units(int8_t pad, int64_t bytes) const {
    const int64_t unit = machine_.pads[PadId(static_cast<size_t>(pad))].alignment_bytes;
    return (bytes + unit - 1) / unit;
  }
  int64_t Capacity(int8_t pad) const {
    const Scratchpad& p = machine_.pads[PadId(static_cast<size_t>(pad))];
    return p.bytes / p.alignment_bytes;
  }
  int8_t PadCount() const { return static_cast<int8_t>(machine_.pads.size()); }
  static PadId Id(int8_t pad) { return PadId(static_cast<size_t>(pad)); }
  const PlanNode& Node() const { return problem_.nodes[order_[step_]]; }
  bool HasUseAfter(size_t tensor) const {
    return !uses_[tensor].empty() && uses_[tensor].back() > step_;
  }
  int64_t Bytes(size_t tensor) const { return problem_.tensors[ValueId(tensor)].bytes; }

  // Everything streamed is a plan, so what costs more cannot be part of the best one; for latency,
  // what is left takes at least its computing.
  void FindLimits() {
    limit_ = 0;
    rest_.assign(order_.size() + 1, 0);
    std::vector<double> least(order_.size());
    for (step_ = 0; step_ < order_.size(); ++step_) {
      const double infinity = std::numeric_limits<double>::infinity();
      double best = infinity;
      least[step_] = infinity;
      for (size_t k = 0; k < Node().tilings.size(); ++k) {
        PlanStep step{Node().node, Node().unit, k, 0, 0};
        const Tiling& tiling = Node().tilings[k];
        if (PlaceWorkspace({}, &step)) best = std::min(best, Cost({}, tiling));
        least[step_] = std::min(least[step_], tiling.compute_seconds);
      }
      limit_ += best;
    }
    if (objective_ != PlanObjective::kLatency) return;
    for (size_t s = order_.size(); s-- > 0;) rest_[s] = rest_[s + 1] + least[s];
  }

  // Nothing on chip, or any set of staying weights that do not overlap.
  std::vector<State> Starts() const {
    State empty(problem_.tensors.size());
    for (size_t v = 0; v < empty.size(); ++v) {
      empty[v].off_chip = !problem_.tensors[ValueId(v)].produced;
    }
    std::vector<State> starts = {empty};
    for (size_t v = 0; v < empty.size(); ++v) {
      const bool may = problem_.weights_stay && problem_.tensors[ValueId(v)].weight;
      if (!may || uses_[v].empty()) continue;
      const std::vector<State> without = starts;
      for (const State& state : without) {
        for (const Where& place : Places(v)) {
          State with = state;
          with[v].pad = place.pad;
          with[v].at = place.at;
          with[v].staying = true;
          if (!Overlaps(with, v)) starts.push_back(with);
        }
      }
    }
    return starts;
  }

  std::vector<Where> Places(size_t v) const {
    std::vector<Where> places;
    for (int8_t p = 0; p < PadCount(); ++p) {
      for (int64_t at = 0; at + Units(p, Bytes(v)) <= Capacity(p); ++at) {
        places.push_back({p, static_cast<int8_t>(at), false, false, false});
      }
    }
    return places;
  }

  bool Overlaps(const State& state, size_t v) const {
    for (size_t u = 0; u < state.size(); ++u) {
      if (u == v || state[u].pad != state[v].pad) continue;
      if (state[u].at < state[v].at + Units(state[v].pad, Bytes(v)) &&
          state[v].at < state[u].at + Units(state[u].pad, Bytes(u))) {
        return true;
      }
    }
    return false;
  }

  // Decides tensor by tensor what happens to it in this step.
  void Choose(size_t v, Doing* doing) {
    if (v == problem_.tensors.size()) return Finish(doing);
    const auto used = std::find(uses_[v].begin(), uses_[v].end(), step_);
    if (used == uses_[v].end()) return ChooseUnused(v, doing);
    for (const Operand& operand : Node().operands) {
      if (operand.tensor.value() != v) continue;
      return operand.written ? ChooseWritten(v, doing) : ChooseRead(v, doing);
    }
  }

  // Goes on with the tensor at `places` in this step, and `after` behind it.
  void With(size_t v, const std::vector<Where>& places, const std::vector<Transfer>& transfers,
            Where after, Doing* doing) {
    const size_t blocks = doing->blocks.size(), copies = doing->transfers.size();
    bool free = !IsTooMuch(doing->transfers, transfers);
    for (const Where& place : places) {
      const Block block{place.pad, place.at, Units(place.pad, Bytes(v)), v};
      free = free && IsFree(block, doing->blocks);
      doing->blocks.push_back(block);
    }
    if (free) {
      for (const Transfer& t : transfers) doing->transfers.push_back(t);
      const Where kept = doing->after[v];
      if (!HasUseAfter(v) && !after.staying) {
        after.pad = kNowhere;
        after.at = 0;
        after.moved = false;
      }
      doing->after[v] = after;
      Choose(v + 1, doing);
      doing->after[v] = kept;
    }
    doing->blocks.resize(blocks);
    doing->transfers.resize(copies);
  }

  // Whether copies alone cost more than the best plan has left.
  bool IsTooMuch(const std::vector<Transfer>& some, const std::vector<Transfer>& more) const {
    double bytes = 0;
    for (const auto* list : {&some, &more}) {
      for (const Transfer& t : *list) {
        if (t.kind != TransferKind::kMove) bytes += static_cast<double>(t.bytes);
      }
    }
    double cost = bytes;
    if (objective_ == PlanObjective::kEnergy) cost *= machine_.offchip.pj_per_byte;
    if (objective_ == PlanObjective::kLatency) {
      cost = machine_.offchip.bytes_per_second ? bytes / *machine_.offchip.bytes_per_second : 0;
    }
    return value_ + cost + rest_[step_ + 1] > limit_ * (1 + 1e-9);
  }

  bool IsFree(const Block& block, const std::vector<Block>& others) const {
    for (const Block& other : others) {
      if (other.pad != block.pad || other.at >= block.at + block.units ||
          block.at >= other.at + other.units) {
        continue;
      }
      if (other.at != block.at ||
          !(InPlace(other.tensor, block.tensor) || InPlace(block.tensor, other.tensor))) {
        return false;
      }
    }
    return true;
  }
  bool InPlace(size_t read, size_t written) const {
    const PlanNode& node = Node();
    const auto first = std::find_if(node.operands.begin(), node.operands.end(),
                                    [](const Operand& o) { return o.written; });
    return first->tensor.value() == written && !HasUseAfter(read) &&
           std::find(node.in_place.begin(), node.in_place.end(), ValueId(read)) !=
               node.in_place.end();
  }

  Transfer Copy(size_t v, TransferKind kind, int8_t from, int8_t to) const {
    Transfer t{ValueId(v), kind, {}, {}, Bytes(v), static_cast<int64_t>(step_)};
    if (from != kNowhere) t.from = Id(from);
    if (to != kNowhere) t.to = Id(to);
    return t;
  }

  void ChooseUnused(size_t v, Doing* doing) {
    const Where now = (*before_)[v];
    if (now.staying) return With(v, {now}, {}, now, doing);
    const Where nowhere{kNowhere, 0, now.off_chip, false, false};
    if (now.pad == kNowhere) {
      With(v, {}, {}, now, doing);
      if (!now.off_chip || !HasUseAfter(v) || !copies_ahead_) return;
      for (const Where& place : Places(v)) {
        With(v, {place}, {Copy(v, TransferKind::kPrefetch, kNowhere, place.pad)},
             {place.pad, place.at, true, true, false}, doing);
      }
      return;
    }
    With(v, {now}, {}, now, doing);
    const bool was_used =
        step_ > 0 && std::find(uses_[v].begin(), uses_[v].end(), step_ - 1) != uses_[v].end();
    if (was_used) With(v, {}, {}, nowhere, doing);
    if (now.moved || !copies_ahead_) return;
    for (const Where& place : Places(v)) {
      if (!Linked(now.pad, place.pad)) continue;
      With(v, {now, place}, {Copy(v, TransferKind::kMove, now.pad, place.pad)},
           {place.pad, place.at, now.off_chip, true, false}, doing);
    }
  }

  bool Linked(int8_t a, int8_t b) const {
    const auto& moves = machine_.dma.moves;
    return std::find(moves.begin(), moves.end(), std::pair(Id(a), Id(b))) != moves.end() ||
           std::find(moves.begin(), moves.end(), std::pair(Id(b), Id(a))) != moves.end();
  }

  void ChooseRead(size_t v, Doing* doing) {
    Where now = (*before_)[v];
    if (now.pad != kNowhere && Reaches(machine_, Node().unit, Id(now.pad))) {
      Where after = now;
      after.moved = false;
      With(v, {now}, {}, after, doing);
    }
    if (now.staying || !now.off_chip) return;
    With(v, {}, {}, {kNowhere, 0, true, false, false}, doing);
    for (const Where& place : Places(v)) {
      if (!Reaches(machine_, Node().unit, Id(place.pad))) continue;
      With(v, {place}, {Copy(v, TransferKind::kFetch, kNowhere, place.pad)},
           {place.pad, place.at, true, false, false}, doing);
    }
  }

  void ChooseWritten(size_t v, Doing* doing) {
    With(v, {}, {}, {kNowhere, 0, true, false, false}, doing);
    for (const Where& place : Places(v)) {
      if (!Reaches(machine_, Node().unit, Id(place.pad))) continue;
      With(v, {place}, {Copy(v, TransferKind::kWriteBack, place.pad, kNowhere)},
           {place.pad, place.at, true, false, false}, doing);
      if (problem_.tensors[ValueId(v)].needed_after) continue;
      With(v, {place}, {}, {place.pad, place.at, false, false, false}, doing);
    }
  }

  // Every tiling whose workspace finds a place.
  void Finish(Doing* doing) {
    const PlanNode& node = Node();
    for (size_t k = 0; k < node.tilings.size(); ++k) {
      PlanStep step{node.node, node.unit, k, 0, 0};
      if (!PlaceWorkspace(*doing, &step)) continue;
      const double value = value_ + Cost(*doing, node.tilings[k]);
      if (value + rest_[step_ + 1] > limit_ * (1 + 1e-9)) continue;
      const auto [it, is_new] = frontier_.emplace(doing->after, value);
      if (!is_new && it->second <= value) continue;
      it->second = value;
      layers_[step_][doing->after] = {value, *before_, *doing, step};
    }
  }

  std::optional<int8_t> PadOf(const Doing& doing, ValueId tensor) const {
    for (const Block& block : doing.blocks) {
      if (block.tensor == tensor.value()) return block.pad;
    }
    return std::nullopt;
  }

  bool PlaceWorkspace(const Doing& doing, PlanStep* step) const {
    const PlanNode& node = Node();
    int64_t bytes = 0;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (PadOf(doing, node.operands[i].tensor)) continue;
      bytes += node.tilings[step->tiling].operands[i].workspace_bytes;
    }
    if (bytes == 0) return true;
    const auto pad = static_cast<int8_t>(problem_.workspace_pad[node.unit].value());
    const int64_t unit = machine_.pads[Id(pad)].alignment_bytes;
    const int64_t units = Units(pad, bytes);
    for (int64_t at = 0; at + units <= Capacity(pad); ++at) {
      const bool free = std::none_of(doing.blocks.begin(), doing.blocks.end(), [&](const Block& b) {
        return b.pad == pad && b.at < at + units && at < b.at + b.units;
      });
      if (!free) continue;
      step->workspace_address = at * unit;
      step->workspace_bytes = units * unit;
      return true;
    }
    return false;
  }

  double Cost(const Doing& doing, const Tiling& tiling) const {
    double offchip = 0, dma = 0, energy = 0;
    std::vector<double> pads(machine_.pads.size(), 0);
    for (size_t i = 0; i < Node().operands.size(); ++i) {
      const auto pad = PadOf(doing, Node().operands[i].tensor);
      (pad ? pads[static_cast<size_t>(*pad)] : offchip) +=
          static_cast<double>(tiling.operands[i].bytes);
    }
    const double infinity = std::numeric_limits<double>::infinity();
    for (const Transfer& t : doing.transfers) {
      const auto bytes = static_cast<double>(t.bytes);
      double rate = infinity;
      for (const auto& end : {t.from, t.to}) {
        if (end) pads[end->value()] += bytes;
        const auto& speed =
            end ? machine_.pads[*end].bytes_per_second : machine_.offchip.bytes_per_second;
        rate = std::min(rate, speed.value_or(infinity));
      }
      if (t.kind != TransferKind::kMove) offchip += bytes;
      if (t.kind == TransferKind::kMove || t.kind == TransferKind::kPrefetch) dma += bytes / rate;
    }
    double seconds =
        std::max(tiling.compute_seconds, dma / static_cast<double>(machine_.dma.engines));
    seconds = std::max(seconds, offchip / machine_.offchip.bytes_per_second.value_or(infinity));
    energy += offchip * machine_.offchip.pj_per_byte;
    for (PadId p : Ids(machine_.pads)) {
      const double bytes = pads[p.value()];
      seconds = std::max(seconds, bytes / machine_.pads[p].bytes_per_second.value_or(infinity));
      energy += bytes * machine_.pads[p].pj_per_byte;
    }
    if (objective_ == PlanObjective::kLatency) return seconds;
    return objective_ == PlanObjective::kBytes ? offchip : energy;
  }

  Plan Trace(State state) const {
    Plan plan;
    plan.steps.resize(order_.size());
    std::vector<std::pair<size_t, Block>> blocks;
    for (size_t s = order_.size(); s-- > 0;) {
      const Reached& reached = layers_[s].at(state);
      plan.steps[s] = reached.step;
      for (const Block& b : reached.doing.blocks) blocks.emplace_back(s, b);
      for (const Transfer& t : reached.doing.transfers) plan.transfers.push_back(t);
      AddStreamed(s, reached, &plan);
      state = reached.before;
    }
    AddStays(blocks, &plan);
    std::sort(plan.transfers.begin(), plan.transfers.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.step, a.tensor, a.kind) < std::tuple(b.step, b.tensor, b.kind);
    });
    return plan;
  }

  void AddStreamed(size_t s, const Reached& reached, Plan* plan) const {
    const PlanNode& node = problem_.nodes[order_[s]];
    const Tiling& tiling = node.tilings[reached.step.tiling];
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const Operand& o = node.operands[i];
      if (PadOf(reached.doing, o.tensor)) continue;
      const auto kind = o.written ? TransferKind::kWriteBack : TransferKind::kFetch;
      plan->transfers.push_back(
          {o.tensor, kind, {}, {}, tiling.operands[i].bytes, static_cast<int64_t>(s)});
    }
  }

  // Joins the steps of a tensor at one address, but where a fetch or the like begins anew.
  void AddStays(std::vector<std::pair<size_t, Block>> blocks, Plan* plan) const {
    std::reverse(blocks.begin(), blocks.end());
    for (const auto& [s, block] : blocks) {
      const Scratchpad& pad = machine_.pads[Id(block.pad)];
      const auto step = static_cast<int64_t>(s);
      const ValueId tensor(block.tensor);
      const Stay stay{
          tensor, Id(block.pad), block.at * pad.alignment_bytes, block.units * pad.alignment_bytes,
          step,   step + 1};
      const bool begins =
          std::any_of(plan->transfers.begin(), plan->transfers.end(), [&](const Transfer& t) {
            return t.tensor == tensor && t.step == step && t.to == stay.pad;
          });
      const auto open = std::find_if(plan->stays.begin(), plan->stays.end(), [&](const Stay& o) {
        return o.tensor == tensor && o.pad == stay.pad && o.address == stay.address &&
               o.to == stay.from;
      });
      if (begins || open == plan->stays.end()) {
        plan->stays.push_back(stay);
      } else {
        open->to = stay.to;
      }
    }
    std::sort(plan->stays.begin(), plan->stays.end(), [](const Stay& a, const Stay& b) {
      return std::pair(a.tensor, a.from) < std::pair(b.tensor, b.from);
    });
  }

  const PlanProblem& problem_;
  const Machine& machine_;
  const std::vector<size_t>& order_;
  PlanObjective objective_;
  std::vector<std::vector<size_t>> uses_;         // by tensor, the steps, ascending
  std::map<State, double> frontier_;              // after the step
  std::vector<std::map<State, Reached>> layers_;  // by step, how each state was reached best
  size_t step_ = 0;
  const State* before_ = nullptr;
  double value_ = 0;
  bool copies_ahead_ = true;  // prefetches and moves
  double limit_ = 0;          // no best plan costs more
  std::vector<double> rest_;  // by step: the least that it and those after it cost
};

}  // namespace

std::optional<BestPlanAnswer> BestPlan(const PlanProblem& problem, const std::vector<size_t>& order,
                                       PlanObjective objective) {
  return Table(problem, order, objective).Solve();
}

}  // namespace inlay::testing

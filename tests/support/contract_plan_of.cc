// A plan of what is done step by step, with addresses.
#include <algorithm>
#include <tuple>
#include <utility>

#include "inlay/base/check.h"
#include "tests/support/contract_plans.h"

namespace inlay::testing {
namespace {

// Lowest addresses of blocks placed one on top of the others, in every order: where blocks fit at
// all they fit so, each resting on the ground or on one that is there at the same time.
struct Stack {
  const std::vector<std::array<int64_t, 3>>& blocks;  // size, from, to
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

}  // namespace

class ContractPlans::Writer {
 public:
  Writer(const ContractPlans& all, State start)
      : all_(all), problem_(all.problem_), open_(all.tensors_) {
    for (size_t t = 0; t < all.tensors_; ++t) {
      const Lie lie = all.LieOf(start, t);
      if (lie.staying) Begin(t, lie.pad - 1U, 0, std::nullopt);
    }
  }

  void AddStep(size_t step, const Move& move) {
    const PlanNode& node = problem_.nodes[step];
    plan_.steps.push_back({node.node, node.unit, move.tiling, 0, move.workspace});
    if (move.workspace > 0) {
      blocks_[problem_.workspace_pad[node.unit].value()].push_back(
          {move.workspace, step, step + 1, {}});
    }
    // What is overwritten first: what takes its place needs its residency.
    std::optional<size_t> place;
    if (move.replaced) {
      Do(step, move, *move.replaced, std::nullopt);
      place = std::exchange(open_[*move.replaced], std::nullopt);
    }
    const auto taker = std::find_if(node.operands.begin(), node.operands.end(),
                                    [](const Operand& o) { return o.written; });
    for (size_t t = 0; t < all_.tensors_; ++t) {
      if (move.replaced != t) Do(step, move, t, taker->tensor.value() == t ? place : std::nullopt);
    }
  }

  // What has to have addresses in a pad.
  Placing PlacingIn(size_t pad) const {
    Placing placing;
    for (const Block& block : blocks_[pad]) {
      placing.push_back(
          {block.bytes, static_cast<int64_t>(block.from), static_cast<int64_t>(block.to)});
    }
    return placing;
  }
  void SetAddresses(size_t pad, const std::vector<int64_t>& addresses) {
    for (size_t i = 0; i < addresses.size(); ++i) {
      const Block& block = blocks_[pad][i];
      for (const size_t residency : block.residencies)
        plan_.residencies[residency].address = addresses[i];
      if (block.residencies.empty()) plan_.steps[block.from].workspace_address = addresses[i];
    }
  }

  Plan Take() {
    std::sort(plan_.residencies.begin(), plan_.residencies.end(),
              [](const Residency& a, const Residency& b) {
                return std::tie(a.tensor, a.from) < std::tie(b.tensor, b.from);
              });
    std::sort(plan_.transfers.begin(), plan_.transfers.end(),
              [](const Transfer& a, const Transfer& b) {
                return std::tie(a.step, a.tensor, a.kind) < std::tie(b.step, b.tensor, b.kind);
              });
    return std::move(plan_);
  }

 private:
  // Of a pad, during some steps: a residency, or several in place, or a workspace.
  struct Block {
    int64_t bytes = 0;
    size_t from = 0, to = 0;
    std::vector<size_t> residencies;  // of the plan; none: the workspace of step `from`
  };

  void Begin(size_t t, size_t pad, size_t step, std::optional<size_t> place_of) {
    const int64_t bytes =
        AlignedBytes(problem_.machine.pads[PadId(pad)], problem_.tensors[ValueId(t)].bytes);
    if (place_of) {
      block_of_.push_back(block_of_[*place_of]);
    } else {
      block_of_.emplace_back(pad, blocks_[pad].size());
      blocks_[pad].push_back({bytes, step, step, {}});
    }
    blocks_[block_of_.back().first][block_of_.back().second].residencies.push_back(
        plan_.residencies.size());
    open_[t] = plan_.residencies.size();
    plan_.residencies.push_back({ValueId(t), PadId(pad), 0, bytes, static_cast<int64_t>(step), 0});
  }
  void Extend(size_t residency, size_t step) {
    plan_.residencies[residency].to = static_cast<int64_t>(step) + 1;
    blocks_[block_of_[residency].first][block_of_[residency].second].to = step + 1;
  }
  void Copy(size_t step, size_t t, TransferKind kind, std::optional<size_t> from,
            std::optional<size_t> to, int64_t bytes) {
    Transfer transfer{ValueId(t), kind, {}, {}, bytes, static_cast<int64_t>(step)};
    if (from) transfer.from = PadId(*from);
    if (to) transfer.to = PadId(*to);
    plan_.transfers.push_back(transfer);
  }

  // What the tiling reads or writes of an operand.
  int64_t TrafficOf(size_t step, const Move& move, size_t t) const {
    const auto operand = static_cast<size_t>(all_.operand_[step][t]);
    return problem_.nodes[step].tilings[move.tiling].operands[operand].bytes;
  }

  // `place`: the residency whose place it takes.
  void Do(size_t step, const Move& move, size_t t, std::optional<size_t> place) {
    const Deed& deed = move.deeds[t];
    const int64_t size = problem_.tensors[ValueId(t)].bytes;
    const size_t pad = deed.pad - 1U;
    std::optional<size_t> leaves;
    if (open_[t]) leaves = plan_.residencies[*open_[t]].pad.value();
    switch (deed.act) {
      case Act::kNone:
        open_[t] = std::nullopt;
        break;
      case Act::kStream:
        open_[t] = std::nullopt;
        Copy(step, t, TransferKind::kFetch, {}, {}, TrafficOf(step, move, t));
        break;
      case Act::kWriteOff:
        Copy(step, t, TransferKind::kWriteBack, {}, {}, TrafficOf(step, move, t));
        break;
      case Act::kKeep:
        INLAY_CHECK(leaves == pad);
        break;
      case Act::kMove:
        Extend(*open_[t], step);
        Begin(t, pad, step, std::nullopt);
        Copy(step, t, TransferKind::kMove, leaves, pad, size);
        break;
      case Act::kFetch:
      case Act::kPrefetch:
        Begin(t, pad, step, std::nullopt);
        Copy(step, t, deed.act == Act::kFetch ? TransferKind::kFetch : TransferKind::kPrefetch, {},
             pad, size);
        break;
      case Act::kWritePad:
        Begin(t, pad, step, place);
        leaves = pad;
        break;
    }
    if (open_[t]) Extend(*open_[t], step);
    if (deed.write_back) Copy(step, t, TransferKind::kWriteBack, leaves, {}, size);
  }

  const ContractPlans& all_;
  const PlanProblem& problem_;
  Plan plan_;
  std::array<std::vector<Block>, kMostPads> blocks_;
  std::vector<std::optional<size_t>> open_;          // the residency that the tensor lies in
  std::vector<std::pair<size_t, size_t>> block_of_;  // by residency: pad and block
};

// The plan of the first path.size() steps, or none where it has no addresses.
std::optional<Plan> ContractPlans::PlanOf(State start, const std::vector<Move>& path) {
  Writer writer(*this, start);
  for (size_t step = 0; step < path.size(); ++step) writer.AddStep(step, path[step]);
  for (size_t p = 0; p < pads_; ++p) {
    const auto& addresses = AddressesOf(p, writer.PlacingIn(p));
    if (!addresses) return std::nullopt;
    writer.SetAddresses(p, *addresses);
  }
  return writer.Take();
}

const std::optional<std::vector<int64_t>>& ContractPlans::AddressesOf(size_t pad,
                                                                      const Placing& placing) {
  const auto [at, fresh] = addresses_[pad].emplace(placing, std::nullopt);
  if (fresh) {
    Stack stack{at->first, problem_.machine.pads[PadId(pad)].bytes,
                std::vector<int64_t>(placing.size(), -1)};
    if (stack.Place(0, 0)) at->second = std::move(stack.at);
  }
  return at->second;
}

}  // namespace inlay::testing

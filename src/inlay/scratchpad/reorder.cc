#include "inlay/scratchpad/reorder.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/rng.h"
#include "inlay/scratchpad/reassign_all.h"
#include "inlay/scratchpad/strategies/none.h"

namespace inlay {
namespace {

// Quick plans of moved nodes, in all: so many for each node, but not more than the other.
constexpr int64_t kMovesOfANode = 4;
constexpr int64_t kMostMoves = 400;

// Runs the nodes one by one and knows which can be next.
class ReadyList {
 public:
  ReadyList(const PlanProblem& problem, const std::vector<std::vector<size_t>>& needs)
      : problem_(problem), missing_(needs.size()), followers_(needs.size()) {
    for (size_t n = 0; n < needs.size(); ++n) {
      missing_[n] = needs[n].size();
      for (const size_t need : needs[n]) followers_[need].push_back(n);
      if (needs[n].empty()) ready_.push_back(n);
    }
    readers_left_.resize(problem.tensors.size());
    written_at_.resize(problem.tensors.size());
    for (const PlanNode& node : problem.nodes) {
      for (const Operand& operand : node.operands) {
        if (!operand.written) ++readers_left_[operand.tensor];
      }
    }
  }

  const std::vector<size_t>& ready() const { return ready_; }
  const std::vector<size_t>& order() const { return order_; }

  void Run(size_t node) {
    ready_.erase(std::find(ready_.begin(), ready_.end(), node));
    order_.push_back(node);
    for (const Operand& operand : problem_.nodes[node].operands) {
      if (operand.written) {
        written_at_[operand.tensor] = static_cast<int64_t>(order_.size());
      } else {
        --readers_left_[operand.tensor];
      }
    }
    for (const size_t follower : followers_[node]) {
      if (--missing_[follower] == 0) {
        ready_.insert(std::lower_bound(ready_.begin(), ready_.end(), follower), follower);
      }
    }
  }

  // When the last of what the node reads was written; 0: nothing was.
  int64_t LastWritten(size_t node) const {
    int64_t last = 0;
    for (const Operand& operand : problem_.nodes[node].operands) {
      if (!operand.written) last = std::max(last, written_at_[operand.tensor]);
    }
    return last;
  }
  // Bytes of activations that are not needed after the node, less those it writes.
  int64_t Frees(size_t node) const {
    int64_t bytes = 0;
    for (const Operand& operand : problem_.nodes[node].operands) {
      const PlanTensor& tensor = problem_.tensors[operand.tensor];
      if (operand.written) {
        bytes -= tensor.bytes;
      } else if (tensor.produced && readers_left_[operand.tensor] == 1) {
        bytes += tensor.bytes;
      }
    }
    return bytes;
  }

 private:
  const PlanProblem& problem_;
  std::vector<size_t> missing_;  // by node: how many of those it needs have not run
  std::vector<std::vector<size_t>> followers_;
  std::vector<size_t> ready_;  // ascending
  std::vector<size_t> order_;
  IndexedVector<ValueId, int64_t> readers_left_;
  IndexedVector<ValueId, int64_t> written_at_;  // 0: not by a node, or not yet
};

// The rule says which of the ready nodes is next: the highest, of equals the first.
using Rule = std::function<std::pair<int64_t, int64_t>(const ReadyList& list, size_t node)>;

std::vector<size_t> OrderByRule(const PlanProblem& problem,
                                const std::vector<std::vector<size_t>>& needs, const Rule& rule) {
  ReadyList list(problem, needs);
  while (!list.ready().empty()) {
    size_t next = list.ready().front();
    for (const size_t node : list.ready()) {
      if (rule(list, node) > rule(list, next)) next = node;
    }
    list.Run(next);
  }
  INLAY_CHECK(list.order().size() == problem.nodes.size());
  return list.order();
}

double QuickCost(const PlanProblem& problem, PlanObjective objective,
                 const std::vector<size_t>& order, const Deadline& deadline) {
  const tl::expected<Choices, Faults> alone = PlanNone(problem, objective, order);
  if (!alone) return IncrementalCost::kInfinite;
  IncrementalCost costs(problem, objective, *alone);
  TensorReassigner reassigner(&costs);
  const double highest = HighestPrice(costs);
  ReassignByFallingPrice(TensorsToAssign(costs), {highest, highest * 0.01, 0.3}, &costs,
                         &reassigner, &deadline);
  return costs.Cost();
}

// Moves the node at a random place to another one that its neighbours in the graph allow; none
// where it cannot move.
std::optional<std::vector<size_t>> Moved(const std::vector<std::vector<size_t>>& needs,
                                         std::vector<size_t> order, Rng* random) {
  const size_t from = UniformBelow(*random, order.size());
  const size_t node = order[from];
  size_t first = from;
  while (first > 0 &&
         !std::binary_search(needs[node].begin(), needs[node].end(), order[first - 1])) {
    --first;
  }
  size_t last = from;
  while (last + 1 < order.size() &&
         !std::binary_search(needs[order[last + 1]].begin(), needs[order[last + 1]].end(), node)) {
    ++last;
  }
  if (first == last) return std::nullopt;
  size_t to = first + UniformBelow(*random, last - first);
  if (to >= from) ++to;
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), node);
  return order;
}

}  // namespace

std::vector<std::vector<size_t>> NeedsOf(const PlanProblem& problem) {
  IndexedVector<ValueId, std::optional<size_t>> writer(problem.tensors.size());
  for (size_t n = 0; n < problem.nodes.size(); ++n) {
    for (const Operand& operand : problem.nodes[n].operands) {
      if (operand.written) writer[operand.tensor] = n;
    }
  }
  std::vector<std::vector<size_t>> needs(problem.nodes.size());
  for (size_t n = 0; n < needs.size(); ++n) {
    for (const Operand& operand : problem.nodes[n].operands) {
      if (!operand.written && writer[operand.tensor]) needs[n].push_back(*writer[operand.tensor]);
    }
    std::sort(needs[n].begin(), needs[n].end());
    needs[n].erase(std::unique(needs[n].begin(), needs[n].end()), needs[n].end());
  }
  return needs;
}

std::vector<size_t> ChooseOrder(const PlanProblem& problem, PlanObjective objective, uint64_t seed,
                                const Deadline& deadline) {
  const std::vector<std::vector<size_t>> needs = NeedsOf(problem);
  std::vector<size_t> best(problem.nodes.size());
  std::iota(best.begin(), best.end(), size_t{0});
  double least = QuickCost(problem, objective, best, deadline);
  const auto offer = [&](std::vector<size_t> order) {
    const double cost = QuickCost(problem, objective, order, deadline);
    // A cost that the deadline cut short is that of a plan all the same.
    if (cost >= least) return;
    least = cost;
    best = std::move(order);
  };
  const Rule rules[] = {
      [](const ReadyList& list, size_t n) {
        return std::pair{list.LastWritten(n), list.Frees(n)};
      },
      [](const ReadyList& list, size_t n) {
        return std::pair{list.Frees(n), list.LastWritten(n)};
      },
      [](const ReadyList& list, size_t n) {
        return std::pair{-list.LastWritten(n), list.Frees(n)};
      },
  };
  for (const Rule& rule : rules) {
    if (!deadline.Passed()) offer(OrderByRule(problem, needs, rule));
  }
  Rng random(seed);
  const int64_t moves =
      std::min(kMostMoves, kMovesOfANode * static_cast<int64_t>(problem.nodes.size()));
  for (int64_t i = 0; i < moves && !deadline.Passed(); ++i) {
    if (auto moved = Moved(needs, best, &random)) offer(std::move(*moved));
  }
  return best;
}

}  // namespace inlay

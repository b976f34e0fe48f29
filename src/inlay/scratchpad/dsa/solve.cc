#include <algorithm>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/scratchpad/dsa/best_fit.h"
#include "inlay/scratchpad/dsa/dsa.h"
#include "inlay/scratchpad/dsa/first_fit.h"
#include "inlay/scratchpad/dsa/instance.h"
#include "inlay/scratchpad/dsa/portfolio.h"

namespace inlay::dsa {
namespace {

// Larger than every capacity that is asked for: buffers side by side end below it.
constexpr int64_t kUnlimited = int64_t{1} << 62;

// Pairs of buffers that live together; the search keeps a list of them. Larger parts are left to
// first-fit in many orders.
constexpr int64_t kMostPairs = 5'000'000;
constexpr size_t kMostItems = 4000;  // of a part: the search is as deep

bool TooLarge(const Instance& part) {
  return part.items.size() > kMostItems || part.pairs > kMostPairs;
}

// What every placement needs: the peak load, and the ends of fixed buffers.
int64_t SimpleBound(const std::vector<Buffer>& buffers) {
  int64_t bound = FindPeakLoad(buffers).bytes;
  for (const Buffer& b : buffers) {
    if (TakesRoom(b)) bound = std::max(bound, b.fixed.value_or(0) + b.size);
  }
  return bound;
}

// Whether buffers with fixed addresses overlap each other, whatever the capacity.
bool FixedCollide(const std::vector<Buffer>& buffers) {
  Problem fixed{{}, kUnlimited};
  for (const Buffer& b : buffers) {
    if (b.fixed) fixed.buffers.push_back(b);
  }
  return FirstFitBelow(fixed, {}, kUnlimited).status != Status::kPlaced;
}

// The buffers of a part, as a problem of their own.
Problem ProblemOf(const Problem& problem, const Instance& part) {
  Problem own{{}, problem.capacity};
  for (const Item& item : part.items) own.buffers.push_back(problem.buffers[item.buffer]);
  return own;
}

// Part by part, those that are too large for the search last: they may take all the time that is
// left, and the others may prove that nothing fits.
Solution SearchParts(const Problem& problem, const Options& options, const Deadline& deadline) {
  DeadlineWatch watch(deadline);
  Solution solution;
  solution.offsets.assign(problem.buffers.size(), 0);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    solution.offsets[i] = problem.buffers[i].fixed.value_or(0);
  }
  solution.status = Status::kPlaced;
  std::vector<Instance> parts = Reduce(problem, options.split);
  std::stable_partition(parts.begin(), parts.end(),
                        [](const Instance& part) { return !TooLarge(part); });
  for (const Instance& part : parts) {
    PartAnswer answer;
    if (TooLarge(part)) {
      solution.too_large = std::max(solution.too_large, part.items.size());
      const Solution found = SearchOrders(ProblemOf(problem, part), options, problem.capacity);
      for (size_t i = 0; i < found.offsets.size(); ++i) {
        solution.offsets[part.items[ItemId(i)].buffer] = found.offsets[i];
      }
      if (found.status != Status::kPlaced) solution.status = Status::kUnknown;
      continue;
    }
    answer = SolvePart(part, options, options.node_limit - solution.nodes, &watch);
    solution.nodes += answer.nodes;
    if (answer.outcome == Search::Outcome::kInfeasible) {
      solution.status = Status::kInfeasible;
      solution.lower_bound = AlignUp(problem.capacity + 1, EndUnit(problem.buffers));
      break;
    }
    if (answer.outcome == Search::Outcome::kCut) {
      solution.status = Status::kUnknown;
      continue;
    }
    for (const ItemId i : Ids(part.items)) {
      solution.offsets[part.items[i].buffer] = answer.starts[i.value()] * part.unit;
    }
  }
  if (solution.status != Status::kPlaced) solution.offsets.clear();
  return solution;
}

}  // namespace

Solution Solve(const Problem& problem, const Options& options) {
  const StopFlag never;
  const Deadline no_deadline(never);
  const Deadline& deadline = options.deadline != nullptr ? *options.deadline : no_deadline;
  int64_t bound = SimpleBound(problem.buffers);
  if (FixedCollide(problem.buffers)) bound = std::max(bound, problem.capacity + 1);
  if (bound > problem.capacity) {
    Solution infeasible;
    infeasible.status = Status::kInfeasible;
    infeasible.lower_bound = bound;
    return infeasible;
  }
  if (options.heuristics) {
    Solution solution = FirstFitBelow(problem, options, problem.capacity);
    solution.lower_bound = bound;
    if (solution.status == Status::kPlaced || deadline.Passed()) return solution;
  }
  Solution solution = SearchParts(problem, options, deadline);
  solution.lower_bound = std::max(solution.lower_bound, bound);
  if (solution.status == Status::kPlaced) {
    solution.height = HeightOf(problem.buffers, solution.offsets);
    INLAY_CHECK(solution.height <= problem.capacity);
  }
  return solution;
}

Solution Minimize(const std::vector<Buffer>& buffers, const Options& options) {
  // Of a capacity, in the first round; then four times more.
  const int64_t first_nodes = std::max<int64_t>(2000, 2 * static_cast<int64_t>(buffers.size()));
  const int64_t unit = EndUnit(buffers);  // between its multiples, capacities are equally good
  Options effort = options;
  effort.heuristics = false;
  Solution best = options.heuristics ? FirstFit({buffers, kUnlimited}, options) : Solution();
  best.lower_bound = SimpleBound(buffers);
  if (best.status != Status::kPlaced) {
    const int64_t bound = best.lower_bound;
    best = Solve({buffers, kUnlimited}, effort);
    best.lower_bound = bound;
    if (best.status != Status::kPlaced) return best;
  }
  const std::vector<Instance> parts = Reduce({buffers, best.height}, options.split);
  if (std::any_of(parts.begin(), parts.end(), TooLarge)) {
    if (best.lower_bound == best.height) return best;
    Solution better = SearchOrders({buffers, best.height - 1}, options, best.lower_bound);
    if (better.status != Status::kPlaced) return best;
    better.lower_bound = best.lower_bound;
    return better;
  }
  for (int64_t nodes = first_nodes; best.lower_bound < best.height; nodes *= 4) {
    effort.node_limit = std::min(nodes, options.node_limit);
    bool first = true;
    // `hope` is the least capacity that is not given up yet in this round. The lower bound comes
    // first, because it is often enough; then the middle.
    for (int64_t hope = best.lower_bound; hope < best.height;) {
      const int64_t capacity = first ? hope : hope + (best.height - 1 - hope) / 2;
      first = false;
      Solution next = Solve({buffers, capacity}, effort);
      best.nodes += next.nodes;
      best.lower_bound = std::max(best.lower_bound, next.lower_bound);
      if (next.status == Status::kPlaced) {
        best.offsets = std::move(next.offsets);
        best.height = next.height;
      } else {
        hope = std::max(AlignUp(capacity + 1, unit), best.lower_bound);
      }
      if (options.deadline != nullptr && options.deadline->Passed()) return best;
    }
    if (effort.node_limit >= options.node_limit) break;
  }
  return best;
}

PeakLoad FindPeakLoad(const std::vector<Buffer>& buffers) {
  std::vector<std::pair<int64_t, int64_t>> changes;  // time, by how much the load changes there
  changes.reserve(2 * buffers.size());
  for (const Buffer& b : buffers) {
    if (!TakesRoom(b)) continue;
    changes.emplace_back(b.lower, b.size);
    changes.emplace_back(b.upper, -b.size);
  }
  std::sort(changes.begin(), changes.end());
  PeakLoad peak;
  int64_t load = 0;
  for (size_t i = 0; i < changes.size();) {
    const int64_t time = changes[i].first;
    for (; i < changes.size() && changes[i].first == time; ++i) load += changes[i].second;
    if (load > peak.bytes) peak = {load, time, changes[i].first};
  }
  return peak;
}

}  // namespace inlay::dsa

#include "tests/support/all_orders.h"

#include <algorithm>

namespace inlay::testing {
namespace {

void AddOrders(const PlanProblem& problem, std::vector<size_t>* order,
               std::vector<std::vector<size_t>>* found) {
  if (order->size() == problem.nodes.size()) return found->push_back(*order);
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    if (std::find(order->begin(), order->end(), i) != order->end()) continue;
    const bool ready = std::all_of(
        problem.nodes[i].operands.begin(), problem.nodes[i].operands.end(), [&](const Operand& o) {
          if (o.written || !problem.tensors[o.tensor].produced) return true;
          return std::any_of(order->begin(), order->end(), [&](size_t j) {
            const auto& operands = problem.nodes[j].operands;
            return std::find(operands.begin(), operands.end(), Operand{o.tensor, true}) !=
                   operands.end();
          });
        });
    if (!ready) continue;
    order->push_back(i);
    AddOrders(problem, order, found);
    order->pop_back();
  }
}

}  // namespace

std::vector<std::vector<size_t>> AllOrders(const PlanProblem& problem) {
  std::vector<std::vector<size_t>> found;
  std::vector<size_t> order;
  AddOrders(problem, &order, &found);
  return found;
}

PlanProblem InOrder(const PlanProblem& problem, const std::vector<size_t>& order) {
  PlanProblem other = problem;
  for (size_t i = 0; i < order.size(); ++i) other.nodes[i] = problem.nodes[order[i]];
  return other;
}

}  // namespace inlay::testing

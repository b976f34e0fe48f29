#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "inlay/scratchpad/exact/cuts.h"

namespace inlay::exact {
namespace {

constexpr double kViolation = 0.01;
constexpr size_t kMostInCover = 64;

// One knapsack at one solution of the relaxation.
class CoverSeparator {
 public:
  CoverSeparator(const Knapsack& knapsack, const std::vector<double>& values)
      : items_(knapsack.items),
        // What the workspace takes at least.
        capacity_(knapsack.capacity - std::max(0.0, knapsack.workspace.constant)),
        coefficients_(items_.size(), 0) {
    for (const milp::Term& term : knapsack.workspace.terms) {
      if (term.coefficient < 0) capacity_ -= term.coefficient;
    }
    for (const Knapsack::Item& item : items_) {
      presence_.push_back(std::clamp(item.presence.At(values), 0.0, 1.0));
    }
  }

  // nullopt: none found that is violated.
  std::optional<milp::Row> Find() {
    std::vector<size_t> cover = FindCover();
    if (cover.size() < 2 || cover.size() > kMostInCover) return std::nullopt;
    limit_ = static_cast<int>(cover.size()) - 1;
    TakeOut(cover);
    double sum = 0;
    for (size_t i = 0; i < items_.size(); ++i) sum += coefficients_[i] * presence_[i];
    if (sum < limit_ + kViolation) return std::nullopt;
    Affine left;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (coefficients_[i] > 0) left.Add(items_[i].presence, coefficients_[i]);
    }
    left.Merge();
    return milp::Row{-milp::kInfinity, limit_ - left.constant, std::move(left.terms)};
  }

 private:
  // Items that overflow the pad, each of them needed for that; those that lie there most first.
  std::vector<size_t> FindCover() const {
    std::vector<size_t> order;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (presence_[i] > 1e-6) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return (1 - presence_[a]) * items_[b].bytes < (1 - presence_[b]) * items_[a].bytes;
    });
    double sum = 0;
    std::vector<size_t> cover;
    for (const size_t i : order) {
      if (sum > capacity_) break;
      sum += items_[i].bytes;
      cover.push_back(i);
    }
    if (sum <= capacity_) return {};
    std::stable_sort(cover.begin(), cover.end(),
                     [&](size_t a, size_t b) { return presence_[a] < presence_[b]; });
    std::vector<size_t> minimal;
    for (const size_t i : cover) {
      if (sum - items_[i].bytes > capacity_) {
        sum -= items_[i].bytes;
      } else {
        minimal.push_back(i);
      }
    }
    return minimal;
  }

  // Sequential lifting. least_[v]: the fewest bytes with which the left side reaches v.
  void TakeOut(const std::vector<size_t>& cover) {
    least_.assign(static_cast<size_t>(limit_) + 1, milp::kInfinity);
    least_[0] = 0;
    for (const size_t i : cover) Use(i, 1);
    std::vector<size_t> rest;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (coefficients_[i] == 0) rest.push_back(i);
    }
    std::stable_sort(rest.begin(), rest.end(), [&](size_t a, size_t b) {
      return presence_[a] != presence_[b] ? presence_[a] > presence_[b]
                                          : items_[a].bytes > items_[b].bytes;
    });
    for (const size_t i : rest) {
      int reached = limit_;
      while (reached >= 0 && least_[static_cast<size_t>(reached)] > capacity_ - items_[i].bytes) {
        --reached;
      }
      // reached < 0: the item does not fit at all, and is never there.
      if (reached < limit_) Use(i, limit_ - std::max(reached, 0));
    }
  }

  void Use(size_t item, int coefficient) {
    coefficients_[item] = coefficient;
    for (int v = limit_; v > 0; --v) {
      const int before = std::max(0, v - coefficient);
      least_[static_cast<size_t>(v)] = std::min(
          least_[static_cast<size_t>(v)], least_[static_cast<size_t>(before)] + items_[item].bytes);
    }
  }

  const std::vector<Knapsack::Item>& items_;
  double capacity_;
  std::vector<double> presence_;
  std::vector<int> coefficients_;
  int limit_ = 0;
  std::vector<double> least_;
};

}  // namespace

std::vector<milp::Row> CoverCuts(const Model& model, const std::vector<double>& values) {
  std::vector<milp::Row> rows;
  for (const Knapsack& knapsack : model.knapsacks) {
    if (auto row = CoverSeparator(knapsack, values).Find()) rows.push_back(std::move(*row));
  }
  return rows;
}

}  // namespace inlay::exact

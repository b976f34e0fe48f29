#include "inlay/codesign/column_subset.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1 + 1e-12;
constexpr int kWatchBits = 3;  // a step looks at every column

using Costs = std::vector<std::vector<double>>;

double SumOf(const std::vector<double>& costs) {
  return std::accumulate(costs.begin(), costs.end(), 0.0);
}

std::vector<double> LeastOf(std::vector<double> a, const std::vector<double>& b) {
  for (size_t r = 0; r < a.size(); ++r) a[r] = std::min(a[r], b[r]);
  return a;
}

// The columns that no other beats in every row, ascending; of equal ones the first. At the deadline
// the rest is kept unseen.
std::vector<size_t> Undominated(const Costs& costs, DeadlineWatch* watch) {
  std::vector<std::pair<double, size_t>> by_sum;
  for (size_t c = 0; c < costs.size(); ++c) by_sum.emplace_back(SumOf(costs[c]), c);
  std::sort(by_sum.begin(), by_sum.end());
  std::vector<size_t> kept;
  for (const auto& [sum, column] : by_sum) {
    const bool beaten =
        !watch->Passed() && std::any_of(kept.begin(), kept.end(), [&, c = column](size_t other) {
          return std::equal(costs[other].begin(), costs[other].end(), costs[c].begin(),
                            std::less_equal<>());
        });
    if (!beaten) kept.push_back(column);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

class SubsetSearch {
 public:
  SubsetSearch(const Costs& costs, size_t most, const Deadline& deadline)
      : costs_(costs), most_(most), watch_(deadline, kWatchBits) {
    columns_ = Undominated(costs, &watch_);
    suffix_.assign(columns_.size() + 1, std::vector<double>(costs.front().size(), kInfinity));
    for (size_t i = columns_.size(); i-- > 0;) suffix_[i] = LeastOf(suffix_[i + 1], CostsOf(i));
  }

  ColumnSubset Run() {
    AddOneByOne();
    open_ = SumOf(suffix_.front());
    Choose(0, std::vector<double>(costs_.front().size(), kInfinity));
    if (!stopped_) open_ = kInfinity;
    ColumnSubset subset;
    const std::vector<size_t>& found = best_ <= limit_ ? best_columns_ : greedy_;
    for (const size_t i : found) subset.columns.push_back(columns_[i]);
    std::sort(subset.columns.begin(), subset.columns.end());
    subset.sum = std::min(best_, limit_);
    subset.proven = !stopped_;
    subset.lower_bound = std::min(subset.sum, open_);
    return subset;
  }

 private:
  const std::vector<double>& CostsOf(size_t i) const { return costs_[columns_[i]]; }

  // A first answer: always the column that leaves the fewest rows unserved, then the least sum.
  void AddOneByOne() {
    std::vector<double> least(costs_.front().size(), kInfinity);
    const auto value = [](const std::vector<double>& of) {
      std::pair<size_t, double> unserved_sum = {0, 0.0};
      for (const double cost : of) {
        if (std::isfinite(cost))
          unserved_sum.second += cost;
        else
          ++unserved_sum.first;
      }
      return unserved_sum;
    };
    auto now = value(least);
    while (greedy_.size() < most_) {
      size_t chosen = columns_.size();
      for (size_t i = 0; i < columns_.size(); ++i) {
        const auto with = value(LeastOf(least, CostsOf(i)));
        const bool better =
            with.first < now.first || (with.first == now.first && with.second < now.second);
        if (!better) continue;
        now = with;
        chosen = i;
      }
      if (chosen == columns_.size()) break;
      greedy_.push_back(chosen);
      least = LeastOf(std::move(least), CostsOf(chosen));
    }
    limit_ = SumOf(least);
  }

  // What each of the columns from `first` on would save alone. By submodularity no k of them save
  // more than the k largest together.
  std::vector<double> SavingsFrom(size_t first, const std::vector<double>& least) const {
    std::vector<double> savings;
    for (size_t i = first; i < columns_.size(); ++i) {
      double saved = 0;
      for (size_t r = 0; r < least.size(); ++r) saved += std::max(0.0, least[r] - CostsOf(i)[r]);
      savings.push_back(saved);
    }
    return savings;
  }
  static double SumOfLargest(std::vector<double> values, size_t count) {
    count = std::min(count, values.size());
    std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count),
                      values.end(), std::greater<>());
    return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count),
                           0.0);
  }

  // The first answer is no better than what is looked for, but may be equal.
  bool Hopeless(double bound) const {
    return bound > limit_ * kRounding || bound * kRounding >= best_;
  }

  void Choose(size_t first, const std::vector<double>& least) {
    const double now = SumOf(least);
    if (now < best_) {
      best_ = now;
      best_columns_ = chosen_;
    }
    const size_t left = most_ - chosen_.size();
    if (left == 0 || first == columns_.size()) return;
    std::vector<double> savings;
    double others = 0;  // what all but one of the columns to come save at most
    if (std::isfinite(now)) {
      savings = SavingsFrom(first, least);
      if (Hopeless(now - SumOfLargest(savings, left))) return;
      others = SumOfLargest(savings, left - 1);
    }
    for (size_t i = first; i < columns_.size(); ++i) {
      const double bound = SumOf(LeastOf(least, suffix_[i]));
      if (Hopeless(bound)) return;  // nothing from here on helps
      if (chosen_.empty()) open_ = bound;
      stopped_ = stopped_ || watch_.Passed();
      if (stopped_) return;
      if (!savings.empty() && Hopeless(now - savings[i - first] - others)) continue;
      chosen_.push_back(i);
      Choose(i + 1, LeastOf(least, CostsOf(i)));
      chosen_.pop_back();
    }
  }

  const Costs& costs_;
  size_t most_;
  DeadlineWatch watch_;
  std::vector<size_t> columns_;              // what follows numbers these
  std::vector<std::vector<double>> suffix_;  // least of the columns from i on
  std::vector<size_t> chosen_, best_columns_, greedy_;
  double best_ = kInfinity, limit_ = kInfinity;  // of best_columns_, greedy_
  double open_ = 0;                              // what is not yet looked at has no less
  bool stopped_ = false;
};

}  // namespace

ColumnSubset BestColumnSubset(const std::vector<std::vector<double>>& costs, size_t most,
                              const Deadline& deadline) {
  return SubsetSearch(costs, most, deadline).Run();
}

}  // namespace inlay

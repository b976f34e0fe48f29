#pragma once

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "inlay/core/objective.h"

namespace inlay::thistle {

// What is minimised, as a function of the energy of the copies and operations (or the off-chip
// words) and of the steps. Every metric rises with both, so lower bounds of the two give lower
// bounds of all metrics.
class Goal {
 public:
  Goal(Objective objective, double pj_per_cycle)
      : objective_(std::move(objective)), pj_per_cycle_(pj_per_cycle) {}

  // Excludes mappings that are no better than these values, one per metric.
  void SetCutoff(std::vector<double> values) { best_ = std::move(values); }

  bool looks_at_steps() const {
    if (pj_per_cycle_ > 0) return true;
    for (const Metric metric : objective_) {
      if (metric == Metric::kDelay || metric == Metric::kEdp) return true;
    }
    return false;
  }

  double Value(Metric metric, double pj, double steps) const {
    const double energy = pj + pj_per_cycle_ * steps;
    if (metric == Metric::kDelay) return steps;
    return metric == Metric::kEdp ? energy * steps : energy;
  }
  double First(double pj, double steps) const { return Value(objective_[0], pj, steps); }

  bool has_incumbent() const { return !best_.empty(); }
  double incumbent() const { return best_.front(); }

  // Can nothing of at least this energy and these steps beat the incumbent? Values that differ by
  // rounding only are equal.
  bool IsHopeless(double pj, double steps) const {
    if (best_.empty()) return false;
    for (size_t i = 0; i < objective_.size(); ++i) {
      const double value = Value(objective_[i], pj, steps), best = best_[i];
      const double tolerance = 1e-12 * std::abs(best);
      if (value > best + tolerance) return true;
      if (value < best - tolerance) return false;
    }
    return true;
  }

  // With at least this energy, more steps than this are hopeless.
  double MostSteps(double pj) const {
    constexpr double kRoom = 1 + 1e-9;
    if (best_.empty() || pj <= 0) return std::numeric_limits<double>::infinity();
    if (objective_[0] == Metric::kDelay) return kRoom * incumbent();
    if (objective_[0] == Metric::kEdp) return kRoom * incumbent() / pj;
    if (objective_[0] == Metric::kEnergy && pj_per_cycle_ > 0) {
      return (kRoom * incumbent() - pj) / pj_per_cycle_;
    }
    return std::numeric_limits<double>::infinity();
  }

  void SetIncumbent(double pj, double steps) {
    best_.clear();
    for (const Metric metric : objective_) best_.push_back(Value(metric, pj, steps));
  }

 private:
  Objective objective_;
  double pj_per_cycle_ = 0;
  std::vector<double> best_;  // of the incumbent, one value per metric; or the cut-off
};

}  // namespace inlay::thistle

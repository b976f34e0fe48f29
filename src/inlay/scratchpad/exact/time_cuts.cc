#include <algorithm>
#include <utility>

#include "inlay/scratchpad/exact/cuts.h"

namespace inlay::exact {
namespace {

constexpr double kViolation = 1e-3;  // in units of the program

struct Alternative {
  double seconds = 0;
  double weight = 0;  // in the relaxation
};
struct Group {
  size_t index = 0;    // in TimeGroups
  double longest = 0;  // of all alternatives
  double weight = 0;   // of all alternatives
  std::vector<Alternative> alternatives;
};

// Looks for the set of groups whose cut says most at one solution of the relaxation.
//
// For a set S of groups, A the sum of their longest alternatives, c the least time of the step:
//   A > c, λ = A − c:  L ≥ A − Σ_S min(λ, longest − chosen) + Σ_rest (chosen − Σ_S (longest − λ)⁺)⁺
//   A ≤ c, σ = c − A:  L ≥ σ + Σ_S chosen + Σ_rest (chosen − σ)⁺
// `chosen` is 0 or the seconds of the one alternative that is; everything is linear in those.
class TimeSeparator {
 public:
  TimeSeparator(const TimeGroups& time, double least_seconds, const std::vector<double>& values)
      : time_(time), least_(least_seconds) {
    for (size_t g = 0; g < time.groups.size(); ++g) {
      Group group{g, 0, 0, {}};
      double expected = 0;
      for (const TimeGroups::Alternative& way : time.groups[g]) {
        const double weight = std::clamp(way.when.At(values), 0.0, 1.0);
        group.longest = std::max(group.longest, way.seconds);
        group.weight += weight;
        group.alternatives.push_back({way.seconds, weight});
        expected += weight * way.seconds;
      }
      if (expected > 1e-9 * group.longest) groups_.push_back(std::move(group));
    }
  }

  // What the cut of the best set says; the set is left in `taken`.
  double Find(std::vector<bool>* taken) const {
    double best = 0;
    for (const double share : {0.0, 0.5, 2.0}) {
      std::vector<bool> set;
      for (const Group& group : groups_) set.push_back(group.weight > share);
      const double found = Climb(&set);
      if (taken->size() == groups_.size() && found <= best) continue;
      best = found;
      *taken = std::move(set);
    }
    return best;
  }

  // The seconds that the step takes at least.
  Affine Cut(const std::vector<bool>& taken) const {
    const Shape shape = ShapeOf(taken);
    std::vector<bool> inside(time_.groups.size(), false);
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (taken[g]) inside[groups_[g].index] = true;
    }
    Affine seconds;
    seconds.constant = shape.constant;
    for (size_t g = 0; g < time_.groups.size(); ++g) {
      double longest = 0;
      for (const auto& way : time_.groups[g]) longest = std::max(longest, way.seconds);
      for (const auto& way : time_.groups[g]) {
        const double adds = inside[g]
                                ? shape.Inside(longest, way.seconds) - shape.Inside(longest, 0)
                                : shape.Outside(way.seconds);
        if (adds > 0) seconds.Add(way.when, adds);
      }
      if (inside[g]) seconds.constant += shape.Inside(longest, 0);
    }
    return seconds;
  }

 private:
  struct Shape {
    double constant = 0;  // A, or σ
    double over = 0;      // λ; not positive: −σ
    double discount = 0;  // of those outside the set
    double Inside(double longest, double chosen) const {
      return over > 0 ? -std::min(over, longest - chosen) : chosen;
    }
    double Outside(double chosen) const { return std::max(0.0, chosen - discount); }
  };

  Shape ShapeOf(const std::vector<bool>& taken) const {
    double total = 0;
    for (size_t g = 0; g < groups_.size(); ++g) total += taken[g] ? groups_[g].longest : 0;
    Shape shape;
    shape.over = total - least_;
    shape.constant = shape.over > 0 ? total : -shape.over;
    shape.discount = shape.over > 0 ? 0 : -shape.over;
    for (size_t g = 0; g < groups_.size() && shape.over > 0; ++g) {
      if (taken[g]) shape.discount += std::max(0.0, groups_[g].longest - shape.over);
    }
    return shape;
  }

  double RightSide(const std::vector<bool>& taken) const {
    const Shape shape = ShapeOf(taken);
    double sum = shape.constant;
    for (size_t g = 0; g < groups_.size(); ++g) {
      const Group& group = groups_[g];
      if (taken[g]) sum += shape.Inside(group.longest, 0) * (1 - group.weight);
      for (const Alternative& way : group.alternatives) {
        sum += way.weight *
               (taken[g] ? shape.Inside(group.longest, way.seconds) : shape.Outside(way.seconds));
      }
    }
    return sum;
  }

  double Climb(std::vector<bool>* taken) const {
    double best = RightSide(*taken);
    for (bool better = true; better;) {
      better = false;
      for (size_t g = 0; g < groups_.size(); ++g) {
        (*taken)[g] = !(*taken)[g];
        const double other = RightSide(*taken);
        if (other > best * (1 + 1e-9)) {
          best = other;
          better = true;
        } else {
          (*taken)[g] = !(*taken)[g];
        }
      }
    }
    return best;
  }

  const TimeGroups& time_;
  double least_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<milp::Row> TimeCuts(const Model& model, const std::vector<double>& values) {
  std::vector<milp::Row> rows;
  for (const TimeGroups& time : model.time_groups) {
    const StepColumns& step = model.steps[static_cast<size_t>(time.step)];
    const TimeSeparator separator(time, step.least_seconds, values);
    std::vector<bool> taken;
    const double least = separator.Find(&taken) / model.unit;
    if (least < values[static_cast<size_t>(step.time)] + kViolation) continue;
    Affine row;
    row.Add(separator.Cut(taken), -1 / model.unit);
    row.Add(step.time, 1);
    row.Merge();
    rows.push_back({-row.constant, milp::kInfinity, std::move(row.terms)});
  }
  return rows;
}

}  // namespace inlay::exact

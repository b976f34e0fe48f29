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

// Looks for the groups whose cut says most at one solution of the relaxation.
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
      if (expected > 0) groups_.push_back(std::move(group));
    }
  }

  // What the cut of the best set says; the set is left in `taken`.
  double Find(std::vector<bool>* taken) const {
    taken->assign(groups_.size(), true);
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

  // The seconds that the step takes at least.
  Affine Cut(const std::vector<bool>& taken) const {
    double total = 0;
    for (size_t g = 0; g < groups_.size(); ++g) total += taken[g] ? groups_[g].longest : 0;
    const double over = total - least_;
    Affine seconds;
    seconds.constant = total;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!taken[g]) continue;
      const double longest = groups_[g].longest;
      seconds.constant -= std::min(longest, over);
      for (const TimeGroups::Alternative& way : time_.groups[groups_[g].index]) {
        seconds.Add(way.when,
                    std::min(longest, over) - std::min(std::max(0.0, longest - way.seconds), over));
      }
    }
    return seconds;
  }

 private:
  double RightSide(const std::vector<bool>& taken) const {
    double total = 0;
    for (size_t g = 0; g < groups_.size(); ++g) total += taken[g] ? groups_[g].longest : 0;
    const double over = total - least_;
    if (over <= 0) return 0;
    double saved = 0;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!taken[g]) continue;
      const Group& group = groups_[g];
      saved += std::min(group.longest, over) * (1 - group.weight);
      for (const Alternative& way : group.alternatives) {
        saved += std::min(std::max(0.0, group.longest - way.seconds), over) * way.weight;
      }
    }
    return total - saved;
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

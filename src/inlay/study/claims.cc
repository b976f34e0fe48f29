#include "inlay/study/claims.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "inlay/study/figure.h"

namespace inlay::study {
namespace {

bool Has(const StudyFilter& filter, const std::string& axis) {
  return std::any_of(filter.begin(), filter.end(),
                     [&](const auto& setting) { return setting.first == axis; });
}

bool Matches(const StudyPoint& point, const StudyFilter& filter) {
  return std::all_of(filter.begin(), filter.end(), [&](const auto& setting) {
    return LabelAt(point, setting.first) == setting.second;
  });
}

// The point with the settings of `against` that agrees with `point` in every other axis that both
// have.
const StudyPoint* PartnerOf(const StudyPoint& point, const StudyClaim& claim,
                            const std::vector<StudyPoint>& points) {
  for (const StudyPoint& other : points) {
    if (!Matches(other, claim.against)) continue;
    const bool agrees =
        std::all_of(point.settings.begin(), point.settings.end(), [&](const auto& setting) {
          if (Has(claim.against, setting.first)) return true;
          const std::string label = LabelAt(other, setting.first);
          return label.empty() || label == setting.second;
        });
    if (agrees) return &other;
  }
  return nullptr;
}

std::optional<double> ValueOf(const StudyPoint& point, const std::string& metric) {
  if (metric != kStudySeconds) return point.figures.Find(metric);
  if (point.status != PointStatus::kDone) return std::nullopt;
  return point.seconds;
}

// One side of a comparison.
struct Side {
  std::optional<double> value;
  std::optional<StudyProof> proof;
};

class Judgement {
 public:
  explicit Judgement(const StudyClaim& claim) : claim_(claim) {}

  void Add(const Side& side, const Side& other) {
    if (!side.value) return;
    double shown = *side.value;
    if (Compares(claim_.show)) {
      if (!other.value || *other.value == 0) return;
      shown = *side.value / *other.value;
      Weigh(other);
    }
    Weigh(side);
    values_.push_back(shown);
  }

  size_t count() const { return values_.size(); }
  const std::optional<StudyProof>& proof() const { return proof_; }

  std::optional<double> Result() const {
    if (values_.empty()) return std::nullopt;
    const double change = claim_.show == StudyClaim::Show::kChange ? 1 : 0;
    return Take() - change;
  }

 private:
  void Weigh(const Side& side) {
    const auto proof = ProofOf(side.proof, claim_.metric);
    if (!proof) return;
    if (!proof_) proof_ = proof;
    proof_->Worsen(*proof);
  }

  double Take() const {
    const auto n = static_cast<double>(values_.size());
    double sum = 0;
    switch (claim_.take) {
      case StudyClaim::Take::kMin:
        return *std::min_element(values_.begin(), values_.end());
      case StudyClaim::Take::kMax:
        return *std::max_element(values_.begin(), values_.end());
      case StudyClaim::Take::kMean:
        for (const double value : values_) sum += value;
        return sum / n;
      case StudyClaim::Take::kGeomean:
        for (const double value : values_) sum += std::log(value);
        return std::exp(sum / n);
    }
    return 0;
  }

  const StudyClaim& claim_;
  std::vector<double> values_;
  std::optional<StudyProof> proof_;
};

StudyClaimResult JudgePoints(const StudyClaim& claim, const std::vector<StudyPoint>& points) {
  Judgement judgement(claim);
  const bool compares = Compares(claim.show);
  for (const StudyPoint& point : points) {
    if (!Matches(point, claim.of)) continue;
    const StudyPoint* partner = compares ? PartnerOf(point, claim, points) : nullptr;
    if (compares && partner == nullptr) continue;
    if (claim.over == StudyClaim::Over::kPoints) {
      const auto side = [&](const StudyPoint& p) {
        return Side{ValueOf(p, claim.metric), p.proof};
      };
      judgement.Add(side(point), partner != nullptr ? side(*partner) : Side());
      continue;
    }
    for (const StudyLayer& layer : point.layers) {
      Side other;
      if (partner != nullptr) {
        const auto found = std::find_if(partner->layers.begin(), partner->layers.end(),
                                        [&](const StudyLayer& l) { return l.name == layer.name; });
        if (found == partner->layers.end()) continue;
        other = {found->figures.Find(claim.metric), found->proof};
      }
      judgement.Add({layer.figures.Find(claim.metric), layer.proof}, other);
    }
  }
  return {claim, judgement.Result(), judgement.count(), claim.metric == kStudySeconds,
          judgement.proof()};
}

// The smallest number along the axis at which the points there reach what the claim asks for.
StudyClaimResult JudgeReach(const StudyClaim& claim, const std::vector<StudyPoint>& points) {
  std::map<double, std::string> labels;
  for (const StudyPoint& point : points) {
    const std::string label = LabelAt(point, claim.along);
    if (const auto number = LeadingNumber(label)) labels.emplace(*number, label);
  }
  StudyClaimResult result{claim, std::nullopt, 0, false, {}};
  for (const auto& [number, label] : labels) {
    StudyClaim there = claim;
    there.of.emplace_back(claim.along, label);
    const StudyClaimResult found = JudgePoints(there, points);
    result.compared += found.compared;
    if (!result.ours && found.ours && *found.ours >= *claim.reach) result.ours = number;
  }
  return result;
}

}  // namespace

StudyClaimResult Judge(const StudyClaim& claim, const std::vector<StudyPoint>& points) {
  return claim.reach ? JudgeReach(claim, points) : JudgePoints(claim, points);
}

}  // namespace inlay::study

#include "inlay/study/claims.h"

#include <algorithm>
#include <cmath>

#include "inlay/study/figure.h"

namespace inlay::study {
namespace {

bool Matches(const StudyPoint& point, const StudyFilter& filter) {
  return std::all_of(filter.begin(), filter.end(), [&](const auto& setting) {
    return LabelAt(point, setting.first) == setting.second;
  });
}

std::optional<double> ValueOf(const StudyPoint& point, const std::string& metric) {
  if (metric != kStudySeconds) return point.figures.Find(metric);
  if (point.status != PointStatus::kDone) return std::nullopt;
  return point.seconds;
}

}  // namespace

void ClaimEvaluator::Add(const StudyPoint& point) {
  Tally* tally = &tally_;
  if (claim_.reach) {
    const std::string label = LabelAt(point, claim_.along);
    const auto number = LeadingNumber(label);
    if (!number) return;
    auto& [first, there] = along_.try_emplace(*number, label, Tally()).first->second;
    if (label != first) return;
    tally = &there;
  }
  if (Matches(point, claim_.of)) Compare(point, tally);
}

// With the point that has the settings of `against` and agrees in every other axis that both have.
void ClaimEvaluator::Compare(const StudyPoint& point, Tally* tally) const {
  std::optional<StudyPoint> partner;
  if (Compares(claim_.show)) {
    const auto found = FindPoint(points_.outline(), claim_.against, point.settings);
    if (!found || !points_.HasRun(*found)) return;
    partner = points_[*found];
  }
  if (claim_.over == StudyClaim::Over::kPoints) {
    const auto side = [&](const StudyPoint& p) { return Side{ValueOf(p, claim_.metric), p.proof}; };
    return AddValue(side(point), partner ? side(*partner) : Side(), tally);
  }
  for (const StudyLayer& layer : point.layers) {
    Side other;
    if (partner) {
      const auto found = std::find_if(partner->layers.begin(), partner->layers.end(),
                                      [&](const StudyLayer& l) { return l.name == layer.name; });
      if (found == partner->layers.end()) continue;
      other = {found->figures.Find(claim_.metric), found->proof};
    }
    AddValue({layer.figures.Find(claim_.metric), layer.proof}, other, tally);
  }
}

void ClaimEvaluator::AddValue(const Side& side, const Side& other, Tally* tally) const {
  if (!side.value) return;
  double shown = *side.value;
  if (Compares(claim_.show)) {
    if (!other.value || *other.value == 0) return;
    shown = *side.value / *other.value;
    AddProof(other, tally);
  }
  AddProof(side, tally);
  tally->min = tally->count == 0 ? shown : std::min(tally->min, shown);
  tally->max = tally->count == 0 ? shown : std::max(tally->max, shown);
  tally->sum += shown;
  tally->log_sum += std::log(shown);
  ++tally->count;
}

void ClaimEvaluator::AddProof(const Side& side, Tally* tally) const {
  const auto proof = ProofOf(side.proof, claim_.metric);
  if (!proof) return;
  if (!tally->proof) tally->proof = proof;
  tally->proof->Worsen(*proof);
}

std::optional<double> ClaimEvaluator::Taken(const Tally& tally) const {
  if (tally.count == 0) return std::nullopt;
  const auto n = static_cast<double>(tally.count);
  const double change = claim_.show == StudyClaim::Show::kChange ? 1 : 0;
  switch (claim_.take) {
    case StudyClaim::Take::kMin:
      return tally.min - change;
    case StudyClaim::Take::kMax:
      return tally.max - change;
    case StudyClaim::Take::kMean:
      return tally.sum / n - change;
    case StudyClaim::Take::kGeomean:
      return std::exp(tally.log_sum / n) - change;
  }
  return std::nullopt;
}

StudyClaimResult ClaimEvaluator::Finish() const {
  if (!claim_.reach) {
    return {claim_, Taken(tally_), tally_.count, claim_.metric == kStudySeconds, tally_.proof};
  }
  StudyClaimResult result{claim_, std::nullopt, 0, false, {}};
  for (const auto& [number, there] : along_) {
    const auto taken = Taken(there.second);
    result.compared += there.second.count;
    if (!result.ours && taken && *taken >= *claim_.reach) result.ours = number;
  }
  return result;
}

}  // namespace inlay::study

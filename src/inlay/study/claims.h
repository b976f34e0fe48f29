#pragma once

#include <map>
#include <string>

#include "inlay/core/study_result.h"

namespace inlay::study {

// Computes our figure for a claim of points, one at a time in the order of the study. Keeps sums,
// not the points. The metric "seconds" is what the searches of a point took.
class ClaimEvaluator {
 public:
  // Others that a point is compared with are looked up in `points`, which outlives it.
  ClaimEvaluator(const StudyClaim& claim, const StudyPoints& points)
      : claim_(claim), points_(points) {}
  void Add(const StudyPoint& point);
  StudyClaimResult Finish() const;

 private:
  // One side of a comparison.
  struct Side {
    std::optional<double> value;
    std::optional<StudyCertificate> proof;
  };
  // The sums of all values that are reduced to one figure.
  struct Tally {
    size_t count = 0;
    double sum = 0, log_sum = 0, min = 0, max = 0;
    std::optional<StudyCertificate> proof;
  };

  void Compare(const StudyPoint& point, Tally* tally) const;
  void AddValue(const Side& side, const Side& other, Tally* tally) const;
  void AddProof(const Side& side, Tally* tally) const;
  std::optional<double> Taken(const Tally& tally) const;

  const StudyClaim& claim_;
  const StudyPoints& points_;
  Tally tally_;
  // With `reach`: the tally of every number along the axis, of the first label that begins with it.
  std::map<double, std::pair<std::string, Tally>> along_;
};

}  // namespace inlay::study

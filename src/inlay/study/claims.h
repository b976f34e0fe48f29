#pragma once

#include <map>
#include <string>

#include "inlay/core/study_result.h"

namespace inlay::study {

// Computes our figure for a claim of points, one at a time in the order of the study. Keeps sums,
// not the points. The metric "seconds" is what the searches of a point took.
class Judge {
 public:
  // Others that a point is compared with are looked up in `points`, which outlives it.
  Judge(const StudyClaim& claim, const StudyPoints& points) : claim_(claim), points_(points) {}
  void Add(const StudyPoint& point);
  StudyClaimResult Finish() const;

 private:
  // One side of a comparison.
  struct Side {
    std::optional<double> value;
    std::optional<StudyProof> proof;
  };
  // Of all that is taken together.
  struct Tally {
    size_t count = 0;
    double sum = 0, log_sum = 0, min = 0, max = 0;
    std::optional<StudyProof> proof;
  };

  void Compare(const StudyPoint& point, Tally* tally) const;
  void Note(const Side& side, const Side& other, Tally* tally) const;
  void Weigh(const Side& side, Tally* tally) const;
  std::optional<double> Taken(const Tally& tally) const;

  const StudyClaim& claim_;
  const StudyPoints& points_;
  Tally tally_;
  // With `reach`: of every number along the axis, of the first label that begins with it.
  std::map<double, std::pair<std::string, Tally>> along_;
};

}  // namespace inlay::study

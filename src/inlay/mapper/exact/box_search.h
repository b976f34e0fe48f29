#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact/box_bound.h"

namespace inlay::exact_search {

// A lower bound of energy, EDP or off-chip words that rises as long as the search goes on: of the
// ranges of sizes that hold all mappings of a space, the one with the least bound is cut in two.
class BoxSearch {
 public:
  // The space outlives it.
  BoxSearch(const Space& space, const std::vector<KeepCase>& keep_cases, Metric metric);
  // What it points to would stay with the copied.
  BoxSearch(const BoxSearch&) = delete;
  BoxSearch& operator=(const BoxSearch&) = delete;

  // Whether there is a bound at all (BoxBounder::applies).
  bool applies() const { return applies_; }
  // No mapping is below this; above what was asked for it rises no further.
  double bound() const;
  // Cuts at most `most` ranges. False when it is of no use to go on: the bound has reached `enough`
  // or ranges can be cut no more, or there is no time.
  bool Run(double enough, int64_t most, DeadlineWatch* watch);
  int64_t ranges() const { return ranges_; }

 private:
  struct Node {
    double bound = 0;
    size_t keep_case = 0;
    BoxRange range;
  };
  // How much bounds have risen by a cut, per width of the range, on average.
  struct Gain {
    double sum = 0.2, count = 1;  // a guess to begin with
    double Mean() const { return sum / count; }
  };
  struct Cut {
    double value = 0;
    size_t part = 0, dim = 0;
  };

  double BoundOf(const Node& node) const;
  void ListCuts(Node* node);
  // The halves of a node, and how much their bounds are above its own.
  std::array<double, 2> Halve(Node* node, const Cut& cut, double enough);
  void Push(const Node& node, double enough);

  std::vector<KeepCase> keep_cases_;
  std::vector<BoxBounder> bounders_;
  Metric metric_;
  bool applies_;
  std::vector<Node> open_;                                    // a heap, the least bound first
  double dropped_ = std::numeric_limits<double>::infinity();  // the least bound of what is left out
  std::vector<std::array<Gain, 2>> gains_;  // of the halves with small and with large sizes
  std::vector<Cut> cuts_;
  std::array<Node, 2> halves_, best_;
  int64_t ranges_ = 0;
};

}  // namespace inlay::exact_search

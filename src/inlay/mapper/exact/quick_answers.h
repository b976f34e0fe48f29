#pragma once

#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/map_result.h"
#include "inlay/mapper/exact/incumbent.h"
#include "inlay/mapper/exact/local_search.h"

namespace inlay::exact_search {

// The mapspaces that a mapspace holds, itself the last, each after all that it holds.
std::vector<Mapspace> MapspacesWithin(Mapspace mapspace);
bool Holds(Mapspace larger, Mapspace smaller);

// A short local search of every mapspace within a space, each from the best of those that it holds.
// What one of them finds does not depend on which space is asked for.
class QuickAnswers {
 public:
  // Offers what it finds. All but the incumbent outlive it.
  QuickAnswers(const Space& space, const Objective& objective, const Deadline& deadline,
               Incumbent* incumbent);

  struct Part {
    Space space;
    std::unique_ptr<LocalSearch> search;  // none: no mapping to start from, or a padded space
    double share_spent = 0;               // of the limit
    // Whether the limit is so short that tables will hardly be built in time.
    bool hurried = false;
  };
  // Its local search can be gone on with.
  Part& PartOf(Mapspace mapspace);
  // How much of the limit has gone for spaces that are not within a mapspace.
  double ShareSpentBeyond(Mapspace mapspace) const;

 private:
  void Search(const Objective& objective, const Deadline& deadline, Part* part);
  std::list<Part> parts_;  // by MapspacesWithin; searches refer to their spaces
};

}  // namespace inlay::exact_search

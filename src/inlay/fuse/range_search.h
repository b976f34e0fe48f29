#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/architecture.h"
#include "inlay/core/fused_part.h"
#include "inlay/fuse/fuse.h"

namespace inlay {

// Good trees of ranges of nodes, and bounds on their off-chip words. What is alike but for names is
// searched once. Deterministic as long as the deadline does not pass.
class RangeSearch {
 public:
  // All outlive this.
  RangeSearch(const Architecture& architecture, const FuseOptions& options,
              const Deadline& deadline);

  // A tree of all nodes of the part, by the part's numbers, that takes at most so many words of the
  // pad, before buffering, and legal. None: none was found.
  std::optional<FusedSolution> Best(const FusedPart& part, int64_t room_words);
  // No tree of F(k) has fewer off-chip words. `tight` takes longer.
  int64_t Bound(const FusedPart& part, int64_t room_words, bool tight);

 private:
  using Key = std::vector<int64_t>;
  Key KeyOf(const FusedProblem& problem, int64_t room_words) const;
  std::optional<FusedTree> Search(const FusedProblem& problem, int64_t room_words) const;
  std::optional<FusedSolution> SearchForms(const FusedProblem& problem, int64_t room_words) const;
  std::optional<FusedSolution> Joined(const FusedProblem& problem, NodeId middle,
                                      int64_t room_words) const;
  std::optional<FusedSolution> Checked(const FusedProblem& problem, int64_t room_words,
                                       FusedTree tree) const;

  const Architecture& architecture_;
  const FuseOptions& options_;
  const Deadline& deadline_;
  std::map<Key, std::optional<FusedTree>> trees_;
};

}  // namespace inlay

#pragma once

#include <vector>

#include "inlay/gp/symbolic_architecture.h"
#include "inlay/mapper/gp/programs.h"
#include "inlay/mapper/gp/rounding.h"

namespace inlay::gp {

// A whole-numbered tiling and what the program's objective says about it.
struct Candidate {
  double objective = 0;
  IndexedVector<DimId, Chain> chains;
};

// The objective of a nest at whole tile sizes, corrections included, and whether they fit. Loops of
// one step count as loops, which is never less than what they cost.
class Pricer {
 public:
  Pricer(const Space& space, const Unknowns& unknowns, const SymbolicArchitecture& machine,
         const Nest& nest, const ProgramOptions& options);

  // The `most` best combinations of the chains that fit into lanes and memories, best first.
  std::vector<Candidate> Best(const IndexedVector<DimId, std::vector<Chain>>& chains,
                              size_t most) const;

 private:
  struct Priced {
    double per_word = 0;  // pJ, or words
    Words words;
  };
  struct Room {
    double capacity = 0;
    std::vector<Priced> tiles;
  };
  class Walk;

  double ObjectiveAt(const Values& values) const;
  bool FitsAt(const Values& values) const;

  const Space& space_;
  const Unknowns& unknowns_;
  ProgramOptions options_;
  double base_pj_ = 0;
  Signomial first_reads_;  // none with accounting `literal`
  std::vector<Priced> transfers_;
  std::vector<Room> rooms_;
  Monomial steps_;
};

}  // namespace inlay::gp

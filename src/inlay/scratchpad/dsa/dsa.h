#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/buffer.h"
#include "inlay/core/fault.h"

// Dynamic storage allocation: addresses for buffers with lifetimes in one memory, so that no two
// that live together overlap. Exact: an answer is a placement or a proof that there is none, unless
// a limit ends the search first.
//
//   Problem → Solve(problem, options) → Solution;   CheckPlacement looks at it on its own.
namespace inlay::dsa {

struct Problem {
  std::vector<Buffer> buffers;  // Validate(buffers) finds nothing
  int64_t capacity = 0;         // addresses are in [0, capacity); not negative
};

// What ends a search early, and how it works. The switches change how fast an answer comes, never
// which one it is: tests run all combinations.
struct Options {
  const Deadline* deadline = nullptr;  // none: no time limit. Outlives the call
  // A limit that does not depend on the machine: nodes of the search tree, for Minimize of each
  // capacity that is tried.
  int64_t node_limit = std::numeric_limits<int64_t>::max();
  bool heuristics = true;      // first-fit before the search
  bool split = true;           // at times that no buffer spans
  bool skip_identical = true;  // of candidates with the same size and life, only one is tried
  bool section_bound = true;   // prunes by what each section still has to hold
  bool restarts = true;        // Luby restarts over a portfolio of rules
  uint64_t seed = 1;
};

enum class Status {
  kPlaced,      // there are addresses
  kInfeasible,  // proven: there are none
  kUnknown,     // a limit came first
};

struct Solution {
  Status status = Status::kUnknown;
  std::vector<int64_t> offsets;  // by buffer; empty unless placed
  int64_t height = 0;            // if placed: the end of the highest buffer
  // Proven: no smaller capacity holds the buffers. At least the peak load; above the capacity if
  // infeasible; equal to the height if that is the least possible.
  int64_t lower_bound = 0;
  int64_t nodes = 0;  // of the search; no part of the answer
  // Buffers of the largest stretch that was left to first-fit, because it is too large for the
  // search, which alone proves; 0: none.
  size_t too_large = 0;
};

// Whether the buffers fit.
Solution Solve(const Problem& problem, const Options& options = {});

// The least capacity: `height`, proven where lower_bound says the same. kInfeasible only where
// fixed addresses collide; kUnknown only where they make it hard, or the deadline comes at once.
Solution Minimize(const std::vector<Buffer>& buffers, const Options& options = {});

// First-fit alone: the best of several orders, in milliseconds for thousands of buffers; where the
// deadline passes before the first, what an allocator would do. kPlaced within the capacity, or
// kUnknown.
Solution FirstFit(const Problem& problem, const Options& options = {});

// The validator: everything wrong with a placement. Shares no code with the search.
Faults CheckPlacement(const Problem& problem, const std::vector<int64_t>& offsets);

// The most that live at one time, and when: [lower, upper) is the first such stretch.
struct PeakLoad {
  int64_t bytes = 0;
  int64_t lower = 0, upper = 0;
};
PeakLoad FindPeakLoad(const std::vector<Buffer>& buffers);

// A reason why buffers do not fit, from which the code that chose them can make a cut: the buffers
// `members`, each reduced to its life within [lower, upper), do not fit into the capacity. No
// smaller window and no smaller set was found to be infeasible as quickly.
struct InfeasibleWindow {
  int64_t lower = 0, upper = 0;
  std::vector<size_t> members;  // indices of buffers, ascending
};
// nullopt: the buffers fit, or it was not proven within the limits that they do not. The node limit
// holds for each of the tests that shrink the window, the deadline for all of them.
std::optional<InfeasibleWindow> SmallestInfeasibleWindow(const Problem& problem,
                                                         const Options& options = {});

// Buffers that must share an address, because one takes the place of another ("in place": `second`
// is written over `first`, and both may live in the step in which that happens). Every group of
// buffers that pairs connect becomes one buffer of the largest size and the least common multiple
// of the alignments that lives from the first lower to the last upper, gaps included.
struct Merged {
  std::vector<Buffer> buffers;   // to be given to Solve
  std::vector<size_t> group_of;  // by original buffer: which of `buffers` it became
  // The offsets of the original buffers, from those of the merged ones.
  std::vector<int64_t> OffsetsOfAll(const std::vector<int64_t>& offsets) const;
};
// nullopt: two members of a group have different fixed addresses, or one that is no multiple of the
// common alignment.
std::optional<Merged> MergeInPlace(const std::vector<Buffer>& buffers,
                                   const std::vector<std::pair<size_t, size_t>>& pairs);

}  // namespace inlay::dsa

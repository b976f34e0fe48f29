#pragma once

#include <functional>
#include <vector>

#include "inlay/core/mapping.h"
#include "inlay/mapper/exact/chain_bounds.h"
#include "inlay/mapper/exact/keep_case.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {

// Lists the orders of the temporal loops of one tiling that can differ in cost. It builds orders
// from the inside out and stops where the rest makes no difference:
//  - once every tile that a loop can move has been moved to where it shares nothing with its past,
//    each further step costs the whole tile, in any order;
//  - a loop that concerns none of the tiles not moved yet is best placed at once: inside, its steps
//    cost nothing, and the loops around it take fewer.
class OrderLister {
 public:
  // Without `skip` it lists every order.
  OrderLister(const Space& space, const KeepCase& keep_case, bool skip);

  // `rows` are the figures of the chosen chains; `inner` is the dimension of the innermost loop
  // above the last level (kAnyDim: not given). Calls `visit` with mapping->levels[·].temporal in
  // each order; stops if it returns false.
  using Visit = std::function<bool()>;
  bool ForEach(const std::vector<const Chain*>& chains, const std::vector<const double*>& rows,
               const RowLayout& layout, int inner, Mapping* mapping, const Visit& visit);

 private:
  enum class State : uint8_t {
    kUnmoved,
    kMoved,   // may share words with its past
    kParted,  // shares nothing with it, at any further step
  };
  bool Place(size_t level);
  bool NextLevel(size_t level);
  bool PlaceOne(size_t level, size_t dim);
  void MarkMeetings(const std::vector<const Chain*>& chains);
  bool AllParted(size_t level) const;
  bool Concerns(size_t level, size_t dim, bool* moved) const;
  std::vector<size_t> Candidates(size_t level) const;

  const KeepCase& keep_case_;
  bool skip_;
  std::vector<std::vector<size_t>> innermost_, outermost_;  // by level: the rules
  const std::vector<const double*>* rows_ = nullptr;
  const RowLayout* layout_ = nullptr;
  int inner_ = -2;  // still to be placed first; −2: nothing
  Mapping* mapping_ = nullptr;
  const Visit* visit_ = nullptr;
  std::vector<std::vector<uint8_t>> waiting_;  // [level][dim]: a loop not placed yet
  std::vector<std::vector<Loop>> loop_;        // [level][dim]
  std::vector<std::vector<Loop>> placed_;      // [level], inner to outer
  std::vector<std::vector<State>> state_;      // [child][edge]
  // [child][edge]: lanes that hold the same words may come from different ones, depending on the
  // order: unrolled dimensions meet in a rank and some tiles are short.
  std::vector<std::vector<uint8_t>> never_parts_;
};

}  // namespace inlay::exact_search

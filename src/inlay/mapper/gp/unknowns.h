#pragma once

#include <utility>
#include <vector>

#include "inlay/gp/posynomial.h"
#include "inlay/gp/volume.h"
#include "inlay/mapspace/space.h"

namespace inlay::gp {

// Dimensions that are not tiled, and where each has all its steps.
using WindowSlots = std::vector<std::pair<DimId, SlotId>>;

// The shorter of two dimensions that meet in a rank is a window. The paper places all of them in
// the time of the innermost level that can hold them whole.
WindowSlots PaperWindows(const Space& space);
// Every combination of slots for the windows, as far as constraints and lanes allow; nothing but
// the paper's where those are more than `most`.
std::vector<WindowSlots> AllWindows(const Space& space, size_t most);

// The steps of every loop that a mapping of a space may have, as monomials: a variable of their
// own, a constant where there is no choice, and for the outermost loop of a dimension what the
// others leave of its bound. Tiles divide each other. Windows are not tiled, which makes sums along
// a rank posynomials.
class Unknowns {
 public:
  // `sizes`: variables that stand before those of the loops.
  explicit Unknowns(const Space& space, VariableNames sizes = {});
  Unknowns(const Space& space, VariableNames sizes, const WindowSlots& windows);

  const VariableNames& names() const { return names_; }
  size_t size_count() const { return size_count_; }  // how many of them are sizes
  const Monomial& steps(SlotId slot, DimId dim) const { return steps_[slot][dim]; }
  // Product of the steps over all dimensions.
  Monomial StepsOf(SlotId slot) const;
  bool is_tiled(DimId dim) const { return tiled_[dim.value()]; }
  SlotId whole_slot(DimId dim) const { return whole_slots_[dim]; }  // of what is not tiled
  // The slots in which a tiled dimension has loops, outer to inner.
  const std::vector<SlotId>& slots_of(DimId dim) const { return slots_of_[dim]; }

  // Dimensions whose loops at a level stand in an order that matters.
  std::vector<DimId> LoopsAt(LevelId level) const;
  // `orders`: of these, outer to inner. Every tensor is kept wherever it may be.
  Nest NestOf(const IndexedVector<LevelId, std::vector<DimId>>& orders) const;

  // Least and most steps of every loop.
  std::vector<Signomial> Constraints() const;
  // Every dimension spread over its loops, `spread` of it (in logarithms) on the inner ones; sizes
  // are 1.
  Values Start(double spread) const;

 private:
  void AddTiled(DimId dim);
  std::string NameOf(SlotId slot, DimId dim) const;

  const Space* space_;
  VariableNames names_;
  size_t size_count_;
  IndexedVector<SlotId, IndexedVector<DimId, Monomial>> steps_;
  IndexedVector<DimId, std::vector<SlotId>> slots_of_;
  std::vector<bool> tiled_;
  IndexedVector<DimId, SlotId> whole_slots_;  // the innermost time, unless it is a window
};

}  // namespace inlay::gp

#pragma once

#include <optional>
#include <vector>

#include "inlay/mapper/gp/programs.h"
#include "inlay/mapper/mapper.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::gp {

// A mapping without its numbers: where windows are whole, and the loop order of every level.
struct LoopStructure {
  WindowSlots windows;
  IndexedVector<LevelId, std::vector<DimId>> orders;
};

// For each of the places of the windows, every combination of orders that are not dominated and
// that the constraints allow.
std::vector<LoopStructure> LoopStructuresOf(const Space& space,
                                            const std::vector<WindowSlots>& windows);

// What the programs cannot do on this space: ranks of three dimensions, levels that may keep a
// tensor or not.
Faults FindUnfit(const Space& space);

// The optimum of a program.
struct RelaxedSolution {
  double objective = 0;  // without first reads of partial sums where the accounting leaves them out
  Values values;
  bool stretched = false;  // memories are taken to hold more than they do
};

// Where a memory just holds the smallest tiles a program has no interior to start in. Then the real
// numbers may use a little more, which whole ones may not. None if that does not help either.
std::optional<RelaxedSolution> SolveRelaxed(const Space& space, const Unknowns& unknowns,
                                            const SymbolicArchitecture& machine, const Nest& nest,
                                            ProgramOptions options);

// From programs to mappings, on one architecture. The space and the options outlive it.
class Pipeline {
 public:
  Pipeline(const Space& space, const MapOptions& options);

  std::optional<RelaxedSolution> Solve(const LoopStructure& structure) const;

  // Rounds the tiles of a structure, evaluates the most promising of what fits, and keeps the best
  // mapping of all calls. The least objective of a candidate; none if nothing fits.
  std::optional<double> Round(const LoopStructure& structure, const Values& values,
                              LayerAnswer* answer);
  // The same for structures whose values are not known: as if every tile were the smallest.
  std::optional<double> RoundSmallest(const LoopStructure& structure, LayerAnswer* answer);

 private:
  void Evaluate(const LoopStructure& structure, const IndexedVector<DimId, Chain>& chains,
                LayerAnswer* answer);

  const Space& space_;
  const MapOptions& options_;
  SymbolicArchitecture machine_;
  ProgramOptions program_options_;
};

ProgramOptions ProgramOptionsOf(const MapOptions& options);

}  // namespace inlay::gp

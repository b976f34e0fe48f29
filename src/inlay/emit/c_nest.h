#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"
#include "inlay/emit/c_memory.h"
#include "inlay/emit/c_text.h"

namespace inlay::emit {

// What the nest of a mapping becomes in C: definitions of the levels' arrays and of the functions
// that copy tiles between them, and the loops that call these.
struct CNestInput {
  const Problem* problem = nullptr;
  const Architecture* architecture = nullptr;
  const Mapping* mapping = nullptr;
  std::string prefix;  // of the names of arrays, behind that of the level
  std::string infix;
  IndexedVector<TensorId, const CTensor*> tensors;
  // What the outermost level that keeps a tensor is, if that is known.
  IndexedVector<TensorId, const CMemory*> outermost;
  // A variable per dimension: its range. It may be smaller than the bound if `clipped`.
  IndexedVector<DimId, std::string> ranges;
  bool clipped = false;
  std::string begun;  // a variable: the output holds sums that are gone on with; "": it does not
  std::string operations = "operations";  // variables that count
  std::string steps = "steps";            // "": not counted
  bool marked = false;  // what is added is a function of the product: of a softmax or a norm
  // The variable in which a level counts the words of a tensor.
  std::function<std::string(LevelId, TensorId)> counts;
};

// A mapping in which all tensors of a level enter at its beginning: where some enter further in,
// the level is cut into several.
struct EvenParts {
  Architecture architecture;
  Mapping mapping;
  IndexedVector<LevelId, LevelId> origin;
};
EvenParts EvenPartsOf(const Architecture& architecture, const Mapping& mapping);

class CNest {
 public:
  // `input` outlives it; `names` are those of the file.
  CNest(const CNestInput& input, CNames* names);

  // Arrays and functions, and lines that ask for memory.
  void Define(CText* definitions, CText* setup);
  // The loops, and what comes before and after them, inside a function.
  void WriteBody(CText* text);

  // Entries that the list of shared reads needs, and ranks of its tensors; 0 where there is none.
  int64_t served() const { return served_; }
  // Of a tensor, from the outermost level that keeps it inwards.
  const CMemory& OutermostOf(TensorId tensor) const { return *memories_of_[tensor].front(); }

 private:
  struct NestLoop {
    DimId dim;
    int64_t step = 1;
    LevelId level;
    Axis axis = Axis::kTime;
    int64_t trips = 1;
    int64_t parent_size = 1;   // of the range that it cuts, at most
    bool below_lanes = false;  // a spatial loop of the dimension is outside it
    size_t time = 0;           // temporal: how many temporal loops are outside it
    std::string at;            // the variable
    std::string range;         // the range of a tile
    bool spatial() const { return axis != Axis::kTime; }
  };

  void MakeLoops();
  void MakeMemories(TensorId tensor, CNames* names);
  CTransfer MakeTransfer(TensorId tensor, const CMemory* outer, LevelId from, const CMemory* inner,
                         LevelId to) const;
  int64_t LanesAbove(LevelId level) const;
  std::string LaneOf(LevelId level) const;
  bool EveryFanout(LevelId from, LevelId to, bool (*able)(const Fanout&)) const;
  // Whether unrolled dimensions meet in a rank: lanes can then need the same words by chance.
  bool Meets(TensorId tensor, LevelId from, LevelId to) const;
  bool IsPerfect(DimId dim) const;
  bool CanIdle(LevelId level, DimId dim) const;
  bool CanIdle(LevelId level) const;
  static bool NeedsHome(const CTransfer& transfer);
  // Conditions that all reductions are at their first turn in the loops outside a level.
  std::vector<std::string> FirstTurns(LevelId level) const;

  struct Lanes {
    int blocks = 0;
    IndexedVector<DimId, std::string> ranges;
  };
  // Opens loops over the lanes of a level, with the range that each lane has of the dimensions
  // asked for; `times` temporal loops are open. Idle lanes are passed over, unless the condition
  // for that is asked for.
  Lanes OpenLanes(LevelId level, size_t times, const std::function<bool(DimId)>& needed,
                  std::string* idle_when, CText* text) const;
  void WriteBegin(CText* text) const;
  void WriteTransfers(size_t times, CText* text) const;
  void WriteTransfer(TensorId tensor, const CTransfer& transfer, LevelId level, size_t times,
                     CText* text) const;
  void WriteCompute(CText* text) const;
  void WriteReads(TensorId tensor, const std::vector<std::string>& point, CText* text) const;
  void WriteUpdate(const std::string& product, const std::vector<std::string>& point,
                   CText* text) const;
  std::vector<std::string> LeadsOfCompute(TensorId tensor) const;

  const CNestInput& input_;
  const Problem& problem_;
  const LevelId compute_;
  CNames names_;  // inside the function
  std::vector<NestLoop> loops_;
  std::vector<const NestLoop*> times_;  // the temporal ones
  std::deque<CMemory> memories_;
  IndexedVector<TensorId, std::vector<const CMemory*>> memories_of_;
  IndexedVector<TensorId, std::vector<LevelId>> levels_of_;  // of those; one past for none
  IndexedVector<TensorId, std::deque<CTransfer>> transfers_;
  int64_t served_ = 0;
};

}  // namespace inlay::emit

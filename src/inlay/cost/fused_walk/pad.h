#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inlay/cost/fused_walk/contexts.h"
#include "inlay/cost/fused_walk/counter.h"
#include "inlay/cost/fused_walk/memory.h"
#include "inlay/cost/fused_walk/places.h"
#include "inlay/cost/fused_walk/words.h"

namespace inlay::fused_walk {

// What all holds have in the pad, and the words that come and go: section 5.
class Pad {
 public:
  // All are kept by reference.
  Pad(const FusedProblem& problem, const Places& places, OffChip* offchip, Counter* counter);

  const std::vector<Held>& holds() const { return holds_; }  // by place

  void Enter(size_t place, const Box& tile);
  // Before a part of a split runs: whether holds right above the split take room meanwhile.
  void DivideRoom(size_t split, size_t child);
  // What was held inside is gone; what was made goes off chip.
  void EndPart(size_t place);
  // Words that the holds above a part take.
  int64_t RoomAbove(size_t place) const;

  // What the leaf at a place uses; throws Stopped if it is not there.
  Word& At(size_t leaf, TensorId tensor, const Coordinates& word);
  // Before a leaf computes words of its output: those that were finished begin again.
  void BeginSums(size_t leaf, const Words& words);
  void FinishSums(size_t leaf, const Words& words);

 private:
  void EnterInput(Held* held, TensorId tensor, const Words& words);
  void EnterOutput(Held* held, TensorId tensor, const Words& words);
  void EnterFused(Held* held, bool retain, const Box& tile);
  void Leave(Held* held, TensorId tensor, const Words& words);
  bool IsNeededOffChip(size_t hold, TensorId tensor) const;
  const FusedNode& NodeAt(size_t leaf) const;

  const FusedProblem& problem_;
  const Places& places_;
  OffChip& offchip_;
  Counter& counter_;
  std::vector<Held> holds_;
};

}  // namespace inlay::fused_walk

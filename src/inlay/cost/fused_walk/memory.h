#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "inlay/core/fused_problem.h"
#include "inlay/cost/fused_walk/words.h"

namespace inlay::fused_walk {

// Ends a walk.
struct Stopped {
  Fault fault;
};

// A word somewhere: its value so far, modulo 2^64, and how many products have been added to it.
struct Word {
  uint64_t value = 0;
  int64_t steps = 0;
};

// What the pad holds for one hold of the tree.
struct Held {
  std::map<Coordinates, Word> words;
  std::optional<Box> tile;  // the last one; none since the part of the innermost split began
  bool takes_room = true;   // false where its words are not yet made, or read for the last time
  Words lacking, computed;  // of a retaining hold: since its tile was entered
  int64_t largest_tile_words = 0;
  int64_t entered_words = 0;
};

// The tensors off chip, and what their words have to be in the end.
class OffChip {
 public:
  explicit OffChip(const FusedProblem& problem);

  // A word as it is off chip now; of tensors that are written, perhaps not even begun.
  Word Read(TensorId tensor, const Coordinates& word) const;
  void Write(TensorId tensor, const Coordinates& word, const Word& value);

  // How many products a word of the tensor is the sum of; none where no node writes it.
  std::optional<int64_t> StepsOf(TensorId tensor) const { return steps_[tensor]; }
  bool IsFinished(TensorId tensor, const Word& word) const {
    return !steps_[tensor] || word.steps == *steps_[tensor];
  }
  // Throws Stopped if a word of an output was never finished. Else whether all of them are what the
  // nodes one after the other, by plain loops, give.
  bool Check() const;

 private:
  const FusedProblem& problem_;
  IndexedVector<TensorId, std::optional<int64_t>> steps_;
  IndexedVector<TensorId, std::map<Coordinates, Word>> words_;  // of tensors that are written
};

// What an iteration of the node adds, from the product of its operands. Marked nodes do not only
// multiply.
uint64_t AddendOf(const FusedNode& node, uint64_t product);

std::string NameOf(const FusedProblem& problem, TensorId tensor, const Coordinates& word);

}  // namespace inlay::fused_walk

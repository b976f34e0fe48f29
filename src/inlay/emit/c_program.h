#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inlay/emit/c_memory.h"
#include "inlay/emit/c_text.h"

namespace inlay::emit {

// The parts of a program that are the same for all: types, counts, memory, the comparison.
class CProgram {
 public:
  CNames& names() { return names_; }

  // A variable that counts the words of a tensor in a level; the program prints it.
  std::string AddCounts(LevelId level, const std::string& level_name, TensorId tensor,
                        const std::string& tensor_name);
  // All words of an input get values.
  void Fill(const CMemory& memory, size_t tensor);
  // What was computed must be equal to what the plain loops give.
  void Compare(const CMemory& computed, const CMemory& plain);
  void NeedServed(int64_t lanes, size_t ranks);

  // Loops over all of a node's iterations, without tiles; `body` is what they repeat.
  static void WritePlainLoops(const IndexedVector<DimId, Dimension>& dims,
                              const std::vector<DimId>& own,
                              const IndexedVector<DimId, std::string>& coords,
                              const std::string& body, CText* text);

  // The whole text. `head` are lines of its first comment, `reports` lines that print more counts.
  std::string Text(const std::vector<std::string>& head, const CText& reports) const;

  CText definitions;                // arrays and functions
  CText setup;                      // lines that ask for memory
  CText functions;                  // the loops
  std::vector<std::string> calls;   // of main, in order
  std::vector<std::string> totals;  // variables that count, besides those of words

 private:
  struct Counts {
    std::string variable, level, tensor;
  };
  CNames names_;
  std::map<std::pair<LevelId, TensorId>, Counts> counts_;
  CText fill_, compare_;
  int64_t served_ = 0;
  size_t served_ranks_ = 1;
};

}  // namespace inlay::emit

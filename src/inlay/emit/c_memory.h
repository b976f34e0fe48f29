#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inlay/core/problem.h"
#include "inlay/emit/c_text.h"

namespace inlay::emit {

// A tensor as a program shows it.
struct CTensor {
  std::string name;                 // for people: "Inputs"
  std::string shape;                // "Inputs[C, P + R]"
  std::vector<std::string> coords;  // a variable per rank; at least one
};
CTensor CTensorOf(const std::string& name, const std::vector<Rank>& ranks,
                  const IndexedVector<DimId, Dimension>& dims, CNames* names);

// Where words of a tensor lie: the tiles of one level, or all of it.
struct CMemory {
  const CTensor* tensor = nullptr;
  std::string level;             // for people: "GLB"
  std::string name;              // begins its identifiers: "GLB_Inputs"
  std::vector<int64_t> extents;  // per rank: of the largest tile, or of the whole
  bool whole = false;            // else a word is at its coordinates modulo the extents
  int64_t lanes = 1;             // each has a tile
  std::string counts;            // a variable; "" if nothing is counted
  int64_t pad_offset = -1;       // where it begins in the array `pad`; -1: it has an array
  bool has_tile = false;         // keeps what ranges of words are there

  int64_t WordsOfLane() const;
  // The word at the coordinates, of the lane with this number.
  std::string At(const std::string& lane, const std::vector<std::string>& coords) const;
  // What ranges of words are there.
  std::string TileOf(const std::string& lane) const;
};

// A level that keeps a tensor and the next one further in that does.
struct CTransfer {
  const CMemory* outer = nullptr;
  const CMemory* inner = nullptr;
  int64_t fan = 1;  // lanes of the inner level for each of the outer
  // Which of the lanes of one parent that move the same words stands for them all: a condition on
  // `lane`; "" if each moves other words than the rest. They share one read (or update) if
  // `shared`.
  std::string leads;
  bool shared = false;
  bool meets = false;  // lanes can also have the same words by chance: they are compared
  int tensor = 0;      // its number, for that
  // Of outputs:
  bool comes_back = false;  // tiles enter again with sums that were begun
  // Sums that leave are added to what is outside, from where those that come back are taken: lanes
  // share words, or there are sums from the start.
  bool adds = false;
  // Lanes can be idle while the tile outside moves: they keep theirs, and their sums go later to
  // where the words then are.
  bool idles = false;
  const CTransfer* inside = nullptr;  // the next one further in
  const CTransfer* around = nullptr;  // the next one further out
};

// Lines that define the arrays and the function that gives a word its place, and that ask for
// memory.
void DefineMemory(const CMemory& memory, CText* definitions, CText* setup);

// "load_GLB_Inputs", "open_GLB_Outputs", "store_GLB_Outputs".
std::string LoadName(const CTransfer& transfer);
std::string OpenName(const CTransfer& transfer);
std::string StoreName(const CTransfer& transfer);

// A function that brings a tile of an input in.
void DefineLoad(const CTransfer& transfer, CText* text);
// One that takes a tile of the output out; those further in come before.
void DefineStore(const CTransfer& transfer, CText* text);
// Flags of lanes that keep their tile in this step.
std::string StaysName(const CTransfer& transfer);
// One that finds where a word is: in the outer level of a transfer, or further out.
void DefineHome(const CTransfer& transfer, CText* text);
// One that takes the tile out that was there and brings the next one in.
void DefineOpen(const CTransfer& transfer, CText* text);

// A function that copies a box of finished words out, which stay; and its name.
std::string DrainName(const CTransfer& transfer);
void DefineDrain(const CTransfer& transfer, CText* text);

// A range per rank: what a block of iterations touches; `ranges` are variables, by dimension.
std::string BoxOf(const std::vector<Rank>& ranks, const IndexedVector<DimId, std::string>& ranges);
// The same of one point.
std::vector<std::string> PointOf(const std::vector<Rank>& ranks,
                                 const IndexedVector<DimId, std::string>& coords);
// Of a block of these sizes.
std::vector<int64_t> ExtentsOf(const std::vector<Rank>& ranks,
                               const IndexedVector<DimId, int64_t>& sizes);
// Lines that open a loop over each coordinate of a box `box`, and how many loops these are.
int OpenLoops(const CTensor& tensor, const std::string& box, CText* text);
void CloseLoops(int loops, CText* text);

}  // namespace inlay::emit

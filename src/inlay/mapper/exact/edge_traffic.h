#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/lower_bound.h"
#include "inlay/mapper/exact/mapping_set.h"

namespace inlay::exact_search {

// What moves over an edge, at least.
struct EdgeTraffic {
  double lanes = 0;   // words that enter the child, lane by lane
  double groups = 0;  // words that leave the parent: lanes with the same word share it
  double first = 0;   // output: of these, words that enter for the first time, at most
};

// How often the tiles of an edge are repeated by the dimensions that do not concern its tensor: by
// lane; and with the lanes that share words counted once.
struct Repeats {
  double tiles = 1, distinct_lanes = 1;
};

// What an edge needs whatever the order of the loops.
struct EdgeTerms {
  std::vector<double> all, once;  // per rank: words of all tiles; what every lane sees at least
  double all_words = 1, once_words = 1;  // their products
  double shared = 1;  // lanes that can share although their dimensions are relevant
  double first = 0;   // output: words that enter for the first time, at most
  // Over the irrelevant dimensions: all lanes, and lanes with those that share words counted once.
  double lanes = 1, distinct_lanes = 1;

  // The rows that each rank was computed from: it is not computed again as long as they stay.
  struct Source {
    std::array<const double*, 2> rows{};
    double shared = 1, first = 1;
  };
  std::vector<Source> sources;
};
// Makes room for the terms of an edge, none of them computed yet.
void ClearTerms(const KeepCase& keep_case, const Edge& edge, EdgeTerms* terms);
// Computes what has changed since the terms of the same edge were computed for another set.
void UpdateTerms(const MappingSet& set, const Edge& edge, EdgeTerms* terms);
EdgeTerms TermsOf(const MappingSet& set, const Edge& edge);

// With the temporal loops of the first `levels` levels counted, the others at their first step.
Repeats RepeatsOf(const MappingSet& set, const Edge& edge, size_t levels);

// Every lane sees its words once.
EdgeTraffic TrafficOnce(const EdgeTerms& terms);
// A loop moves `dim`. Tiles in rounds of several enter `repeats` times, with `others` words of the
// other ranks; tiles alone in their round once per lane.
void RaiseByLoop(const MappingSet& set, const Edge& edge, const EdgeTerms& terms,
                 const Repeats& repeats, size_t dim, double others, EdgeTraffic* traffic);
// Some loop of a group moves `dim`; loops outside the group find it moved every time.
void RaiseByMover(const MappingSet& set, const Edge& edge, const EdgeTerms& terms,
                  const Repeats& repeats, size_t dim, EdgeTraffic* traffic);
// Some loop of the levels [from, to) moves the tile, it is not known which. False if none can.
bool RaiseBySome(const MappingSet& set, const Edge& edge, const EdgeTerms& terms,
                 const Repeats& repeats, size_t from, size_t to, EdgeTraffic* traffic);

// The words along a rank with only the first tile of some of its dimensions, a bit each. `at`: the
// level, as the layout has it.
double WordsOfFirstTiles(const MappingSet& set, const std::vector<KeepCase::Term>& rank, size_t at,
                         uint64_t first_dims);

// An edge to compute: one point per lane and step, without history. A partial sum is read back for
// every update but the first of a word; `first` counts one copy of every word.
EdgeTraffic ComputeTraffic(const MappingSet& set, const Edge& edge);
// Instances of the parent that work on the same words of a tensor, at most.
double MostCopies(const MappingSet& set, const Edge& edge);

// Off-chip words of the traffic; 0 if the edge is not off chip.
double OffchipOf(const Edge& edge, const EdgeTraffic& traffic);
// Adds the energy and off-chip words of the traffic, and its words at every port of the case.
void Charge(const KeepCase& keep_case, const Edge& edge, const EdgeTraffic& traffic,
            LowerBound* bound, double* ports);

}  // namespace inlay::exact_search

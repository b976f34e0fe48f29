#include "inlay/cost/fused/room.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/fused/contexts.h"

namespace inlay {
namespace {

// Room in bits of the pad.
class Room {
 public:
  Room(const FusedProblem& problem, const Level& pad, const FusedOutline& outline)
      : problem_(problem),
        pad_(pad),
        outline_(outline),
        domains_(FirstDomains(problem, outline)),
        unclipped_(HasBorders(problem) ? std::optional(Unclipped(problem)) : std::nullopt),
        contexts_(unclipped_ ? *unclipped_ : problem, outline) {}

  int64_t BitsOf(size_t p) {
    const FusedPlace& place = outline_[p];
    if (place.tree->leaf() != nullptr) return 0;
    if (place.tree->IsSplit()) return OfSplit(p);
    int64_t bits = BitsOf(place.children.front());
    if (place.tree->loop() != nullptr) return SaturatingAdd(bits, VectorBits(p));
    if (outline_.HoldAt(p).lifetime_split) return bits;
    return SaturatingAdd(bits, TileBits(p));
  }

 private:
  int64_t OfSplit(size_t p) {
    int64_t most = 0;
    for (const size_t child : outline_[p].children) {
      int64_t bits = BitsOf(child);
      for (const size_t hold : outline_[p].holds) {
        if (outline_.HoldAt(hold).lifetime_split == p && IsAlive(hold, child)) {
          bits = SaturatingAdd(bits, TileBits(hold));
        }
      }
      most = std::max(most, bits);
    }
    return most;
  }

  // From the child with the writer to the last one with a reader.
  bool IsAlive(size_t hold, size_t child) const {
    const FusedHoldPlace& info = outline_.HoldAt(hold);
    return *info.writer < outline_[child].end && outline_[child].first <= info.readers.back();
  }

  int64_t TileBits(size_t hold) {
    const TensorId tensor = outline_[hold].tree->hold()->tensor;
    const auto tile = contexts_.TileOf(hold, FusedContexts::Turns(outline_[hold].loops.size(), 0));
    return SaturatingMultiply(WordsOf(*tile), WordBitsOf(pad_, problem_.tensors[tensor]));
  }

  // Of the row vectors of softmaxes whose rows this loop is the first to cut.
  int64_t VectorBits(size_t loop) const {
    int64_t bits = 0;
    for (NodeId n : Ids(problem_.nodes)) {
      if (!outline_.IsIn(loop, n) || OnlineLoopOf(n) != loop) continue;
      int64_t rows = 1;
      for (const DimId d : DimsOf(problem_, problem_.nodes[n])) {
        if (d != *problem_.nodes[n].softmax && !IsReduced(problem_.nodes[n], d)) {
          rows = SaturatingMultiply(rows, domains_[loop][n][d].size());
        }
      }
      bits = SaturatingAdd(bits, SaturatingMultiply(2 * int64_t{pad_.word_bits}, rows));
    }
    return bits;
  }

  std::optional<size_t> OnlineLoopOf(NodeId node) const {
    const size_t leaf = outline_.LeafOf(node);
    if (!outline_[leaf].tree->leaf()->online) return std::nullopt;
    for (const size_t loop : outline_[leaf].loops) {
      if (outline_.ShiftsOf(loop).of[node][*problem_.nodes[node].softmax] != 0) return loop;
    }
    return std::nullopt;
  }

  const FusedProblem& problem_;
  const Level& pad_;
  const FusedOutline& outline_;
  const std::vector<IndexedVector<NodeId, FusedDomain>> domains_;
  const std::optional<FusedProblem> unclipped_;
  FusedContexts contexts_;
};

// What the levels inside the pad lack for a leaf's mapping.
void CheckLeaf(const FusedProblem& problem, const Architecture& architecture,
               const FusedOutline& outline, size_t place, const FusedDomain& domain,
               Faults* faults) {
  const FusedLeaf& leaf = *outline[place].tree->leaf();
  const Problem own = FirstProblemOf(problem, domain, leaf.node);
  const Architecture inner = LeafArchitecture(architecture);
  const Mapping mapping = leaf.mapping.value_or(DefaultLeafMapping(own, inner));
  for (const Occupancy& use : Occupancies(own, inner, mapping)) {
    if (use.level == LevelId(0) || use.Fits()) continue;
    faults->push_back({fmt::format("tree[{}]", place),
                       fmt::format("the tiles of '{}' take {} words of '{}', which has {}",
                                   problem.nodes[leaf.node].name, use.used_words,
                                   inner.levels[use.level].name, *use.usable_words),
                       "give the leaf a mapping with smaller tiles there"});
  }
}

}  // namespace

int64_t FusedRoomWords(const FusedProblem& problem, const Architecture& architecture,
                       const FusedOutline& outline) {
  const Level& pad = architecture.levels[LevelId(1)];
  return CeilDiv(Room(problem, pad, outline).BitsOf(0), pad.word_bits);
}

Faults CheckFusedCapacity(const FusedProblem& problem, const Architecture& architecture,
                          const FusedOutline& outline) {
  Faults faults;
  const Level& pad = architecture.levels[LevelId(1)];
  const int64_t room = FusedRoomWords(problem, architecture, outline);
  if (pad.capacity_words &&
      static_cast<double>(room) * pad.buffering > static_cast<double>(*pad.capacity_words)) {
    faults.push_back(
        {"levels." + pad.name,
         fmt::format("'{}' overflows: the holds of the tree take {} words{}, room for {}", pad.name,
                     room, pad.buffering > 1 ? fmt::format(" × {}", pad.buffering) : "",
                     *pad.capacity_words),
         "make the steps of the loops smaller, or hold tensors further in"});
  }
  const auto domains = FirstDomains(problem, outline);
  for (size_t p = 0; p < outline.places().size(); ++p) {
    if (outline[p].tree->leaf() == nullptr) continue;
    const NodeId node = outline[p].tree->leaf()->node;
    CheckLeaf(problem, architecture, outline, p, domains[p][node], &faults);
  }
  return faults;
}

}  // namespace inlay

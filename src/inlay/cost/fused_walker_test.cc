#include "inlay/cost/fused_walker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/fused_outline.h"
#include "tests/support/fused_case.h"

namespace inlay {
namespace {

using testing::Branch;
using ::testing::ElementsAre;
using testing::For;
using testing::FusedItem;
using testing::FusedOf;
using ::testing::HasSubstr;
using testing::Hold;
using testing::Online;
using ::testing::Pair;
using testing::Retain;
using testing::TreeOf;

using Items = std::vector<FusedItem>;

// The counts of a tree that is legal.
FusedCounts CountsOf(const FusedProblem& problem, const Items& items,
                     const Architecture& architecture = testing::PadMachine()) {
  const Faults faults = Validate(problem);
  EXPECT_TRUE(faults.empty()) << faults.front().message;
  const auto walk = WalkFused(problem, architecture, TreeOf(problem, items));
  EXPECT_TRUE(walk.has_value()) << walk.error().message;
  if (!walk) return {};
  EXPECT_TRUE(walk->numeric_check);
  return walk->counts;
}

std::string FaultOf(const FusedProblem& problem, const Items& items) {
  const auto walk = WalkFused(problem, testing::PadMachine(), TreeOf(problem, items));
  return walk ? "none" : walk.error().message;
}

// Of all runs.
Counts WordsAt(const FusedProblem& problem, const FusedCounts& counts, size_t level,
               const char* tensor) {
  Counts sum;
  for (const FusedRunCounts& run : counts.runs) {
    const Counts& words = run.words[LevelId(level)][FindTensor(problem, tensor).value()];
    sum.reads += words.reads;
    sum.fills += words.fills;
    sum.updates += words.updates;
    sum.drains += words.drains;
  }
  return sum;
}

// Words that each tensor moves to and from off-chip memory: reads and updates there.
std::map<std::string, int64_t> OffChip(const FusedProblem& problem, const FusedCounts& counts) {
  std::map<std::string, int64_t> words;
  for (TensorId t : Ids(problem.tensors)) {
    const char* name = problem.tensors[t].c_str();
    const Counts off = WordsAt(problem, counts, 0, name);
    const Counts pad = WordsAt(problem, counts, 1, name);
    EXPECT_EQ(off.reads, pad.fills) << name;
    EXPECT_EQ(off.updates, pad.drains) << name;
    EXPECT_EQ(off.fills + off.drains, 0) << name;
    if (off.reads + off.updates > 0) words[name] = off.reads + off.updates;
  }
  return words;
}

FusedNodeCounts NodeCounts(const FusedProblem& problem, const FusedCounts& counts,
                           const char* node) {
  return counts.nodes[FindNode(problem, node).value()];
}

// Tile and entered words of the first hold of a tensor.
std::pair<int64_t, int64_t> HoldWords(const FusedProblem& problem, const FusedCounts& counts,
                                      const char* tensor) {
  for (const FusedHoldCounts& hold : counts.holds) {
    if (problem.tensors[hold.tensor] == tensor) return {hold.tile_words, hold.entered_words};
  }
  return {0, 0};
}

FusedProblem Products() {
  return FusedOf(
      {{"m", 4}, {"n0", 4}, {"n1", 4}, {"n2", 4}},
      {"E1: T0[m, n0] W0[n0, n1] -> T1[m, n1]", "E2: T1[m, n1] W1[n1, n2] -> T2[m, n2]"});
}

// Section 10, the first example.
TEST(FusedWalkerTest, ChainOfTwoProducts) {
  const FusedProblem problem = Products();
  const FusedCounts counts = CountsOf(
      problem, {For("m", 2,
                    {Hold("T1"), For("n0", 1, {Hold("T0"), For("n1", 1, {Hold("W0"), "E1"})}),
                     For("n2", 1, {Hold("T2"), For("n1", 1, {Hold("W1"), "E2"})})})});
  EXPECT_THAT(OffChip(problem, counts),
              ElementsAre(Pair("T0", 16), Pair("T2", 16), Pair("W0", 32), Pair("W1", 32)));
  EXPECT_EQ(WordsAt(problem, counts, 0, "T2").reads, 0);
  EXPECT_EQ(counts.room_words, 11);
  EXPECT_EQ(NodeCounts(problem, counts, "E1"), (FusedNodeCounts{32, 64, 0}));
  EXPECT_EQ(NodeCounts(problem, counts, "E2"), (FusedNodeCounts{32, 64, 0}));
  // E1 writes two words in each execution, and reads them again in 24 of 32; E2 reads two in each.
  EXPECT_EQ(WordsAt(problem, counts, 1, "T1"), (Counts{48 + 64, 0, 64, 0}));
  EXPECT_EQ(WordsAt(problem, counts, 1, "T2"), (Counts{48, 0, 64, 16}));
  EXPECT_EQ(WordsAt(problem, counts, 1, "W0"), (Counts{64, 32, 0, 0}));
  ASSERT_EQ(counts.runs.size(), 1U);
  EXPECT_EQ(counts.runs[0].compute_cycles, 128);
  EXPECT_EQ(counts.runs[0].sequential_cycles, 128);  // no bandwidths are given
  ASSERT_EQ(counts.holds.size(), 5U);
  EXPECT_EQ(HoldWords(problem, counts, "T1"), std::pair(8L, 16L));
  EXPECT_EQ(HoldWords(problem, counts, "T0"), std::pair(2L, 16L));
  EXPECT_EQ(HoldWords(problem, counts, "W0"), std::pair(1L, 32L));
  EXPECT_EQ(HoldWords(problem, counts, "T2"), std::pair(2L, 16L));
}

FusedProblem Convolutions(int64_t p2 = 6) {
  return FusedOf({{"p1", p2 + 2}, {"r1", 3}, {"p2", p2}, {"r2", 3}},
                 {"E1: T0[p1 + r1] W0[r1] -> T1[p1]", "E2: T1[p2 + r2] W1[r2] -> T2[p2]"});
}

Items AfterWeights(const FusedItem& loop) { return {Hold("W0"), Hold("W1"), loop}; }

// Section 10, the second example.
TEST(FusedWalkerTest, RetainedHaloOfConvolutions) {
  const FusedProblem problem = Convolutions();
  const FusedCounts counts = CountsOf(
      problem, AfterWeights(For("p2", 2, {Retain("T1"), Hold("T0"), Hold("T2"), "E1", "E2"})));
  EXPECT_THAT(OffChip(problem, counts),
              ElementsAre(Pair("T0", 10), Pair("T2", 6), Pair("W0", 3), Pair("W1", 3)));
  EXPECT_EQ(NodeCounts(problem, counts, "E1"), (FusedNodeCounts{3, 24, 0}));
  EXPECT_EQ(counts.room_words, 18);
  EXPECT_EQ(HoldWords(problem, counts, "T1"), std::pair(4L, 8L));
  EXPECT_EQ(HoldWords(problem, counts, "T0"), std::pair(6L, 10L));
}

TEST(FusedWalkerTest, RecomputedHaloOfConvolutions) {
  const FusedProblem problem = Convolutions();
  const FusedCounts counts = CountsOf(
      problem, AfterWeights(For("p2", 2, {Hold("T1"), Hold("T0"), Hold("T2"), "E1", "E2"})));
  EXPECT_EQ(NodeCounts(problem, counts, "E1"), (FusedNodeCounts{3, 36, 0}));
  EXPECT_EQ(OffChip(problem, counts)["T0"], 10);
  EXPECT_EQ(counts.room_words, 18);
  EXPECT_EQ(HoldWords(problem, counts, "T1"), std::pair(4L, 12L));
}

TEST(FusedWalkerTest, WhatAPartHeldIsGoneAtItsEnd) {
  const FusedProblem problem = Convolutions();
  const FusedCounts counts = CountsOf(
      problem,
      AfterWeights(For("p2", 2, {Retain("T1"), Hold("T2"), Branch({Hold("T0"), "E1"}), "E2"})));
  EXPECT_EQ(OffChip(problem, counts)["T0"], 14);
  EXPECT_EQ(counts.room_words, 3 + 3 + 4 + 2 + 6);
}

FusedProblem Images() {
  return FusedOf(
      {{"p1", 6}, {"q1", 6}, {"p2", 4}, {"q2", 4}, {"r2", 3}, {"s2", 3}},
      {"E1: T0[p1, q1] -> T1[p1, q1]", "E2: T1[p2 + r2, q2 + s2] W[r2, s2] -> T2[p2, q2]"});
}

// Section 10, the third example.
TEST(FusedWalkerTest, RetainedRowsAndColumns) {
  const FusedProblem problem = Images();
  const FusedCounts rows = CountsOf(
      problem, {Hold("W"),
                For("p2", 2, {Retain("T1"), For("q2", 2, {Hold("T0"), Hold("T2"), "E1", "E2"})})});
  EXPECT_EQ(NodeCounts(problem, rows, "E1"), (FusedNodeCounts{4, 36, 0}));
  EXPECT_EQ(HoldWords(problem, rows, "T1"), std::pair(24L, 36L));
  EXPECT_EQ(rows.room_words, 9 + 24 + 16 + 4);

  const FusedCounts tiles = CountsOf(
      problem, {Hold("W"),
                For("p2", 2, {For("q2", 2, {Retain("T1"), Hold("T0"), Hold("T2"), "E1", "E2"})})});
  EXPECT_EQ(NodeCounts(problem, tiles, "E1"), (FusedNodeCounts{4, 48, 0}));
  EXPECT_EQ(HoldWords(problem, tiles, "T1"), std::pair(16L, 48L));
}

// A hold right above the one that retains sees what is computed, too: 6 × 6 words at first, two
// columns of 6, then 6 × 6 words of which 4 × 2 are there, two columns of 6.
TEST(FusedWalkerTest, InputAboveARetainedTensor) {
  const FusedProblem problem = FusedOf(
      {{"p1", 6}, {"q1", 6}, {"r1", 3}, {"s1", 3}, {"p2", 4}, {"q2", 4}, {"r2", 3}, {"s2", 3}},
      {"E1: T0[p1 + r1, q1 + s1] W0[r1, s1] -> T1[p1, q1]",
       "E2: T1[p2 + r2, q2 + s2] W1[r2, s2] -> T2[p2, q2]"});
  for (const Items& holds : {Items{Hold("T0"), Retain("T1")}, Items{Retain("T1"), Hold("T0")}}) {
    Items inside = holds;
    inside.insert(inside.end(), {Hold("T2"), "E1", "E2"});
    const FusedCounts counts =
        CountsOf(problem, {Hold("W0"), Hold("W1"), For("p2", 2, {For("q2", 2, inside)})});
    EXPECT_EQ(OffChip(problem, counts)["T0"], 36 + 12 + 28 + 12);
    EXPECT_EQ(NodeCounts(problem, counts, "E1").operations, 48 * 9);
  }
}

FusedProblem Attention() {
  FusedProblem problem = FusedOf({{"m", 4}, {"p", 4}, {"e", 2}, {"f", 2}},
                                 {"QK: Q[m, e] K[p, e] -> A[m, p]", "SM: A[m, p] -> B[m, p]",
                                  "AV: B[m, p] V[p, f] -> O[m, f]"});
  problem.nodes[NodeId(1)].softmax = FindDim(problem, "p");
  return problem;
}

// Section 10, the fourth example.
TEST(FusedWalkerTest, OnlineSoftmax) {
  const FusedProblem problem = Attention();
  const FusedCounts counts =
      CountsOf(problem, {For("m", 2,
                             {Hold("Q"), Hold("O"),
                              For("p", 2,
                                  {Hold("A"), Hold("B"), Branch({Hold("K"), "QK"}), Online("SM"),
                                   Branch({Hold("V"), "AV"})})})});
  EXPECT_THAT(OffChip(problem, counts),
              ElementsAre(Pair("K", 16), Pair("O", 8), Pair("Q", 8), Pair("V", 16)));
  EXPECT_EQ(WordsAt(problem, counts, 0, "O").reads, 0);
  EXPECT_EQ(NodeCounts(problem, counts, "QK"), (FusedNodeCounts{4, 32, 0}));
  EXPECT_EQ(NodeCounts(problem, counts, "SM"), (FusedNodeCounts{4, 16, 0}));
  EXPECT_EQ(NodeCounts(problem, counts, "AV"), (FusedNodeCounts{4, 32, 16}));
  EXPECT_EQ(counts.room_words, 20);
  // AV reads B for each of 32 operations; two vectors of two rows in four executions.
  EXPECT_EQ(WordsAt(problem, counts, 1, "B"), (Counts{32 + 16, 0, 16 + 16, 0}));
  // In four executions 8 sums, 4 of them old; 4 words go on in the second turn of p; scalings.
  EXPECT_EQ(WordsAt(problem, counts, 1, "O"), (Counts{16 + 8 + 16, 0, 32 + 16, 8}));
  EXPECT_EQ(counts.runs[0].compute_cycles, 32 + 16 + 32 + 16);
}

// A loop over p of the reader alone takes no step of the softmax: one scaling per turn of the outer
// loop, and per tile of the output.
TEST(FusedWalkerTest, ReaderOfAnOnlineSoftmaxWithLoopsOfItsOwn) {
  const FusedProblem problem = Attention();
  const FusedCounts counts =
      CountsOf(problem, {Hold("Q"), Hold("O"),
                         For("p", 2,
                             {Hold("A"), Hold("B"), Branch({Hold("K"), "QK"}), Online("SM"),
                              Branch({Hold("V"), For("f", 1, {For("p", 1, {"AV"})})})})});
  EXPECT_EQ(NodeCounts(problem, counts, "AV"), (FusedNodeCounts{8, 32, 16}));
  EXPECT_EQ(NodeCounts(problem, counts, "SM"), (FusedNodeCounts{2, 16, 0}));
  EXPECT_EQ(WordsAt(problem, counts, 1, "B"), (Counts{32 + 16, 0, 16 + 16, 0}));
}

TEST(FusedWalkerTest, OnlineWithoutStepsCostsNothing) {
  const FusedProblem problem = Attention();
  const auto tree = [](const FusedItem& softmax) {
    return Items{For("m", 1,
                     {Hold("Q"), Hold("O"), Hold("A"), Hold("B"), Branch({Hold("K"), "QK"}),
                      softmax, Branch({Hold("V"), "AV"})})};
  };
  EXPECT_EQ(CountsOf(problem, tree(Online("SM"))), CountsOf(problem, tree("SM")));
}

TEST(FusedWalkerTest, RowsThatAreCutAreAFault) {
  const FusedProblem problem = Attention();
  const auto tree = [](const FusedItem& softmax) {
    return Items{
        Hold("Q"), Hold("O"),
        For("p", 3,
            {Hold("A"), Hold("B"), Branch({Hold("K"), "QK"}), softmax, Branch({Hold("V"), "AV"})})};
  };
  EXPECT_EQ(FaultOf(problem, tree(Online("SM"))), "none");
  EXPECT_EQ(FaultOf(problem, tree("SM")),
            "'SM' needs whole rows, but a tile has 3 of 4 words along p");
  FusedProblem norm = problem;
  norm.nodes[NodeId(1)].rows = std::exchange(norm.nodes[NodeId(1)].softmax, std::nullopt);
  EXPECT_THAT(FaultOf(norm, tree("SM")), HasSubstr("needs whole rows"));
}

// Two readers of X, two intermediates of one reader: X enters once.
TEST(FusedWalkerTest, SeveralReadersOfOneInput) {
  const FusedProblem problem =
      FusedOf({{"m", 2}, {"k", 2}, {"f", 3}, {"n", 2}},
              {"G: X[m, k] Wg[k, f] -> A[m, f]", "U: X[m, k] Wu[k, f] -> B[m, f]",
               "M: A[m, f] B[m, f] -> H[m, f]", "D: H[m, f] Wd[f, n] -> Y[m, n]"});
  const FusedCounts counts =
      CountsOf(problem, {Hold("X"), Hold("Y"),
                         For("f", 1,
                             {Hold("A"), Hold("B"), Hold("H"), Branch({Hold("Wg"), "G"}),
                              Branch({Hold("Wu"), "U"}), "M", Branch({Hold("Wd"), "D"})})});
  EXPECT_THAT(OffChip(problem, counts),
              ElementsAre(Pair("Wd", 6), Pair("Wg", 6), Pair("Wu", 6), Pair("X", 4), Pair("Y", 4)));
  // The room of U and M: A and B of two words each, and Wu or H.
  EXPECT_EQ(counts.room_words, 4 + 4 + 6);
  EXPECT_EQ(NodeCounts(problem, counts, "M"), (FusedNodeCounts{3, 6, 0}));
  EXPECT_EQ(WordsAt(problem, counts, 1, "Y"), (Counts{2 * 4, 0, 12, 4}));
  EXPECT_EQ(WordsAt(problem, counts, 1, "X").reads, 12 + 12);
}

TEST(FusedWalkerTest, IntermediateThatIsAnOutput) {
  FusedProblem problem = Convolutions();
  problem.outputs.push_back(FindTensor(problem, "T1").value());
  const auto tree = [](const FusedItem& hold) {
    return AfterWeights(For("p2", 2, {hold, Hold("T0"), Hold("T2"), "E1", "E2"}));
  };
  const FusedCounts once = CountsOf(problem, tree(Retain("T1")));
  EXPECT_EQ(WordsAt(problem, once, 0, "T1"), (Counts{0, 0, 8, 0}));
  EXPECT_EQ(WordsAt(problem, once, 1, "T1").drains, 8);
  const FusedCounts again = CountsOf(problem, tree(Hold("T1")));
  EXPECT_EQ(WordsAt(problem, again, 0, "T1"), (Counts{0, 0, 12, 0}));
}

// Only the last turn of a private reduction finishes words.
TEST(FusedWalkerTest, FinishedWordsDrainOnce) {
  FusedProblem problem = Products();
  problem.outputs.push_back(FindTensor(problem, "T1").value());
  const FusedCounts counts =
      CountsOf(problem, {For("m", 3,
                             {Hold("T1"), Branch({Hold("W0"), For("n0", 3, {Hold("T0"), "E1"})}),
                              Branch({Hold("T2"), Hold("W1"), "E2"})})});
  EXPECT_EQ(WordsAt(problem, counts, 0, "T1"), (Counts{0, 0, 16, 0}));
  EXPECT_EQ(HoldWords(problem, counts, "T1"), std::pair(12L, 16L));
}

// T1 has one reader in its loop, from the pad, and one in the second run, from off chip.
TEST(FusedWalkerTest, ReaderInAnotherRun) {
  const FusedProblem problem = FusedOf(
      {{"p", 6}, {"k", 2}}, {"E1: X[p, k] -> T1[p]", "E2: T1[p] -> T2[p]", "E3: T1[p] -> T3[p]"});
  const FusedCounts counts =
      CountsOf(problem, {For("p", 4, {Hold("X"), Hold("T1"), Hold("T2"), "E1", "E2"}),
                         Branch({Hold("T1"), Hold("T3"), "E3"})});
  ASSERT_EQ(counts.runs.size(), 2U);
  EXPECT_THAT(OffChip(problem, counts),
              ElementsAre(Pair("T1", 12), Pair("T2", 6), Pair("T3", 6), Pair("X", 12)));
  EXPECT_EQ(counts.runs[0].words[LevelId(0)][FindTensor(problem, "T1").value()],
            (Counts{0, 0, 6, 0}));
  EXPECT_EQ(counts.runs[1].words[LevelId(0)][FindTensor(problem, "T1").value()],
            (Counts{6, 0, 0, 0}));
  EXPECT_EQ(counts.room_words, 8 + 4 + 4);  // E3 has 6 + 6
}

// Without a fused hold, an intermediate goes off chip and comes back, in each turn of a loop too;
// halos are made and stored again.
TEST(FusedWalkerTest, IntermediateThatGoesOffChip) {
  const FusedProblem problem = Convolutions();
  const FusedCounts counts =
      CountsOf(problem, AfterWeights(For("p2", 2,
                                         {Branch({Hold("T0"), Hold("T1"), "E1"}),
                                          Branch({Hold("T1"), Hold("T2"), "E2"})})));
  EXPECT_EQ(WordsAt(problem, counts, 0, "T1"), (Counts{12, 0, 12, 0}));
  EXPECT_EQ(NodeCounts(problem, counts, "E1").operations, 36);
}

// p2 of 5 in steps of 2: the last turn needs one word more of T1, and one of T0.
TEST(FusedWalkerTest, ShortLastTileOfASlidingWindow) {
  const FusedProblem problem = Convolutions(5);
  const FusedCounts counts = CountsOf(
      problem, AfterWeights(For("p2", 2, {Retain("T1"), Hold("T0"), Hold("T2"), "E1", "E2"})));
  EXPECT_EQ(NodeCounts(problem, counts, "E1"), (FusedNodeCounts{3, 3 * (4 + 2 + 1), 0}));
  EXPECT_EQ(NodeCounts(problem, counts, "E2"), (FusedNodeCounts{3, 15, 0}));
  EXPECT_EQ(OffChip(problem, counts)["T0"], 6 + 2 + 1);
}

// [0, 3) in [0, 2) and [2, 3), [3, 6) likewise, [6, 7): five tiles.
TEST(FusedWalkerTest, NestedStepsThatDoNotDivide) {
  const FusedProblem problem = FusedOf({{"p", 7}}, {"E: X[p] -> Y[p]"});
  const FusedCounts counts =
      CountsOf(problem, {For("p", 3, {For("p", 2, {Hold("X"), Hold("Y"), "E"})})});
  EXPECT_EQ(NodeCounts(problem, counts, "E"), (FusedNodeCounts{5, 7, 0}));
  EXPECT_THAT(OffChip(problem, counts), ElementsAre(Pair("X", 7), Pair("Y", 7)));
  EXPECT_EQ(counts.room_words, 4);
}

// Partial sums come back where the tile changed meanwhile, not where it stayed.
TEST(FusedWalkerTest, PartialSumsThatComeBack) {
  for (const int64_t m : {3, 2}) {
    const FusedProblem problem = FusedOf({{"m", m}, {"k", 3}}, {"E: X[m, k] W[k] -> Y[m]"});
    const FusedCounts counts =
        CountsOf(problem, {Hold("W"), For("k", 2, {For("m", 2, {Hold("X"), Hold("Y"), "E"})})});
    const Counts expected = m == 3 ? Counts{3, 0, 6, 0} : Counts{0, 0, 2, 0};
    EXPECT_EQ(WordsAt(problem, counts, 0, "Y"), expected);
    // Sums that are in the pad are read once more, whether they came back or stayed; in the leaves,
    // with k of 2, each sum is read once.
    EXPECT_EQ(WordsAt(problem, counts, 1, "Y").reads, m + m);
  }
}

// Tile by tile, with numbers of words per cycle; E is 3 cycles of compute, of which none waits.
TEST(FusedWalkerTest, SequentialCycles) {
  const FusedProblem problem = FusedOf({{"p", 5}}, {"E: X[p] -> Y[p]"});
  Architecture architecture = testing::PadMachine();
  architecture.levels[LevelId(0)].read_bandwidth = 0.5;
  architecture.levels[LevelId(0)].write_bandwidth = 2;
  architecture.levels[LevelId(1)].read_bandwidth = 0.75;
  architecture.levels[LevelId(1)].write_bandwidth = 4;
  const FusedCounts counts =
      CountsOf(problem, {For("p", 3, {Hold("X"), Hold("Y"), "E"})}, architecture);
  // In: 6 and 4 cycles. Reads of E from the pad: 4 and 3 cycles. Out: 4 and 3.
  EXPECT_EQ(counts.runs[0].sequential_cycles, 6 + 4 + 4 + 3 + 4 + 3);
  EXPECT_EQ(counts.runs[0].compute_cycles, 5);
}

// A leaf with a mapping for its first tile, on lanes with registers: short tiles clip its steps.
TEST(FusedWalkerTest, LeafMappingOnLanes) {
  const FusedProblem problem = FusedOf({{"p", 5}, {"k", 2}}, {"E: X[p, k] -> Y[p]"});
  Architecture architecture = testing::PadMachine();
  architecture.levels[LevelId(1)].fanout = {"array", 4, 1};
  Level registers;
  registers.name = "registers";
  registers.energy = AccessEnergy{1, 1, 1};
  registers.read_bandwidth = 0.5;
  architecture.levels.push_back(registers);
  const DimId p(0), k(1);  // of the node's own problem
  Mapping mapping;
  mapping.levels.resize(2);
  mapping.levels[LevelId(0)] = {TensorSet::FirstN(2), {}, {{p, 1, Axis::kX}}};
  mapping.levels[LevelId(1)] = {TensorSet::FirstN(2), {{k, 1}}, {}};
  FusedTree tree = TreeOf(problem, {For("p", 4, {Hold("X"), Hold("Y"), "E"})});
  FusedTree* leaf = &tree;
  while (leaf->leaf() == nullptr) leaf = &leaf->children[0];
  std::get<FusedLeaf>(leaf->part).mapping = mapping;
  const auto walk = WalkFused(problem, architecture, tree);
  ASSERT_TRUE(walk.has_value()) << walk.error().message;
  const FusedCounts& counts = walk->counts;
  EXPECT_EQ(counts.runs[0].compute_cycles, 2 + 2);
  // Each lane reads 2 words of X and one old sum, and drains one: 4 of 0.5 per cycle.
  EXPECT_EQ(counts.runs[0].level_cycles, (IndexedVector<LevelId, int64_t>{0, 0, 8 + 8}));
  EXPECT_EQ(WordsAt(problem, counts, 2, "X"), (Counts{10, 10, 0, 0}));
  EXPECT_EQ(WordsAt(problem, counts, 1, "X"), (Counts{10, 10, 0, 0}));
  EXPECT_EQ(WordsAt(problem, counts, 1, "Y"), (Counts{0, 0, 5, 5}));
}

// Shared loops over the window of the reader: T1 slides along with r2, one word at a time.
TEST(FusedWalkerTest, SharedLoopOverAWindow) {
  const FusedProblem problem = Convolutions();
  const FusedCounts counts = CountsOf(
      problem,
      {Hold("W0"), Hold("T2"), For("r2", 1, {Retain("T1"), Hold("T0"), Hold("W1"), "E1", "E2"})});
  EXPECT_EQ(NodeCounts(problem, counts, "E1"), (FusedNodeCounts{3, 3 * (6 + 1 + 1), 0}));
  EXPECT_EQ(NodeCounts(problem, counts, "E2"), (FusedNodeCounts{3, 18, 0}));
  EXPECT_EQ(OffChip(problem, counts)["T0"], 8 + 1 + 1);
}

TEST(FusedWalkerTest, WordsOutOfOrderAreAFault) {
  const FusedProblem products = Products();
  EXPECT_EQ(
      FaultOf(products, {Hold("T0"), Hold("W0"), Hold("W1"), Hold("T2"), Hold("T1"), "E2", "E1"}),
      "'E2' reads T1[0, 0], which was added to 0 times of 4");
  EXPECT_EQ(FaultOf(products, {Hold("T0"), Hold("W1"), Hold("T2"), Hold("T1"), "E1", "E2"}),
            "no hold of 'W0' is above 'E1'");
  // The part with the loop computes what E2 needs; E3 needs more.
  const FusedProblem narrow =
      FusedOf({{"p1", 8}, {"p2", 6}, {"r", 3}},
              {"E1: X[p1] -> T1[p1]", "E2: T1[p2] -> T2[p2]", "E3: T1[p2 + r] -> T3[p2]"});
  EXPECT_EQ(FaultOf(narrow, {For("p2", 2, {Hold("X"), Hold("T1"), Hold("T2"), "E1", "E2"}),
                             Branch({Hold("T1"), Hold("T3"), "E3"})}),
            "'E3' reads T1[6], which was added to 0 times of 1");
}

// A stride of 2 and tiles of 2: every fourth word of T1 is never read, and never made.
TEST(FusedWalkerTest, OutputsThatAreNeverMadeAreAFault) {
  FusedProblem problem =
      FusedOf({{"p1", 7}, {"p2", 4}}, {"E1: X[p1] -> T1[p1]", "E2: T1[2*p2] -> T2[p2]"});
  const Items items = {For("p2", 2, {Hold("X"), Hold("T1"), Hold("T2"), "E1", "E2"})};
  EXPECT_EQ(NodeCounts(problem, CountsOf(problem, items), "E1").operations, 6);
  problem.outputs.push_back(FindTensor(problem, "T1").value());
  EXPECT_EQ(FaultOf(problem, items), "T1[3] is an output, and was added to 0 times of 1");
}

// Every word of T is needed, and in the first turns none is left out.
TEST(FusedWalkerTest, GapsInLaterTurnsAreNotLegal) {
  FusedProblem sparse =
      FusedOf({{"q", 9}, {"a", 4}, {"b", 2}}, {"E1: X[q] -> T[q]", "E2: T[2*a + 2*b] -> Y[a]"});
  sparse.outputs.push_back(FindTensor(sparse, "T").value());
  const auto cut = [](int64_t step) -> Items {
    return {For("a", step, {For("b", 1, {Hold("X"), Hold("T"), Hold("Y"), "E1", "E2"})})};
  };
  EXPECT_TRUE(Validate(sparse, TreeOf(sparse, cut(2))).empty());
  CountsOf(sparse, cut(2));
  // The last turn over a is short: its turns over b touch the words 6 and 8.
  EXPECT_FALSE(Validate(sparse, TreeOf(sparse, cut(3))).empty());
  EXPECT_EQ(FaultOf(sparse, cut(3)), "T[7] is an output, and was added to 0 times of 1");

  FusedProblem retained =
      FusedOf({{"q", 11}, {"u", 6}, {"a", 4}, {"r", 3}},
              {"E1: X[q] -> T[q]", "E2: T[2*u] -> U[u]", "E3: U[a + r] -> Y[a]"});
  retained.outputs.push_back(FindTensor(retained, "T").value());
  const auto keep = [](const FusedItem& hold) -> Items {
    return {For("a", 1, {hold, Hold("X"), Hold("T"), Hold("Y"), "E1", "E2", "E3"})};
  };
  EXPECT_TRUE(Validate(retained, TreeOf(retained, keep(Hold("U")))).empty());
  CountsOf(retained, keep(Hold("U")));
  // Turns after the first compute one word of U, and need one of T.
  EXPECT_FALSE(Validate(retained, TreeOf(retained, keep(Retain("U")))).empty());
  EXPECT_EQ(FaultOf(retained, keep(Retain("U"))),
            "T[5] is an output, and was added to 0 times of 1");
}

TEST(FusedWalkerTest, LimitsOfSize) {
  const FusedProblem problem = Products();
  const FusedTree tree =
      TreeOf(problem, {Hold("T0"), Hold("W0"), Hold("T1"), Hold("W1"), Hold("T2"), "E1", "E2"});
  const auto walk = [&](int64_t most) {
    return WalkFused(problem, testing::PadMachine(), tree, {.most_operations = most});
  };
  EXPECT_TRUE(walk(128).has_value());
  EXPECT_EQ(walk(127).error().message, "too large to walk: 128 operations, the limit is 127");
  const FusedProblem sparse = FusedOf({{"p", 4}}, {"E: X[100*p] -> Y[p]"});
  const auto wide = WalkFused(sparse, testing::PadMachine(),
                              TreeOf(sparse, {Hold("X"), Hold("Y"), "E"}), {.most_operations = 10});
  EXPECT_THAT(wide.error().message, HasSubstr("too many words"));
}

}  // namespace
}  // namespace inlay

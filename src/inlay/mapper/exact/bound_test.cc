#include "inlay/mapper/exact/bound.h"

#include <gtest/gtest.h>

#include "inlay/cost/evaluate.h"
#include "inlay/mapper/exact/edge_bounds.h"
#include "tests/support/small_machine.h"

namespace inlay::exact_search {
namespace {

constexpr int kP = 0, kK = 1;
constexpr size_t kWeights = 0, kInputs = 1, kOutputs = 2;

// P = 4, K = 2, C = 3 through a buffer without lanes, in tiles of 2 × 1 × 3: DRAM has a loop of two
// steps over P and one over K. Weights[k,c] have 6 words, Inputs[p,c] 12, Outputs[p,k] 8.
class BoundTest : public ::testing::Test {
 protected:
  BoundTest()
      : space_(inlay::testing::SmallSpace(MakeGemm("gemm", {.p = 4, .k = 2, .c = 3}), 1)),
        keep_case_(space_, inlay::testing::KeepAll(space_)),
        layout_(keep_case_.levels),
        bounder_(keep_case_, layout_) {
    chains_ = {inlay::testing::ChainOfTiles(4, {2, 2, 2, 1, 1, 1}),
               inlay::testing::ChainOfTiles(2, {1, 1, 1, 1, 1, 1}),
               inlay::testing::ChainOfTiles(3, {3, 3, 3, 1, 1, 1})};
    for (const Chain& chain : chains_) {
      figures_.emplace_back(layout_.size());
      RowFiller(space_).Fill(layout_, chain, figures_.back().data());
    }
    for (const auto& row : figures_) rows_.push_back(row.data());
  }

  MappingSet Set() const { return bounder_.SetOf(rows_); }
  const Edge& EdgeOf(size_t tensor) const { return keep_case_.edges[1][tensor]; }
  LowerBound BoundIf(int inner) {
    const MappingSet set = Set();
    BoundSum sum;
    sum.Begin(keep_case_);
    bounder_.AddMerged(set, 1, inner, &sum);
    bounder_.AddMerged(set, 2, kAnyDim, &sum);
    return Finish(set, FewestSteps(set, 1), sum);
  }
  Cost CostIf(std::vector<DimId> outer_to_inner) const {
    const Mapping mapping = AssembleMapping(
        space_, chains_, {std::move(outer_to_inner), {DimId(0), DimId(1), DimId(2)}},
        keep_case_.keeps);
    return Evaluate(space_.problem, space_.architecture, mapping).value();
  }

  Space space_;
  KeepCase keep_case_;
  RowLayout layout_;
  Bounder bounder_;
  IndexedVector<DimId, Chain> chains_;
  std::vector<std::vector<double>> figures_;
  Rows rows_;
};

TEST_F(BoundTest, TrafficOfOneEdge) {
  const MappingSet set = Set();
  const EdgeTerms terms = TermsOf(set, EdgeOf(kWeights));
  EdgeTraffic traffic = TrafficOnce(terms);
  EXPECT_EQ(traffic.lanes, 6);
  EXPECT_EQ(traffic.groups, 6);
  const Repeats repeats = RepeatsOf(set, EdgeOf(kWeights), 1);
  EXPECT_EQ(repeats.tiles, 2);  // the steps of P
  RaiseByMover(set, EdgeOf(kWeights), terms, repeats, kK, &traffic);
  EXPECT_EQ(traffic.groups, 12);  // moved by K between the two
}

// What the innermost loop does not concern stays where it is.
TEST_F(BoundTest, OffchipWordsByOrder) {
  const MappingSet set = Set();
  const auto words = [&](size_t tensor, const std::vector<size_t>& order) {
    return OffchipInOrder(set, EdgeOf(tensor), TermsOf(set, EdgeOf(tensor)), order);
  };
  EXPECT_EQ(words(kWeights, {kP}), 6);
  EXPECT_EQ(words(kWeights, {kK}), 12);
  EXPECT_EQ(words(kWeights, {kP, kK}), 6);
  EXPECT_EQ(words(kInputs, {kK}), 12);
  EXPECT_EQ(words(kInputs, {kP}), 24);
  EXPECT_EQ(words(kInputs, {kK, kP}), 12);
  EXPECT_EQ(words(kOutputs, {kP}), 8);
  EXPECT_EQ(words(kOutputs, {kK}), 8);
}

TEST_F(BoundTest, OffchipWordsByInnermostLoop) {
  EXPECT_EQ(BoundIf(kK).offchip_words, 12 + 12 + 8);
  EXPECT_EQ(BoundIf(kP).offchip_words, 24 + 6 + 8);
  EXPECT_EQ(BoundIf(kAnyDim).offchip_words, 12 + 12 + 8);
}

// With four steps of P, it is best inside: weights 6, inputs 2 · 12; else 4 · 6 and 12.
TEST_F(BoundTest, TheBestOrderCountsWhereverItIsListed) {
  RowFiller(space_).Fill(layout_, inlay::testing::ChainOfTiles(4, {1, 1, 1, 1, 1, 1}),
                         figures_[0].data());
  EXPECT_EQ(BoundIf(kP).offchip_words, 6 + 24 + 8);
  EXPECT_EQ(BoundIf(kK).offchip_words, 24 + 12 + 8);
  EXPECT_EQ(BoundIf(kAnyDim).offchip_words, 6 + 24 + 8);
}

// DRAM: 32 words at 100 pJ, and 5 pJ at the buffer. Compute: two reads and an update of 24
// operations, and a read of all sums but the first of 8 words.
TEST_F(BoundTest, EnergyAndCycles) {
  const LowerBound bound = BoundIf(kK);
  EXPECT_EQ(bound.energy_pj, 32 * 105 + (24 + 24 + 24 + 16) * 5 + 24);
  EXPECT_EQ(bound.cycles, 24);
}

// One chain per dimension and two loops: the bound is the cost.
TEST_F(BoundTest, IsTheCostWhereNothingIsOpen) {
  const Cost k_inside = CostIf({DimId(kP), DimId(kK)});
  EXPECT_EQ(BoundIf(kK).energy_pj, k_inside.energy_pj);
  EXPECT_EQ(BoundIf(kK).offchip_words, static_cast<double>(k_inside.offchip_words));
  EXPECT_EQ(BoundIf(kK).cycles, static_cast<double>(k_inside.cycles));
  const Cost p_inside = CostIf({DimId(kK), DimId(kP)});
  EXPECT_EQ(BoundIf(kP).energy_pj, p_inside.energy_pj);
  EXPECT_EQ(BoundIf(kP).offchip_words, static_cast<double>(p_inside.offchip_words));
}

// Bounds depend on their arguments alone: what was computed before does not change them.
TEST_F(BoundTest, IsTheSameAgain) {
  const LowerBound first = BoundIf(kK);
  BoundIf(kP);
  MappingSet closer = Set();
  closer.order_depth = kAllLoops;
  BoundSum sum;
  sum.Begin(keep_case_, 1);
  bounder_.AddNested(closer, 1, kAnyDim, &sum);
  EXPECT_EQ(BoundIf(kK).energy_pj, first.energy_pj);
  EXPECT_EQ(BoundIf(kK).offchip_words, first.offchip_words);
}

// A weight that some round of K finds in place: with a short tile there is a tile alone.
TEST_F(BoundTest, AnAssumptionRaisesTheBound) {
  // Three filters in tiles of 2 and 1 on two lanes: lane 1 has one tile only.
  const Space space =
      inlay::testing::SmallSpace(MakeGemm("gemm", {.p = 2, .k = 3}), 2, Mapspace::kAny);
  const KeepCase keep_case(space, inlay::testing::KeepAll(space));
  const RowLayout layout(keep_case.levels);
  std::vector<std::vector<double>> figures(3, std::vector<double>(layout.size()));
  RowFiller filler(space);
  filler.Fill(layout, inlay::testing::ChainOfTiles(2, {1, 1, 1, 1, 1, 1, 1, 1, 1}),
              figures[0].data());
  filler.Fill(layout, inlay::testing::ChainOfTiles(3, {2, 2, 2, 2, 1, 1, 1, 1, 1}),
              figures[1].data());
  filler.Fill(layout, inlay::testing::ChainOfTiles(1, {1, 1, 1, 1, 1, 1, 1, 1, 1}),
              figures[2].data());
  const Rows rows = {figures[0].data(), figures[1].data(), figures[2].data()};
  const Edge& weights = keep_case.edges[2][kWeights];
  MappingSet set = {keep_case, layout, rows};
  const auto lanes = [&] {
    const EdgeTerms terms = TermsOf(set, weights);
    EdgeTraffic traffic = TrafficOnce(terms);
    RaiseByMover(set, weights, terms, RepeatsOf(set, weights, 1), kK, &traffic);
    return traffic.lanes;
  };
  EXPECT_EQ(lanes(), 2 * 2 + 1);  // lane 0: two tiles, twice; lane 1: one, which stays
  set.assumptions.even_dim = kK;
  EXPECT_EQ(lanes(), 2 * 3);
}

}  // namespace
}  // namespace inlay::exact_search

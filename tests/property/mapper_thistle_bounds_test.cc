// Every bound of the search under thistle semantics against mappings drawn at random: comparing
// optima does not find a wrong bound.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/deadline.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/thistle/array_grid.h"
#include "inlay/mapper/thistle/chains.h"
#include "inlay/mapper/thistle/faults.h"
#include "inlay/mapper/thistle/model.h"
#include "inlay/mapper/thistle/orders.h"
#include "inlay/mapper/thistle/sram_queue.h"
#include "inlay/mapspace/enumerate.h"
#include "inlay/mapspace/tilings.h"
#include "tests/property/thistle_case.h"
#include "tests/support/mapspace_name.h"

namespace inlay::thistle {
namespace {

using testing::Pick;
using testing::Random;

// The range that holds a tile.
size_t RangeOf(const std::vector<TileRange>& ranges, int64_t tile) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].smallest <= tile && tile <= ranges[i].largest) return i;
  }
  ADD_FAILURE() << "a tile of " << tile << " is in no range";
  return 0;
}

// One space with everything that the search prepares for it.
class Prepared {
 public:
  Prepared(const Space& space, const MapOptions& options, Random& random)
      : space_(space),
        options_(options),
        model_(space, options),
        deadline_(stop_),
        watch_(deadline_),
        dram_orders_(model_, &space.orders[LevelId(0)]),
        any_orders_(model_, nullptr) {
    for (FreeIndex f = 0; f < model_.free_count(); ++f) {
      chains_.emplace_back(model_, f, &watch_);
      is_possible_ = is_possible_ && !chains_.back().empty();
      if (testing::Chance(random, 0.2)) chains_.back().CoarsenSram(3);
      if (testing::Chance(random, 0.2)) chains_.back().CoarsenArray(3);
    }
    is_possible_ = is_possible_ && model_.free_count() > 0;
    for (DimId d : Ids(space.problem.dims)) all_chains_.push_back(ChainsOf(space, d));
    if (!is_possible_) return;
    grid_.emplace(model_, chains_, Classes(), std::nullopt, &watch_);
    SramQueue queue(model_, chains_, *grid_, &dram_orders_, &watch_);
    double before = 0;
    for (size_t i = 0; const SramRanges* ranges = queue.Get(i); ++i) {
      if (i > 0) {
        EXPECT_LE(before, ranges->bound_pj);
      }
      before = ranges->bound_pj;
      queue_[ranges->range] = *ranges;
    }
  }

  bool is_possible() const { return is_possible_; }

  // Checks one mapping; how many bounds it was compared with.
  int64_t CheckOne(Random& random);

 private:
  struct Drawn {
    IndexedVector<DimId, Chain> chains;
    PerFree<int64_t> sram{}, array{}, tile{}, lanes{};
    Cost cost;
  };
  const std::vector<OrderClass>& Classes() { return any_orders_.For(model_.all_free()); }
  std::optional<Drawn> Draw(Random& random) const;
  int64_t CheckGrid(const Drawn& drawn, const ArrayGrid& grid, const Cuts& outer, double dram_pj,
                    double pj) const;
  size_t ColumnOf(const Drawn& drawn, const ArrayGrid& grid) const;

  const Space& space_;
  const MapOptions& options_;
  const Model model_;
  const StopFlag stop_;
  const Deadline deadline_;
  DeadlineWatch watch_;
  Orders dram_orders_, any_orders_;
  std::vector<Chains> chains_;
  IndexedVector<DimId, std::vector<Chain>> all_chains_;
  std::optional<ArrayGrid> grid_;
  std::map<PerFree<uint32_t>, SramRanges> queue_;
  std::map<PerFree<int64_t>, ArrayGrid> lane_grids_;
  bool is_possible_ = true;
};

// A mapping of the space that fits, with a random order at every level.
std::optional<Prepared::Drawn> Prepared::Draw(Random& random) const {
  const SlotId spatial(3 + static_cast<size_t>(model_.axis()));
  Drawn drawn;
  int64_t lanes = 1;
  for (const std::vector<Chain>& chains : all_chains_) {
    if (chains.empty()) return std::nullopt;
    const auto last = static_cast<int64_t>(chains.size()) - 1;
    drawn.chains.push_back(chains[static_cast<size_t>(Pick(random, 0, last))]);
    lanes *= drawn.chains.back().steps[spatial];
  }
  if (lanes > model_.lanes()) return std::nullopt;
  IndexedVector<LevelId, std::vector<DimId>> orders(3);
  for (LevelId l : Ids(orders)) {
    std::vector<DimId> loops;
    for (DimId d : Ids(drawn.chains)) {
      if (drawn.chains[d].steps[SlotId(3 * l.value())] > 1) loops.push_back(d);
    }
    const auto all = OrdersOf(space_.orders[l], loops);
    orders[l] = all[static_cast<size_t>(Pick(random, 0, static_cast<int64_t>(all.size()) - 1))];
  }
  const IndexedVector<LevelId, TensorSet> keeps(3,
                                                TensorSet::FirstN(space_.problem.tensors.size()));
  EvaluateOptions evaluate;
  evaluate.semantics = Semantics::kThistle;
  evaluate.accounting = options_.accounting;
  auto cost = Evaluate(space_.problem, space_.architecture,
                       AssembleMapping(space_, drawn.chains, orders, keeps), evaluate);
  if (!cost || !testing::FitsThistle(space_, *cost)) return std::nullopt;
  drawn.cost = *std::move(cost);
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    const Chain& chain = drawn.chains[model_.dim(f)];
    drawn.sram[f] = chain.tiles[SlotId(0)];
    drawn.array[f] = chain.tiles[SlotId(3)];
    drawn.tile[f] = chain.tiles[spatial];
    drawn.lanes[f] = chain.steps[spatial];
  }
  return drawn;
}

size_t Prepared::ColumnOf(const Drawn& drawn, const ArrayGrid& grid) const {
  size_t column = 0;
  for (size_t depth = 0; depth < grid.sides().size(); ++depth) {
    const FreeIndex f = grid.sides()[depth];
    column = grid.Next(depth, column, RangeOf(chains_[f].array_ranges(), drawn.array[f]));
  }
  return column;
}

int64_t Prepared::CheckGrid(const Drawn& drawn, const ArrayGrid& grid, const Cuts& outer,
                            double dram_pj, double pj) const {
  EXPECT_LE(model_.base_pj() + dram_pj + grid.LeastPj(outer), pj);
  const FreeIndex main = grid.main();
  EXPECT_LE(grid.FirstMain(grid.sides().size(), ColumnOf(drawn, grid)),
            RangeOf(chains_[main].array_ranges(), drawn.array[main]));
  EXPECT_LE(grid.FirstMain(0, 0), RangeOf(chains_[main].array_ranges(), drawn.array[main]));
  return 3;
}

int64_t Prepared::CheckOne(Random& random) {
  const auto drawn = Draw(random);
  if (!drawn) return 0;
  const auto steps = static_cast<double>(drawn->cost.cycles);
  // What bounds may exceed by rounding.
  const double pj =
      (drawn->cost.energy_pj - model_.pj_per_cycle() * steps) + 1e-12 * drawn->cost.energy_pj;
  int64_t checks = 0;
  SramRanges ranges;
  Cuts outer, inner;
  double exact_steps = model_.fixed_steps(), least_steps = model_.fixed_steps();
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    const Chains& chains = chains_[f];
    ranges.range[f] = static_cast<uint32_t>(RangeOf(chains.sram_ranges(), drawn->sram[f]));
    const size_t array_range = RangeOf(chains.array_ranges(), drawn->array[f]);
    // Limits that the tiles just keep.
    const TileLimits limits{drawn->sram[f] + Pick(random, 0, 2),
                            drawn->array[f] + Pick(random, 0, 2), steps};
    const Cut cut = model_.CutBy(f, drawn->sram[f], drawn->array[f]);
    outer[f] = chains.sram_ranges()[ranges.range[f]].cut;
    inner[f] = chains.LeastCut(ranges.range[f], array_range, limits);
    EXPECT_LE(outer[f].pieces, model_.CutBy(f, drawn->sram[f]).pieces);
    EXPECT_LE(inner[f].pieces, cut.pieces);
    for (size_t g = 0; g < kMaxGaps; ++g) EXPECT_GE(inner[f].overlap[g], cut.overlap[g]);
    exact_steps *= chains.Steps(drawn->sram[f], drawn->array[f], drawn->tile[f]);
    least_steps *= chains.LeastSteps(array_range, drawn->lanes[f]);
    checks += 4;
  }
  EXPECT_EQ(exact_steps, steps);
  EXPECT_LE(least_steps, steps);
  const auto entry = queue_.find(ranges.range);
  EXPECT_NE(entry, queue_.end()) << "these SRAM tiles are missing from the queue";
  if (entry == queue_.end()) return checks;
  const double dram_pj = entry->second.dram_pj;
  EXPECT_LE(entry->second.bound_pj, pj);
  const double inner_pj = Cheapest(model_, kSramArray, Classes(), outer, inner).pj;
  EXPECT_LE(model_.base_pj() + dram_pj + inner_pj, pj);
  checks += 4 + CheckGrid(*drawn, *grid_, outer, dram_pj, pj);
  const auto [grid, is_new] =
      lane_grids_.try_emplace(drawn->lanes, model_, chains_, Classes(), drawn->lanes, &watch_);
  return checks + CheckGrid(*drawn, grid->second, outer, dram_pj, pj);
}

class ThistleBoundsTest : public ::testing::TestWithParam<Mapspace> {};

INSTANTIATE_TEST_SUITE_P(All, ThistleBoundsTest,
                         ::testing::Values(Mapspace::kPerfect, Mapspace::kRubyS, Mapspace::kRubyT,
                                           Mapspace::kRuby, Mapspace::kAny),
                         testing::MapspaceName);

TEST_P(ThistleBoundsTest, NoMappingIsBelow) {
  const int64_t wanted = testing::CaseCount(1'000'000, 5'000'000);
  int64_t checks = 0;
  for (uint64_t seed = 1; checks < wanted; ++seed) {
    Random random(seed * 77 + static_cast<uint64_t>(GetParam()));
    const Space space = testing::RandomThistleSpace(random, GetParam());
    MapOptions options;
    options.objective = {Metric::kEnergy};
    options.accounting = testing::Chance(random, 0.5) ? Accounting::kLiteral : Accounting::kElide;
    if (!FaultsOf(space, options).empty()) continue;
    Prepared prepared(space, options, random);
    if (!prepared.is_possible()) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + testing::Describe(space));
    for (int i = 0; i < 200; ++i) checks += prepared.CheckOne(random);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace inlay::thistle

#include "inlay/codesign/network_edp.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "inlay/codesign/group_message.h"

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the mappings cost at the table's price of a cycle.
Placement CostedBy(const CostTable& table, Placement placement) {
  for (size_t row = 0; row < placement.size(); ++row) {
    auto& placed = placement[row];
    if (placed) placed->solution.cost = table.CostOf(row, placed->column, placed->solution);
  }
  return placement;
}

EnergyDelay SumsOf(const CostTable& table, const Placement& placement) {
  return {EnergyOf(table, placement), CyclesOf(table, placement)};
}

// A round of the group: the leader's question, or none.
std::optional<LeastProduct::Question> Agreed(const std::optional<LeastProduct::Question>& question,
                                             SearchGroup* group) {
  MessageWriter writer;
  writer.Number(group->IsLeader() ? 1 : 0);
  writer.Number(question ? 1 : 0);
  writer.Real(question ? question->price_pj : 0);
  writer.Real(question ? question->below : 0);
  for (const GroupMessage& report : group->Exchange(writer.Finish())) {
    MessageReader reader(report);
    if (reader.Number() == 0) continue;
    if (reader.Number() == 0) return std::nullopt;
    LeastProduct::Question leaders;
    leaders.price_pj = reader.Real();
    leaders.below = reader.Real();
    return leaders;
  }
  return std::nullopt;
}

// The objective of a search at a price of a cycle: energy, which includes the price, then delay if
// it is asked for. EDP is left out: the sums decide it.
Objective SumObjective(const Objective& objective) {
  Objective sum = {Metric::kEnergy};
  for (const Metric metric : objective) {
    if (metric == Metric::kDelay) sum.push_back(metric);
  }
  return sum;
}

}  // namespace

SumBounds SumBoundsOfColumns(const CostTable& table) {
  SumBounds floor{{kInfinity, kInfinity}, kInfinity};
  for (size_t c = 0; c < table.columns(); ++c) {
    EnergyDelay sums;
    for (size_t r = 0; r < table.rows(); ++r) {
      sums.energy_pj += table.repeat(r) * table.LeastEnergy(r, c);
      sums.cycles += table.repeat(r) * table.LeastCycles(r, c);
    }
    floor.sums.energy_pj = std::min(floor.sums.energy_pj, sums.energy_pj);
    floor.sums.cycles = std::min(floor.sums.cycles, sums.cycles);
    floor.product = std::min(floor.product, sums.product());
  }
  return floor;
}

SumBounds SumBoundsOfRows(const CostTable& table) {
  SumBounds floor;
  for (size_t r = 0; r < table.rows(); ++r) {
    double energy = kInfinity, cycles = kInfinity;
    for (size_t c = 0; c < table.columns(); ++c) {
      energy = std::min(energy, table.LeastEnergy(r, c));
      cycles = std::min(cycles, table.LeastCycles(r, c));
    }
    floor.sums.energy_pj += table.repeat(r) * energy;
    floor.sums.cycles += table.repeat(r) * cycles;
  }
  floor.product = floor.sums.product();
  return floor;
}

PlacementResult LeastNetworkEdp(CostTable* table, const Objective& objective,
                                const Placement& first, const SumBounds& floor, SearchGroup* group,
                                const PlacementProgressSink& progress, const SumSearch& search) {
  LeastProduct least(floor.sums, floor.product);
  Placement best = first;
  if (IsComplete(best)) least.Offer(SumsOf(*table, best));
  // Searches report values of E + λ·C; what is passed on is the product that is known so far.
  const PlacementProgressSink report = [&](const PlacementProgress& moment) {
    if (!progress) return;
    PlacementProgress known{.bound = least.lower_bound(), .taken = moment.taken};
    if (least.best() < kInfinity) known.incumbent = least.best();
    progress(known);
  };
  const auto ask = [&](bool go_on) {
    return Agreed(go_on && group->IsLeader() ? least.Next() : std::nullopt, group);
  };
  for (auto question = ask(true); question;) {
    table->SetCyclePrice(question->price_pj);
    PlacementResult found =
        search(SumObjective(objective), CostedBy(*table, best), question->below, report);
    double sum = kInfinity;
    if (IsComplete(found.placement)) sum = EnergyOf(*table, found.placement);
    table->SetCyclePrice(0);
    if (sum < kInfinity) {
      found.placement = CostedBy(*table, std::move(found.placement));
      const EnergyDelay sums = SumsOf(*table, found.placement);
      if (sums.product() < least.best()) best = std::move(found.placement);
      least.Offer(sums);
    }
    // What is above `below` was not looked for.
    const double bound = found.proven ? sum : std::min(sum, found.lower_bound);
    if (group->IsLeader()) least.Answer(std::min(bound, question->below));
    question = ask(found.proven);
  }
  return {std::move(best), least.proven(), least.lower_bound()};
}

}  // namespace inlay

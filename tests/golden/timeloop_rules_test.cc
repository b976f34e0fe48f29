// Timeloop's answers on perfect mappings differ from the exact ones only by named rules: with all
// of them off nothing differs, and every single difference goes away with some of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "inlay/cost/exact.h"
#include "inlay/cost/timeloop.h"
#include "tests/golden/timeloop_case.h"

namespace inlay::golden {
namespace {

struct Rule {
  const char* name;
  bool TimeloopRules::*member;
};
constexpr std::array<Rule, 7> kRules = {{
    {"same displacement", &TimeloopRules::same_displacement},
    {"extrapolation", &TimeloopRules::extrapolation},
    {"link transfers", &TimeloopRules::link_transfers},
    {"bypass scaling", &TimeloopRules::bypass_scaling},
    {"partial-sum multicast", &TimeloopRules::partial_sum_multicast},
    {"no drains", &TimeloopRules::no_drains},
    {"rounded rates", &TimeloopRules::rounded_rates},
}};
using RuleSet = unsigned;  // bit i: kRules[i]
constexpr RuleSet kAll = (1U << kRules.size()) - 1;

TimeloopRules Without(RuleSet off) {
  TimeloopRules rules;
  for (size_t i = 0; i < kRules.size(); ++i) {
    if ((off >> i & 1) != 0) rules.*kRules[i].member = false;
  }
  return rules;
}

std::string NamesOf(RuleSet set) {
  std::string names;
  for (size_t i = 0; i < kRules.size(); ++i) {
    if ((set >> i & 1) == 0) continue;
    if (!names.empty()) names += " + ";
    names += kRules[i].name;
  }
  return names;
}

// Every figure that both semantics define, by name: "Buffer.Inputs.fills".
std::map<std::string, int64_t> Figures(const TimeloopCase& golden, const Cost& cost) {
  std::map<std::string, int64_t> figures = {{"operations", cost.operations},
                                            {"cycles", cost.cycles},
                                            {"compute cycles", cost.compute_cycles},
                                            {"lanes", cost.compute_lanes_used},
                                            {"off-chip words", cost.offchip_words}};
  for (LevelId l : Ids(cost.levels)) {
    for (TensorId t : Ids(golden.problem.tensors)) {
      const TensorCost& tensor = cost.levels[l].tensors[t];
      const std::string name =
          golden.architecture.levels[l].name + "." + golden.problem.tensors[t].name + ".";
      figures[name + "kept"] = tensor.kept ? 1 : 0;
      figures[name + "tile"] = tensor.tile_words;
      figures[name + "instances"] = tensor.instances;
      figures[name + "reads"] = tensor.total.reads;
      figures[name + "fills"] = tensor.total.fills;
      figures[name + "updates"] = tensor.total.updates;
      figures[name + "drains"] = tensor.total.drains;
    }
  }
  return figures;
}

std::map<std::string, int64_t> TimeloopFigures(const TimeloopCase& golden, RuleSet off) {
  const auto cost =
      EvaluateTimeloop(golden.problem, golden.architecture, golden.mapping, Without(off));
  EXPECT_TRUE(cost.has_value());
  return Figures(golden, cost.value_or(Cost{}));
}

std::map<std::string, int64_t> ExactFigures(const TimeloopCase& golden) {
  ExactModel model(golden.problem, golden.architecture);
  Cost cost;
  EXPECT_TRUE(model.Evaluate(golden.mapping, &cost));
  return Figures(golden, cost);
}

// The smallest sets first; all of one size before the next.
std::vector<RuleSet> SetsBySize() {
  std::vector<RuleSet> sets;
  for (int size = 1; size <= static_cast<int>(kRules.size()); ++size) {
    for (RuleSet set = 1; set <= kAll; ++set) {
      if (std::popcount(set) == size) sets.push_back(set);
    }
  }
  return sets;
}

// Permutes the temporal loops over all levels, keeping the number of loops of each; steps follow
// from the numbers of steps, so the mapping stays perfect. Inner levels keep tensors at random.
void Shuffle(std::mt19937_64* random, TimeloopCase* golden) {
  const auto factors = FactorsOf(golden->problem, golden->mapping).value();
  struct Trips {
    DimId dim;
    int64_t trips;
  };
  std::vector<Trips> loops;
  for (LevelId l : Ids(golden->mapping.levels)) {
    const std::vector<Loop>& temporal = golden->mapping.levels[l].temporal;
    for (size_t i = 0; i < temporal.size(); ++i) {
      loops.push_back({temporal[i].dim, factors[l].temporal[i].end});
    }
  }
  std::shuffle(loops.begin(), loops.end(), *random);
  IndexedVector<DimId, int64_t> left;
  for (const Dimension& dim : golden->problem.dims) left.push_back(dim.bound);
  size_t next = 0;
  for (LevelId l : Ids(golden->mapping.levels)) {
    LevelMapping& level = golden->mapping.levels[l];
    for (Loop& loop : level.temporal) {
      loop = {loops[next].dim, left[loops[next].dim] / loops[next].trips, Axis::kTime};
      left[loop.dim] = loop.step;
      ++next;
    }
    for (size_t i = 0; i < level.spatial.size(); ++i) {
      Loop& loop = level.spatial[i];
      loop.step = left[loop.dim] / factors[l].spatial[i].end;
      left[loop.dim] = loop.step;
    }
    if (l == LevelId(0)) continue;
    for (TensorId t : Ids(golden->problem.tensors)) {
      if (((*random)() & 3) == 0) level.keep.erase(t);
    }
  }
}

TEST(TimeloopRules, AllOffIsExact) {
  int cases = 0;
  for (const TimeloopCase& golden : TimeloopCases()) {
    if (golden.imperfect) continue;
    ++cases;
    SCOPED_TRACE(golden.id);
    const auto expected = ExactFigures(golden);
    const auto actual = TimeloopFigures(golden, kAll);
    ASSERT_EQ(actual.size(), expected.size());
    for (const auto& [name, value] : expected) EXPECT_EQ(actual.at(name), value) << name;
  }
  EXPECT_EQ(cases, 144);
}

// The same on random mappings: loops in random order, some moved to another level,
// tensors bypassed at random.
TEST(TimeloopRules, AllOffIsExactOnShuffledMappings) {
  std::mt19937_64 random(2);
  int differing_from_timeloop = 0;
  for (const TimeloopCase& golden : TimeloopCases()) {
    if (golden.imperfect) continue;
    SCOPED_TRACE(golden.id);
    for (int round = 0; round < 8; ++round) {
      TimeloopCase shuffled = golden;
      Shuffle(&random, &shuffled);
      const auto expected = ExactFigures(shuffled);
      EXPECT_EQ(TimeloopFigures(shuffled, kAll), expected);
      if (TimeloopFigures(shuffled, 0) != expected) ++differing_from_timeloop;
    }
  }
  EXPECT_GT(differing_from_timeloop, 0);
}

TEST(TimeloopRules, EveryDifferenceIsExplained) {
  std::array<int, kRules.size()> cases_by_rule{};
  std::map<RuleSet, int> figures_by_set;
  int agreeing = 0, agreeing_but_drains = 0;
  const RuleSet drains_only = 1U << 5;
  ASSERT_EQ(kRules[5].member, &TimeloopRules::no_drains);
  for (const TimeloopCase& golden : TimeloopCases()) {
    if (golden.imperfect) continue;
    SCOPED_TRACE(golden.id);
    const auto expected = ExactFigures(golden);
    std::map<RuleSet, std::map<std::string, int64_t>> figures;
    const auto without = [&](RuleSet off) -> const std::map<std::string, int64_t>& {
      const auto it = figures.find(off);
      return it != figures.end() ? it->second
                                 : figures.emplace(off, TimeloopFigures(golden, off)).first->second;
    };
    RuleSet biting = 0;
    for (const auto& [name, value] : expected) {
      if (without(0).at(name) == value) continue;
      RuleSet explanation = 0;
      for (RuleSet set : SetsBySize()) {
        if (without(set).at(name) != value) continue;
        explanation = set;
        break;
      }
      EXPECT_NE(explanation, 0U) << name << " is " << without(0).at(name) << ", exact " << value;
      ++figures_by_set[explanation];
      biting |= explanation;
    }
    for (size_t i = 0; i < kRules.size(); ++i) {
      if ((biting >> i & 1) != 0) ++cases_by_rule[i];
    }
    if (biting == 0) ++agreeing;
    if ((biting & ~drains_only) == 0) ++agreeing_but_drains;
  }
  std::printf("%-24s cases\n", "rule");
  for (size_t i = 0; i < kRules.size(); ++i) {
    std::printf("%-24s %5d\n", kRules[i].name, cases_by_rule[i]);
    EXPECT_GT(cases_by_rule[i], 0) << "no case shows the rule: " << kRules[i].name;
  }
  std::printf("%-24s %5d\n%-24s %5d\n", "none", agreeing, "none but drains", agreeing_but_drains);
  std::printf("\n%-60s figures\n", "smallest set whose switching off removes the difference");
  for (const auto& [set, count] : figures_by_set) {
    std::printf("%-60s %7d\n", NamesOf(set).c_str(), count);
  }
}

}  // namespace
}  // namespace inlay::golden

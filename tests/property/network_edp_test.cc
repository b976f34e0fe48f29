// The least (ΣE)·(ΣC) of a network, by co-design and by mapping, against all combinations of all
// mappings of its layers.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "inlay/codesign/codesign.h"
#include "inlay/core/shapes.h"
#include "inlay/mapper/network.h"
#include "tests/property/codesign_case.h"
#include "tests/property/energy_delay.h"
#include "tests/support/attribute_at.h"

namespace inlay {
namespace {

using testing::Chance;
using testing::EnergyDelayFront;
using testing::Pick;
using testing::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1 + 1e-9;

void AddGemm(Random& random, int64_t p, int64_t k, int64_t c, CodesignTask* task) {
  const std::string name = "gemm" + std::to_string(task->network.layers.size());
  const Problem problem = MakeGemm(name, {.p = p, .k = k, .c = c});
  task->network.layers.push_back({name, "gemm", problem, Pick(random, 1, 9)});
}

// DRAM – SRAM – lanes under exact semantics. What the SRAM keeps is cheap and slow, what passes it
// is dear and fast, so that layers trade energy for cycles, each at its own rate.
CodesignTask ExactTask(Random& random) {
  CodesignTask task;
  const auto pick = [&](int64_t low, int64_t high) {
    return static_cast<double>(Pick(random, low, high));
  };
  Architecture& base = task.space.base;
  Level dram, sram;
  dram.name = "DRAM";
  dram.kind = MemoryKind::kDram;
  dram.shared_bandwidth = pick(1, 8);
  dram.energy = AccessEnergy{pick(1, 9), pick(1, 9), pick(1, 9)};
  sram.name = "SRAM";
  sram.capacity_words = 1;
  sram.shared_bandwidth = pick(1, 12) / 2;
  if (Chance(random, 0.2)) sram.leakage_pj_per_cycle = pick(1, 8);
  sram.energy = AccessEnergy{pick(0, 4), pick(0, 4), pick(0, 4)};
  sram.keep = TensorNameSet{};
  sram.fanout.name = "lanes";
  sram.fanout.multicast = Chance(random, 0.2) ? Multicast::kTile : Multicast::kNone;
  base.levels = {dram, sram};
  base.compute.energy_pj = pick(0, 2);
  const auto capacity = testing::AttributeAt(base, LevelId(1), "capacity").value();
  const auto lanes = testing::AttributeAt(base, LevelId(1), "x").value();
  task.space.free = {{"SRAM.capacity", capacity, {4, 9}},
                     {"lanes.x", lanes, {pick(1, 2), pick(4, 12)}}};
  AddGemm(random, 1, Pick(random, 1, 3), Pick(random, 4, 8), &task);
  AddGemm(random, Pick(random, 2, 4), Pick(random, 2, 4), Pick(random, 2, 4), &task);
  if (Chance(random, 0.7)) AddGemm(random, Pick(random, 2, 6), Pick(random, 2, 4), 1, &task);
  task.mapspace = Chance(random, 0.7) ? Mapspace::kPerfect : Mapspace::kRubyS;
  return task;
}

// The template of the Thistle paper with three to five layers: thistle semantics.
CodesignTask ThistleTask(Random& random) {
  CodesignTask task = testing::RandomCodesignTask(random);
  AddGemm(random, 1, Pick(random, 1, 3), Pick(random, 4, 9), &task);
  if (Chance(random, 0.5)) {
    AddGemm(random, Pick(random, 3, 4), Pick(random, 2, 4), Pick(random, 2, 4), &task);
  }
  return task;
}

// Of every architecture, of every layer.
using Fronts = std::vector<std::vector<EnergyDelayFront>>;
Fronts FrontsOf(const CodesignTask& task, const std::vector<ArchitectureChoice>& choices) {
  EvaluateOptions evaluate;
  evaluate.semantics = task.options.semantics;
  evaluate.accounting = task.options.accounting;
  Fronts fronts;
  for (const ArchitectureChoice& choice : choices) {
    fronts.emplace_back();
    for (const Layer& layer : task.network.layers) {
      const Space space = MakeSpace(layer.problem, choice.architecture, task.mapspace).value();
      fronts.back().push_back(testing::ListFront(space, evaluate));
    }
  }
  return fronts;
}

std::vector<double> RepeatsOf(const Network& network) {
  std::vector<double> repeats;
  for (const Layer& layer : network.layers) repeats.push_back(static_cast<double>(layer.repeat));
  return repeats;
}

// A family, with the fronts of its layers.
struct Case {
  CodesignTask task;
  Fronts fronts;  // empty: no architecture is within the budgets
  std::vector<double> repeats;
};

// Whether on some architecture the mappings of the layers' own least EDP are not the best.
bool OwnIsNotBest(const Case& c) {
  return std::any_of(c.fronts.begin(), c.fronts.end(), [&](const auto& layers) {
    return testing::LeastProductOf(layers, c.repeats) * kRounding <
           testing::ProductOfOwnLeast(layers, c.repeats);
  });
}

// Of those under exact semantics, the first of a few for which it matters.
Case RandomNetwork(uint64_t seed) {
  Random random(seed);
  for (int left = 6;; --left) {
    const bool exact = seed % 2 == 0;
    Case c{exact ? ExactTask(random) : ThistleTask(random), {}, {}};
    c.task.options.objective = {Metric::kEdp};
    c.task.options.threads = 1 + static_cast<int>(seed % 3 == 0);
    if (const auto choices = ListArchitectures(c.task.space)) c.fronts = FrontsOf(c.task, *choices);
    c.repeats = RepeatsOf(c.task.network);
    if (!exact || left == 0 || OwnIsNotBest(c)) return c;
  }
}

// Over all pairs of architectures.
double LeastOfPairs(const Fronts& fronts, const std::vector<double>& repeats) {
  double least = kInfinity;
  for (size_t a = 0; a < fronts.size(); ++a) {
    for (size_t b = 0; b <= a; ++b) {
      std::vector<EnergyDelayFront> merged;
      for (size_t l = 0; l < repeats.size(); ++l) {
        merged.push_back(testing::Merged(fronts[a][l], fronts[b][l]));
      }
      least = std::min(least, testing::LeastProductOf(merged, repeats));
    }
  }
  return least;
}

void ExpectLeast(const CodesignTask& task, double least) {
  SCOPED_TRACE(Name(task.scope));
  const CodesignAnswer answer = Codesign(task, StopFlag());
  ASSERT_TRUE(answer.unsupported.empty()) << answer.unsupported.front().message;
  EXPECT_FALSE(answer.interrupted);
  ASSERT_EQ(answer.certificate.has_value(), least < kInfinity);
  if (!answer.certificate) return;
  EXPECT_EQ(answer.certificate->status, CertificateStatus::kOptimal);
  EXPECT_NEAR(answer.certificate->objective, least, 1e-9 * least);
  EXPECT_EQ(answer.certificate->proven, Objective{Metric::kEdp});
  // The figures are those of the mappings.
  double energy = 0, cycles = 0;
  for (const Design& design : answer.designs) {
    for (const LayerDesign& layer : design.layers) {
      EvaluateOptions evaluate;
      evaluate.semantics = task.options.semantics;
      evaluate.accounting = task.options.accounting;
      const Cost cost = Evaluate(layer.solution.problem, design.choice.architecture,
                                 layer.solution.mapping, evaluate)
                            .value();
      EXPECT_EQ(cost.energy_pj, layer.solution.cost.energy_pj);
      const auto repeat = static_cast<double>(task.network.layers[layer.layer].repeat);
      energy += repeat * cost.energy_pj;
      cycles += repeat * static_cast<double>(cost.cycles);
    }
  }
  EXPECT_NEAR(energy * cycles, least, 1e-9 * least);
}

TEST(NetworkEdpProperty, CodesignFindsTheLeastOfAllCombinations) {
  const int64_t cases = testing::CaseCount(100, 500);
  int64_t feasible = 0, not_own = 0, two_are_better = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto [task, fronts, repeats] = RandomNetwork(seed);
    if (fronts.empty()) continue;
    double least = kInfinity, of_own_least = kInfinity;
    for (const auto& architecture : fronts) {
      least = std::min(least, testing::LeastProductOf(architecture, repeats));
      of_own_least = std::min(of_own_least, testing::ProductOfOwnLeast(architecture, repeats));
    }
    task.scope = Scope::kNetwork;
    ExpectLeast(task, least);
    const double pair = LeastOfPairs(fronts, repeats);
    task.scope = Scope::kHetero;
    task.most_architectures = 2;
    ExpectLeast(task, pair);
    if (HasFailure()) return;
    if (least == kInfinity) continue;
    ++feasible;
    not_own += least * kRounding < of_own_least ? 1 : 0;
    two_are_better += pair * kRounding < least ? 1 : 0;
  }
  EXPECT_GT(feasible, cases / 2);
  EXPECT_GT(not_own, cases / 25);
  EXPECT_GT(two_are_better, cases / 20);
}

// A family of four architectures: with every layer's own least EDP the totals have 300,944 pJ ×
// cycles, which was once called the least.
TEST(NetworkEdp, IsLessThanThatOfTheLayersOwnLeast) {
  CodesignTask task;
  Level dram, sram;
  dram.name = "DRAM";
  dram.kind = MemoryKind::kDram;
  dram.shared_bandwidth = 6;
  dram.energy = AccessEnergy{5, 7, 2};
  sram.name = "SRAM";
  sram.capacity_words = 1;
  sram.shared_bandwidth = 5;
  sram.energy = AccessEnergy{0, 0, 1};
  sram.keep = TensorNameSet{};
  sram.fanout.name = "lanes";
  sram.fanout.multicast = Multicast::kNone;
  task.space.base.levels = {dram, sram};
  task.space.base.compute.energy_pj = 1;
  const auto capacity = testing::AttributeAt(task.space.base, LevelId(1), "capacity").value();
  const auto lanes = testing::AttributeAt(task.space.base, LevelId(1), "x").value();
  task.space.free = {{"SRAM.capacity", capacity, {4, 9}}, {"lanes.x", lanes, {2, 8}}};
  task.network.layers = {{"g0", "gemm", MakeGemm("g0", {.p = 1, .k = 1, .c = 5}), 5},
                         {"g1", "gemm", MakeGemm("g1", {.p = 3, .k = 3, .c = 4}), 7},
                         {"g2", "gemm", MakeGemm("g2", {.p = 3, .k = 2, .c = 1}), 8}};
  task.options.objective = {Metric::kEdp};
  const std::vector<double> repeats = RepeatsOf(task.network);
  double least = kInfinity, of_own_least = kInfinity;
  for (const auto& architecture : FrontsOf(task, ListArchitectures(task.space).value())) {
    least = std::min(least, testing::LeastProductOf(architecture, repeats));
    of_own_least = std::min(of_own_least, testing::ProductOfOwnLeast(architecture, repeats));
  }
  EXPECT_EQ(of_own_least, 300944);
  EXPECT_LT(least, of_own_least);
  task.scope = Scope::kNetwork;
  ExpectLeast(task, least);
}

// One layer's figures are those of its mapping, and it has no less than its own certificate says.
void ExpectLayers(const NetworkAnswer& answer, const std::vector<EnergyDelayFront>& fronts) {
  for (size_t l = 0; l < fronts.size(); ++l) {
    const Cost& cost = answer.layers[l].best->cost;
    const Certificate& known = answer.layers[l].certificate;
    const double edp = cost.energy_pj * static_cast<double>(cost.cycles);
    const double own_least = testing::LeastProductOf({fronts[l]}, {1});
    EXPECT_EQ(known.objective, edp);
    EXPECT_LE(known.lower_bound, own_least * kRounding);
    const bool claims = known.status == CertificateStatus::kOptimal || !known.proven.empty();
    EXPECT_TRUE(!claims || edp <= own_least * kRounding);
  }
}

NetworkTask MapTask(const CodesignTask& task, const Architecture& architecture) {
  NetworkTask map;
  map.network = task.network;
  map.architecture = architecture;
  map.mapspace = task.mapspace;
  map.options = task.options;
  map.options.of = MinimisedOf::kNetwork;
  return map;
}

TEST(NetworkEdpProperty, MapFindsTheLeastOfAllCombinations) {
  const int64_t cases = testing::CaseCount(100, 500);
  int64_t not_own = 0, feasible = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto [task, fronts, repeats] = RandomNetwork(seed + 5000);
    for (size_t a = 0; a < fronts.size(); ++a) {
      NetworkTask map = MapTask(task, ListArchitectures(task.space).value()[a].architecture);
      const double least = testing::LeastProductOf(fronts[a], repeats);
      const NetworkAnswer answer = MapNetwork(map, StopFlag()).value();
      ASSERT_EQ(answer.totals.has_value(), least < kInfinity);
      if (!answer.totals) continue;
      const Certificate& known = answer.totals->certificate.value();
      EXPECT_EQ(known.status, CertificateStatus::kOptimal);
      EXPECT_EQ(known.objective, answer.totals->edp);
      EXPECT_NEAR(answer.totals->edp, least, 1e-9 * least);
      ExpectLayers(answer, fronts[a]);
      map.options.of = MinimisedOf::kLayers;
      const NetworkAnswer own = MapNetwork(map, StopFlag()).value();
      EXPECT_FALSE(own.totals->certificate.has_value());
      not_own += least * kRounding < own.totals->edp ? 1 : 0;
      ++feasible;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(feasible, cases);
  EXPECT_GT(not_own, cases / 5);
}

// Nodes that no mapping is for: to all combinations they are one more layer, of a single point.
TEST(NetworkEdpProperty, MapFindsTheLeastWithWhatRunsBesideTheLayers) {
  const int64_t cases = testing::CaseCount(60, 400);
  int64_t feasible = 0, others_are_best = 0, single = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto [task, fronts, repeats] = RandomNetwork(seed * 2 + 7000);  // exact semantics
    Random random(seed);
    if (Chance(random, 0.3)) {  // one layer: its own least product is not the least either
      task.network.layers.resize(1);
      repeats.resize(1);
      for (auto& layers : fronts) layers.resize(1);
    }
    for (size_t a = 0; a < fronts.size(); ++a) {
      NetworkTask map = MapTask(task, ListArchitectures(task.space).value()[a].architecture);
      const double alone = testing::LeastProductOf(fronts[a], repeats);
      if (alone == kInfinity) continue;
      VectorTotals beside{.nodes = 3};
      beside.energy_pj = static_cast<double>(Pick(random, 0, 4)) * 100;
      beside.cycles = Pick(random, 0, 4) * 100;
      beside.offchip_words = Pick(random, 0, 50);
      const NetworkAnswer without = MapNetwork(map, StopFlag()).value();
      map.vector = beside;
      fronts[a].push_back({{beside.energy_pj, static_cast<double>(beside.cycles)}});
      repeats.push_back(1);
      const double least = testing::LeastProductOf(fronts[a], repeats);
      fronts[a].pop_back();
      repeats.pop_back();
      const NetworkAnswer answer = MapNetwork(map, StopFlag()).value();
      const Certificate& known = answer.totals->certificate.value();
      EXPECT_EQ(known.status, CertificateStatus::kOptimal);
      EXPECT_NEAR(answer.totals->edp, least, 1e-9 * least);
      EXPECT_EQ(answer.totals->vector, beside);
      ExpectLayers(answer, fronts[a]);
      const double kept = (without.totals->energy_pj + beside.energy_pj) *
                          static_cast<double>(without.totals->cycles + beside.cycles);
      others_are_best += least * kRounding < kept ? 1 : 0;
      single += map.network.layers.size() == 1 && least * kRounding < kept ? 1 : 0;
      // Of sums it is one summand more, in what was found and in what is proven.
      for (const Metric metric : {Metric::kEnergy, Metric::kDelay, Metric::kOffchip}) {
        map.options.objective = {metric};
        map.vector.reset();
        const Certificate plain = MapNetwork(map, StopFlag())->totals->certificate.value();
        map.vector = beside;
        const Certificate more = MapNetwork(map, StopFlag())->totals->certificate.value();
        const double extra = metric == Metric::kEnergy  ? beside.energy_pj
                             : metric == Metric::kDelay ? static_cast<double>(beside.cycles)
                                                        : static_cast<double>(beside.offchip_words);
        EXPECT_NEAR(more.objective, plain.objective + extra, 1e-9 * more.objective);
        EXPECT_NEAR(more.lower_bound, plain.lower_bound + extra, 1e-9 * more.objective);
        EXPECT_EQ(more.status, plain.status);
      }
      ++feasible;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(feasible, cases / 2);
  EXPECT_GT(others_are_best, 0);
  if (cases >= 60) {  // too rare for the few cases of a sanitizer
    EXPECT_GT(single, 0);
  }
}

// Stopped after so many messages: what is known holds.
TEST(NetworkEdpProperty, WhatIsDeliveredWhenStoppedIsWithinItsBound) {
  const int64_t cases = testing::CaseCount(60, 400);
  int64_t bounded = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto [task, fronts, repeats] = RandomNetwork(seed + 9000);
    if (fronts.empty()) continue;
    NetworkTask map = MapTask(task, ListArchitectures(task.space)->back().architecture);
    std::vector<EnergyDelayFront> layers = fronts.back();
    std::vector<double> times = repeats;
    if (seed % 4 == 0) {  // exact semantics, and nodes that no mapping is for
      map.vector = VectorTotals{.nodes = 1, .energy_pj = 200, .cycles = 300};
      layers.push_back({{200, 300}});
      times.push_back(1);
    }
    const double least = testing::LeastProductOf(layers, times);
    StopFlag stop;
    int64_t left = Pick(random, 1, 30);
    const NetworkAnswer answer = MapNetwork(map, stop, [&](const MapProgress&) {
                                   if (--left == 0) stop.Request();
                                 }).value();
    if (!answer.totals) continue;
    const Certificate& known = answer.totals->certificate.value();
    EXPECT_LE(known.lower_bound, least * kRounding);
    EXPECT_GE(known.objective * kRounding, least);
    EXPECT_NEAR(known.gap, (known.objective - known.lower_bound) / known.objective, 1e-9);
    const bool claims = known.status == CertificateStatus::kOptimal;
    EXPECT_TRUE(!claims || known.objective <= least * kRounding);
    bounded += known.status == CertificateStatus::kBounded ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(bounded, 0);
}

}  // namespace
}  // namespace inlay

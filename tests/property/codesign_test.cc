// Co-design against the listing of every mapping on every architecture, on small problems.
#include "inlay/codesign/codesign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapspace/enumerate.h"
#include "tests/property/codesign_case.h"
#include "tests/property/codesign_front.h"
#include "tests/property/thistle_case.h"

namespace inlay {
namespace {

using testing::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The values of the best mapping in the objective, by listing; infinite if none fits.
std::vector<double> BestListed(const CodesignTask& task, const Layer& layer,
                               const Architecture& architecture, const Objective& objective) {
  const Space space = MakeSpace(layer.problem, architecture, task.mapspace).value();
  EvaluateOptions evaluate;
  evaluate.semantics = Semantics::kThistle;
  evaluate.accounting = task.options.accounting;
  std::vector<double> best(objective.size(), kInfinity), energy_cycles;
  ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
    const auto cost = Evaluate(problem, architecture, mapping, evaluate);
    if (cost && testing::FitsThistle(space, *cost))
      best = std::min(best, ValuesOf(*cost, objective));
    return true;
  });
  return best;
}

// values[column][layer] of the first metric.
using Matrix = std::vector<std::vector<double>>;
Matrix ListAll(const CodesignTask& task, const std::vector<ArchitectureChoice>& choices,
               Metric metric) {
  Matrix values;
  for (const ArchitectureChoice& choice : choices) {
    values.emplace_back();
    for (const Layer& layer : task.network.layers) {
      values.back().push_back(static_cast<double>(layer.repeat) *
                              BestListed(task, layer, choice.architecture, {metric}).front());
    }
  }
  return values;
}

// Of all columns, of all pairs of them, or of every layer by itself.
double LeastOfSubsets(const Matrix& values, size_t most) {
  double least = kInfinity;
  for (size_t a = 0; a < values.size(); ++a) {
    for (size_t b = most == 1 ? a : 0; b < (most == 1 ? a + 1 : values.size()); ++b) {
      double sum = 0;
      for (size_t l = 0; l < values[a].size(); ++l) sum += std::min(values[a][l], values[b][l]);
      least = std::min(least, sum);
    }
  }
  return least;
}
double LeastLayerwise(const Matrix& values) {
  std::vector<double> least(values.front().size(), kInfinity);
  for (const auto& column : values) {
    for (size_t l = 0; l < least.size(); ++l) least[l] = std::min(least[l], column[l]);
  }
  return std::accumulate(least.begin(), least.end(), 0.0);
}

void ExpectBest(const CodesignTask& task, double least) {
  SCOPED_TRACE(Name(task.scope));
  const CodesignAnswer answer = Codesign(task, StopFlag());
  ASSERT_TRUE(answer.unsupported.empty());
  EXPECT_FALSE(answer.interrupted);
  if (std::isinf(least)) {
    EXPECT_FALSE(answer.certificate.has_value());
    EXPECT_FALSE(answer.infeasible.empty());
    return;
  }
  ASSERT_TRUE(answer.certificate.has_value());
  EXPECT_EQ(answer.certificate->status, CertificateStatus::kOptimal);
  EXPECT_NEAR(answer.certificate->objective, least, 1e-9 * least);
  if (task.scope == Scope::kHetero) {
    EXPECT_LE(answer.designs.size(), static_cast<size_t>(task.most_architectures));
  }
}

TEST(CodesignProperty, FindsTheBestOfAllArchitecturesAndMappings) {
  const int64_t cases = testing::CaseCount(150, 2000);
  int64_t feasible = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    CodesignTask task = testing::RandomCodesignTask(random);
    const auto choices = ListArchitectures(task.space);
    if (!choices) continue;
    const Metric metric = testing::Chance(random, 0.6) ? Metric::kEnergy : Metric::kDelay;
    task.options.objective = {metric};
    const Matrix values = ListAll(task, *choices, metric);
    task.options.threads = 1 + static_cast<int>(seed % 2);
    task.scope = Scope::kLayer;
    ExpectBest(task, LeastLayerwise(values));
    task.scope = Scope::kNetwork;
    ExpectBest(task, LeastOfSubsets(values, 1));
    feasible += std::isinf(LeastLayerwise(values)) ? 0 : 1;
    if (HasFailure()) return;
  }
  EXPECT_GT(feasible, cases / 2);
}

// Three or four layers that differ in size and shape.
void AddLayers(Random& random, CodesignTask* task) {
  const auto pick = [&](int64_t low, int64_t high) { return testing::Pick(random, low, high); };
  task->network.layers = {
      {"tiny", "gemm", MakeGemm("tiny", {.p = pick(1, 2), .k = 2, .c = pick(1, 2)}), pick(1, 9)},
      {"deep", "gemm", MakeGemm("deep", {.p = 1, .k = pick(1, 3), .c = pick(4, 9)}), pick(1, 4)},
      {"conv", "conv", MakeConv("conv", {.k = pick(1, 2), .p = pick(2, 6), .r = 2}), pick(1, 4)}};
  if (!testing::Chance(random, 0.5)) return;
  task->network.layers.push_back(
      {"cube", "gemm", MakeGemm("cube", {.p = pick(3, 4), .k = pick(2, 4), .c = pick(2, 4)}), 1});
}

// More sizes. A word of a large memory is dear: some layers are better off with small ones.
void AddSizes(Random& random, CodesignTask* task) {
  const auto pick = [&](int64_t low, int64_t high) {
    return static_cast<double>(testing::Pick(random, low, high));
  };
  Technology& technology = *task->space.base.technology;
  technology.dram.energy_pj.constant = pick(4, 20);
  technology.sram.energy_pj.root = pick(1, 4);
  technology.reg.energy_pj.linear = 0.1 * pick(1, 6);
  task->space.free[0].values = {3, 5, 9};
  task->space.free[1].values = {6, 12, 24, 48};
  task->space.budget.area_um2 = pick(60, 200);
}

// Layers that need more or fewer words for every lane, where words take the area of lanes.
void TradeWordsForLanes(Random& random, CodesignTask* task) {
  const auto pick = [&](int64_t low, int64_t high) { return testing::Pick(random, low, high); };
  task->mapspace = Mapspace::kPerfect;
  task->network.layers = {
      {"cube", "gemm", MakeGemm("cube", {.p = pick(2, 4), .k = pick(2, 4), .c = pick(2, 4)}),
       pick(1, 9)},
      {"flat", "gemm", MakeGemm("flat", {.p = pick(3, 8), .k = pick(3, 8), .c = 1}), pick(1, 9)},
      {"deep", "gemm", MakeGemm("deep", {.p = 1, .k = 1, .c = pick(12, 36)}), pick(1, 9)}};
  task->space.base.technology->sram.area_um2.linear = 12;
  task->space.free[0].values = {3};
  task->space.free[1].values = {6, 9, 12, 16, 20, 24, 29, 34, 40, 48, 56, 64, 73, 82};
  task->space.budget.area_um2 = static_cast<double>(pick(300, 1400));
}

// Fewer architectures than layers: all pairs are tried. By energy, in many cases two are better
// than one, but not as good as one for every layer. Delay trades words for lanes only: two of them
// are seldom better than one, and three hardly ever better than two (another family is better at
// that: codesign_hetero_test.cc).
TEST(CodesignProperty, FindsTheBestPairOfArchitectures) {
  const int64_t cases = testing::CaseCount(80, 600);
  int64_t between = 0, better_than_one = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 7000);
    CodesignTask task = testing::RandomCodesignTask(random);
    const bool by_energy = seed % 2 == 0;
    if (by_energy) {
      AddLayers(random, &task);
      AddSizes(random, &task);
    } else {
      TradeWordsForLanes(random, &task);
    }
    const auto choices = ListArchitectures(task.space);
    if (!choices) continue;
    task.options.objective = {by_energy ? Metric::kEnergy : Metric::kDelay};
    const Matrix values = ListAll(task, *choices, task.options.objective.front());
    task.scope = Scope::kHetero;
    task.most_architectures = 2;
    task.options.threads = 1 + static_cast<int>(seed % 3 == 0);
    const double pair = LeastOfSubsets(values, 2);
    ExpectBest(task, pair);
    if (HasFailure()) return;
    if (std::isinf(pair) || pair > LeastOfSubsets(values, 1) * (1 - 1e-9)) continue;
    const bool as_good = pair < LeastLayerwise(values) * (1 + 1e-9);
    between += by_energy && !as_good ? 1 : 0;
    better_than_one += by_energy ? 0 : 1;
  }
  EXPECT_GT(between, cases / 20);
  EXPECT_GT(better_than_one, cases / 60);
}

// Every layer by itself (all together: network_edp_test.cc).
TEST(CodesignProperty, FindsTheLeastEdpOfEveryLayer) {
  const int64_t cases = testing::CaseCount(100, 1500);
  int64_t compared = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 11000);
    CodesignTask task = testing::RandomCodesignTask(random);
    if (seed % 2 == 0) AddLayers(random, &task);
    task.options.objective = {Metric::kEdp, Metric::kEnergy};
    const auto choices = ListArchitectures(task.space);
    if (!choices) continue;
    double sum = 0;
    for (const Layer& layer : task.network.layers) {
      double least = kInfinity;
      for (const ArchitectureChoice& choice : *choices) {
        least = std::min(least, BestListed(task, layer, choice.architecture, {Metric::kEdp})[0]);
      }
      sum += static_cast<double>(layer.repeat * layer.repeat) * least;
    }
    task.scope = Scope::kLayer;
    ExpectBest(task, sum);
    if (HasFailure()) return;
    compared += std::isinf(sum) ? 0 : 1;
  }
  EXPECT_GT(compared, cases / 2);
}

// Stopped after so many layers or architectures, by the objective's search or a front's.
TEST(CodesignProperty, WhatIsDeliveredWhenStoppedIsWithinItsBound) {
  const int64_t cases = testing::CaseCount(150, 2000);
  int64_t bounded = 0, fronts = 0, feasible = 0, answered = 0;
  const std::array<Scope, 5> scopes = {Scope::kHetero, Scope::kNetwork, Scope::kLayer,
                                       Scope::kPareto, Scope::kDominant};
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 13000);
    CodesignTask task = testing::RandomCodesignTask(random);
    AddLayers(random, &task);
    if (!ListArchitectures(task.space)) continue;
    task.scope = scopes[seed % scopes.size()];
    SCOPED_TRACE(Name(task.scope));
    const bool by_edp = testing::Chance(random, 0.4);
    task.options.objective = {by_edp ? Metric::kEdp : Metric::kEnergy};
    task.options.threads = 1;
    const CodesignAnswer whole = Codesign(task, StopFlag());
    StopFlag stop;
    const int64_t most = testing::Pick(random, 1, 6);
    const CodesignAnswer cut = Codesign(task, stop, [&](const CodesignProgress& state) {
      if (static_cast<int64_t>(state.done) >= most) stop.Request();
    });
    if (!whole.certificate) continue;
    ++feasible;
    if (!cut.certificate) continue;
    ++answered;
    const Certificate& known = *cut.certificate;
    if (task.scope != Scope::kDominant) {
      EXPECT_EQ(cut.interrupted, known.status != CertificateStatus::kOptimal);
    }
    if (task.scope == Scope::kPareto) {
      EXPECT_EQ(cut.open == 0, known.status == CertificateStatus::kOptimal);
      testing::ExpectWithin(whole.designs, cut.designs, known.gap);
      fronts += known.status == CertificateStatus::kBounded ? 1 : 0;
      continue;
    }
    double optimum = whole.certificate->objective;
    if (task.scope == Scope::kDominant) {  // cut short, any architecture will do
      task.scope = Scope::kNetwork;
      optimum = Codesign(task, StopFlag()).certificate->objective;
    }
    EXPECT_LE(known.lower_bound, optimum * (1 + 1e-9));
    EXPECT_NEAR(known.gap, (known.objective - known.lower_bound) / known.objective, 1e-9);
    EXPECT_GE(known.objective, optimum * (1 - 1e-9));
    bounded += known.status == CertificateStatus::kBounded ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(bounded, cases / 10);
  EXPECT_GT(fronts, cases / 50);
  // There is an answer from the start, but where the first architecture is too small for a layer.
  EXPECT_GE(answered, feasible - feasible / 20);
}

// Geometric programs prove nothing, but what they give is a design of the family, costs what it
// says, fits, and is no better than the best there is.
TEST(CodesignProperty, GeometricProgramsGiveDesignsOfTheFamily) {
  const int64_t cases = testing::CaseCount(60, 1000);
  int64_t feasible = 0, found = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 2000);
    CodesignTask task = testing::RandomCodesignTask(random);
    task.mapspace = Mapspace::kPerfect;
    const std::vector<Metric> metrics = {Metric::kEnergy, Metric::kDelay, Metric::kEdp};
    const Metric metric = metrics[seed % 3];
    task.options.objective = {metric};
    const auto choices = ListArchitectures(task.space);
    if (!choices) continue;
    const CodesignAnswer exact = Codesign(task, StopFlag());
    task.method = Method::kGp;
    const CodesignAnswer gp = Codesign(task, StopFlag());
    ASSERT_TRUE(gp.unsupported.empty());
    feasible += static_cast<int64_t>(exact.designs.size());
    found += static_cast<int64_t>(gp.designs.size());
    for (const Design& design : gp.designs) {
      EXPECT_TRUE(std::any_of(choices->begin(), choices->end(), [&](const auto& choice) {
        return choice.values == design.choice.values;
      }));
      const LayerDesign& layer = design.layers.front();
      const Space space = MakeSpace(task.network.layers[layer.layer].problem,
                                    design.choice.architecture, Mapspace::kPerfect)
                              .value();
      EXPECT_TRUE(CheckMembership(space, layer.solution.mapping).empty());
      EXPECT_TRUE(testing::FitsThistle(space, layer.solution.cost));
      EvaluateOptions evaluate;
      evaluate.semantics = Semantics::kThistle;
      evaluate.accounting = task.options.accounting;
      const auto cost =
          Evaluate(space.problem, space.architecture, layer.solution.mapping, evaluate);
      ASSERT_TRUE(cost.has_value());
      EXPECT_EQ(cost->energy_pj, layer.solution.cost.energy_pj);
      for (const Design& best : exact.designs) {
        if (best.layers.front().layer != layer.layer) continue;
        EXPECT_LE(ValueOf(best.layers.front().solution.cost, metric),
                  ValueOf(*cost, metric) * (1 + 1e-12));
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(feasible, cases / 2);
  EXPECT_GE(found, feasible * 95 / 100);
  EXPECT_LE(found, feasible);
}

// Every point of the front is what listing finds, none is missing, none is beaten.
TEST(CodesignProperty, TheFrontIsThatOfAllArchitectures) {
  const int64_t cases = testing::CaseCount(40, 500);
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 1000);
    CodesignTask task = testing::RandomCodesignTask(random);
    const auto choices = ListArchitectures(task.space);
    if (!choices) continue;
    std::vector<testing::DesignPoint> points;
    const std::vector<Objective> objectives = {{Metric::kEnergy, Metric::kDelay},
                                               {Metric::kDelay, Metric::kEnergy},
                                               {Metric::kEdp, Metric::kEnergy}};
    for (const ArchitectureChoice& choice : *choices) {
      for (const Objective& objective : objectives) {
        testing::DesignPoint point = {0, 0, *choice.area_um2};
        for (const Layer& layer : task.network.layers) {
          const auto best = BestListed(task, layer, choice.architecture, objective);
          const auto repeat = static_cast<double>(layer.repeat);
          const double energy = objective[0] == Metric::kEnergy ? best[0] : best[1];
          const double cycles = objective[0] == Metric::kEnergy  ? best[1]
                                : objective[0] == Metric::kDelay ? best[0]
                                                                 : best[0] / best[1];
          point[0] += repeat * energy;
          point[1] += repeat * std::round(cycles);
        }
        if (std::isfinite(point[0])) points.push_back(point);
      }
    }
    task.scope = Scope::kPareto;
    const CodesignAnswer answer = Codesign(task, StopFlag());
    testing::ExpectFrontOf(points, answer.designs);
    if (HasFailure()) return;
  }
}

// Without any time there is an answer whenever there is one with time, and it is a valid one.
TEST(CodesignStoppedAtOnceTest, HasAnAnswerInEveryScopeAndByEveryMethod) {
  const int64_t cases = testing::CaseCount(20, 300);
  Random random(419);
  int64_t answers = 0;
  for (int64_t i = 0; i < cases; ++i) {
    CodesignTask task = testing::RandomCodesignTask(random);
    task.options.objective = {Metric::kEnergy};
    for (const Method method : {Method::kExact, Method::kGp}) {
      for (const Scope scope :
           {Scope::kLayer, Scope::kNetwork, Scope::kDominant, Scope::kPareto, Scope::kHetero}) {
        SCOPED_TRACE(std::string(Name(method)) + " " + Name(scope));
        task.method = method;
        task.scope = scope;
        task.options.time_limit_seconds = std::nullopt;
        const CodesignAnswer with_time = Codesign(task, StopFlag());
        task.options.time_limit_seconds = 0;
        const CodesignAnswer answer = Codesign(task, StopFlag());
        if (!with_time.certificate) continue;
        ++answers;
        ASSERT_TRUE(answer.certificate.has_value());
        size_t layers = 0;
        for (const Design& design : answer.designs) {
          for (const LayerDesign& layer : design.layers) {
            const Problem& problem = task.network.layers[layer.layer].problem;
            const Space space =
                MakeSpace(problem, design.choice.architecture, task.mapspace).value();
            EXPECT_TRUE(CheckMembership(space, layer.solution.mapping).empty());
            EXPECT_TRUE(testing::FitsThistle(space, layer.solution.cost));
            ++layers;
          }
        }
        EXPECT_GE(layers, task.network.layers.size());
      }
    }
  }
  EXPECT_GT(answers, cases);
}

}  // namespace
}  // namespace inlay

// Families of architectures with free attributes and budgets, under exact semantics, against the
// listing of every mapping on every architecture.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "inlay/codesign/codesign.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/least_cost.h"
#include "inlay/mapspace/enumerate.h"
#include "tests/property/codesign_front.h"
#include "tests/support/attribute_at.h"
#include "tests/support/random_space.h"

namespace inlay {
namespace {

using testing::Chance;
using testing::Pick;
using testing::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kMostMappings = 4000;

// Every number that the architecture has.
std::vector<Attribute> AttributesOf(const Architecture& architecture) {
  std::vector<Attribute> all;
  for (LevelId l : Ids(architecture.levels)) {
    std::vector<std::string> keys = {"capacity",
                                     "block",
                                     "buffering",
                                     "read_bandwidth",
                                     "write_bandwidth",
                                     "shared_bandwidth",
                                     "energy.read",
                                     "energy.fill",
                                     "energy.update",
                                     "leakage",
                                     "x",
                                     "y"};
    for (const Partition& part : architecture.levels[l].partitions) {
      keys.push_back("partition." + part.tensor);
    }
    for (const std::string& key : keys) {
      const auto attribute = testing::AttributeAt(architecture, l, key);
      if (attribute && ValueOf(architecture, *attribute)) all.push_back(*attribute);
    }
  }
  return all;
}

std::vector<double> RandomValues(Random& random, const Attribute& attribute, double now) {
  if (IsCount(attribute)) {
    if (IsFanout(attribute)) now = std::min(now, 3.0);
    return Chance(random, 0.5) ? std::vector<double>{now, 2 * now}
                               : std::vector<double>{std::max(1.0, now - 1), now + 1};
  }
  if (attribute.Is(Attribute::Part::kLevel, "buffering")) return {1, 1.5, 2};
  return now > 0 ? std::vector<double>{now / 2, now} : std::vector<double>{0.25, 3};
}

// What an architecture takes, counted by hand: one um2 a word of any memory, two a lane.
Technology Areas() {
  Technology technology;
  technology.mac_area_um2 = 2;
  technology.sram.area_um2.linear = technology.reg.area_um2.linear =
      technology.dram.area_um2.linear = 1;
  return technology;
}

CodesignTask RandomTask(Random& random) {
  const Mapspace mapspace = Chance(random, 0.6) ? Mapspace::kPerfect : Mapspace::kRubyS;
  testing::SpaceLimits limits;
  limits.most_operations = Pick(random, 4, 16);
  limits.constrained = 0.2;
  const Space space = testing::RandomSpace(random, mapspace, limits);
  CodesignTask task;
  task.mapspace = mapspace;
  task.network.layers = {{"layer", "einsum", space.problem, Pick(random, 1, 3)}};
  task.space.base = space.architecture;
  for (Level& level : task.space.base.levels) {
    if (!level.energy) level.energy = AccessEnergy{2, 3, 1};
    level.word_bits = 16;
    level.tensor_bits.clear();
  }
  task.space.base.compute.energy_pj = 1;
  task.space.base.technology = Areas();
  std::vector<Attribute> all = AttributesOf(task.space.base);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(std::min<size_t>(all.size(), static_cast<size_t>(Pick(random, 1, 3))));
  for (const Attribute& attribute : all) {
    const double now = ValueOf(task.space.base, attribute).value();
    task.space.free.push_back({"free" + std::to_string(task.space.free.size()), attribute,
                               RandomValues(random, attribute, now)});
  }
  if (Chance(random, 0.5)) task.space.budget.area_um2 = static_cast<double>(Pick(random, 2, 400));
  if (Chance(random, 0.3)) task.space.budget.sram_bits = static_cast<double>(Pick(random, 1, 4000));
  return task;
}

// The best values by listing; infinite if none fits, nullopt if there are too many.
std::optional<std::vector<double>> BestListed(const CodesignTask& task, const Layer& layer,
                                              const Architecture& architecture,
                                              const Objective& objective) {
  std::vector<double> best(objective.size(), kInfinity);
  const auto space = MakeSpace(layer.problem, architecture, task.mapspace);
  if (!space) return best;
  int64_t mappings = 0;
  const bool all = ForEachMapping(*space, [&](const Problem& problem, const Mapping& mapping) {
    if (++mappings > kMostMappings) return false;
    if (!Fits(*space, problem, mapping)) return true;
    best = std::min(best, ValuesOf(*Evaluate(problem, architecture, mapping), objective));
    return true;
  });
  return all ? std::optional(best) : std::nullopt;
}

// Every choice of the free attributes within the budgets, all areas counted by hand.
std::vector<Architecture> ListedArchitectures(const ArchitectureSpace& space) {
  std::vector<Architecture> all = {space.base};
  for (const FreeAttribute& free : space.free) {
    std::vector<Architecture> next;
    for (const Architecture& architecture : all) {
      for (const double value : free.values) {
        next.push_back(architecture);
        SetValue(free.attribute, value, &next.back());
      }
    }
    all = std::move(next);
  }
  std::erase_if(all, [&](const Architecture& architecture) {
    double words = 0, sram = 0, instances = 1;
    for (const Level& level : architecture.levels) {
      const double one = static_cast<double>(level.capacity_words.value_or(0));
      words += instances * one;
      if (level.kind == MemoryKind::kSram) sram += instances * one;
      for (const Partition& part : level.partitions) {
        const double bits = static_cast<double>(part.capacity_words.value_or(0)) * part.word_bits;
        words += instances * bits / 16;
        const MemoryKind kind = part.kind.value_or(level.kind);
        if (kind == MemoryKind::kSram) sram += instances * bits / 16;
      }
      instances *= static_cast<double>(level.fanout.x * level.fanout.y);
    }
    const double area = words + 2 * instances * architecture.compute.word_bits / 16;
    const Budget& budget = space.budget;
    return (budget.area_um2 && area > *budget.area_um2) ||
           (budget.sram_bits && 16 * sram > *budget.sram_bits);
  });
  return all;
}

void ExpectBest(const CodesignTask& task, const CodesignAnswer& answer, double least) {
  ASSERT_TRUE(answer.unsupported.empty());
  if (std::isinf(least)) {
    EXPECT_FALSE(answer.certificate.has_value());
    EXPECT_FALSE(answer.infeasible.empty());
    return;
  }
  ASSERT_TRUE(answer.certificate.has_value());
  EXPECT_EQ(answer.certificate->status, CertificateStatus::kOptimal);
  EXPECT_NEAR(answer.certificate->objective, least, 1e-9 * least);
  // What is chosen is one of the listed ones, and its mapping costs what is said.
  const Design& design = answer.designs.front();
  const Solution& solution = design.layers.front().solution;
  const auto cost = Evaluate(solution.problem, design.choice.architecture, solution.mapping);
  EXPECT_EQ(ValuesOf(*cost, task.options.objective),
            ValuesOf(solution.cost, task.options.objective));
}

TEST(CodesignFreeProperty, FindsTheBestOfAllArchitecturesAndMappings) {
  const int64_t cases = testing::CaseCount(250, 3000);
  const std::vector<Objective> objectives = {
      {Metric::kEnergy}, {Metric::kDelay, Metric::kEnergy}, {Metric::kEdp}};
  int64_t compared = 0, feasible = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    CodesignTask task = RandomTask(random);
    if (!Validate(task.space).empty()) continue;
    const auto architectures = ListedArchitectures(task.space);
    const auto choices = ListArchitectures(task.space);
    ASSERT_EQ(choices.has_value(), !architectures.empty());
    if (!choices) continue;
    ASSERT_EQ(choices->size(), architectures.size());
    for (size_t i = 0; i < choices->size(); ++i) {
      ASSERT_EQ((*choices)[i].architecture, architectures[i]);
    }
    task.options.objective = objectives[seed % objectives.size()];
    const Layer& layer = task.network.layers.front();
    std::vector<double> best(task.options.objective.size(), kInfinity);
    bool all = true;
    for (const Architecture& architecture : architectures) {
      const auto of_one = BestListed(task, layer, architecture, task.options.objective);
      all = all && of_one;
      if (!of_one) break;
      best = std::min(best, *of_one);
      // The bound that discards architectures unvisited.
      const auto space = MakeSpace(layer.problem, architecture, task.mapspace);
      if (!space) continue;
      const LeastCost bound = LeastCostOf(*space, task.options, Deadline(StopFlag())).value();
      const double energy = BestListed(task, layer, architecture, {Metric::kEnergy})->front();
      const double cycles = BestListed(task, layer, architecture, {Metric::kDelay})->front();
      EXPECT_LE(bound.energy_pj, energy * (1 + 1e-9));
      EXPECT_LE(bound.cycles, cycles * (1 + 1e-9));
    }
    if (!all) continue;
    ++compared;
    const auto repeat = static_cast<double>(layer.repeat);
    const bool edp = task.options.objective.front() == Metric::kEdp;
    task.scope = edp ? Scope::kNetwork : Scope::kLayer;
    const double least = best.front() * (edp ? repeat * repeat : repeat);
    ExpectBest(task, Codesign(task, StopFlag()), least);
    feasible += std::isinf(least) ? 0 : 1;
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, cases / 4);
  EXPECT_GT(feasible, cases / 8);
}

// The number that a hint says to allow.
std::optional<double> Allowed(const std::string& hint) {
  const size_t at = hint.find("allow ");
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(hint.c_str() + at + 6, nullptr);
}

// With what an infeasible budget says to be enough there is a design; with a little less there is
// none.
TEST(CodesignFreeProperty, TheSmallestBudgetIsTheSmallest) {
  const int64_t cases = testing::CaseCount(400, 4000);
  int64_t listed = 0, mapped = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 50000);
    CodesignTask task = RandomTask(random);
    task.options.objective = {Metric::kEnergy};
    if (!Validate(task.space).empty()) continue;
    Level& innermost = task.space.base.levels[LevelId(task.space.base.levels.size() - 1)];
    if (innermost.kind != MemoryKind::kDram && innermost.partitions.empty()) {
      innermost.capacity_words = 1;  // too few for a word of each tensor
      innermost.keep = innermost.bypass = std::nullopt;
      const LevelId last(task.space.base.levels.size() - 1);
      const auto room = testing::AttributeAt(task.space.base, last, "capacity").value();
      task.space.free = {{"room", room, {1, 2, 3, 5, 20}}};
    }
    // Below the smallest architecture, or just enough for it: it may be too small for a mapping.
    task.space.budget.area_um2.reset();
    const auto all = ListArchitectures(task.space);
    if (!all) continue;
    double smallest = kInfinity;
    for (const ArchitectureChoice& choice : *all) smallest = std::min(smallest, *choice.area_um2);
    task.space.budget.area_um2 =
        Chance(random, 0.3) ? std::max(0.5, smallest / 2) : std::ceil(smallest);
    const bool no_architecture = !ListArchitectures(task.space).has_value();
    const CodesignAnswer answer = Codesign(task, StopFlag());
    for (const Fault& fault : answer.infeasible) {
      const auto allowed = Allowed(fault.hint);
      const bool area = fault.where == "budget.area";
      if (!allowed || (!area && fault.where != "budget.sram")) continue;
      CodesignTask with = task;
      const Resource resource = area ? Resource::kArea : Resource::kSram;
      const double enough = area ? *allowed : *allowed * 16;
      with.space.budget.of(resource) = enough;
      EXPECT_EQ(ListArchitectures(with.space).has_value(), true) << fault.message;
      with.space.budget.of(resource) = enough - (area ? 1 : 16);
      const CodesignAnswer less = Codesign(with, StopFlag());
      EXPECT_TRUE(less.designs.empty()) << fault.message;
      if (no_architecture) {
        ++listed;
        continue;
      }
      ++mapped;
      with.space.budget.of(resource) = enough;
      EXPECT_FALSE(Codesign(with, StopFlag()).designs.empty()) << fault.message;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(listed, cases / 20);
  EXPECT_GT(mapped, cases / 50);
}

// Every point of the front is what listing finds, and none is missing.
TEST(CodesignFreeProperty, TheFrontIsThatOfAllArchitectures) {
  const int64_t cases = testing::CaseCount(60, 1000);
  int64_t compared = 0;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(cases); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 90000);
    CodesignTask task = RandomTask(random);
    if (!Validate(task.space).empty() || !ListArchitectures(task.space)) continue;
    const Layer& layer = task.network.layers.front();
    const auto repeat = static_cast<double>(layer.repeat);
    std::vector<testing::DesignPoint> points;
    bool all = true;
    for (const Architecture& architecture : ListedArchitectures(task.space)) {
      for (const Objective& objective :
           {Objective{Metric::kEnergy, Metric::kDelay}, Objective{Metric::kDelay, Metric::kEnergy},
            Objective{Metric::kEdp, Metric::kEnergy}}) {
        const auto best = BestListed(task, layer, architecture, objective);
        all = all && best;
        if (!best || std::isinf(best->front())) continue;
        const double energy = objective[0] == Metric::kEnergy ? (*best)[0] : (*best)[1];
        const double cycles = objective[0] == Metric::kEnergy  ? (*best)[1]
                              : objective[0] == Metric::kDelay ? (*best)[0]
                                                               : (*best)[0] / (*best)[1];
        points.push_back(
            {repeat * energy, repeat * std::round(cycles), AreaUm2(architecture).value()});
      }
    }
    if (!all) continue;
    ++compared;
    task.scope = Scope::kPareto;
    task.options.objective = {Metric::kEnergy};
    testing::ExpectFrontOf(points, Codesign(task, StopFlag()).designs);
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, cases / 8);
}

}  // namespace
}  // namespace inlay

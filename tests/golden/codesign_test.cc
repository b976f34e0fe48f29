// Co-design against an independent prototype: 23 layers over 143 architectures of Eyeriss's area.
// The prototype leaves the window (R, S) untiled, so equality is asked for under that constraint.
#include "inlay/codesign/codesign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "inlay/codesign/thistle_template.h"
#include "inlay/io/library/library.h"
#include "inlay/io/native/native.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"
#include "tests/support/random_case.h"

namespace inlay::golden {
namespace {

using nlohmann::json;

const json& Printed() {
  static const json printed = testing::LoadGolden("thistle/codesign.json");
  return printed;
}

CodesignTask TableTwoTask(Objective objective, Mapspace mapspace, Accounting accounting) {
  CodesignTask task;
  task.network = *io::LoadBuiltin(io::BuiltinKind::kNetwork, "thistle-table2").value().network;
  const auto technology = io::LoadBuiltin(io::BuiltinKind::kTechnology, "thistle-45nm");
  task.space = ThistleTemplate(*technology.value().technology, Printed()["area_um2"]);
  task.mapspace = mapspace;
  task.options.objective = std::move(objective);
  task.options.semantics = Semantics::kThistle;
  task.options.accounting = accounting;
  for (const char* at : {"DRAM", "SRAM", "PEs"}) {
    Constraint constraint;
    constraint.at = at;
    for (const char* dim : {"R", "S"}) constraint.factors.push_back({dim, Relation::kEqual, 1});
    task.constraints.push_back(constraint);
  }
  return task;
}

// The page shows the family of --technology and --area as a file.
TEST(CodesignGoldenFamily, TheTemplateCanBeWrittenAsAFile) {
  const std::string page =
      io::ReadTextFile(INLAY_SOURCE_DIR "/docs/reference/codesign.md").value().text;
  const std::string fence = "```yaml\n";
  const size_t begin = page.find(fence) + fence.size();
  io::NativeContext context = io::BuiltinContext();
  context.families = true;
  const auto inputs =
      io::ReadNative({{"page", page.substr(begin, page.find("```", begin) - begin)}}, context);
  ASSERT_TRUE(inputs.has_value());
  const CodesignTask task = TableTwoTask({Metric::kEnergy}, Mapspace::kPerfect, Accounting::kElide);
  const auto of_template = ListArchitectures(task.space).value();
  auto of_file = ListArchitectures(inputs->family.value()).value();
  ASSERT_EQ(of_file.size(), of_template.size());
  for (const ArchitectureChoice& choice : of_template) {
    EXPECT_EQ(std::count_if(of_file.begin(), of_file.end(),
                            [&](const ArchitectureChoice& other) {
                              return other.architecture == choice.architecture;
                            }),
              1);
  }
}

struct Key {
  const char* name;
  Objective objective;
  Mapspace mapspace;
};

// What the file prints of one key: half a unit of the last decimal, and a little for our own sums.
void ExpectPrinted(const json& entry, const Cost& cost, const Objective& objective) {
  const auto operations = static_cast<double>(cost.operations);
  const auto cycles = static_cast<double>(cost.cycles);
  if (objective.front() == Metric::kDelay) {
    EXPECT_EQ(cost.cycles, entry["cycles"]);
  } else if (objective.front() == Metric::kEdp) {
    EXPECT_NEAR(cost.energy_pj * cycles,
                entry["pJ_per_MAC"].get<double>() * operations * entry["cycles"].get<double>(),
                1e-5 * cost.energy_pj * cycles);
  }
  const bool by_energy = objective.front() == Metric::kEnergy ||
                         (objective.size() > 1 && objective[1] == Metric::kEnergy);
  if (by_energy) {
    EXPECT_NEAR(cost.energy_pj / operations, entry["pJ_per_MAC"].get<double>(), 5.1e-6);
  }
}

class CodesignGolden : public ::testing::TestWithParam<Key> {};

INSTANTIATE_TEST_SUITE_P(
    Keys, CodesignGolden,
    ::testing::Values(Key{"energy_perfect", {Metric::kEnergy}, Mapspace::kPerfect},
                      Key{"energy_imperfect", {Metric::kEnergy}, Mapspace::kAny},
                      Key{"edp_perfect", {Metric::kEdp}, Mapspace::kPerfect},
                      Key{"delay_perfect", {Metric::kDelay, Metric::kEnergy}, Mapspace::kPerfect}),
    [](const auto& of) { return std::string(of.param.name); });

TEST_P(CodesignGolden, EveryLayerHasThePrintedOptimum) {
  for (const auto& [name, accounting] :
       {std::pair("literal", Accounting::kLiteral), std::pair("elide", Accounting::kElide)}) {
    SCOPED_TRACE(name);
    const CodesignTask task = TableTwoTask(GetParam().objective, GetParam().mapspace, accounting);
    const CodesignAnswer answer = Codesign(task, StopFlag());
    ASSERT_EQ(answer.architectures, 143U);
    ASSERT_EQ(answer.designs.size(), task.network.layers.size());
    for (size_t i = 0; i < answer.designs.size(); ++i) {
      SCOPED_TRACE(task.network.layers[i].name);
      const json& entry = Printed()[name][i];
      ASSERT_EQ(entry["layer"], task.network.layers[i].name);
      ExpectPrinted(entry[GetParam().name], answer.designs[i].layers.front().solution.cost,
                    GetParam().objective);
      EXPECT_LE(answer.designs[i].choice.area_um2.value(), Printed()["area_um2"].get<double>());
    }
  }
}

// Without a constraint, as the command runs: windows may be tiled too, so nothing gets worse. A
// plain run looks at some of the layers.
TEST_P(CodesignGolden, WithTiledWindowsNoLayerIsWorse) {
  const Objective first = {GetParam().objective.front()};
  CodesignTask task = TableTwoTask(first, GetParam().mapspace, Accounting::kElide);
  task.constraints.clear();
  const auto all = task.network.layers;
  const auto count = static_cast<size_t>(testing::CaseCount(3, 23));
  task.network.layers.clear();
  for (size_t i = 0; i < count; ++i) task.network.layers.push_back(all[i * 22 / (count - 1)]);
  const CodesignAnswer answer = Codesign(task, StopFlag());
  ASSERT_EQ(answer.designs.size(), count);
  EXPECT_EQ(answer.certificate.value().status, CertificateStatus::kOptimal);
  for (size_t i = 0; i < count; ++i) {
    const json& entry = Printed()["elide"][i * 22 / (count - 1)];
    SCOPED_TRACE(entry["layer"].get<std::string>());
    ASSERT_EQ(entry["layer"], task.network.layers[i].name);
    const Cost& cost = answer.designs[i].layers.front().solution.cost;
    const json& printed = entry[GetParam().name];
    const double pj = printed["pJ_per_MAC"].get<double>() * static_cast<double>(cost.operations);
    const auto cycles = printed["cycles"].get<double>();
    const double theirs = first.front() == Metric::kEnergy  ? pj
                          : first.front() == Metric::kDelay ? cycles
                                                            : pj * cycles;
    EXPECT_LE(ValueOf(cost, first.front()), theirs * (1 + 1e-5));  // five digits are printed
  }
}

// The fewest steps of any tiles on so many lanes, memories not looked at: Π ⌈bound / lanes⌉.
int64_t FewestSteps(const std::vector<int64_t>& bounds, size_t i, int64_t lanes) {
  if (i == bounds.size()) return 1;
  int64_t fewest = std::numeric_limits<int64_t>::max();
  int64_t last = 0;
  for (int64_t p = 1; p <= std::min(lanes, bounds[i]); ++p) {
    const int64_t steps = (bounds[i] + p - 1) / p;
    if (steps == last) continue;  // more lanes for nothing
    last = steps;
    fewest = std::min(fewest, steps * FewestSteps(bounds, i + 1, lanes / p));
  }
  return fewest;
}

// `delay_imperfect_min_cycles` is what lanes alone allow on the smallest SRAM; an SRAM that holds
// the tiles of all lanes leaves room for fewer, so our search, which looks at it, finds no less.
TEST(CodesignGoldenDelay, PrintedCyclesAreThoseOfTheLanesAlone) {
  const CodesignTask task = TableTwoTask({Metric::kDelay}, Mapspace::kAny, Accounting::kElide);
  const auto choices = ListArchitectures(task.space).value();
  for (size_t i = 0; i < task.network.layers.size(); ++i) {
    const Layer& layer = task.network.layers[i];
    SCOPED_TRACE(layer.name);
    const Problem& problem = layer.problem;
    const auto bound = [&](const char* name) {
      return problem.dims[FindDim(problem, name).value()].bound;
    };
    const int64_t window = bound("R") * bound("S");
    int64_t fewest = std::numeric_limits<int64_t>::max();
    for (const ArchitectureChoice& choice : choices) {
      const Architecture& architecture = choice.architecture;
      if (architecture.levels[LevelId(1)].capacity_words != 64) continue;
      if (*architecture.levels[LevelId(2)].capacity_words < 2 * window + 1) continue;
      fewest =
          std::min(fewest, window * FewestSteps({bound("C"), bound("P"), bound("Q"), bound("K")}, 0,
                                                architecture.levels[LevelId(1)].fanout.x));
    }
    EXPECT_EQ(fewest, Printed()["elide"][i]["delay_imperfect_min_cycles"]["cycles"]);
  }
}

// Iterations of K, C, P and Q for all lanes at once, the window whole: the words they touch.
int64_t WordsOfLanes(const json& layer, const std::array<int64_t, 4>& lanes) {
  const auto& [k, c, p, q] = lanes;
  const int64_t r = layer[4], s = layer[5], stride = layer[6];
  const int64_t rows = std::min(p * r, stride * (p - 1) + r);
  const int64_t columns = std::min(q * s, stride * (q - 1) + s);
  return k * c * r * s + c * rows * columns + k * p * q;
}

// The same as FewestSteps, lanes of K, C, P and Q, where the SRAM holds an iteration for each.
int64_t FewestStepsInRoom(const json& layer, int64_t room, size_t i, int64_t lanes_left,
                          std::array<int64_t, 4>* lanes) {
  if (WordsOfLanes(layer, *lanes) > room) return std::numeric_limits<int64_t>::max();
  if (i == lanes->size()) return 1;
  int64_t fewest = std::numeric_limits<int64_t>::max(), last = 0;
  const int64_t bound = layer[i];
  for (int64_t p = 1; p <= std::min(lanes_left, bound); ++p) {
    const int64_t steps = (bound + p - 1) / p;
    if (steps == last) continue;
    last = steps;
    (*lanes)[i] = p;
    const int64_t rest = FewestStepsInRoom(layer, room, i + 1, lanes_left / p, lanes);
    if (rest < std::numeric_limits<int64_t>::max()) fewest = std::min(fewest, steps * rest);
  }
  (*lanes)[i] = 1;
  return fewest;
}

// The SRAM tile covers what all lanes work on at once, so the lanes of the reference are no mapping
// where their words are more than its SRAM. Over all architectures the fewest cycles that leave
// room for them are found by listing lanes; ours are those. For ten layers they are more than the
// reference's figure: nothing within the area reaches it.
TEST(CodesignGoldenDelay, FewestCyclesAreThoseThatTheSramHasRoomFor) {
  const CodesignTask task = TableTwoTask({Metric::kDelay}, Mapspace::kAny, Accounting::kElide);
  const CodesignAnswer answer = Codesign(task, StopFlag());
  ASSERT_EQ(answer.designs.size(), task.network.layers.size());
  EXPECT_EQ(answer.certificate.value().status, CertificateStatus::kOptimal);
  const auto choices = ListArchitectures(task.space).value();
  std::vector<std::string> out_of_reach;
  for (size_t i = 0; i < answer.designs.size(); ++i) {
    const json& entry = Printed()["elide"][i];
    SCOPED_TRACE(entry["layer"].get<std::string>());
    const json& layer = entry["KCHWRS_stride"];
    const json& reference = entry["delay_imperfect_min_cycles"];
    const int64_t window = layer[4].get<int64_t>() * layer[5].get<int64_t>();
    int64_t fewest = std::numeric_limits<int64_t>::max();
    for (const ArchitectureChoice& choice : choices) {
      const Architecture& architecture = choice.architecture;
      if (*architecture.levels[LevelId(2)].capacity_words < 2 * window + 1) continue;
      std::array<int64_t, 4> lanes = {1, 1, 1, 1};
      const int64_t steps =
          FewestStepsInRoom(layer, *architecture.levels[LevelId(1)].capacity_words, 0,
                            architecture.levels[LevelId(1)].fanout.x, &lanes);
      if (steps < std::numeric_limits<int64_t>::max()) fewest = std::min(fewest, window * steps);
    }
    const int64_t cycles = answer.designs[i].layers.front().solution.cost.cycles;
    EXPECT_EQ(cycles, fewest);
    EXPECT_LE(cycles, entry["delay_perfect"]["cycles"]);
    EXPECT_GT(WordsOfLanes(layer, reference["spatial_KCHW"]), reference["S_words"]);
    if (fewest == reference["cycles"]) continue;  // other lanes do as well, with room
    EXPECT_GT(fewest, reference["cycles"]);
    out_of_reach.push_back(entry["layer"]);
  }
  EXPECT_EQ(out_of_reach.size(), 10U);
}

// Thistle's pipeline against proven optima; windows may be whole at any level in both. A plain run
// looks at some of the layers.
TEST(CodesignGoldenGp, IsWithinATenthOfAPercentOfTheLeastEnergy) {
  CodesignTask task = TableTwoTask({Metric::kEnergy}, Mapspace::kPerfect, Accounting::kElide);
  task.constraints.clear();
  const auto count = static_cast<size_t>(testing::CaseCount(6, 23));
  std::vector<Layer> layers;
  for (size_t i = 0; i < count; ++i) layers.push_back(task.network.layers[i * 22 / (count - 1)]);
  task.network.layers = layers;
  const CodesignAnswer exact = Codesign(task, StopFlag());
  task.method = Method::kGp;
  const CodesignAnswer gp = Codesign(task, StopFlag());
  ASSERT_EQ(exact.designs.size(), count);
  ASSERT_EQ(gp.designs.size(), count);
  EXPECT_EQ(gp.certificate.value().status, CertificateStatus::kHeuristic);
  for (size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(layers[i].name);
    EXPECT_GE(gp.designs[i].energy_pj, exact.designs[i].energy_pj * (1 - 1e-12));
    EXPECT_LE(gp.designs[i].energy_pj, exact.designs[i].energy_pj * 1.001);
    EXPECT_LE(gp.designs[i].choice.area_um2.value(), Printed()["area_um2"].get<double>());
    EXPECT_LE(gp.designs[i].layers.front().relaxed.value(), gp.designs[i].energy_pj);
  }
}

// One architecture for several layers: sums of single_arch_elide.txt.
struct Single {
  const char* layers;  // the start of their names
  Metric metric;
  int64_t lanes, registers, sram;
  double pj_per_mac, macs_per_cycle;
};

TEST(CodesignGoldenSingle, OneArchitectureIsThePrintedOne) {
  std::vector<Single> printed = {
      {"resnet", Metric::kEnergy, 388, 128, 131072, 8.336, 247.5},
      {"yolo", Metric::kEnergy, 309, 32, 262144, 4.509, 272.1},
      {"", Metric::kEnergy, 153, 128, 262144, 7.906, 136.0},
      {"resnet", Metric::kEdp, 565, 128, 32768, 8.589, 512.0},
      {"yolo", Metric::kEdp, 1141, 32, 32768, 5.626, 1088.0},
      {"", Metric::kEdp, 565, 128, 32768, 9.123, 542.4},
  };
  printed.resize(static_cast<size_t>(testing::CaseCount(4, 6)));
  for (const Single& single : printed) {
    SCOPED_TRACE(std::string(single.layers) + " " + Name(single.metric));
    CodesignTask task = TableTwoTask({single.metric}, Mapspace::kPerfect, Accounting::kElide);
    task.scope = Scope::kNetwork;
    std::erase_if(task.network.layers,
                  [&](const Layer& layer) { return layer.name.rfind(single.layers, 0) != 0; });
    const CodesignAnswer answer = Codesign(task, StopFlag());
    ASSERT_EQ(answer.designs.size(), 1U);
    const Design& design = answer.designs.front();
    EXPECT_EQ(answer.certificate.value().status, CertificateStatus::kOptimal);
    EXPECT_EQ(design.choice.values, (std::vector<double>{static_cast<double>(single.registers),
                                                         static_cast<double>(single.sram),
                                                         static_cast<double>(single.lanes)}));
    double operations = 0;
    for (const Layer& layer : task.network.layers) {
      operations += static_cast<double>(Operations(layer.problem));
    }
    EXPECT_NEAR(design.energy_pj / operations, single.pj_per_mac, 5.1e-4);
    const double macs_per_cycle = operations / static_cast<double>(design.cycles);
    EXPECT_GE(macs_per_cycle, single.macs_per_cycle - 0.051);
    // Of mappings with the least energy ours are the fastest; the printed ones are any.
    if (single.metric == Metric::kEdp) {
      EXPECT_NEAR(macs_per_cycle, single.macs_per_cycle, 0.051);
    }
  }
}

}  // namespace
}  // namespace inlay::golden

// Permutation classes and geometric programs against an independent prototype.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/gp/orders.h"
#include "inlay/gp/solver.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/gp/programs.h"
#include "inlay/mapper/mapper.h"
#include "tests/support/golden.h"

namespace inlay::golden {
namespace {

using nlohmann::json;

TEST(GpGolden, PermutationClassesAreThePrintedOnes) {
  const json printed = testing::LoadGolden("thistle/perm_classes.json");
  struct Case {
    const char* name;
    int64_t batch, window;
    std::vector<const char*> dims;
  };
  const std::vector<Case> cases = {{"N=1 3x3 (dims kchw)", 1, 3, {"K", "C", "P", "Q"}},
                                   {"N=1 1x1 no halo (kchw)", 1, 1, {"K", "C", "P", "Q"}},
                                   {"batched 3x3 (nkchw)", 4, 3, {"N", "K", "C", "P", "Q"}},
                                   {"batched 1x1", 4, 1, {"N", "K", "C", "P", "Q"}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Problem problem = MakeConv(
        "conv", {.n = c.batch, .k = 4, .c = 4, .p = 8, .q = 8, .r = c.window, .s = c.window});
    std::vector<DimId> dims;
    for (const char* name : c.dims) dims.push_back(FindDim(problem, name).value());
    const auto count = [&](gp::Pruning pruning) {
      return gp::OrderClasses(problem, dims, pruning).size();
    };
    const json& entry = printed[c.name];
    EXPECT_EQ(count(gp::Pruning::kHoisting), entry["prefix_classes_per_level"]);
    EXPECT_EQ(count(gp::Pruning::kExpressions), entry["expr_classes_per_level"]);
    EXPECT_EQ(count(gp::Pruning::kDominance), entry["nondominated_per_level"]);
  }
}

// The least optimum of all programs of a layer, in pJ per MAC, on the Eyeriss of the paper or with
// the sizes free within its area.
double LeastOptimum(const Problem& problem, Architecture architecture, bool free) {
  const double area = AreaUm2(architecture).value();
  gp::Sizes sizes = gp::SizesOf(architecture);
  gp::VariableNames names;
  if (free) {
    names = {"S", "R", "P"};
    architecture.levels[LevelId(1)].fanout.x = 1 << 20;
    sizes.capacity_words[LevelId(1)] = gp::Variable(gp::VariableId(0));
    sizes.capacity_words[LevelId(2)] = gp::Variable(gp::VariableId(1));
    sizes.x[LevelId(1)] = gp::Variable(gp::VariableId(2));
  }
  const Space space = MakeSpace(problem, architecture, Mapspace::kPerfect).value();
  const gp::Unknowns unknowns(space, names);
  gp::SymbolicArchitecture machine = gp::SymbolicArchitectureOf(problem, architecture, sizes);
  if (free) {
    machine.limits = {gp::Signomial(gp::Constant(1 / area)) * gp::AreaOf(architecture, sizes)};
  }
  double least = std::numeric_limits<double>::infinity();
  for (const gp::OrderedNest& nest : gp::OrderedNests(space, unknowns)) {
    const gp::Program program = gp::MakeProgram(space, unknowns, machine, nest.nest, {});
    const gp::ProgramSolution solution = gp::Solve(program, gp::FindStart(program, unknowns));
    EXPECT_EQ(solution.status, gp::SolverStatus::kOptimal);
    least = std::min(least, solution.objective);
  }
  return least / static_cast<double>(Operations(problem));
}

TEST(GpGolden, OptimaOfThePrograms) {
  const auto inputs = io::LoadBuiltin(io::BuiltinKind::kNetwork, "thistle-table2");
  const Architecture eyeriss =
      *io::LoadBuiltin(io::BuiltinKind::kArchitecture, "thistle-eyeriss").value().architecture;
  size_t compared = 0;
  for (const json& entry : testing::LoadGolden("thistle/gp_bounds.json")) {
    for (const Layer& layer : inputs.value().network->layers) {
      if (entry["layer"] != layer.name) continue;
      SCOPED_TRACE(layer.name);
      const bool free = entry["codesign"] == 1;
      const auto printed = entry["gp_pJ_per_MAC"].get<double>();
      EXPECT_NEAR(LeastOptimum(layer.problem, eyeriss, free), printed, 2e-6 * printed);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 46U);
}

// The pipeline rounds to whole tiles; exact search says what was lost.
TEST(GpGolden, RoundedMappingsAreWithinATenthOfAPercentOfTheOptimum) {
  const auto inputs = io::LoadBuiltin(io::BuiltinKind::kNetwork, "thistle-table2");
  const Architecture eyeriss =
      *io::LoadBuiltin(io::BuiltinKind::kArchitecture, "thistle-eyeriss").value().architecture;
  MapOptions options;
  options.objective = {Metric::kEnergy};
  options.semantics = Semantics::kThistle;
  for (const Layer& layer : inputs.value().network->layers) {
    SCOPED_TRACE(layer.name);
    const Space space = MakeSpace(layer.problem, eyeriss, Mapspace::kPerfect).value();
    options.strategy = Strategy::kExact;
    const double optimum = MapLayer(space, options, StopFlag()).best.value().cost.energy_pj;
    options.strategy = Strategy::kGp;
    const LayerAnswer answer = MapLayer(space, options, StopFlag());
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kHeuristic);
    EXPECT_GE(answer.best.value().cost.energy_pj, optimum * (1 - 1e-12));
    EXPECT_LE(answer.best.value().cost.energy_pj, optimum * 1.001);
  }
}

}  // namespace
}  // namespace inlay::golden

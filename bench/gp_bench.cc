// How long a geometric program takes: every pair of loop orders worth telling apart of the 23
// layers of the Thistle paper, on its Eyeriss (fixed) and with sizes free within its area. One
// thread; making the programs is not counted.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/gp/solver.h"
#include "inlay/gp/symbolic_architecture.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/gp/programs.h"

namespace inlay {
namespace {

struct Prepared {
  gp::Program program;
  gp::Values start;
};

std::vector<Prepared> Prepare(bool free) {
  const auto inputs = io::LoadBuiltin(io::BuiltinKind::kNetwork, "thistle-table2");
  auto loaded = io::LoadBuiltin(io::BuiltinKind::kArchitecture, "thistle-eyeriss");
  INLAY_CHECK(inputs.has_value() && loaded.has_value());
  Architecture architecture = *std::move(loaded->architecture);
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
  std::vector<Prepared> all;
  for (const Layer& layer : inputs->network->layers) {
    const Space space = MakeSpace(layer.problem, architecture, Mapspace::kPerfect).value();
    const gp::Unknowns unknowns(space, names);
    gp::SymbolicArchitecture symbolic =
        gp::SymbolicArchitectureOf(layer.problem, architecture, sizes);
    if (free) {
      symbolic.limits = {gp::Signomial(gp::Constant(1 / area)) * gp::AreaOf(architecture, sizes)};
    }
    for (const gp::OrderedNest& nest : gp::OrderedNests(space, unknowns)) {
      gp::Program program = gp::MakeProgram(space, unknowns, symbolic, nest.nest, {});
      gp::Values start = gp::FindStart(program, unknowns);
      all.push_back({std::move(program), std::move(start)});
    }
  }
  return all;
}

void SolveAll(benchmark::State& state, bool free) {
  const std::vector<Prepared> all = Prepare(free);
  size_t converged = 0;
  int iterations = 0;
  double rounds = 0;
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    converged = 0;
    iterations = 0;
    for (const Prepared& one : all) {
      const gp::ProgramSolution solution = gp::Solve(one.program, one.start);
      if (solution.status == gp::SolverStatus::kOptimal) ++converged;
      iterations += solution.iterations;
    }
    ++rounds;
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto count = static_cast<double>(all.size());
  state.counters["mean_ms"] = 1e3 * seconds / (rounds * count);
  state.counters["iterations"] = iterations / count;
  state.SetLabel(std::to_string(converged) + " of " + std::to_string(all.size()) + " converged");
}

const int kRegistered = [] {
  for (const bool free : {false, true}) {
    const std::string name = std::string("gp/thistle-table2/") + (free ? "free" : "fixed");
    benchmark::RegisterBenchmark(name.c_str(), [free](benchmark::State& state) {
      SolveAll(state, free);
    })->MinTime(0.5);
  }
  return 0;
}();

}  // namespace
}  // namespace inlay

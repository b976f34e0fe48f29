// How close to its bound a plan comes: built-in graphs in 10 s, random ones of 300 nodes in 30 s.
// One row per graph and objective on the machine `onsram`, 16 bits, strategy lns, two threads: the
// CPU seconds, the value (µs, or MB), the gap to the proven bound and how much better than without
// management.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <ctime>
#include <string>

#include "bench/random_network.h"
#include "inlay/io/load.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/problem_from_graph.h"

namespace inlay {
namespace {

void Run(benchmark::State& state, const Graph& graph, PlanObjective objective, double seconds) {
  io::LoadRecord record;
  const auto machine = io::LoadMachine("onsram", &record);
  if (!machine) return state.SkipWithError("not a built-in");
  const StopFlag never;
  const auto problem = MakePlanProblem(graph, *machine, {}, never);
  if (!problem) return state.SkipWithError("no planning problem");
  PlanOptions options;
  options.objective = objective;
  options.threads = 2;
  PlanAnswer answer;
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    const Deadline deadline(never, seconds);
    answer = MakePlan(*problem, options, deadline);
  }
  state.counters["seconds"] = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  state.counters[objective == PlanObjective::kLatency ? "us" : "MB"] =
      answer.certificate.objective * (objective == PlanObjective::kLatency ? 1e6 : 1e-6);
  state.counters["gap_percent"] = 100 * answer.certificate.gap;
  state.counters["times_better"] =
      ValueOf(answer.baseline, objective) / answer.certificate.objective;
}

void RunBuiltIn(benchmark::State& state, const char* network, PlanObjective objective) {
  io::LoadRecord record;
  const auto graph = io::LoadGraph(network, &record);
  if (!graph) return state.SkipWithError("not a built-in");
  Run(state, *graph, objective, 10);
}

const int kRegistered = [] {
  for (const PlanObjective objective : {PlanObjective::kLatency, PlanObjective::kBytes}) {
    for (const char* network :
         {"alexnet", "bert-base", "densenet121", "distilbert", "efficientnet-b0", "gnmt",
          "googlenet", "llama-7b-2layers", "mobilenetv2", "resnet18", "resnet50", "squeezenet",
          "vgg16", "vit-b16"}) {
      benchmark::RegisterBenchmark(
          fmt::format("plan/onsram/{}/{}", network, Name(objective)).c_str(),
          [network, objective](benchmark::State& state) { RunBuiltIn(state, network, objective); })
          ->Iterations(1);
    }
    for (const int span : {4, 12, 40}) {
      for (const uint64_t seed : {uint64_t{1}, uint64_t{2}}) {
        benchmark::RegisterBenchmark(
            fmt::format("plan/random300/span{}-{}/{}", span, seed, Name(objective)).c_str(),
            [span, seed, objective](benchmark::State& state) {
              Run(state, bench::RandomNetwork(seed, 300, span), objective, 30);
            })
            ->Iterations(1);
      }
    }
  }
  return 0;
}();

}  // namespace
}  // namespace inlay

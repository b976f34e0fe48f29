// How long co-design takes: the 23 layers of the Thistle paper in the area of Eyeriss, under
// thistle semantics, layer by layer and one architecture for all; one thread. CPU time.
#include <benchmark/benchmark.h>

#include <ctime>
#include <string>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/codesign/codesign.h"
#include "inlay/codesign/template.h"
#include "inlay/io/library/library.h"

namespace inlay {
namespace {

constexpr double kEyerissAreaUm2 = 2363756;

void Run(benchmark::State& state, Scope scope, Metric metric) {
  const auto network = io::LoadBuiltin(io::BuiltinKind::kNetwork, "thistle-table2");
  const auto technology = io::LoadBuiltinTechnology("thistle-45nm");
  INLAY_CHECK(network.has_value() && technology.has_value());
  CodesignTask task;
  task.network = *network->network;
  task.space = ThistleTemplate(*technology, kEyerissAreaUm2);
  task.scope = scope;
  task.options.objective = {metric};
  task.options.semantics = Semantics::kThistle;
  CodesignAnswer answer;
  const std::clock_t start = std::clock();
  for (auto _ : state) answer = Codesign(task, StopFlag());
  state.counters["seconds"] = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  double operations = 0, energy = 0;
  for (const Design& design : answer.designs) energy += design.energy_pj;
  for (const Layer& layer : task.network.layers) {
    operations += static_cast<double>(Operations(layer.problem));
  }
  state.counters["pj_per_op"] = energy / operations;
  state.SetLabel(std::to_string(answer.designs.size()) + " of " +
                 std::to_string(answer.architectures) + " architectures");
}

const int kRegistered = [] {
  for (const Scope scope : {Scope::kLayer, Scope::kNetwork}) {
    for (const Metric metric : {Metric::kEnergy, Metric::kEdp}) {
      const std::string name =
          std::string("codesign/thistle-table2/") + Name(scope) + "/" + Name(metric);
      benchmark::RegisterBenchmark(name.c_str(), [scope, metric](benchmark::State& state) {
        Run(state, scope, metric);
      })->Iterations(1);
    }
  }
  return 0;
}();

}  // namespace
}  // namespace inlay

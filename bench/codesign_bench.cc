// How long co-design takes: the 23 layers of the Thistle paper in the area of Eyeriss, layer by
// layer and one architecture for all, under thistle semantics (for delay with tiles of any size);
// and one layer under exact semantics. One thread. CPU time.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/codesign/codesign.h"
#include "inlay/codesign/thistle_template.h"
#include "inlay/io/library/library.h"

namespace inlay {
namespace {

constexpr double kEyerissAreaUm2 = 2363756;

struct Setting {
  std::string workload = "thistle-table2";
  Scope scope = Scope::kLayer;
  Metric metric = Metric::kEnergy;
  Semantics semantics = Semantics::kThistle;
  Mapspace mapspace = Mapspace::kPerfect;
  Method method = Method::kExact;
};

CodesignTask TaskOf(const Setting& setting) {
  const auto network = io::LoadBuiltin(io::BuiltinKind::kNetwork, setting.workload);
  const auto technology = io::LoadBuiltinTechnology("thistle-45nm");
  INLAY_CHECK(network.has_value() && technology.has_value());
  CodesignTask task;
  task.network = *network->network;
  task.space = ThistleTemplate(*technology, kEyerissAreaUm2);
  task.scope = setting.scope;
  task.mapspace = setting.mapspace;
  task.options.objective = {setting.metric};
  task.options.semantics = setting.semantics;
  task.method = setting.method;
  return task;
}

void Run(benchmark::State& state, const Setting& setting) {
  const CodesignTask task = TaskOf(setting);
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

// How much more energy the programs' designs take than the optima, at most and on average.
void Gap(benchmark::State& state) {
  CodesignAnswer exact, gp;
  for (auto _ : state) {
    exact = Codesign(TaskOf({}), StopFlag());
    gp = Codesign(TaskOf({.method = Method::kGp}), StopFlag());
  }
  INLAY_CHECK(exact.designs.size() == gp.designs.size());
  double most = 0, sum = 0;
  for (size_t i = 0; i < gp.designs.size(); ++i) {
    const double more = gp.designs[i].energy_pj / exact.designs[i].energy_pj - 1;
    most = std::max(most, more);
    sum += more;
  }
  state.counters["most_percent"] = 100 * most;
  state.counters["mean_percent"] = 100 * sum / static_cast<double>(gp.designs.size());
}

const int kRegistered = [] {
  const auto add = [](const std::string& name, const Setting& setting) {
    benchmark::RegisterBenchmark(("codesign/" + setting.workload + "/" + name).c_str(),
                                 [setting](benchmark::State& state) { Run(state, setting); })
        ->Iterations(1);
  };
  for (const Scope scope : {Scope::kLayer, Scope::kNetwork}) {
    for (const Metric metric : {Metric::kEnergy, Metric::kEdp}) {
      add(std::string(Name(scope)) + "/" + Name(metric), {.scope = scope, .metric = metric});
    }
  }
  add("layer/delay/any", {.metric = Metric::kDelay, .mapspace = Mapspace::kAny});
  for (const Metric metric : {Metric::kEnergy, Metric::kDelay, Metric::kEdp}) {
    add(std::string("layer/") + Name(metric) + "/exact",
        {.workload = "thistle-table2/resnet12", .metric = metric, .semantics = Semantics::kExact});
  }
  for (const Metric metric : {Metric::kEnergy, Metric::kDelay, Metric::kEdp}) {
    add(std::string("layer/") + Name(metric) + "/gp", {.metric = metric, .method = Method::kGp});
  }
  add("layer/energy/exact/gp", {.semantics = Semantics::kExact, .method = Method::kGp});
  add("network/energy/exact", {.scope = Scope::kNetwork, .semantics = Semantics::kExact});
  benchmark::RegisterBenchmark("codesign/thistle-table2/layer/energy/gp-gap", Gap)->Iterations(1);
  return 0;
}();

}  // namespace
}  // namespace inlay

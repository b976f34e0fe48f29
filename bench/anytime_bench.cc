// How good the answer of a search is that is stopped early. One row per architecture, network,
// mapspace and objective: the answer over the best known after 0.05, 0.2, 1 and 5 s, the geometric
// mean over the distinct layers (mean_…) and the worst (worst_…, named in the label). The last row,
// anytime/all, is over all rows that ran before it: `bench/run.sh 'anytime/(simba/gpt2|all)'`.
//
// A sample of the grid by default, some layers of two networks on two architectures, in ten minutes
// or less; `bench/run.sh --all anytime` (INLAY_ANYTIME_ALL=1) takes the whole, some hours.
//
// Seconds are CPU time of the one thread that searches, with a limit of 60 s on the clock (shares
// of it go to smaller mapspaces). A search ends by proof or after 10 s, or as many as
// INLAY_ANYTIME_SECONDS says; what it has then, or what a smaller mapspace has, is the best known.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/core/network.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/mapper.h"

namespace inlay {
namespace {

constexpr std::array kMarks = {0.05, 0.2, 1.0, 5.0};
constexpr double kLimitSeconds = 60;

double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Stops a search once it has used so much CPU time.
class CpuLimit {
 public:
  explicit CpuLimit(double seconds)
      : watcher_([this, end = CpuSeconds() + seconds](const std::stop_token& done) {
          while (!done.stop_requested() && CpuSeconds() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          }
          stop_.Request();
        }) {}
  const StopFlag& stop() const { return stop_; }

 private:
  StopFlag stop_;
  std::jthread watcher_;
};

struct Curve {
  std::array<double, kMarks.size()> at;  // the answer after so many seconds
  double last = std::numeric_limits<double>::infinity();
  bool proven = false;
};

Curve Search(const Space& space, Metric metric, double seconds) {
  Curve curve;
  curve.at.fill(std::numeric_limits<double>::infinity());
  MapOptions options;
  options.objective = {metric};
  options.time_limit_seconds = kLimitSeconds;
  const CpuLimit limit(seconds);
  const double start = CpuSeconds();
  const LayerAnswer answer = MapLayer(space, options, limit.stop(), [&](const MapProgress& state) {
    if (!state.incumbent) return;
    const double gone = CpuSeconds() - start;
    for (size_t i = 0; i < kMarks.size(); ++i) {
      if (gone <= kMarks[i]) curve.at[i] = std::min(curve.at[i], *state.incumbent);
    }
  });
  if (!answer.best) return curve;
  curve.last = answer.certificate.objective;
  curve.proven = answer.certificate.status == CertificateStatus::kOptimal;
  return curve;
}

// Means and worst of some layers.
struct Summary {
  struct Mark {
    double logarithms = 0;
    double worst = 0;
    std::string worst_layer;
  };
  std::array<Mark, kMarks.size()> marks;
  size_t layers = 0, proven = 0;

  void Add(const std::string& layer, const Curve& curve, double best) {
    for (size_t i = 0; i < kMarks.size(); ++i) {
      const double ratio = std::max(1.0, curve.at[i] / best);
      marks[i].logarithms += std::log(ratio);
      if (ratio <= marks[i].worst) continue;
      marks[i].worst = ratio;
      marks[i].worst_layer = layer;
    }
    ++layers;
    proven += curve.proven ? 1 : 0;
  }
  void Add(const Summary& other) {
    for (size_t i = 0; i < kMarks.size(); ++i) {
      marks[i].logarithms += other.marks[i].logarithms;
      if (other.marks[i].worst > marks[i].worst) {
        marks[i].worst = other.marks[i].worst;
        marks[i].worst_layer = other.marks[i].worst_layer;
      }
    }
    layers += other.layers;
    proven += other.proven;
  }
  void Report(benchmark::State* state) const {
    std::string label = fmt::format("{} of {} layers proven; worst", proven, layers);
    for (size_t i = 0; i < kMarks.size(); ++i) {
      const std::string mark = fmt::format("{}s", kMarks[i]);
      state->counters["mean_" + mark] =
          std::exp(marks[i].logarithms / static_cast<double>(std::max<size_t>(layers, 1)));
      state->counters["worst_" + mark] = marks[i].worst;
      label += fmt::format("{} {}: {}", i == 0 ? "" : ",", mark, marks[i].worst_layer);
    }
    state->SetLabel(label);
  }
};
Summary of_all;

// By what is searched but for the mapspace, which grows from row to row.
std::map<std::string, double> best_known;

struct Row {
  std::string architecture, network;
  Mapspace mapspace;
  Metric metric;
  size_t every = 1;  // layer of the network
};

std::vector<Layer> DistinctLayers(const Row& row) {
  const auto inputs = io::LoadBuiltin(io::BuiltinKind::kNetwork, row.network);
  INLAY_CHECK(inputs.has_value() && inputs->network.has_value());
  std::vector<Layer> distinct;
  const auto& layers = inputs->network->layers;
  for (size_t i = 0; i < layers.size(); i += row.every) {
    const bool known = std::any_of(distinct.begin(), distinct.end(), [&](const Layer& one) {
      return one.problem.dims == layers[i].problem.dims &&
             one.problem.tensors == layers[i].problem.tensors;
    });
    if (!known) distinct.push_back(layers[i]);
  }
  return distinct;
}

void Measure(benchmark::State& state, const Row& row, double seconds) {
  const auto inputs = io::LoadBuiltin(io::BuiltinKind::kArchitecture, row.architecture);
  if (!inputs) {
    for (auto _ : state) continue;
    state.counters["skipped"] = 1;
    state.SetLabel("skipped: no built-in architecture '" + row.architecture + "'");
    return;
  }
  Summary summary;
  const std::string key = row.architecture + "/" + row.network + "/" + Name(row.metric) + "/";
  for (auto _ : state) {
    for (const Layer& layer : DistinctLayers(row)) {
      const auto space = MakeSpace(layer.problem, *inputs->architecture, row.mapspace);
      INLAY_CHECK(space.has_value());
      const Curve curve = Search(*space, row.metric, seconds);
      if (!(curve.last < std::numeric_limits<double>::infinity())) continue;
      double& best = best_known.try_emplace(key + layer.name, curve.last).first->second;
      best = std::min(best, curve.last);
      summary.Add(
          row.architecture + "/" + Name(row.mapspace) + "/" + Name(row.metric) + "/" + layer.name,
          curve, best);
    }
  }
  summary.Report(&state);
  of_all.Add(summary);
}

const int kRegistered = [] {
  const char* given = std::getenv("INLAY_ANYTIME_SECONDS");
  const double seconds = given == nullptr ? 10 : std::strtod(given, nullptr);
  using Networks = std::vector<std::pair<const char*, size_t>>;  // and one layer in how many
  const bool whole = std::getenv("INLAY_ANYTIME_ALL") != nullptr;
  const Networks networks =
      whole ? Networks{{"gpt2", 1},     {"bert-base", 1},   {"llama-7b-2layers", 1},
                       {"resnet50", 1}, {"mobilenetv2", 1}, {"deepbench", 10}}
            : Networks{{"gpt2", 2}, {"resnet50", 8}};
  using Names = std::vector<const char*>;
  for (const char* architecture : whole ? Names{"eyeriss", "eyeriss-free", "simba", "simba-9",
                                                "systolic-ws", "tpu-v4i", "h200"}
                                        : Names{"eyeriss-free", "simba"}) {
    for (const auto& [network, every] : networks) {
      for (const Metric metric : {Metric::kEnergy, Metric::kDelay, Metric::kEdp}) {
        if (!whole && metric == Metric::kDelay) continue;
        for (const Mapspace mapspace : {Mapspace::kRubyS, Mapspace::kAny}) {
          const Row row = {architecture, network, mapspace, metric, every};
          const std::string name = fmt::format("anytime/{}/{}/{}/{}", architecture, network,
                                               Name(mapspace), Name(metric));
          benchmark::RegisterBenchmark(name.c_str(), [row, seconds](benchmark::State& state) {
            Measure(state, row, seconds);
          })->Iterations(1);
        }
      }
    }
  }
  benchmark::RegisterBenchmark("anytime/all", [](benchmark::State& state) {
    for (auto _ : state) continue;
    of_all.Report(&state);
  })->Iterations(1);
  return 0;
}();

}  // namespace
}  // namespace inlay

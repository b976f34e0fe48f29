// How long address allocation takes: the 11 hard instances of MiniMalloc in 1 MiB, and the large
// ones of idealloc, where they are at hand, with their height over the peak load. CPU time.
#include <benchmark/benchmark.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/io/load.h"
#include "inlay/scratchpad/dsa/dsa.h"
#include "tests/support/paths.h"

namespace inlay {
namespace {

constexpr int64_t kCapacity = 1048576;

std::vector<Buffer> Load(const std::string& path) {
  io::LoadRecord record;
  auto buffers = io::LoadBuffers(path, &record);
  INLAY_CHECK(buffers.has_value());
  return *std::move(buffers);
}

std::vector<Buffer> LoadHard(char name) {
  return Load(std::string(INLAY_SOURCE_DIR) + "/tests/golden/minimalloc/" + name + ".1048576.csv");
}

double SecondsSince(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void RunHard(benchmark::State& state, const std::string& names) {
  std::vector<std::vector<Buffer>> instances;
  for (const char name : names) instances.push_back(LoadHard(name));
  int64_t nodes = 0;
  size_t placed = 0, buffers = 0;
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    for (const std::vector<Buffer>& instance : instances) {
      const dsa::Solution solution = dsa::Solve({instance, kCapacity});
      nodes += solution.nodes;
      buffers += instance.size();
      if (solution.status == dsa::Status::kPlaced) ++placed;
    }
  }
  state.counters["seconds"] = SecondsSince(start);
  state.SetLabel(std::to_string(placed) + " of " + std::to_string(names.size()) + " placed, " +
                 std::to_string(buffers) + " buffers, " + std::to_string(nodes) + " nodes");
}

void RunLarge(benchmark::State& state, const std::string& path) {
  if (!std::filesystem::exists(path)) {
    state.SkipWithError("needs shared/workloads");
    return;
  }
  const std::vector<Buffer> buffers = Load(path);
  dsa::Solution solution;
  const std::clock_t start = std::clock();
  for (auto _ : state) solution = dsa::FirstFit({buffers, int64_t{1} << 62});
  state.counters["seconds"] = SecondsSince(start);
  state.counters["over_peak_load"] =
      static_cast<double>(solution.height) / static_cast<double>(solution.lower_bound);
  state.SetLabel(std::to_string(buffers.size()) + " buffers");
}

const int kRegistered = [] {
  const std::string all = "ABCDEFGHIJK";
  const auto add = [](const std::string& name, const std::string& names) {
    benchmark::RegisterBenchmark(("alloc/minimalloc/" + name).c_str(),
                                 [names](benchmark::State& state) { RunHard(state, names); })
        ->Iterations(1);
  };
  for (const char name : all) add(std::string(1, name), std::string(1, name));
  add("all", all);
  const std::string folder = std::string(INLAY_SOURCE_DIR) + "/../shared/workloads/dsa-idealloc/";
  for (const std::string name : {"G_1", "resnet50", "pangu_2.6B", "S_1"}) {
    benchmark::RegisterBenchmark(("alloc/large/" + name).c_str(), [path = folder + name + ".csv"](
                                                                      benchmark::State& state) {
      RunLarge(state, path);
    })->Iterations(1);
  }
  return 0;
}();

}  // namespace
}  // namespace inlay

// How long the search for fused mappings takes, and what it finds: products and convolutions on two
// levels, tiles of any size and divisors, one thread. One row each: CPU seconds, off-chip words of
// the best tree, how many times fewer than without fusion, the gap to the proven bound.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "inlay/fuse/fuse.h"
#include "tests/support/fused_case.h"

namespace inlay {
namespace {

struct Case {
  const char* name;
  int64_t pad_words;
  std::vector<std::pair<std::string, int64_t>> dims;
  std::vector<std::string> nodes;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"attention-2k",
       65536,
       {{"m", 2048}, {"p", 2048}, {"e", 64}, {"f", 64}},
       {"QK: Q[m,e] K[p,e] -> A[m,p]", "SM: A[m,p] -> B[m,p]", "AV: B[m,p] V[p,f] -> O[m,f]"}},
      {"mlp",
       1048576,
       {{"m", 2048}, {"n0", 4096}, {"n1", 16384}, {"n2", 4096}},
       {"E1: T0[m,n0] W0[n0,n1] -> T1[m,n1]", "E2: T1[m,n1] W1[n1,n2] -> T2[m,n2]"}},
      {"swiglu",
       1048576,
       {{"m", 2048}, {"g", 4096}, {"c", 14336}, {"j", 4096}},
       {"Gate: X[m,g] WG[g,c] -> HG[m,c]", "Up: X[m,g] WU[g,c] -> HU[m,c]",
        "Mul: HG[m,c] HU[m,c] -> H[m,c]", "Down: H[m,c] WD[c,j] -> Y[m,j]"}},
      {"gpt3-6.7b-block",
       2097152,
       {{"m", 2048},
        {"p", 2048},
        {"w", 4096},
        {"h", 32},
        {"e", 128},
        {"w2", 4096},
        {"f", 16384},
        {"w3", 4096}},
       {"Q: X[m,w] WQ[w,h,e] -> QT[m,h,e]", "K: X[m,w] WK[w,h,e] -> KT[m,h,e]",
        "V: X[m,w] WV[w,h,e] -> VT[m,h,e]", "QK: QT[m,h,e] KT[p,h,e] -> A[m,h,p]",
        "SM: A[m,h,p] -> B[m,h,p]", "AV: B[m,h,p] VT[p,h,e] -> Z[m,h,e]",
        "O: Z[m,h,e] WO[h,e,w2] -> Y[m,w2]", "FFN1: Y[m,w2] W1[w2,f] -> F[m,f]",
        "GELU: F[m,f] -> G[m,f]", "FFN2: G[m,f] W2[f,w3] -> R[m,w3]"}},
      {"bottleneck-56",
       131072,
       {{"c0", 256},
        {"c1", 64},
        {"c2", 64},
        {"c3", 256},
        {"y0", 58},
        {"x0", 58},
        {"y", 56},
        {"x", 56},
        {"r", 3},
        {"s", 3}},
       {"E1: T0[c0,y0,x0] W0[c0,c1] -> T1[c1,y0,x0]",
        "E2: T1[c1,y+r,x+s] W1[c1,c2,r,s] -> T2[c2,y,x]",
        "E3: T2[c2,y,x] W2[c2,c3] -> T3[c3,y,x]"}}};
  return cases;
}

void Run(benchmark::State& state, const Case& c, FusedTiles tiles) {
  const FusedProblem problem = testing::FusedOfTexts(c.dims, c.nodes);
  Architecture machine = testing::PadMachine();
  machine.levels[LevelId(1)].capacity_words = c.pad_words;
  FuseOptions options;
  options.tiles = tiles;
  const StopFlag never;
  FuseAnswer answer;
  const std::clock_t start = std::clock();
  for (auto _ : state) answer = Fuse(problem, machine, options, never);
  if (!answer.best || !answer.unfused) return state.SkipWithError("no tree");
  state.counters["seconds"] = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  state.counters["words"] = static_cast<double>(answer.best->cost.offchip_words);
  state.counters["times_fewer"] = static_cast<double>(answer.unfused->cost.offchip_words) /
                                  static_cast<double>(answer.best->cost.offchip_words);
  state.counters["gap_percent"] = 100 * answer.certificate.gap;
  state.SetLabel(Name(answer.certificate.status));
}

const int kRegistered = [] {
  for (const Case& c : Cases()) {
    for (const FusedTiles tiles : {FusedTiles::kPerfect, FusedTiles::kAny}) {
      benchmark::RegisterBenchmark(fmt::format("fuse/{}/{}", c.name, Name(tiles)).c_str(),
                                   [&c, tiles](benchmark::State& state) { Run(state, c, tiles); })
          ->Iterations(1);
    }
  }
  return 0;
}();

}  // namespace
}  // namespace inlay

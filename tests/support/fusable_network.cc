#include "tests/support/fusable_network.h"

#include "tests/support/random_chain.h"

namespace inlay::testing {

FusableNetwork RandomNetwork(uint64_t seed, int64_t most_nodes) {
  Random random(seed);
  FusableNetwork network;
  network.graph = RandomChain(random, most_nodes);
  const Machine machine = RandomPeakMachine(random);
  network.settings.bits = Chance(random, 0.7) ? 8 : 12;
  network.settings.weights_stay = Chance(random, 0.2);
  const StopFlag never;
  network.problem = MakePlanProblem(network.graph, machine, network.settings, never).value();
  network.fused = FusedGraphOf(network.graph);
  return network;
}

std::vector<FusedCandidate> CandidatesOf(const FusableNetwork& network, const FusableSteps& steps) {
  const StopFlag never;
  return FindFusedCandidates(steps, network.problem,
                             FusableRuns(steps, network.problem, kMostFusedNodes), Deadline(never));
}

}  // namespace inlay::testing

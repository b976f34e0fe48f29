#include "inlay/scratchpad/fused_candidates.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/fused_part.h"
#include "inlay/fuse/needed_work.h"
#include "inlay/fuse/range_search.h"
#include "inlay/scratchpad/exact/model.h"
#include "inlay/scratchpad/fused_run.h"
#include "inlay/scratchpad/merged_step.h"

namespace inlay {
namespace {

// Of one run: each for a quarter of the room of the one before, or less.
constexpr int kMostTrees = 3;
constexpr int64_t kRoomRatio = 4;

// Runs that could gain no more than this share of what their steps take are not searched.
constexpr double kLeastGain = 0.01;

// Whether each part of the steps shares a tensor with the rest: others gain nothing together.
bool AreConnected(const PlanProblem& problem, size_t first, size_t end) {
  for (size_t cut = first + 1; cut < end; ++cut) {
    bool shared = false;
    for (size_t a = first; a < cut && !shared; ++a) {
      for (const Operand& operand : problem.nodes[a].operands) {
        for (size_t b = cut; b < end && !shared; ++b) {
          shared = Uses(problem.nodes[b], operand.tensor);
        }
      }
    }
    if (!shared) return false;
  }
  return true;
}

// Of a node's operations, those that are needed.
double ShareOf(const FusedProblem& problem, NodeId node, const NeededWork& needed) {
  double all = 1;
  for (const DimId d : DimsOf(problem, problem.nodes[node])) {
    all *= static_cast<double>(problem.dims[d].bound);
  }
  return static_cast<double>(needed.operations[node]) / all;
}

double LeastSeconds(const PlanNode& node) {
  double least = node.tilings.front().compute_seconds;
  for (const Tiling& tiling : node.tilings) least = std::min(least, tiling.compute_seconds);
  return least;
}

}  // namespace

FusableSteps::FusableSteps(const Graph& graph, const FusedGraph& fused,
                           const PlanSettings& settings, const PlanProblem& problem)
    : graph_(graph),
      fused_(fused),
      settings_(settings),
      problem_(problem),
      numbers_(problem.nodes.size()),
      uses_(problem.tensors.size(), 0) {
  IndexedVector<NodeId, std::optional<size_t>> numbers(graph.nodes.size());
  for (const NodeId n : Ids(fused.graph_nodes)) numbers[fused.graph_nodes[n]] = n.value();
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    const PlanNode& node = problem.nodes[i];
    if (node.beside.empty()) numbers_[i] = numbers[node.node];
    for (const Operand& operand : node.operands) ++uses_[operand.tensor];
  }
}

size_t FusableSteps::MostFrom(size_t first, size_t most) const {
  const PlanNode& begin = problem_.nodes[first];
  const bool may = numbers_[first] && !problem_.machine.units[begin.unit].architecture &&
                   !problem_.machine.pads.empty() &&
                   Reaches(problem_.machine, begin.unit, problem_.workspace_pad[begin.unit]);
  if (!may) return 1;
  size_t count = 1;
  for (size_t i = first + 1; i < problem_.nodes.size() && count < most; ++i, ++count) {
    const size_t number = *numbers_[first] + count;
    if (problem_.nodes[i].unit != begin.unit || numbers_[i] != number) break;
    if (fused_.earliest[NodeId(number)] > NodeId(*numbers_[first])) break;
  }
  return count;
}

std::optional<FusedCandidate> FusableSteps::Without(size_t first, size_t end) const {
  if (end - first < 2 || MostFrom(first, end - first) < end - first) return std::nullopt;
  FusedRunMaker maker(problem_, first, end, uses_);
  const NodeId number(*numbers_[first]);
  FusedPart part = PartOf(fused_.problem, number, NodeId(number.value() + (end - first)));
  for (const TensorId t : Ids(part.problem.tensors)) {
    const ValueId v = fused_.storages[part.tensors[t]];
    if (!maker.AddTensor(part.problem, t, v, BitsOf(settings_, v))) return std::nullopt;
  }
  return std::move(maker).Finish(std::move(part.problem));
}

bool FusableSteps::AddTree(const FusedTree& tree, FusedCandidate* candidate) const {
  auto step = std::make_shared<FusedStep>(*candidate->step.fused);
  const auto cost = FusedStepCost::Of(*step, tree);
  if (!cost) return false;
  const size_t count = candidate->step.operands.size();
  const Scratchpad& pad = problem_.machine.pads[problem_.workspace_pad[candidate->step.unit]];
  if (AlignedBytes(pad, cost->RoomBytes(std::vector<bool>(count, true))) > pad.bytes) return false;
  std::vector<bool> is_weight;
  for (const Operand& operand : candidate->step.operands) {
    is_weight.push_back(problem_.tensors[operand.tensor].weight);
  }
  std::vector<Tiling>& tilings = candidate->step.tilings;
  for (Tiling& tiling : cost->Tilings(is_weight)) {
    const bool beaten = std::any_of(tilings.begin(), tilings.end(), [&](const Tiling& other) {
      return exact::IsAsGood(other, tiling);
    });
    if (beaten) continue;
    tilings.push_back(std::move(tiling));
    step->trees.push_back(tree);
  }
  candidate->step.fused = std::move(step);
  return true;
}

Architecture FusableSteps::PadOfAll() const {
  IndexedVector<TensorId, int> bits;
  for (const ValueId v : fused_.storages) bits.push_back(BitsOf(settings_, v));
  return PadArchitecture(fused_.problem, bits);
}

Tiling FusableSteps::LeastTiling(const FusedCandidate& candidate) const {
  const FusedStep& step = *candidate.step.fused;
  const NeededWork needed = NeededWorkOf(step.problem);
  Tiling tiling;
  for (const int64_t bytes : step.whole_bytes) tiling.operands.push_back({bytes, 0});
  for (const TensorId t : Ids(step.problem.tensors)) {
    if (!step.operands[t]) continue;
    tiling.operands[*step.operands[t]].bytes += BytesOf(needed.words[t], step.bits[t]);
  }
  for (const NodeId n : Ids(step.problem.nodes)) {
    tiling.compute_seconds += step.seconds[n] * ShareOf(step.problem, n, needed);
  }
  return tiling;
}

PlanFigures FusableSteps::LeastFigures() const {
  PlanFigures least;
  const NeededWork needed = NeededWorkOf(fused_.problem);
  IndexedVector<ValueId, std::optional<int64_t>> bytes(problem_.tensors.size());
  for (const PlanNode& node : problem_.nodes) {
    for (size_t i = 0; i < node.operands.size(); ++i) {
      std::optional<int64_t>& fewest = bytes[node.operands[i].tensor];
      for (const Tiling& tiling : node.tilings) {
        fewest = std::min(fewest.value_or(tiling.operands[i].bytes), tiling.operands[i].bytes);
      }
    }
  }
  // Of what comes from outside, the words that some node needs, whatever runs with it.
  IndexedVector<ValueId, int64_t> read(problem_.tensors.size(), -1);
  for (const TensorId t : Ids(fused_.problem.tensors)) {
    const ValueId v = fused_.storages[t];
    if (problem_.tensors[v].produced) continue;
    read[v] = std::max(read[v], BytesOf(needed.words[t], BitsOf(settings_, v)));
  }
  for (const ValueId v : Ids(problem_.tensors)) {
    const PlanTensor& tensor = problem_.tensors[v];
    if (!bytes[v]) continue;
    const bool comes = !tensor.produced && !(tensor.weight && problem_.weights_stay);
    if (!comes && !(tensor.produced && tensor.needed_after)) continue;
    const int64_t once = std::min(tensor.bytes, *bytes[v]);
    least.offchip_bytes += read[v] < 0 ? once : std::min(once, read[v]);
  }
  for (size_t i = 0; i < problem_.nodes.size(); ++i) {
    const double share = numbers_[i] ? ShareOf(fused_.problem, NodeId(*numbers_[i]), needed) : 1;
    least.latency_seconds += LeastSeconds(problem_.nodes[i]) * share;
  }
  const OffChip& offchip = problem_.machine.offchip;
  const auto moved = static_cast<double>(least.offchip_bytes);
  if (offchip.bytes_per_second) {
    least.latency_seconds = std::max(least.latency_seconds, moved / *offchip.bytes_per_second);
  }
  least.energy_pj = moved * offchip.pj_per_byte;
  return least;
}

namespace {

// Those with the fewest off-chip words in ever smaller pads.
void AddTrees(const FusableSteps& steps, const PlanProblem& problem, int word_bits,
              RangeSearch* search, FusedCandidate* candidate) {
  const FusedPart part{candidate->step.fused->problem, {}, {}, {}};
  const Scratchpad& pad = problem.machine.pads[problem.workspace_pad[candidate->step.unit]];
  auto room = static_cast<int64_t>(Int128{pad.bytes} * 8 / word_bits);
  for (int tried = 0; tried < kMostTrees && room > 0; ++tried) {
    const auto found = search->Best(part, room);
    if (!found) return;
    if (CheckTree(*candidate->step.fused, found->tree).empty()) {
      steps.AddTree(found->tree, candidate);
    }
    room = std::min(found->cost.counts.room_words - 1, room / kRoomRatio);
  }
}

}  // namespace

std::vector<StepRange> FusableRuns(const FusableSteps& steps, const PlanProblem& problem,
                                   size_t most_nodes) {
  std::vector<StepRange> runs;
  for (size_t length = 2; length <= most_nodes; ++length) {
    for (size_t first = 0; first + length <= problem.nodes.size(); ++first) {
      if (steps.MostFrom(first, length) < length) continue;
      if (AreConnected(problem, first, first + length)) runs.push_back({first, first + length});
    }
  }
  return runs;
}

std::vector<StepRange> RunsWorthFusing(const FusableSteps& steps, const PlanProblem& problem,
                                       const Plan& plan, PlanObjective objective,
                                       const std::vector<StepRange>& runs) {
  const MergedStepCost cost(problem, plan, objective);
  std::vector<std::pair<double, StepRange>> worth;
  for (const StepRange& run : runs) {
    auto candidate = steps.Without(run.first, run.end);
    if (!candidate) continue;
    candidate->step.tilings = {steps.LeastTiling(*candidate)};
    const auto merged = cost.Of(run.first, run.end, candidate->step);
    double apart = 0;
    for (size_t s = run.first; s < run.end; ++s) apart += cost.Of(s);
    if (!merged || apart - *merged <= kLeastGain * apart) continue;
    const auto nodes = static_cast<double>(run.size());
    worth.emplace_back((apart - *merged) / (nodes * nodes), run);
  }
  std::stable_sort(worth.begin(), worth.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<StepRange> sorted;
  for (const auto& [gain, run] : worth) sorted.push_back(run);
  return sorted;
}

std::vector<FusedCandidate> FindFusedCandidates(const FusableSteps& steps,
                                                const PlanProblem& problem,
                                                const std::vector<StepRange>& runs,
                                                const Deadline& deadline) {
  std::vector<FusedCandidate> found;
  if (problem.machine.pads.empty()) return found;
  const Architecture architecture = steps.PadOfAll();
  const int word_bits = architecture.levels[LevelId(1)].word_bits;
  const FuseOptions options;
  RangeSearch search(architecture, options, deadline);
  std::vector<StepRange> unfit;  // with more nodes they take more room, as good as always
  for (const StepRange& run : runs) {
    if (deadline.Passed()) break;
    const auto is_inside = [&](const StepRange& other) {
      return run.first <= other.first && other.end <= run.end;
    };
    if (std::any_of(unfit.begin(), unfit.end(), is_inside)) continue;
    auto candidate = steps.Without(run.first, run.end);
    if (!candidate) continue;
    AddTrees(steps, problem, word_bits, &search, &*candidate);
    if (candidate->step.tilings.empty()) {
      unfit.push_back(run);
    } else {
      found.push_back(*std::move(candidate));
    }
  }
  return found;
}

PlanProblem WithFusedSteps(const PlanProblem& problem, std::vector<const FusedCandidate*> chosen) {
  std::sort(chosen.begin(), chosen.end(),
            [](const FusedCandidate* a, const FusedCandidate* b) { return a->first < b->first; });
  PlanProblem fused = problem;
  fused.nodes.clear();
  size_t next = 0;
  for (const FusedCandidate* run : chosen) {
    for (; next < run->first; ++next) fused.nodes.push_back(problem.nodes[next]);
    fused.nodes.push_back(run->step);
    next = run->end;
  }
  for (; next < problem.nodes.size(); ++next) fused.nodes.push_back(problem.nodes[next]);
  return fused;
}

}  // namespace inlay

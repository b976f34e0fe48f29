#include "inlay/scratchpad/mapper_tilings.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/deadline.h"
#include "inlay/base/parallel.h"
#include "inlay/scratchpad/layer_tilings.h"

namespace inlay {
namespace {

// A layer on a unit; those of equal problems are searched once.
struct LayerSearch {
  Problem problem;
  UnitId unit;
  std::string node;  // the first that asks for it
  tl::expected<LayerTilings, Faults> tilings;
};

class TableMaker {
 public:
  TableMaker(const Graph& graph, const PlanSettings& settings, PlanProblem* problem)
      : graph_(graph), settings_(settings), problem_(problem) {}

  Faults Make(const StopFlag& stop) {
    for (PlanNode& node : problem_->nodes) {
      if (!problem_->machine.units[node.unit].architecture) continue;
      for (const Work& work : graph_.nodes[node.node].works) SearchFor(node, work);
    }
    if (!faults_.empty()) return std::move(faults_);
    const Deadline deadline(stop, settings_.table_seconds);
    std::atomic<size_t> left = searches_.size();
    // Once a stop is requested every search is cut at once, and has a tiling nevertheless.
    ParallelFor(searches_.size(), settings_.threads, [&](size_t i, size_t) {
      LayerSearch& search = searches_[i];
      search.tilings = TilingsOf(search.problem, architectures_.at(search.unit), stop,
                                 ShareOf(left--, deadline));
    });
    for (const LayerSearch& search : searches_) {
      if (search.tilings) continue;
      for (Fault fault : search.tilings.error()) {
        fault.where = "nodes." + search.node;
        fault.message = "node '" + search.node + "' cannot be computed on '" +
                        problem_->machine.units[search.unit].name + "': " + fault.message;
        faults_.push_back(std::move(fault));
      }
    }
    if (!faults_.empty()) return std::move(faults_);
    problem_->tables = searches_.size();
    for (const LayerSearch& search : searches_)
      problem_->cut_tables += search.tilings->cut ? 1U : 0U;
    for (PlanNode& node : problem_->nodes) {
      const bool mapped = problem_->machine.units[node.unit].architecture.has_value() &&
                          !graph_.nodes[node.node].works.empty();
      if (mapped) node.tilings = TilingsOfNode(node);
    }
    return {};
  }

 private:
  // Of the time that is left, for the next of `left` searches that are not begun: as many threads
  // as there are take one each.
  std::optional<double> ShareOf(size_t left, const Deadline& deadline) const {
    if (!settings_.table_seconds) return std::nullopt;
    const double seconds = std::max(0.0, *settings_.table_seconds - deadline.SecondsSinceStart());
    const double threads = static_cast<double>(std::max(1, settings_.threads));
    return seconds * std::min(1.0, threads / static_cast<double>(left));
  }

  // The index of the search of this work's problem.
  size_t SearchFor(const PlanNode& node, const Work& work) {
    Problem problem = work.problem;
    problem.name.clear();
    for (size_t i = 0; i < searches_.size(); ++i) {
      if (searches_[i].unit == node.unit && searches_[i].problem == problem) return i;
    }
    if (!architectures_.contains(node.unit)) AddArchitecture(node.unit);
    searches_.push_back({std::move(problem), node.unit, node.name, {}});
    return searches_.size() - 1;
  }

  // The unit's, with the pad of its workspaces as the level inside the outermost.
  void AddArchitecture(UnitId unit) {
    const ComputeUnit& core = problem_->machine.units[unit];
    Architecture architecture = *core.architecture;
    const PadId pad = problem_->workspace_pad[unit];
    const bool reaches = !problem_->machine.pads.empty() && Reaches(problem_->machine, unit, pad);
    const bool one = architecture.levels.size() > 1 && Instances(architecture, kInside) == 1 &&
                     architecture.levels[kInside].partitions.empty();
    if (!reaches || !one) {
      faults_.push_back(
          {"units." + core.name,
           !reaches ? "unit '" + core.name + "' has an architecture, but reaches no memory"
                    : "architecture '" + architecture.name + "' has no memory that can be a pad",
           !reaches ? "tiles of operands off chip need room in one"
                    : "the level below the outermost must be one memory, without partitions"});
    } else {
      const int64_t bytes = problem_->machine.pads[pad].bytes;
      const auto words = static_cast<int64_t>(Int128{bytes} * 8 / settings_.bits);
      architecture.levels[kInside].capacity_words = std::max<int64_t>(1, words);
      architecture.levels[kInside].tensor_bits.clear();
    }
    architectures_.emplace(unit, std::move(architecture));
  }

  // For every amount of room that a work's tilings need, the best tilings of all works within it.
  std::vector<Tiling> TilingsOfNode(const PlanNode& node) {
    const std::vector<Work>& works = graph_.nodes[node.node].works;
    std::vector<const std::vector<LayerTiling>*> lists;
    lists.reserve(works.size());
    for (const Work& work : works)
      lists.push_back(&searches_[SearchFor(node, work)].tilings->tilings);
    std::vector<Tiling> tilings;
    if (works.size() == 1) {
      for (const LayerTiling& tiling : *lists.front()) {
        tilings.push_back(Combine(node, works, {&tiling}));
      }
      return tilings;
    }
    // Works run one after the other: the i-th of each, by ascending room.
    size_t longest = 0;
    for (const auto* list : lists) longest = std::max(longest, list->size());
    for (size_t i = 0; i < longest; ++i) {
      std::vector<const LayerTiling*> chosen;
      chosen.reserve(lists.size());
      for (const auto* list : lists) chosen.push_back(&(*list)[std::min(i, list->size() - 1)]);
      tilings.push_back(Combine(node, works, chosen));
    }
    return tilings;
  }

  // Operands that no work names (a bias) are read once, as the roofline has it.
  Tiling Combine(const PlanNode& node, const std::vector<Work>& works,
                 const std::vector<const LayerTiling*>& chosen) const {
    const Tiling& once = node.tilings.front();
    Tiling tiling = once;
    std::vector<bool> named(node.operands.size(), false);
    double cycles = 0;
    for (size_t w = 0; w < works.size(); ++w) {
      const Work& work = works[w];
      const auto repeat = static_cast<double>(work.repeat);
      cycles += static_cast<double>(chosen[w]->cycles) * repeat;
      for (TensorId t : Ids(work.operands)) {
        if (!work.operands[t]) continue;
        const ValueId tensor = StorageOf(graph_, *work.operands[t]);
        for (size_t i = 0; i < node.operands.size(); ++i) {
          if (node.operands[i].tensor != tensor) continue;
          if (!named[i]) tiling.operands[i] = {};
          named[i] = true;
          const LayerTiling::Words& words = chosen[w]->tensors[t];
          OperandTraffic& sum = tiling.operands[i];
          sum.bytes += Scaled(words.traffic, repeat, work.problem, t, *work.operands[t]);
          sum.workspace_bytes = std::max(sum.workspace_bytes,
                                         BytesOf(words.tile, BitsOf(settings_, *work.operands[t])));
        }
      }
    }
    tiling.compute_seconds = cycles / problem_->machine.clock_hz;
    return tiling;
  }

  // Bytes of so many words, less the share of the padding around a convolution's input: it counts
  // among the words of the problem, but is not read from memory.
  int64_t Scaled(int64_t words, double repeat, const Problem& problem, TensorId t,
                 ValueId value) const {
    const auto whole = static_cast<double>(TensorWords(problem, t));
    const double share = std::min(1.0, static_cast<double>(WordsOf(graph_, value)) / whole);
    constexpr double kMost = 1e15;  // beyond that no plan makes sense
    const double bytes = static_cast<double>(words) * repeat * share * BitsOf(settings_, value) / 8;
    return static_cast<int64_t>(std::ceil(std::min(bytes, kMost)));
  }

  const Graph& graph_;
  const PlanSettings& settings_;
  PlanProblem* problem_;
  std::map<UnitId, Architecture> architectures_;
  std::vector<LayerSearch> searches_;
  Faults faults_;
};

}  // namespace

Faults AddMapperTilings(const Graph& graph, const PlanSettings& settings, const StopFlag& stop,
                        PlanProblem* problem) {
  return TableMaker(graph, settings, problem).Make(stop);
}

}  // namespace inlay

#include "inlay/fuse/range_fuse.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/fused_outline.h"
#include "inlay/core/fused_part.h"
#include "inlay/fuse/needed_work.h"
#include "inlay/fuse/range_search.h"
#include "inlay/fuse/solution.h"

namespace inlay {
namespace {

// What runs are chosen by: the sum over them of the first metric, if it is a sum, then of words and
// operations.
struct RunValue {
  double first = 0;
  int64_t words = 0, operations = 0;

  static RunValue Of(const FusedCost& cost, Metric metric) {
    const bool sums = metric == Metric::kEnergy || metric == Metric::kDelay;
    return {sums ? ValueOf(cost, metric) : 0, cost.offchip_words, cost.operations};
  }
  RunValue operator+(const RunValue& other) const {
    return {first + other.first, SaturatingAdd(words, other.words),
            SaturatingAdd(operations, other.operations)};
  }
  bool operator<(const RunValue& other) const {
    return std::tie(first, words, operations) <
           std::tie(other.first, other.words, other.operations);
  }
};

// A range of nodes as one run, if a tree is known.
struct RangeRun {
  std::optional<FusedTree> tree;  // by the numbers of the part
  RunValue value;
};

// The best runs for a size of the pad, as they become known.
class RunsInPad {
 public:
  RunsInPad(const FusedProblem& problem, const FuseOptions& options, size_t most_nodes,
            int64_t room, RangeSearch* search, const Deadline& deadline)
      : problem_(problem),
        options_(options),
        room_(room),
        search_(*search),
        deadline_(deadline),
        count_(problem.nodes.size()),
        most_(std::min(most_nodes, count_)),
        runs_(count_, std::vector<RangeRun>(most_)),
        best_(count_, std::vector<std::optional<RunValue>>(most_)),
        bounds_(count_, std::vector<std::optional<int64_t>>(most_)) {}

  // The shortest ranges first: `improved` is called after each that is better than its parts.
  template <typename Improved>
  void Search(const Improved& improved) {
    for (size_t length = 1; length <= most_; ++length) {
      for (size_t first = 0; first + length <= count_; ++first) {
        if (length > 1 && deadline_.Passed()) return;
        if (SearchRange(first, length)) improved();
      }
    }
    complete_ = !deadline_.Passed();
  }

  // The best sequence of runs of at most so many nodes each; none where some node is in none.
  std::optional<FusedTree> Tree(size_t most_nodes) const {
    const Rest rest = RestOf(most_nodes);
    if (!rest.values[0]) return std::nullopt;
    std::vector<FusedTree> runs;
    for (size_t first = 0; first < count_;) {
      const size_t end = rest.next[first];
      FusedTree tree = TreeInWhole(Part(first, end), *runs_[first][end - first - 1].tree);
      if (tree.IsSplit()) {
        for (FusedTree& part : tree.children) runs.push_back(std::move(part));
      } else {
        runs.push_back(std::move(tree));
      }
      first = end;
    }
    return TreeOfRuns(std::move(runs));
  }

  // The value of the best sequence so far.
  std::optional<RunValue> Value() const { return RestOf(most_).values[0]; }

  // No sequence of runs has fewer words; none where that was not found out.
  std::optional<int64_t> LeastWords(size_t most_nodes) const {
    if (!complete_) return std::nullopt;
    std::vector<std::optional<int64_t>> rest(count_ + 1);
    rest[count_] = 0;
    for (size_t first = count_; first-- > 0;) {
      for (size_t length = 1; length <= std::min(most_nodes, count_ - first); ++length) {
        const auto& bound = bounds_[first][length - 1];
        if (!bound || !rest[first + length]) continue;
        const int64_t words = SaturatingAdd(*bound, *rest[first + length]);
        if (!rest[first] || words < *rest[first]) rest[first] = words;
      }
    }
    return rest[0];
  }

 private:
  FusedPart Part(size_t first, size_t end) const {
    return PartOf(problem_, NodeId(first), NodeId(end));
  }

  // Whether there is a better way to compute these nodes than before.
  bool SearchRange(size_t first, size_t length) {
    std::optional<RunValue>& best = best_[first][length - 1];
    for (size_t cut = 1; cut < length; ++cut) {
      const auto &left = best_[first][cut - 1], &right = best_[first + cut][length - cut - 1];
      if (left && right && (!best || *left + *right < *best)) best = *left + *right;
    }
    if (length > 1 && !CanBeOneRun(first, first + length)) return false;
    const FusedPart part = Part(first, first + length);
    const int64_t bound = search_.Bound(part, room_, length == 1);
    bounds_[first][length - 1] = bound;
    if (length > 1 && best && bound >= best->words) return false;
    auto found = search_.Best(part, room_);
    if (!found) return false;
    const RunValue value = RunValue::Of(found->cost, options_.objective.front());
    runs_[first][length - 1] = {std::move(found->tree), value};
    if (best && !(value < *best)) return false;
    best = value;
    return true;
  }

  // Whether nothing is in between, and each part of the nodes shares a tensor with the others: runs
  // without do as well apart.
  bool CanBeOneRun(size_t first, size_t end) const {
    for (size_t n = first; n < end && !options_.earliest.empty(); ++n) {
      if (options_.earliest[NodeId(n)] > NodeId(first)) return false;
    }
    for (size_t cut = first + 1; cut < end; ++cut) {
      if (!IsShared(first, cut, end)) return false;
    }
    return true;
  }

  bool IsShared(size_t first, size_t cut, size_t end) const {
    for (size_t n = first; n < cut; ++n) {
      for (const FusedOperand& operand : problem_.nodes[NodeId(n)].operands) {
        for (size_t m = cut; m < end; ++m) {
          if (OperandOf(problem_.nodes[NodeId(m)], operand.tensor) != nullptr) return true;
        }
      }
    }
    return false;
  }

  // By node: the best sequence of runs from it on, and where its first run ends.
  struct Rest {
    std::vector<std::optional<RunValue>> values;
    std::vector<size_t> next;
  };
  Rest RestOf(size_t most_nodes) const {
    Rest rest{std::vector<std::optional<RunValue>>(count_ + 1), std::vector<size_t>(count_ + 1)};
    rest.values[count_] = RunValue();
    for (size_t first = count_; first-- > 0;) {
      for (size_t length = 1; length <= std::min(most_nodes, count_ - first); ++length) {
        const RangeRun& run = runs_[first][length - 1];
        if (!run.tree || !rest.values[first + length]) continue;
        const RunValue value = run.value + *rest.values[first + length];
        if (rest.values[first] && !(value < *rest.values[first])) continue;
        rest.values[first] = value;
        rest.next[first] = first + length;
      }
    }
    return rest;
  }

  const FusedProblem& problem_;
  const FuseOptions& options_;
  const int64_t room_;
  RangeSearch& search_;
  const Deadline& deadline_;
  const size_t count_, most_;
  // By the first node and the number of nodes less one.
  std::vector<std::vector<RangeRun>> runs_;
  std::vector<std::vector<std::optional<RunValue>>> best_;  // as one run or several
  std::vector<std::vector<std::optional<int64_t>>> bounds_;
  bool complete_ = false;
};

class RangeAnswer {
 public:
  RangeAnswer(const FusedProblem& problem, const Architecture& architecture,
              const FuseOptions& options, const Deadline& deadline,
              const FuseProgressSink& progress)
      : problem_(problem),
        architecture_(architecture),
        options_(options),
        deadline_(deadline),
        progress_(progress),
        search_(architecture, options, deadline) {}

  FuseAnswer Make() {
    const int64_t room = UsableWords(architecture_).value_or(std::numeric_limits<int64_t>::max());
    const int64_t compulsory = CompulsoryWords(problem_);
    const bool words = options_.objective.front() == Metric::kOffchip;
    FuseAnswer answer;
    RunsInPad runs = Runs(room, MostNodes());
    runs.Search([&] {
      const auto value = runs.Value();
      if (!progress_ || !value || !words) return;
      progress_({static_cast<double>(value->words), static_cast<double>(compulsory), false});
    });
    answer.best = SolutionWith(runs, MostNodes());
    answer.unfused = SolutionWith(runs, 1);
    answer.interrupted = deadline_.Passed();
    if (!answer.best) return answer;
    answer.certificate = OffchipCertificate(
        answer.best->cost, std::max(compulsory, runs.LeastWords(MostNodes()).value_or(compulsory)));
    answer.any_fusion = static_cast<double>(compulsory);
    if (answer.unfused) {
      answer.unfused_certificate =
          OffchipCertificate(answer.unfused->cost, runs.LeastWords(1).value_or(compulsory));
    }
    answer.runs = RunsOf(problem_, architecture_, answer.best->tree);
    for (FusedRun& run : answer.runs) {
      run.certificate = OffchipCertificate(
          run.cost, search_.Bound(PartOf(problem_, run.first, run.end), room, true));
    }
    if (options_.front) {
      answer.front = Front(MostNodes());
      answer.unfused_front = Front(1);
    }
    answer.interrupted = deadline_.Passed();
    return answer;
  }

 private:
  size_t MostNodes() const { return static_cast<size_t>(std::max(1, options_.run_nodes)); }

  RunsInPad Runs(int64_t room, size_t most_nodes) {
    return {problem_, options_, most_nodes, room, &search_, deadline_};
  }

  std::optional<FusedSolution> SolutionWith(const RunsInPad& runs, size_t most_nodes) const {
    auto tree = runs.Tree(most_nodes);
    if (!tree || !Validate(problem_, *tree).empty()) return std::nullopt;
    return SolutionOf(problem_, architecture_, *std::move(tree));
  }

  // From the largest pad on, by steps of at least a sixteenth.
  std::vector<FusedFrontPoint> Front(size_t most_nodes) {
    std::vector<FusedFrontPoint> front;
    for (int64_t room = options_.front->most_words; room >= 1 && !deadline_.Passed();) {
      RunsInPad runs = Runs(room, most_nodes);
      runs.Search([] {});
      auto solution = SolutionWith(runs, most_nodes);
      if (!solution) break;
      const int64_t taken = solution->cost.counts.room_words;
      const int64_t words = solution->cost.offchip_words;
      while (!front.empty() && front.back().offchip_words >= words) front.pop_back();
      front.push_back({taken, words, false, std::move(solution->tree)});
      if (taken <= options_.front->least_words) break;
      room = std::min(taken - 1, room - room / 16);
    }
    std::reverse(front.begin(), front.end());
    return front;
  }

  const FusedProblem& problem_;
  const Architecture& architecture_;
  const FuseOptions& options_;
  const Deadline& deadline_;
  const FuseProgressSink& progress_;
  RangeSearch search_;
};

}  // namespace

FuseAnswer FuseRanges(const FusedProblem& problem, const Architecture& architecture,
                      const FuseOptions& options, const Deadline& deadline,
                      const FuseProgressSink& progress) {
  return RangeAnswer(problem, architecture, options, deadline, progress).Make();
}

}  // namespace inlay

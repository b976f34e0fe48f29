#include "inlay/fuse/range_fuse.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/fused_box.h"
#include "inlay/cost/fused/room.h"
#include "inlay/fuse/line_buffers.h"
#include "inlay/fuse/product_trees.h"
#include "inlay/fuse/range_problem.h"
#include "inlay/fuse/solution.h"

namespace inlay {
namespace {

constexpr size_t kMostNodesOfARun = 8;

class RangeAnswer {
 public:
  RangeAnswer(const FusedProblem& problem, const Architecture& architecture,
              const FuseOptions& options, const Deadline& deadline)
      : problem_(problem), architecture_(architecture), options_(options), deadline_(deadline) {}

  FuseAnswer Make() {
    const int64_t room = UsableWords(architecture_).value_or(std::numeric_limits<int64_t>::max());
    FuseAnswer answer;
    answer.best = BestIn(room, kMostNodesOfARun);
    answer.unfused = BestIn(room, 1);
    answer.interrupted = deadline_.Passed();
    if (!answer.best) return answer;
    const int64_t compulsory = CompulsoryWords(problem_);
    answer.certificate = OffchipCertificate(answer.best->cost, compulsory);
    answer.any_fusion = static_cast<double>(compulsory);
    if (answer.unfused) {
      int64_t alone = 0;
      for (NodeId n : Ids(problem_.nodes)) {
        alone += CompulsoryWords(RangeProblem(problem_, n, NodeId(n.value() + 1)));
      }
      answer.unfused_certificate = OffchipCertificate(answer.unfused->cost, alone);
    }
    answer.runs = RunsOf(problem_, architecture_, answer.best->tree);
    for (FusedRun& run : answer.runs) {
      run.certificate =
          OffchipCertificate(run.cost, CompulsoryWords(RangeProblem(problem_, run.first, run.end)));
    }
    if (options_.front) {
      answer.front = Front(kMostNodesOfARun);
      answer.unfused_front = Front(1);
    }
    answer.interrupted = deadline_.Passed();
    return answer;
  }

 private:
  // The nodes as a problem by themselves.
  std::optional<FusedSolution> RunIn(NodeId first, NodeId end, int64_t room) const {
    const FusedProblem range = RangeProblem(problem_, first, end);
    if (const auto graph = ProductGraph::Of(range, options_.softmax)) {
      FuseOptions options = options_;
      options.front.reset();
      ProductTrees trees(range, architecture_, options, *graph, deadline_);
      auto tree = trees.Tree(0, range.nodes.size(), room);
      if (!tree || !Validate(range, *tree).empty()) return std::nullopt;
      if (!CheckFusedCapacity(range, architecture_, FusedOutline(range, *tree)).empty()) {
        return std::nullopt;
      }
      return SolutionOf(range, architecture_, *std::move(tree));
    }
    auto one = BestLineBuffer(range, architecture_, options_, room, {}, deadline_);
    const int64_t least = CompulsoryWords(range);
    for (NodeId middle(first.value() + 1); middle < end; ++middle) {
      if (deadline_.Passed() || (one && one->cost.offchip_words <= least)) break;
      auto two = JoinedIn(range, first, middle, end, room);
      if (two && (!one || two->cost.offchip_words < one->cost.offchip_words)) one = std::move(two);
    }
    if ((!one || one->cost.offchip_words > least) && !deadline_.Passed()) {
      auto parts = BestOfParts(range, architecture_, options_, room, deadline_);
      if (parts && (!one || parts->cost.offchip_words < one->cost.offchip_words)) {
        one = std::move(parts);
      }
    }
    return one;
  }

  // Two parts, one after the other, with all that the first makes for the second kept in the pad.
  std::optional<FusedSolution> JoinedIn(const FusedProblem& range, NodeId first, NodeId middle,
                                        NodeId end, int64_t room) const {
    std::vector<TensorId> whole;
    int64_t words = 0;
    for (NodeId n = first; n < middle; ++n) {
      const FusedOperand& made = OutputOf(problem_.nodes[n]);
      const auto readers = ReadersOf(problem_, made.tensor);
      const bool passed = std::any_of(readers.begin(), readers.end(), [&](NodeId reader) {
        return reader >= middle && reader < end;
      });
      if (!passed) continue;
      whole.push_back(made.tensor);
      words = SaturatingAdd(words, WordsOf(Touched(made, WholeDomain(problem_))));
    }
    if (whole.empty() || words >= room) return std::nullopt;
    FusedTree tree;
    for (const auto& [from, to] : {std::pair(first, middle), std::pair(middle, end)}) {
      auto part = BestLineBuffer(RangeProblem(problem_, from, to), architecture_, options_, room,
                                 whole, deadline_);
      if (!part) return std::nullopt;
      tree.children.push_back(
          WithNodesMoved(Without(std::move(part->tree), whole),
                         static_cast<int64_t>(from.value()) - static_cast<int64_t>(first.value())));
    }
    for (const TensorId t : whole) {
      FusedTree around;
      around.part = FusedHold{t, false};
      around.children.push_back(std::move(tree));
      tree = std::move(around);
    }
    if (!Validate(range, tree).empty()) return std::nullopt;
    if (!CheckFusedCapacity(range, architecture_, FusedOutline(range, tree)).empty() ||
        FusedRoomWords(range, architecture_, FusedOutline(range, tree)) > room) {
      return std::nullopt;
    }
    return SolutionOf(range, architecture_, std::move(tree));
  }

  // Without the holds of these tensors, which are at the root.
  static FusedTree Without(FusedTree tree, const std::vector<TensorId>& tensors) {
    if (tree.hold() == nullptr) return tree;
    FusedTree child = Without(std::move(tree.children.front()), tensors);
    if (std::find(tensors.begin(), tensors.end(), tree.hold()->tensor) != tensors.end()) {
      return child;
    }
    tree.children.front() = std::move(child);
    return tree;
  }

  // The best runs of at most so many nodes, from the last to the first.
  std::optional<FusedSolution> BestIn(int64_t room, size_t most_nodes) const {
    struct Rest {
      int64_t words = 0, operations = 0;
      size_t end = 0;
      std::optional<FusedTree> tree;
    };
    const size_t count = problem_.nodes.size();
    std::vector<Rest> rest(count + 1);
    for (size_t first = count; first-- > 0;) {
      for (size_t end = first + 1; end <= std::min(count, first + most_nodes); ++end) {
        if (end < count && !rest[end].tree) continue;
        auto run = RunIn(NodeId(first), NodeId(end), room);
        if (!run) continue;
        const int64_t words = SaturatingAdd(run->cost.offchip_words, rest[end].words);
        const int64_t operations = SaturatingAdd(run->cost.operations, rest[end].operations);
        Rest& best = rest[first];
        if (best.tree && std::tie(words, operations) >= std::tie(best.words, best.operations)) {
          continue;
        }
        best = {words, operations, end,
                WithNodesMoved(std::move(run->tree), static_cast<int64_t>(first))};
      }
    }
    std::vector<FusedTree> runs;
    for (size_t first = 0; first < count; first = rest[first].end) {
      if (!rest[first].tree) return std::nullopt;
      FusedTree tree = *rest[first].tree;
      if (tree.IsSplit()) {
        for (FusedTree& part : tree.children) runs.push_back(std::move(part));
      } else {
        runs.push_back(std::move(tree));
      }
    }
    FusedTree tree = TreeOfRuns(std::move(runs));
    if (!Validate(problem_, tree).empty()) return std::nullopt;
    return SolutionOf(problem_, architecture_, std::move(tree));
  }

  // From the largest pad on, by steps of at least a sixteenth.
  std::vector<FusedFrontPoint> Front(size_t most_nodes) const {
    std::vector<FusedFrontPoint> front;
    for (int64_t room = options_.front->most_words; room >= 1 && !deadline_.Passed();) {
      auto solution = BestIn(room, most_nodes);
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
};

}  // namespace

FuseAnswer FuseRanges(const FusedProblem& problem, const Architecture& architecture,
                      const FuseOptions& options, const Deadline& deadline) {
  return RangeAnswer(problem, architecture, options, deadline).Make();
}

}  // namespace inlay

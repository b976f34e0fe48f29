#include "inlay/fuse/product_fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "inlay/core/fused_part.h"
#include "inlay/cost/fused/room.h"
#include "inlay/fuse/product_trees.h"
#include "inlay/fuse/solution.h"

namespace inlay {
namespace {

class ProductAnswer {
 public:
  ProductAnswer(const FusedProblem& problem, const Architecture& architecture,
                const FuseOptions& options, const ProductGraph& graph, const Deadline& deadline)
      : problem_(problem),
        architecture_(architecture),
        options_(options),
        graph_(graph),
        trees_(problem, architecture, options, graph, deadline),
        room_(UsableWords(architecture).value_or(std::numeric_limits<int64_t>::max())) {}

  FuseAnswer Make() {
    FuseAnswer answer;
    const int64_t bound = trees_.Bound(0, graph_.nodes(), room_);
    if (bound == ProductSearch::kNone && !trees_.Stopped()) {
      answer.infeasible = NoRoom();
      return answer;
    }
    answer.unfused = SolutionIn(UnfusedTree(room_));
    answer.best = SolutionIn(trees_.Tree(0, graph_.nodes(), room_));
    if (!answer.best || (answer.unfused && Words(*answer.unfused) < Words(*answer.best))) {
      answer.best = answer.unfused;
    }
    answer.interrupted = trees_.Stopped();
    answer.effort.nodes = trees_.states();
    if (!answer.best) return answer;
    answer.runs = RunsOf(problem_, architecture_, answer.best->tree);
    for (FusedRun& run : answer.runs) {
      run.certificate =
          CertificateOf(run.cost, trees_.Bound(run.first.value(), run.end.value(), room_));
    }
    answer.certificate = CertificateOf(answer.best->cost, bound);
    if (answer.unfused) {
      answer.unfused_certificate = CertificateOf(answer.unfused->cost, UnfusedBound(room_));
    }
    const int64_t any = trees_.AnyFusionBound(room_);
    if (!trees_.Stopped()) answer.any_fusion = static_cast<double>(any);
    if (options_.front) {
      answer.front = Front(false);
      answer.unfused_front = Front(true);
    }
    answer.interrupted = trees_.Stopped();
    answer.effort.nodes = trees_.states();
    return answer;
  }

 private:
  static int64_t Words(const FusedSolution& solution) { return solution.cost.offchip_words; }

  std::optional<FusedTree> UnfusedTree(int64_t room) {
    std::vector<FusedTree> runs;
    for (size_t n = 0; n < graph_.nodes(); ++n) {
      auto tree = trees_.Tree(n, n + 1, room);
      if (!tree) return std::nullopt;
      runs.push_back(*std::move(tree));
    }
    return TreeOfRuns(std::move(runs));
  }

  int64_t UnfusedBound(int64_t room) {
    int64_t words = 0;
    for (size_t n = 0; n < graph_.nodes(); ++n) {
      const int64_t least = trees_.Bound(n, n + 1, room);
      if (least == ProductSearch::kNone) return least;
      words += least;
    }
    return words;
  }

  // None where the tree does not fit or is not legal after all.
  std::optional<FusedSolution> SolutionIn(std::optional<FusedTree> tree) const {
    if (!tree || !Validate(problem_, *tree).empty()) return std::nullopt;
    if (!CheckFusedCapacity(problem_, architecture_, FusedOutline(problem_, *tree)).empty()) {
      return std::nullopt;
    }
    return SolutionOf(problem_, architecture_, *std::move(tree));
  }

  Certificate CertificateOf(const FusedCost& cost, int64_t bound) const {
    if (!trees_.Stopped() && bound != ProductSearch::kNone) return OffchipCertificate(cost, bound);
    Certificate certificate;
    certificate.objective = static_cast<double>(cost.offchip_words);
    return certificate;
  }

  // From the largest pad to the smallest: the best of one, then of one with less room than that.
  std::vector<FusedFrontPoint> Front(bool unfused) {
    std::vector<FusedFrontPoint> front;
    const auto bound = [&](int64_t room) {
      return unfused ? UnfusedBound(room) : trees_.Bound(0, graph_.nodes(), room);
    };
    for (int64_t room = options_.front->most_words; room >= 1;) {
      auto tree = unfused ? UnfusedTree(room) : trees_.Tree(0, graph_.nodes(), room);
      if (!tree || !Validate(problem_, *tree).empty()) break;
      auto solution = SolutionOf(problem_, architecture_, *std::move(tree));
      if (!solution) break;
      const int64_t words = Words(*solution), taken = solution->cost.counts.room_words;
      const int64_t below = bound(taken - 1);
      if (trees_.Stopped()) break;
      const bool proven = bound(taken) >= words && below > words;
      // Short tiles may move more words than counted: a smaller pad may be as good.
      while (!front.empty() && front.back().offchip_words >= words) front.pop_back();
      front.push_back({taken, words, proven, std::move(solution->tree)});
      if (taken <= options_.front->least_words) break;
      room = taken - 1;
    }
    std::reverse(front.begin(), front.end());
    return front;
  }

  Faults NoRoom() const {
    const Level& pad = architecture_.levels[LevelId(1)];
    return {{"levels." + pad.name,
             fmt::format("no fused mapping fits into '{}': a tree may take {} words of it",
                         pad.name, room_),
             "a node needs at least one word of each of its tensors at a time: give the level a "
             "larger capacity"}};
  }

  const FusedProblem& problem_;
  const Architecture& architecture_;
  const FuseOptions& options_;
  const ProductGraph& graph_;
  ProductTrees trees_;
  const int64_t room_;
};

}  // namespace

FuseAnswer FuseProducts(const FusedProblem& problem, const Architecture& architecture,
                        const FuseOptions& options, const ProductGraph& graph,
                        const Deadline& deadline) {
  return ProductAnswer(problem, architecture, options, graph, deadline).Make();
}

}  // namespace inlay

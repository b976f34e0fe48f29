#include "inlay/mapper/front.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "inlay/mapper/front/front_worker.h"

namespace inlay {
namespace {

using exact_search::ChainFault;
using exact_search::FrontArchive;
using exact_search::FrontWorker;
using exact_search::KeepCase;

std::vector<KeepCase> KeepCasesOf(const Space& space, TensorSet onchip) {
  std::vector<KeepCase> keep_cases;
  for (const auto& keeps : exact_search::KeepChoices(space)) {
    keep_cases.emplace_back(space, keeps);
    for (auto& edges : keep_cases.back().edges) {
      for (exact_search::Edge& edge : edges) {
        if (onchip.contains(TensorId(edge.tensor))) edge.offchip = false;
      }
    }
  }
  return keep_cases;
}

// Footprints by ascending bands, so that a band is listed without what the points of the bands
// before it exclude.
class FrontSearch {
 public:
  FrontSearch(const Space& space, const exact_search::Chains& chains,
              const std::vector<KeepCase>& keep_cases, TensorSet onchip, const Deadline& deadline)
      : deadline_(deadline) {
    if (space.architecture.levels.size() > 1) {
      for (const auto& tree : chains.trees) blocks_.emplace_back(chains.layout, tree);
    }
    for (const KeepCase& keep_case : keep_cases) {
      if (deadline.Passed()) return;
      workers_.push_back(std::make_unique<FrontWorker>(space, keep_case, chains, blocks_, onchip,
                                                       &archive_, deadline));
    }
  }

  // False if stopped.
  bool Run() {
    if (deadline_.Passed()) return false;
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0;
    for (const auto& worker : workers_) {
      smallest = std::min(smallest, worker->SmallestRoom());
      largest = std::max(largest, worker->LargestRoom());
    }
    double above = -1;
    for (double most = smallest;; most *= 2) {
      most = std::min(std::max(most, 1.0), largest);
      if (!RunBand(above, most)) return false;
      if (most == largest) return !deadline_.Passed();  // whose parts give up once it has
      above = most;
    }
  }

  LayerAnswer Answer() {
    LayerAnswer answer;
    answer.front = archive_.Take();
    for (const auto& worker : workers_) {
      answer.effort.nodes += worker->effort().nodes;
      answer.effort.evaluations += worker->effort().evaluations;
    }
    return answer;
  }

 private:
  bool RunBand(double above, double most) {
    struct Choice {
      FrontWorker* worker = nullptr;
      FrontWorker::Tiles tiles;
    };
    std::vector<Choice> choices;
    for (const auto& worker : workers_) {
      std::vector<FrontWorker::Tiles> found;
      if (!worker->List(above, most, &found)) return false;
      for (FrontWorker::Tiles& tiles : found) choices.push_back({worker.get(), std::move(tiles)});
    }
    std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
      if (a.tiles.footprint_words != b.tiles.footprint_words) {
        return a.tiles.footprint_words < b.tiles.footprint_words;
      }
      return a.tiles.bound.offchip_words < b.tiles.bound.offchip_words;
    });
    return std::all_of(choices.begin(), choices.end(), [&](const Choice& choice) {
      return choice.worker->Run(choice.tiles) && !deadline_.Passed();
    });
  }

  const Deadline& deadline_;
  std::vector<exact_search::TileBlocks> blocks_;  // by dimension
  FrontArchive archive_;
  std::vector<std::unique_ptr<FrontWorker>> workers_;  // by case
};

}  // namespace

LayerAnswer SearchFront(const Space& space, const MapOptions& options, const Deadline& deadline) {
  const TensorSet onchip = options.front->onchip;
  const auto chains = exact_search::BuildChains(
      space, exact_search::FrontStages(space.architecture.levels.size()), deadline);
  LayerAnswer answer;
  bool proven = !chains && chains.error() == ChainFault::kNone;
  if (!chains && chains.error() == ChainFault::kTooMany) {
    answer.unsupported.push_back({"mapspace", "the mapspace is too large to be searched",
                                  "try a smaller mapspace, or constraints on the factors"});
  }
  if (chains) {
    const std::vector<KeepCase> keep_cases = KeepCasesOf(space, onchip);
    FrontSearch search(space, *chains, keep_cases, onchip, deadline);
    proven = keep_cases.empty() || search.Run();
    answer = search.Answer();
  }
  answer.interrupted = !proven && answer.unsupported.empty();
  answer.certificate.status = proven ? CertificateStatus::kOptimal : CertificateStatus::kBounded;
  if (proven && answer.front.empty()) {
    answer.infeasible.push_back({"mapspace", "no mapping of the mapspace fits the architecture",
                                 "try a larger mapspace or fewer constraints"});
  }
  return answer;
}

}  // namespace inlay

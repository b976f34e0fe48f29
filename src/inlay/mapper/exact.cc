#include "inlay/mapper/exact.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "inlay/base/parallel.h"
#include "inlay/mapper/exact/search.h"
#include "inlay/mapper/front.h"

namespace inlay {
namespace {

using exact_search::ChainFault;
using exact_search::Chains;
using exact_search::Frame;
using exact_search::Incumbent;
using exact_search::Worker;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The search through one pass after the other, each with a higher cut-off.
class Search {
 public:
  Search(const Space& space, const MapOptions& options, const Deadline& deadline,
         const MapProgressSink& progress, const ExactSwitches& switches)
      : space_(space),
        options_(options),
        deadline_(deadline),
        progress_(progress),
        switches_(switches),
        incumbent_(options.objective) {}

  LayerAnswer Run();

 private:
  tl::expected<void, ChainFault> Prepare();
  LayerAnswer InSmallerSpace() const;
  void StartFromSmallerSpace();
  bool RootBounds();
  bool Pass(double cutoff);
  LayerAnswer Answer(bool proven) const;

  const Space& space_;
  const MapOptions& options_;
  const Deadline& deadline_;
  const MapProgressSink& progress_;
  ExactSwitches switches_;
  Incumbent incumbent_;
  std::optional<Chains> chains_;
  std::vector<Frame> frames_;
  std::vector<std::vector<exact_search::LevelLeast>> level_least_;  // by frame
  std::vector<double> root_;                                        // by frame
  double bound_ = 0;                                                // of the first metric, proven
  SearchEffort effort_;
};

tl::expected<void, ChainFault> Search::Prepare() {
  for (const auto& keeps : exact_search::KeepChoices(space_)) frames_.emplace_back(space_, keeps);
  // Steps depend on the lanes, energy more on the tile.
  const Metric metric = options_.objective[0];
  const bool timed = switches_.lanes == ExactSwitches::Lanes::kByObjective
                         ? metric == Metric::kDelay || metric == Metric::kEdp
                         : switches_.lanes == ExactSwitches::Lanes::kWithTile;
  const auto lanes =
      timed ? exact_search::LaneStage::kWithTile : exact_search::LaneStage::kAfterTile;
  auto chains = exact_search::BuildChains(
      space_, exact_search::StagesOf(space_.architecture.levels.size(), lanes), deadline_);
  if (!chains) return tl::unexpected(chains.error());
  chains_ = std::move(*chains);
  return {};
}

// The mapspace is too large to be listed dimension by dimension: the best of a smaller one, and a
// bound that holds in every mapspace.
LayerAnswer Search::InSmallerSpace() const {
  Space smaller = space_;
  smaller.mapspace = Mapspace::kPerfect;
  if (space_.mapspace == Mapspace::kRuby || space_.mapspace == Mapspace::kAny) {
    smaller.mapspace = Mapspace::kRubyS;
  }
  LayerAnswer answer;
  if (smaller.mapspace != space_.mapspace && space_.mapspace != Mapspace::kPadded) {
    answer = SearchExact(smaller, options_, deadline_, progress_);
    answer.interrupted = deadline_.Passed();
  }
  double least = kInfinity;
  for (const Frame& frame : frames_) {
    least = std::min(least, exact_search::SafeLeast(exact_search::LeastOfAll(space_, frame),
                                                    options_.objective[0]));
  }
  if (!answer.best && !deadline_.Passed()) {
    answer.unable.push_back({"mapspace", "the mapspace is too large to be searched",
                             "try a smaller mapspace, or constraints on the factors"});
  }
  answer.infeasible.clear();  // of the smaller mapspace
  answer.certificate.status = CertificateStatus::kBounded;
  answer.certificate.lower_bound = least;
  return answer;
}

bool Search::RootBounds() {
  bound_ = kInfinity;
  for (const Frame& frame : frames_) {
    level_least_.push_back(
        exact_search::LeastByLevel(frame, *chains_, options_.objective[0], deadline_));
    Worker worker(space_, frame, *chains_, level_least_.back(), switches_, &incumbent_, deadline_);
    root_.push_back(worker.LeastJob());
    bound_ = std::min(bound_, root_.back());
    effort_.nodes += worker.effort().nodes;
    if (deadline_.Passed()) return false;
  }
  return true;
}

bool Search::Pass(double cutoff) {
  int64_t number = 0;
  for (size_t f = 0; f < frames_.size(); ++f) {
    if (root_[f] > cutoff) continue;
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < std::max(1, options_.threads); ++i) {
      workers.push_back(std::make_unique<Worker>(space_, frames_[f], *chains_, level_least_[f],
                                                 switches_, &incumbent_, deadline_));
    }
    const auto jobs = workers[0]->ListJobs(cutoff);
    if (!jobs) return false;
    std::atomic<bool> stopped{false};
    // The best jobs are dived into for a first answer.
    const size_t dives = switches_.dives ? 8 : 0;
    for (size_t i = 0; i < std::min(dives, jobs->size()) && !incumbent_.best(); ++i) {
      const int64_t job = number + static_cast<int64_t>(i);
      if (!workers[0]->Run((*jobs)[i], job, kInfinity, true)) return false;
    }
    ParallelFor(jobs->size(), options_.threads, [&](size_t index, size_t worker) {
      if (stopped.load(std::memory_order_relaxed)) return;
      if (!workers[worker]->Run((*jobs)[index], number + static_cast<int64_t>(index), cutoff)) {
        stopped.store(true, std::memory_order_relaxed);
      }
    });
    number += static_cast<int64_t>(jobs->size());
    for (const auto& worker : workers) {
      effort_.nodes += worker->effort().nodes;
      effort_.evaluations += worker->effort().evaluations;
    }
    if (stopped) return false;
  }
  return true;
}

// The frame (MapLayer) completes the certificate and says why there is no mapping.
LayerAnswer Search::Answer(bool proven) const {
  LayerAnswer answer;
  answer.best = incumbent_.best();
  answer.effort = effort_;
  answer.interrupted = !proven;
  answer.certificate.status = proven ? CertificateStatus::kOptimal : CertificateStatus::kBounded;
  if (bound_ < kInfinity) answer.certificate.lower_bound = bound_;
  if (proven && !answer.best) {
    answer.infeasible.push_back({"mapspace", "no mapping of the mapspace fits the architecture",
                                 "try a larger mapspace or fewer constraints"});
  }
  return answer;
}

// Perfect mappings are mappings of every other mapspace but `padded`: the best of them is a first
// answer. It gives way to an equal one, so that the end is the same with and without it.
void Search::StartFromSmallerSpace() {
  if (!switches_.dives || space_.mapspace == Mapspace::kPerfect ||
      space_.mapspace == Mapspace::kPadded) {
    return;
  }
  Space smaller = space_;
  smaller.mapspace = Mapspace::kPerfect;
  std::optional<double> seconds;
  if (options_.time_limit_seconds) {
    seconds = std::max(0.0, *options_.time_limit_seconds - deadline_.SecondsSinceStart()) / 2;
  }
  const Deadline deadline(deadline_.stop(), seconds);
  const LayerAnswer answer = SearchExact(smaller, options_, deadline, {}, switches_);
  effort_.nodes += answer.effort.nodes;
  effort_.evaluations += answer.effort.evaluations;
  if (answer.best) incumbent_.Offer(*answer.best, Incumbent::kSeed);
}

LayerAnswer Search::Run() {
  if (const auto ready = Prepare(); !ready) {
    if (ready.error() == ChainFault::kTooMany) return InSmallerSpace();
    return Answer(ready.error() == ChainFault::kNone);
  }
  if (!RootBounds()) {
    bound_ = 0;
    return Answer(false);
  }
  if (bound_ == kInfinity) return Answer(true);
  StartFromSmallerSpace();
  const double root = bound_;
  constexpr std::array kCutoffs = {1.02, 1.06, 1.15, 1.4, 2.0, 4.0};
  for (size_t i = 0;; ++i) {
    double cutoff = i < kCutoffs.size() && root > 0 ? root * kCutoffs[i] : kInfinity;
    cutoff = std::min(cutoff, incumbent_.first());
    if (!Pass(cutoff)) return Answer(false);
    bound_ = std::min(cutoff, incumbent_.first());
    if (incumbent_.first() <= cutoff) return Answer(true);
    incumbent_.ForgetJob();
    if (!progress_) continue;
    std::optional<double> best;
    if (incumbent_.best()) best = incumbent_.first();
    progress_({0, best, bound_});
  }
}

}  // namespace

LayerAnswer SearchExact(const Space& space, const MapOptions& options, const Deadline& deadline,
                        const MapProgressSink& progress, const ExactSwitches& switches) {
  return Search(space, options, deadline, progress, switches).Run();
}

LayerAnswer SearchExact(const Space& space, const MapOptions& options, const Deadline& deadline,
                        const MapProgressSink& progress) {
  if (options.front) return SearchFront(space, options, deadline);
  return SearchExact(space, options, deadline, progress, {});
}

}  // namespace inlay

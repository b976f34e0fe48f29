#include "inlay/mapper/exact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "inlay/base/parallel.h"
#include "inlay/mapper/exact/descent.h"
#include "inlay/mapper/exact/families.h"
#include "inlay/mapper/exact/first_mapping.h"
#include "inlay/mapper/exact/tiling_search.h"
#include "inlay/mapper/front.h"

namespace inlay {
namespace {

using exact_search::ChainFault;
using exact_search::Chains;
using exact_search::Frame;
using exact_search::Incumbent;
using exact_search::TilingSearch;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The search through one pass after the other, each with a higher cut-off.
class MappingSearch {
 public:
  MappingSearch(const Space& space, const MapOptions& options, const Deadline& deadline,
                const MapProgressSink& progress, const ExactSwitches& switches)
      : space_(space),
        options_(options),
        deadline_(deadline),
        progress_(progress),
        switches_(switches),
        incumbent_(options.objective) {
    // Values that differ by rounding only are equal, and a later metric may then decide.
    if (options.cutoff) ceiling_ = options.cutoff->front() * (1 + 1e-9);
    for (const auto& keeps : exact_search::KeepChoices(space_)) frames_.emplace_back(space_, keeps);
    // The bound changes between passes only, when no other thread runs.
    if (progress_) incumbent_.Watch([this](double first) { progress_({0, first, bound_}); });
  }

  // What the incumbent calls refers to this.
  MappingSearch(const MappingSearch&) = delete;
  MappingSearch& operator=(const MappingSearch&) = delete;

  LayerAnswer Run();

 private:
  tl::expected<void, ChainFault> Prepare();
  LayerAnswer RunPasses();
  void FindFirst();
  void StartFromSmallerSpaces();
  std::optional<Solution> Start(Mapspace mapspace, const std::optional<Solution>& from);
  bool IsSoonOver() const;
  double BoundOfFrames() const;
  double ShareUntilSettled(Mapspace mapspace) const;
  void Improve();
  void BoundByFamilies();
  bool IsProven() const;
  bool RootBounds();
  bool IsAtRoot();
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
  std::vector<std::vector<exact_search::LevelBound>> level_bounds_;  // by frame
  std::vector<double> root_;                                         // by frame
  double bound_ = 0;                                                 // of the first metric, proven
  std::optional<double> width_;      // of the families that stand for chains; none: chains
  double ceiling_ = kInfinity;       // no use to prove more than this
  bool part_ = false;                // of the search of a larger space, which asks for answers only
  std::optional<Deadline> settled_;  // when answers are no longer taken
  SearchEffort effort_;
};

tl::expected<void, ChainFault> MappingSearch::Prepare() {
  // Steps depend on the lanes, energy more on the tile.
  const Metric metric = options_.objective[0];
  const bool timed = switches_.lanes == ExactSwitches::Lanes::kByObjective
                         ? metric == Metric::kDelay || metric == Metric::kEdp
                         : switches_.lanes == ExactSwitches::Lanes::kWithTile;
  const auto lanes =
      timed ? exact_search::LaneStage::kWithTile : exact_search::LaneStage::kAfterTile;
  const auto stages = exact_search::StagesOf(space_.architecture.levels.size(), lanes);
  auto chains = width_ ? exact_search::BuildFamilies(space_, stages, *width_, deadline_)
                       : exact_search::BuildChains(space_, stages, deadline_);
  if (!chains) return tl::unexpected(chains.error());
  chains_ = std::move(*chains);
  return {};
}

// Whether the bound alone shows that nothing is better, but for the rounding of sums.
bool MappingSearch::IsProven() const {
  return incumbent_.best() && options_.objective.size() == 1 &&
         bound_ >= incumbent_.first() * (1 - 1e-11);
}

// A lower bound where the chains are too many: coarse families first, finer ones as long as there
// is time.
void MappingSearch::BoundByFamilies() {
  bound_ = BoundOfFrames();
  if (space_.mapspace == Mapspace::kPadded) return;
  MapOptions options = options_;
  options.objective = {options_.objective[0]};
  const MapProgressSink silent;  // outlives the searches, which hold a reference
  for (const double width : {kInfinity, 0.25, 0.1, 0.04, 0.0}) {
    if (IsProven() || deadline_.Passed()) return;
    MappingSearch search(space_, options, deadline_, silent, switches_);
    search.width_ = width;
    search.ceiling_ = std::min(incumbent_.first(), ceiling_);
    search.bound_ = bound_;
    const LayerAnswer answer = search.RunPasses();
    bound_ = std::max(bound_, search.bound_);
    effort_.nodes += search.effort_.nodes;
    if (answer.interrupted || bound_ > ceiling_) return;
    if (progress_ && incumbent_.best()) progress_({0, incumbent_.first(), bound_});
  }
}

double MappingSearch::BoundOfFrames() const {
  double least = kInfinity;
  for (const Frame& frame : frames_) {
    least = std::min(least, exact_search::SafeBound(exact_search::BoundOfAll(space_, frame),
                                                    options_.objective[0]));
  }
  return least;
}

bool MappingSearch::RootBounds() {
  double least = kInfinity;
  for (const Frame& frame : frames_) {
    level_bounds_.push_back(
        exact_search::BoundsByLevel(frame, *chains_, options_.objective[0], deadline_));
    TilingSearch worker(space_, frame, *chains_, level_bounds_.back(), switches_, &incumbent_,
                        deadline_);
    root_.push_back(worker.LowestJob());
    least = std::min(least, root_.back());
    effort_.nodes += worker.effort().nodes;
    if (deadline_.Passed()) return false;
  }
  bound_ = std::max(bound_, least);
  return true;
}

// Cycles are whole numbers, and many mappings can take the fewest: whether a dive or two find one
// that takes as few as the bound says.
bool MappingSearch::IsAtRoot() {
  if (!switches_.dives || width_ || options_.objective != Objective{Metric::kDelay}) return false;
  const double fewest = std::ceil(bound_);
  for (size_t f = 0; f < frames_.size() && incumbent_.first() > fewest; ++f) {
    if (root_[f] > fewest) continue;
    TilingSearch worker(space_, frames_[f], *chains_, level_bounds_[f], switches_, &incumbent_,
                        deadline_);
    int64_t number = 0;
    for (const TilingSearch::Job& job : worker.FirstJobs(fewest, 8)) {
      if (!worker.Run(job, number++, kInfinity, true) || incumbent_.first() <= fewest) break;
    }
    effort_.nodes += worker.effort().nodes;
    effort_.evaluations += worker.effort().evaluations;
  }
  incumbent_.ForgetJob();
  if (incumbent_.first() > fewest) return false;
  bound_ = incumbent_.first();
  return true;
}

bool MappingSearch::Pass(double cutoff) {
  int64_t number = 0;
  for (size_t f = 0; f < frames_.size(); ++f) {
    if (root_[f] > cutoff) continue;
    std::vector<std::unique_ptr<TilingSearch>> workers;
    for (int i = 0; i < std::max(1, options_.threads); ++i) {
      workers.push_back(std::make_unique<TilingSearch>(
          space_, frames_[f], *chains_, level_bounds_[f], switches_, &incumbent_, deadline_));
    }
    const auto jobs = workers[0]->ListJobs(cutoff);
    if (!jobs) return false;
    std::atomic<bool> stopped{false};
    // The best jobs are dived into for answers to begin with, until one is near the bound.
    const size_t dives = switches_.dives && !width_ ? 8 : 0;
    const auto is_far = [&] { return incumbent_.first() > 1.1 * root_[f]; };
    for (size_t i = 0; i < std::min(dives, jobs->size()) && is_far(); ++i) {
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
LayerAnswer MappingSearch::Answer(bool proven) const {
  LayerAnswer answer;
  // What is above the ceiling is not asked for, nor proven to be the best.
  if (incumbent_.first() <= ceiling_) answer.best = incumbent_.best();
  answer.effort = effort_;
  answer.interrupted = !proven;
  answer.certificate.status = proven ? CertificateStatus::kOptimal : CertificateStatus::kBounded;
  if (bound_ < kInfinity) answer.certificate.lower_bound = bound_;
  if (proven && !answer.best && !options_.cutoff) {
    answer.infeasible.push_back({"mapspace", "no mapping of the mapspace fits the architecture",
                                 "try a larger mapspace or fewer constraints"});
  }
  return answer;
}

// An answer and a bound before anything that takes long. Who asks for a better mapping than some
// other has an answer already.
void MappingSearch::FindFirst() {
  std::optional<Solution> first;
  if (!incumbent_.best() && !options_.cutoff) {
    first = exact_search::FirstMapping(space_, options_.objective);
  }
  if (first) incumbent_.Offer(*first, Incumbent::kSeed);
  const double least = BoundOfFrames();
  if (least < kInfinity) bound_ = std::max(bound_, least);
  if (first && progress_) progress_({0, incumbent_.first(), bound_});
}

// Cycles make the bounds tight and short tiles worthwhile: then a small space is soon searched, and
// divisors are no good beginning.
bool MappingSearch::IsSoonOver() const {
  const bool cycles =
      options_.objective[0] == Metric::kEdp || options_.objective[0] == Metric::kDelay;
  const bool small = space_.mapspace == Mapspace::kPadded || space_.mapspace == Mapspace::kRubyS ||
                     space_.mapspace == Mapspace::kRubyT;
  return small && cycles && space_.architecture.levels.size() <= 3;
}

// How much of the limit has gone when the answer of a space, whose search begins now, is settled:
// what is left is for proofs and for larger spaces. `ruby` holds two spaces that hold not each
// other, so the second of them gets a share of its own instead. As a part of a larger space's
// search it has some more time than by itself, because no machine is equally fast all the time.
double MappingSearch::ShareUntilSettled(Mapspace mapspace) const {
  const double alone = mapspace == space_.mapspace ? 0.85 : 1;
  switch (mapspace) {
    case Mapspace::kPerfect:
      return alone * 0.6;
    case Mapspace::kRubyS:
      return alone * 0.8;
    case Mapspace::kRubyT:
      return deadline_.Gone() + alone * 0.1;
    case Mapspace::kRuby:
      return alone * 0.95;
    case Mapspace::kPadded:
    case Mapspace::kAny:
      return 1;
  }
  return 1;
}

// The search of a smaller space as it would be by itself up to where its answer is settled: so with
// the same limit the larger space answers no worse. What it finds gives way to equal answers, so
// that an end by proof is the same with and without it.
std::optional<Solution> MappingSearch::Start(Mapspace mapspace,
                                             const std::optional<Solution>& from) {
  Space space = space_;
  space.mapspace = mapspace;
  const Deadline deadline(deadline_, ShareUntilSettled(mapspace));
  ExactSwitches switches = switches_;
  switches.families = false;
  MapProgressSink forward;
  if (progress_) {
    forward = [&](const MapProgress& state) {
      const bool better = state.incumbent && *state.incumbent < incumbent_.first();
      if (better) progress_({0, state.incumbent, bound_});
    };
  }
  MappingSearch search(space, options_, deadline, forward, switches);
  search.part_ = true;
  search.ceiling_ = ceiling_;
  search.incumbent_.CloseAt(&deadline);
  if (from) search.incumbent_.Offer(*from, Incumbent::kSeed);
  const LayerAnswer answer = search.Run();
  effort_.nodes += answer.effort.nodes;
  effort_.evaluations += answer.effort.evaluations;
  if (answer.best) incumbent_.Offer(*answer.best, Incumbent::kSeed);
  return search.incumbent_.best();
}

// Each from what the spaces that it holds have found.
void MappingSearch::StartFromSmallerSpaces() {
  if (part_ || space_.mapspace == Mapspace::kPerfect) return;
  const auto perfect = Start(Mapspace::kPerfect, std::nullopt);
  if (space_.mapspace != Mapspace::kRuby && space_.mapspace != Mapspace::kAny) return;
  Start(Mapspace::kRubyS, perfect);
  Start(Mapspace::kRubyT, perfect);
  if (space_.mapspace == Mapspace::kAny) Start(Mapspace::kRuby, incumbent_.best());
}

// A better mapping near the best one.
void MappingSearch::Improve() {
  if (!incumbent_.best() || space_.mapspace == Mapspace::kPadded) return;
  const double gone = deadline_.Gone();
  const Deadline deadline(settled_ ? *settled_ : deadline_, gone + (1 - gone) / 6);
  Solution solution = *incumbent_.best();
  exact_search::Descend(space_, options_.objective, deadline, &solution, &effort_);
  incumbent_.Offer(solution, Incumbent::kSeed);
}

LayerAnswer MappingSearch::Run() {
  if (switches_.dives) FindFirst();
  const bool at_once = IsSoonOver() && (!deadline_.Limited() || options_.cutoff);
  if (switches_.dives && !at_once) StartFromSmallerSpaces();
  if (deadline_.Limited() && !part_) {
    settled_.emplace(deadline_, ShareUntilSettled(space_.mapspace));
    incumbent_.CloseAt(&*settled_);
  }
  // Before tables are built, which a short limit may not leave the time for.
  const bool hurried = switches_.dives && deadline_.Limited() && !options_.cutoff;
  if (hurried) Improve();
  const auto ready = Prepare();
  const bool too_many = !ready && ready.error() == ChainFault::kTooMany;
  if (too_many && at_once) StartFromSmallerSpaces();  // it is not
  if (too_many || switches_.families) {
    if (!hurried) Improve();
    if (part_) return Answer(false);
    BoundByFamilies();
    if (IsProven() || bound_ == kInfinity || bound_ > ceiling_) return Answer(true);
  }
  if (ready) return RunPasses();
  if (too_many && !incumbent_.best() && !deadline_.Passed()) {
    LayerAnswer answer = Answer(false);
    answer.interrupted = false;
    answer.unable.push_back({"mapspace", "the mapspace is too large to be searched",
                             "try a smaller mapspace, or constraints on the factors"});
    return answer;
  }
  return Answer(ready.error() == ChainFault::kNone);
}

// Passes with ever higher cut-offs, from what is known already.
LayerAnswer MappingSearch::RunPasses() {
  if (!chains_) {
    if (const auto ready = Prepare(); !ready) return Answer(ready.error() == ChainFault::kNone);
  }
  if (!RootBounds()) return Answer(false);
  if (bound_ == kInfinity || bound_ > ceiling_) return Answer(true);
  if (IsAtRoot()) return Answer(true);
  const double root = bound_;
  constexpr std::array kCutoffs = {1.02, 1.06, 1.15, 1.4, 2.0, 4.0};
  for (size_t i = 0;; ++i) {
    double cutoff = i < kCutoffs.size() && root > 0 ? root * kCutoffs[i] : kInfinity;
    cutoff = std::min({cutoff, incumbent_.first(), ceiling_});
    if (!Pass(cutoff)) return Answer(false);
    bound_ = std::min(cutoff, incumbent_.first());
    if (incumbent_.first() <= cutoff || cutoff == ceiling_) return Answer(true);
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
  return MappingSearch(space, options, deadline, progress, switches).Run();
}

LayerAnswer SearchExact(const Space& space, const MapOptions& options, const Deadline& deadline,
                        const MapProgressSink& progress) {
  if (options.front) return SearchFront(space, options, deadline);
  return SearchExact(space, options, deadline, progress, {});
}

}  // namespace inlay

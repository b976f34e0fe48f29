#include "inlay/mapper/exact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/parallel.h"
#include "inlay/mapper/exact/box_search.h"
#include "inlay/mapper/exact/families.h"
#include "inlay/mapper/exact/first_mapping.h"
#include "inlay/mapper/exact/products/product_passes.h"
#include "inlay/mapper/exact/quick_answers.h"
#include "inlay/mapper/exact/tiling_search.h"
#include "inlay/mapper/front.h"
#include "inlay/mapper/uneven.h"

namespace inlay {
namespace {

using exact_search::ChainFault;
using exact_search::Chains;
using exact_search::Incumbent;
using exact_search::KeepCase;
using exact_search::LocalSearch;
using exact_search::ProductPasses;
using exact_search::QuickAnswers;
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
    for (const auto& keeps : exact_search::KeepChoices(space_))
      keep_cases_.emplace_back(space_, keeps);
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
  LayerAnswer RunProducts();
  void FindFirst();
  void FindQuickly();
  void StartFromSmallerSpaces();
  void Start(Mapspace mapspace);
  bool IsSoonOver() const;
  double BoundOfCases();
  double ShareUntilSettled(Mapspace mapspace) const;
  void Improve(int64_t evaluations, const Deadline& deadline);
  void ImproveFirst(double share, int64_t evaluations);
  void Between();
  void ShareTime(TilingSearch* worker);
  void BoundByBoxes(double share);
  void BoundByFamilies();
  bool IsProven() const;
  bool RootBounds();
  bool IsAtRoot();
  bool Pass(double cutoff);
  bool TriesProducts() const;
  LayerAnswer RaiseCutoffs(double root, std::span<const double> factors,
                           const std::function<bool(double)>& pass);
  LayerAnswer Answer(bool proven) const;

  const Space& space_;
  const MapOptions& options_;
  const Deadline& deadline_;
  const MapProgressSink& progress_;
  ExactSwitches switches_;
  Incumbent incumbent_;
  std::optional<Chains> chains_;
  std::vector<KeepCase> keep_cases_;
  std::vector<std::vector<exact_search::LevelBound>> level_bounds_;  // by case
  std::vector<double> root_;                                         // by case
  double bound_ = 0;                                                 // of the first metric, proven
  std::optional<ProductPasses> products_;                            // instead of chains
  std::unique_ptr<exact_search::BoxSearch> boxes_;                   // none before it is asked for
  std::optional<double> width_;      // of the families that stand for chains; none: chains
  double ceiling_ = kInfinity;       // no use to prove more than this
  bool part_ = false;                // of the search of a larger space, which asks for answers only
  std::optional<Deadline> settled_;  // when answers are no longer taken
  double settled_at_ = 1;            // the same as a share of the limit
  std::optional<QuickAnswers> quick_;       // with the local searches of smaller spaces
  LocalSearch* local_ = nullptr;            // of this space; none: nothing to start from, or padded
  std::unique_ptr<LocalSearch> own_local_;  // where quick answers are not asked for
  bool hurried_ = false;                    // answers first, tables later
  std::function<void()> beyond_;            // of the search that this one is a part of: its Between
  int64_t betweens_ = 0;
  std::map<Mapspace, Solution> found_;  // by the searches of smaller spaces
  double fixed_ = 0;                    // of the first metric: what no mapping changes
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

// A lower bound that needs no chains, raised for at most such a share of the time that is left, as
// long as it rises noticeably.
void MappingSearch::BoundByBoxes(double share) {
  constexpr int64_t kSlice = 2000;     // ranges cut at a time
  constexpr int kPatience = 6;         // slices
  constexpr double kLeastRise = 2e-4;  // in so many slices
  if (boxes_ == nullptr) {
    boxes_ = std::make_unique<exact_search::BoxSearch>(space_, keep_cases_, options_.objective[0]);
  }
  if (!boxes_->applies()) return;
  const double gone = deadline_.Gone();
  const Deadline part(deadline_, gone + std::max(0.0, 1 - gone) * share);
  DeadlineWatch watch(part, 4);
  const int64_t before = boxes_->ranges();
  double noticed = 0;
  int slices = 0;
  for (bool more = true; more && !IsProven() && slices < kPatience;) {
    more = boxes_->Run(std::min(incumbent_.first(), ceiling_), kSlice, &watch);
    bound_ = std::max(bound_, std::min(boxes_->bound(), incumbent_.first()));
    if (progress_ && incumbent_.best()) progress_({0, incumbent_.first(), bound_});
    if (more) Between();
    ++slices;
    if (boxes_->bound() > noticed * (1 + kLeastRise)) {
      noticed = boxes_->bound();
      slices = 0;
    }
  }
  effort_.nodes += boxes_->ranges() - before;
}

// A lower bound where the chains are too many: coarse families first, finer ones as long as there
// is time.
void MappingSearch::BoundByFamilies() {
  bound_ = std::max(bound_, BoundOfCases());
  if (space_.mapspace == Mapspace::kPadded) return;
  BoundByBoxes(0.6);
  if (bound_ > ceiling_) return;
  MapOptions options = options_;
  options.objective = {options_.objective[0]};
  const MapProgressSink silent;  // outlives the searches, which hold a reference
  for (const double width : {kInfinity, 0.25, 0.1, 0.04, 0.0}) {
    if (IsProven() || deadline_.Passed()) return;
    MappingSearch search(space_, options, deadline_, silent, switches_);
    search.width_ = width;
    search.beyond_ = [this] { Between(); };
    search.ceiling_ = std::min(incumbent_.first(), ceiling_);
    search.bound_ = bound_;
    const LayerAnswer answer = search.RunPasses();
    bound_ = std::max(bound_, search.bound_);
    effort_.nodes += search.effort_.nodes;
    if (answer.interrupted || bound_ > ceiling_) return;
    if (progress_ && incumbent_.best()) progress_({0, incumbent_.first(), bound_});
  }
}

double MappingSearch::BoundOfCases() {
  const Metric metric = options_.objective[0];
  double least = kInfinity;
  fixed_ = kInfinity;
  for (const KeepCase& keep_case : keep_cases_) {
    const auto bound = exact_search::BoundOfAll(space_, keep_case);
    least = std::min(least, exact_search::SafeBound(bound, metric));
    fixed_ = std::min(fixed_, exact_search::FixedPart(space_.problem, keep_case, bound, metric));
  }
  return least;
}

bool MappingSearch::RootBounds() {
  double least = kInfinity;
  for (const KeepCase& keep_case : keep_cases_) {
    level_bounds_.push_back(
        exact_search::BoundsByLevel(keep_case, *chains_, options_.objective[0], deadline_));
    TilingSearch worker(space_, keep_case, *chains_, level_bounds_.back(), switches_, &incumbent_,
                        deadline_);
    ShareTime(&worker);
    root_.push_back(worker.LowestJob(fixed_));
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
  for (size_t f = 0; f < keep_cases_.size() && incumbent_.first() > fewest; ++f) {
    if (root_[f] > fewest) continue;
    TilingSearch worker(space_, keep_cases_[f], *chains_, level_bounds_[f], switches_, &incumbent_,
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
  for (size_t f = 0; f < keep_cases_.size(); ++f) {
    if (root_[f] > cutoff) continue;
    std::vector<std::unique_ptr<TilingSearch>> workers;
    for (int i = 0; i < std::max(1, options_.threads); ++i) {
      workers.push_back(std::make_unique<TilingSearch>(
          space_, keep_cases_[f], *chains_, level_bounds_[f], switches_, &incumbent_, deadline_));
    }
    ShareTime(workers[0].get());
    const auto jobs = workers[0]->ListJobs(cutoff);
    if (!jobs) return false;
    std::atomic<bool> stopped{false};
    // The best jobs are dived into for answers to begin with, until one is near the bound.
    const size_t dives = switches_.dives && !width_ && local_ == nullptr ? 8 : 0;
    const auto is_far = [&] { return incumbent_.first() > 1.1 * root_[f]; };
    for (size_t i = 0; i < std::min(dives, jobs->size()) && is_far(); ++i) {
      if (!workers[0]->Run((*jobs)[i], Incumbent::kSeed, kInfinity, true)) return false;
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

// MapLayer completes the certificate and says why there is no mapping.
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

// An answer and a bound before anything that takes long. With a cutoff no first answer is needed:
// the caller has one.
void MappingSearch::FindFirst() {
  std::optional<Solution> first;
  if (!incumbent_.best() && !options_.cutoff) {
    first = exact_search::FirstMapping(space_, options_.objective);
  }
  if (first) incumbent_.Offer(*first, Incumbent::kSeed);
  const double least = BoundOfCases();
  if (least < kInfinity) bound_ = std::max(bound_, least);
  if (first && progress_) progress_({0, incumbent_.first(), bound_});
}

void MappingSearch::FindQuickly() {
  quick_.emplace(space_, options_.objective, deadline_, &incumbent_);
  const QuickAnswers::Part& part = quick_->PartOf(space_.mapspace);
  local_ = part.search.get();
  hurried_ = part.hurried;
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
// search it has some more time than by itself, because no machine is equally fast all the time, and
// all the time that the quick answers of larger spaces have taken before.
double MappingSearch::ShareUntilSettled(Mapspace mapspace) const {
  // The rounding of the sum must not make a difference of one look at the clock.
  const double beyond = quick_ ? quick_->ShareSpentBeyond(mapspace) - 1e-9 : 0;
  const double alone = mapspace == space_.mapspace ? 0.85 : 1;
  switch (mapspace) {
    case Mapspace::kPerfect:
      return alone * 0.45 + beyond;
    case Mapspace::kRubyS:
      return alone * 0.65 + beyond;
    case Mapspace::kRubyT:
      return deadline_.Gone() + alone * 0.1;
    case Mapspace::kRuby:
      return alone * 0.85 + beyond;
    case Mapspace::kPadded:
    case Mapspace::kAny:
    case Mapspace::kUneven:
      return 1;
  }
  return 1;
}

// The search of a smaller space as it would be by itself up to where its answer is settled: so with
// the same limit the larger space answers no worse. What it finds gives way to equal answers, so
// that an end by proof is the same with and without it.
void MappingSearch::Start(Mapspace mapspace) {
  Space space = space_;
  space.mapspace = mapspace;
  const double settled_at = ShareUntilSettled(mapspace);
  const Deadline deadline(deadline_, settled_at);
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
  search.bound_ = bound_;
  search.settled_at_ = settled_at;
  search.ceiling_ = ceiling_;
  search.incumbent_.CloseAt(&deadline);
  for (const auto& [smaller, solution] : found_) {
    if (exact_search::Holds(mapspace, smaller)) {
      search.incumbent_.Offer(solution, Incumbent::kSeed);
    }
  }
  if (quick_) {
    QuickAnswers::Part& part = quick_->PartOf(mapspace);
    search.local_ = part.search.get();
    search.hurried_ = part.hurried;
    search.beyond_ = [this] { Improve(256, deadline_); };
    if (part.search != nullptr) search.incumbent_.Offer(part.search->best(), Incumbent::kSeed);
  }
  const LayerAnswer answer = search.Run();
  effort_.nodes += answer.effort.nodes;
  effort_.evaluations += answer.effort.evaluations;
  if (answer.best) incumbent_.Offer(*answer.best, Incumbent::kSeed);
  if (search.incumbent_.best()) found_[mapspace] = *search.incumbent_.best();
}

// Each from what the spaces that it holds have found.
void MappingSearch::StartFromSmallerSpaces() {
  if (part_) return;
  for (const Mapspace mapspace : exact_search::MapspacesWithin(space_.mapspace)) {
    if (mapspace != space_.mapspace) Start(mapspace);
  }
}

// Goes on with the local search, for a while.
void MappingSearch::Improve(int64_t evaluations, const Deadline& deadline) {
  if (local_ == nullptr || deadline.Passed()) return;
  if (const auto better = incumbent_.BestIfBetter(local_->best_values())) local_->Offer(*better);
  const int64_t before = local_->evaluations();
  DeadlineWatch watch(deadline);
  if (local_->Run(evaluations, &watch)) incumbent_.Offer(local_->best(), Incumbent::kSeed);
  effort_.evaluations += local_->evaluations() - before;
}

// The same before tables are built, with at most such a share of what is left of the time.
void MappingSearch::ImproveFirst(double share, int64_t evaluations) {
  if (local_ == nullptr && incumbent_.best() && space_.mapspace != Mapspace::kPadded) {
    own_local_ = std::make_unique<LocalSearch>(space_, options_.objective, *incumbent_.best());
    local_ = own_local_.get();
  }
  const double gone = deadline_.Gone();
  const Deadline deadline(settled_ ? *settled_ : deadline_,
                          gone + std::max(0.0, settled_at_ - gone) * share);
  // Where hardly anything can be tiled, few changes are all there are.
  const int64_t most = SaturatingMultiply(16, Operations(space_.problem));
  Improve(std::min(evaluations, most), deadline);
}

// Now and then during the search, in one of its threads.
void MappingSearch::Between() {
  constexpr int64_t kSlice = 512;
  constexpr int64_t kHopeless = 100'000;  // evaluations without a better mapping
  ++betweens_;
  if (local_ != nullptr && (local_->unimproved() < kHopeless || betweens_ % 8 == 0)) {
    Improve(kSlice, settled_ ? *settled_ : deadline_);
  }
  if (beyond_) beyond_();
}

void MappingSearch::ShareTime(TilingSearch* worker) {
  if (local_ != nullptr || beyond_) worker->SetBetween([this] { Between(); });
}

LayerAnswer MappingSearch::Run() {
  if (switches_.dives) FindFirst();
  const bool at_once = IsSoonOver() && (!deadline_.Limited() || options_.cutoff);
  if (switches_.dives && !at_once && !part_ && !options_.cutoff) FindQuickly();
  const bool wide = space_.mapspace == Mapspace::kAny || space_.mapspace == Mapspace::kRuby;
  if (wide && !at_once && !part_) {
    BoundByBoxes(0.02);
    if (IsProven()) return Answer(true);
  }
  if (switches_.dives && !at_once) StartFromSmallerSpaces();
  if (deadline_.Limited() && !part_) {
    settled_at_ = ShareUntilSettled(space_.mapspace);
    settled_.emplace(deadline_, settled_at_);
    incumbent_.CloseAt(&*settled_);
  }
  // Before tables are built, which a short limit may not leave the time for.
  if (hurried_) ImproveFirst(0.6, 20'000);
  if (TriesProducts()) {
    products_.emplace(space_, keep_cases_, &incumbent_, options_.threads, deadline_);
    if (products_->possible()) return RunProducts();
    products_.reset();
  }
  const auto ready = Prepare();
  const bool too_many = !ready && ready.error() == ChainFault::kTooMany;
  if (too_many && at_once) StartFromSmallerSpaces();  // it is not
  if (too_many || switches_.families) {
    ImproveFirst(1.0 / 6, 100'000);
    if (part_) return Answer(false);
    BoundByFamilies();
    if (IsProven() || bound_ == kInfinity || bound_ > ceiling_) return Answer(true);
  }
  if (ready) return RunPasses();
  if (too_many && !incumbent_.best() && !deadline_.Passed()) {
    LayerAnswer answer = Answer(false);
    answer.interrupted = false;
    answer.unsupported.push_back({"mapspace", "the mapspace is too large to be searched",
                                  "try a smaller mapspace, or constraints on the factors"});
    return answer;
  }
  return Answer(ready.error() == ChainFault::kNone);
}

bool MappingSearch::TriesProducts() const {
  constexpr size_t kDeep = 4;  // levels
  const Metric metric = options_.objective[0];
  const bool products =
      space_.mapspace == Mapspace::kPerfect || space_.mapspace == Mapspace::kRubyS;
  if (!products || switches_.families) return false;
  if (HasTimeKeys(space_.architecture)) return false;  // its counts are words and steps
  if (metric != Metric::kEnergy && metric != Metric::kEdp) return false;
  switch (switches_.products) {
    case ExactSwitches::Products::kNever:
      return false;
    case ExactSwitches::Products::kWherePossible:
      return true;
    case ExactSwitches::Products::kOnDeepMachines:
      break;
  }
  // Where ports limit the cycles, the bounds of products are far from the truth.
  if (metric == Metric::kEdp && !keep_cases_.empty() && !keep_cases_[0].ports.empty()) return false;
  return space_.architecture.levels.size() >= kDeep;
}

// Products make the bound of a complete tiling nearly its cost, so the first passes are short.
LayerAnswer MappingSearch::RunProducts() {
  if (local_ != nullptr || beyond_) products_->SetBetween([this] { Between(); });
  BoundOfCases();  // for what is fixed
  const auto root = products_->Root();
  if (root) bound_ = std::max(bound_, *root);
  LayerAnswer answer;
  if (!root) {
    answer = Answer(false);
  } else if (bound_ == kInfinity || bound_ > ceiling_) {
    answer = Answer(true);
  } else {
    constexpr std::array kCutoffs = {1.002, 1.005, 1.01, 1.02, 1.04, 1.08, 1.15, 1.4, 2.0, 4.0};
    answer = RaiseCutoffs(bound_, kCutoffs, [&](double cutoff) { return products_->Pass(cutoff); });
  }
  answer.effort.nodes += products_->effort().nodes;
  answer.effort.evaluations += products_->effort().evaluations;
  return answer;
}

// Passes with ever higher cut-offs, from what is known already.
LayerAnswer MappingSearch::RunPasses() {
  if (!chains_) {
    if (const auto ready = Prepare(); !ready) return Answer(ready.error() == ChainFault::kNone);
  }
  BoundOfCases();  // for what is fixed
  if (!RootBounds()) return Answer(false);
  if (bound_ == kInfinity || bound_ > ceiling_) return Answer(true);
  if (IsAtRoot()) return Answer(true);
  constexpr std::array kCutoffs = {1.02, 1.06, 1.15, 1.4, 2.0, 4.0};
  return RaiseCutoffs(bound_, kCutoffs, [&](double cutoff) { return Pass(cutoff); });
}

LayerAnswer MappingSearch::RaiseCutoffs(double root, std::span<const double> factors,
                                        const std::function<bool(double)>& pass) {
  for (size_t i = 0;; ++i) {
    double cutoff = kInfinity;
    if (i < factors.size() && root > 0) {
      cutoff = exact_search::Raised(root, fixed_, factors[i]);
    }
    cutoff = std::min({cutoff, incumbent_.first(), ceiling_});
    if (!pass(cutoff)) return Answer(false);
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
  if (space.mapspace == Mapspace::kUneven) return SearchUneven(space, options, deadline, progress);
  return SearchExact(space, options, deadline, progress, {});
}

}  // namespace inlay

#include "inlay/mapper/uneven.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/cost/exact.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapper/exact/keep_case.h"
#include "inlay/mapper/exact/level_bounds.h"
#include "inlay/mapper/exact/local_search.h"
#include "inlay/mapspace/uneven_space.h"

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class UnevenSearch {
 public:
  UnevenSearch(const Space& space, const MapOptions& options, const Deadline& deadline,
               const MapProgressSink& progress)
      : space_(space),
        options_(options),
        deadline_(deadline),
        progress_(progress),
        model_(space.problem, space.architecture) {}

  LayerAnswer Run();

 private:
  // Mappings that keep certain tensors, which enter in a certain order.
  struct Part {
    EvenSpace even;
    IndexedVector<LevelId, TensorSet> keeps;
    double bound = 0;  // of the first metric, for all of them
    bool done = false;
  };

  Metric metric() const { return options_.objective.front(); }
  // Without a limit a share of it never passes.
  double ShareOfLimit(double share) const {
    if (!deadline_.Limited()) return kInfinity;
    return share;
  }
  double First() const { return best_ ? ValueOf(best_->cost, metric()) : kInfinity; }
  double Bound() const;
  void SearchEven(double share);
  void ListParts();
  void Improve();
  void SearchPart(const Deadline& deadline, Part* part);
  void OfferPart(const Part& part, const Solution& solution);
  void Report() const;
  MapProgressSink ReportBetter() const;

  const Space& space_;
  const MapOptions& options_;
  const Deadline& deadline_;
  const MapProgressSink& progress_;
  ExactModel model_;
  std::optional<Solution> best_;
  std::vector<Part> parts_;  // those in which tensors may enter late
  double even_bound_ = 0;    // of even mappings; that of the first metric
  bool even_done_ = false;   // their best is known
  bool only_even_ = false;   // some choice of tensors kept has even mappings only
  SearchEffort effort_;
};

// Of what is not searched to the end.
double UnevenSearch::Bound() const {
  double bound = First();
  if (only_even_ || parts_.empty()) bound = std::min(bound, even_done_ ? kInfinity : even_bound_);
  for (const Part& part : parts_) {
    if (!part.done) bound = std::min(bound, part.bound);
  }
  return bound;
}

void UnevenSearch::Report() const {
  if (!progress_) return;
  MapProgress state;
  if (best_) state.incumbent = First();
  const double bound = Bound();
  if (bound < kInfinity) state.bound = bound;
  progress_(state);
}

// The bounds of a part are none of the whole.
MapProgressSink UnevenSearch::ReportBetter() const {
  if (!progress_) return {};
  return [this](const MapProgress& state) {
    if (!state.incumbent || *state.incumbent >= First()) return;
    MapProgress better;
    better.incumbent = state.incumbent;
    progress_(better);
  };
}

// Searches the even space within `share` of the limit.
void UnevenSearch::SearchEven(double share) {
  Space even = space_;
  even.mapspace = Mapspace::kAny;
  MapOptions options = options_;
  if (best_) options.cutoff = ValuesOf(best_->cost, options_.objective);
  const Deadline deadline(deadline_, ShareOfLimit(share));
  const LayerAnswer answer = SearchExact(even, options, deadline, ReportBetter());
  even_done_ = answer.certificate.status == CertificateStatus::kOptimal && !answer.interrupted;
  even_bound_ = std::max(even_bound_, answer.certificate.lower_bound);
  const auto better = [&](const Solution& one) {
    return !best_ ||
           ValuesOf(one.cost, options_.objective) < ValuesOf(best_->cost, options_.objective);
  };
  if (answer.best && better(*answer.best)) best_ = answer.best;
  effort_.nodes += answer.effort.nodes;
  effort_.evaluations += answer.effort.evaluations;
  Report();
}

void UnevenSearch::ListParts() {
  ForEachEntryOrder(
      space_, [&](const IndexedVector<LevelId, TensorSet>& keeps, const EntryOrders& orders) {
        const bool late = std::any_of(orders.begin(), orders.end(),
                                      [](const auto& order) { return !order.empty(); });
        if (!late) {
          only_even_ = true;
          return true;
        }
        const exact_search::KeepCase keep_case(space_, keeps);
        const double least =
            exact_search::SafeBound(exact_search::BoundOfHeld(space_, keep_case), metric());
        parts_.push_back({MakeEvenSpace(space_, keeps, orders), keeps, least, false});
        return true;
      });
  std::stable_sort(parts_.begin(), parts_.end(),
                   [](const Part& a, const Part& b) { return a.bound < b.bound; });
}

// A solution of a part, if it is better.
void UnevenSearch::OfferPart(const Part& part, const Solution& solution) {
  Solution found{
      space_.problem, FromEvenForm(solution.mapping, part.even.origin, space_.keeps.size()), {}};
  if (!model_.Evaluate(found.mapping, &found.cost) || !std::isfinite(found.cost.energy_pj)) return;
  if (best_ &&
      ValuesOf(found.cost, options_.objective) >= ValuesOf(best_->cost, options_.objective)) {
    return;
  }
  best_ = std::move(found);
  Report();
}

// Better mappings near the best even one: local searches in all parts that have it, one after the
// other, each going on from the best of all if that is one of the part. Where the parts have so
// many levels that their search comes to no end, answers are worth more time than bounds.
void UnevenSearch::Improve() {
  if (!best_ || options_.cutoff) return;
  constexpr int64_t kSlice = 4000, kMost = 20'000;  // evaluations; at most where there is no limit
  constexpr size_t kDeep = 5;                       // levels
  const Mapping from = best_->mapping;
  IndexedVector<LevelId, TensorSet> keeps;
  for (const LevelMapping& level : from.levels) keeps.push_back(level.keep);
  struct Near {
    const Part* part;
    std::unique_ptr<exact_search::LocalSearch> search;
    ExactModel model;
  };
  std::vector<Near> near;
  const auto start_of = [&](const Near& one, const Mapping& mapping) -> std::optional<Solution> {
    const auto form = InEvenSpace(one.part->even, mapping);
    if (!form) return std::nullopt;
    return Solution{space_.problem, *form, {}};
  };
  bool deep = false;
  for (const Part& part : parts_) {
    if (part.keeps != keeps) continue;
    deep = deep || part.even.origin.size() > kDeep;
    near.push_back({&part, nullptr, ExactModel(space_.problem, part.even.space.architecture)});
    auto start = start_of(near.back(), from);
    if (!start || !near.back().model.Evaluate(start->mapping, &start->cost)) {
      near.pop_back();
      continue;
    }
    near.back().search =
        std::make_unique<exact_search::LocalSearch>(part.even.space, options_.objective, *start);
  }
  const double share = deep ? 0.85 : 0.6;
  const Deadline deadline(deadline_, ShareOfLimit(share));
  DeadlineWatch watch(deadline);
  for (int64_t spent = 0; !near.empty() && !watch.PassedNow(); spent += kSlice) {
    if (!deadline_.Limited() && spent >= kMost) return;
    for (Near& one : near) {
      if (auto best = start_of(one, best_->mapping);
          best && one.model.Evaluate(best->mapping, &best->cost)) {
        one.search->Offer(*best);
      }
      const int64_t before = one.search->evaluations();
      one.search->Run(kSlice, &watch);
      effort_.evaluations += one.search->evaluations() - before;
      OfferPart(*one.part, one.search->best());
      // What is bounded by as much as the best cannot be improved.
      if (watch.PassedNow() || Bound() >= First() * (1 - 1e-11)) return;
    }
    const auto hopeless = [](const Near& one) { return one.search->unimproved() > 40 * kSlice; };
    if (std::all_of(near.begin(), near.end(), hopeless)) return;
  }
}

void UnevenSearch::SearchPart(const Deadline& deadline, Part* part) {
  MapOptions options = options_;
  if (best_) options.cutoff = ValuesOf(best_->cost, options_.objective);
  ExactSwitches switches;
  switches.dives = false;  // there is an answer already
  const LayerAnswer answer =
      SearchExact(part->even.space, options, deadline, ReportBetter(), switches);
  effort_.nodes += answer.effort.nodes;
  effort_.evaluations += answer.effort.evaluations;
  part->done = answer.certificate.status == CertificateStatus::kOptimal && !answer.interrupted;
  part->bound = std::max(part->bound, answer.certificate.lower_bound);
  if (answer.best) OfferPart(*part, *answer.best);
}

LayerAnswer UnevenSearch::Run() {
  ListParts();
  SearchEven(parts_.empty() ? 1 : 0.4);  // what is left is for the mappings that are not
  Improve();
  auto left = static_cast<double>(parts_.size());
  for (Part& part : parts_) {
    if (deadline_.Passed()) break;
    // What is bounded by as much as the best has none that is better.
    const bool hopeless = options_.objective.size() == 1 && part.bound >= First() * (1 - 1e-11);
    if (hopeless) {
      part.done = true;
      --left;
      continue;
    }
    const double gone = deadline_.Gone();
    const Deadline deadline(deadline_, ShareOfLimit(gone + (1 - gone) / left));
    --left;
    SearchPart(deadline, &part);
    Report();
  }
  const bool even_matters = only_even_ || parts_.empty();
  if (even_matters && !even_done_ && !deadline_.Passed()) SearchEven(1);
  LayerAnswer answer;
  const bool proven =
      (even_done_ || !even_matters) &&
      std::all_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.done; });
  answer.best = best_;
  answer.effort = effort_;
  answer.interrupted = !proven;
  answer.certificate.status = proven ? CertificateStatus::kOptimal : CertificateStatus::kBounded;
  if (const double bound = Bound(); bound < kInfinity) answer.certificate.lower_bound = bound;
  if (proven && !answer.best && !options_.cutoff) {
    answer.infeasible.push_back(
        {"mapspace", "no mapping of the mapspace fits the architecture", "try fewer constraints"});
  }
  return answer;
}

}  // namespace

LayerAnswer SearchUneven(const Space& space, const MapOptions& options, const Deadline& deadline,
                         const MapProgressSink& progress) {
  return UnevenSearch(space, options, deadline, progress).Run();
}

}  // namespace inlay

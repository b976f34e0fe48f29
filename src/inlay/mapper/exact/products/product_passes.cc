#include "inlay/mapper/exact/products/product_passes.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "inlay/base/parallel.h"
#include "inlay/base/prime_factors.h"

namespace inlay::exact_search {
namespace {

// Tiles of a level at most.
double MostTiles(const Problem& problem) {
  double tiles = 1;
  for (const Dimension& dim : problem.dims) {
    for (const auto& [prime, times] : PrimeFactors(dim.bound)) tiles *= times + 1;
  }
  return tiles;
}

}  // namespace

ProductPasses::ProductPasses(const Space& space, const std::vector<KeepCase>& keep_cases,
                             Incumbent* incumbent, int threads, const Deadline& deadline)
    : space_(space),
      keep_cases_(keep_cases),
      incumbent_(incumbent),
      threads_(std::max(1, threads)),
      deadline_(deadline),
      searches_(static_cast<size_t>(threads_)) {
  constexpr double kMostTiles = 1 << 19;  // 12 MB of them, if no level's list left any out
  if (MostTiles(space.problem) <= kMostTiles) choices_ = LaneChoicesOf(space, deadline);
  for (auto& of_worker : searches_) of_worker.resize(keep_cases.size());
}

ProductSearch* ProductPasses::SearchOf(size_t worker, size_t keep_case) {
  auto& search = searches_[worker][keep_case];
  if (search == nullptr) {
    search = std::make_unique<ProductSearch>(space_, keep_cases_[keep_case], *choices_, incumbent_,
                                             deadline_);
    if (worker == 0)
      search->SetBetween([this] {
        if (between_) between_();
      });
  }
  return search.get();
}

std::optional<double> ProductPasses::Root() {
  const Metric metric = incumbent_->objective()[0];
  jobs_.clear();
  DeadlineWatch watch(deadline_);
  for (size_t f = 0; f < keep_cases_.size(); ++f) {
    for (size_t c = 0; c < choices_->size(); ++c) {
      if (watch.Passed()) return std::nullopt;
      const double bound = SafeBound(SearchOf(0, f)->Quick(c), metric);
      if (bound < std::numeric_limits<double>::infinity()) jobs_.push_back({f, c, bound, false});
    }
  }
  const auto by_bound = [](const Job& a, const Job& b) { return a.bound < b.bound; };
  std::stable_sort(jobs_.begin(), jobs_.end(), by_bound);
  double least = std::numeric_limits<double>::infinity();
  for (Job& job : jobs_) {
    if (job.bound >= least) break;
    const auto bound = SearchOf(0, job.keep_case)->ByLevel(job.choice);
    if (!bound) return std::nullopt;
    job.bound = std::max(job.bound, SafeBound(*bound, metric));
    job.by_level = true;
    least = std::min(least, job.bound);
  }
  std::stable_sort(jobs_.begin(), jobs_.end(), by_bound);
  return least;
}

bool ProductPasses::Pass(double cutoff) {
  std::atomic<bool> stopped{false};
  ParallelFor(jobs_.size(), threads_, [&](size_t index, size_t worker) {
    const Job& job = jobs_[index];
    if (job.bound > cutoff || stopped.load(std::memory_order_relaxed)) return;
    if (!SearchOf(worker, job.keep_case)->Run(job.choice, static_cast<int64_t>(index), cutoff)) {
      stopped.store(true, std::memory_order_relaxed);
    }
  });
  return !stopped;
}

SearchEffort ProductPasses::effort() const {
  SearchEffort sum;
  for (const auto& of_worker : searches_) {
    for (const auto& search : of_worker) {
      if (search == nullptr) continue;
      sum.nodes += search->effort().nodes;
      sum.evaluations += search->effort().evaluations;
    }
  }
  return sum;
}

}  // namespace inlay::exact_search

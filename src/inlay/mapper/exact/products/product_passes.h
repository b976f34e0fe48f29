#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "inlay/mapper/exact/products/product_search.h"

namespace inlay::exact_search {

// The search by products through all cases and choices of lanes, pass by pass, on several
// threads.
class ProductPasses {
 public:
  // What is pointed to outlives it.
  ProductPasses(const Space& space, const std::vector<KeepCase>& keep_cases, Incumbent* incumbent,
                int threads, const Deadline& deadline);

  // Whether the space can be searched this way: not too many choices of lanes, nor of tiles.
  bool possible() const { return choices_.has_value(); }
  // The least bound of the first metric, infinite if there is no mapping; nullopt if stopped.
  std::optional<double> Root();
  // Everything whose bound is at most the cut-off. False if stopped.
  bool Pass(double cutoff);

  // What to do now and then, in one of the threads.
  void SetBetween(std::function<void()> between) { between_ = std::move(between); }
  SearchEffort effort() const;

 private:
  struct Job {
    size_t keep_case = 0, choice = 0;
    double bound = 0;       // of the first metric
    bool by_level = false;  // the bound knows the tiles
  };
  ProductSearch* SearchOf(size_t worker, size_t keep_case);

  const Space& space_;
  const std::vector<KeepCase>& keep_cases_;
  Incumbent* incumbent_;
  int threads_;
  const Deadline& deadline_;
  std::optional<std::vector<LaneChoice>> choices_;
  std::vector<Job> jobs_;                                              // by bound
  std::vector<std::vector<std::unique_ptr<ProductSearch>>> searches_;  // [worker][case]
  std::function<void()> between_;
};

}  // namespace inlay::exact_search

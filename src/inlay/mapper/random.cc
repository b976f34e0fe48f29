#include "inlay/mapper/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "inlay/base/mention.h"
#include "inlay/base/parallel.h"
#include "inlay/base/rng.h"
#include "inlay/cost/evaluate.h"
#include "inlay/cost/exact.h"
#include "inlay/mapspace/sample.h"

namespace inlay {
namespace {

// The stream of samples is cut into blocks. Each has a random generator of its own, seeded by its
// number, so that any thread can draw it; the stopping rules then go through the blocks in order,
// sample by sample, as if one thread had drawn them all.
constexpr size_t kBlockSamples = 256;

struct Improvement {
  size_t sample = 0;  // of the block
  std::vector<double> values;
  Solution solution;
};
struct Block {
  std::vector<bool> valid;                // sample by sample; shorter if the deadline passed
  std::vector<Improvement> improvements;  // better than everything before it in the block
};

// What one thread needs.
class Drawer {
 public:
  Drawer(const Space& space, const MapOptions& options, const SpaceSampler& sampler)
      : space_(space), options_(options), sampler_(sampler) {
    const bool reusable =
        options.semantics == Semantics::kExact && space.mapspace != Mapspace::kPadded;
    if (reusable) model_.emplace(space.problem, space.architecture);
  }

  Block Draw(uint64_t number, const Deadline& deadline, const std::vector<double>* to_beat) {
    std::seed_seq seeds = {options_.seed & 0xffffffffU, options_.seed >> 32, number & 0xffffffffU,
                           number >> 32};
    Rng rng(seeds);
    Block block;
    for (size_t i = 0; i < kBlockSamples && !deadline.Passed(); ++i) {
      const auto sample = SampleWithPadding(sampler_, rng);
      block.valid.push_back(false);
      if (!sample) continue;
      const bool padded = space_.mapspace == Mapspace::kPadded;
      Problem larger;
      if (padded) larger = PaddedTo(space_.problem, sample->unrolling);
      const Problem& problem = padded ? larger : space_.problem;
      if (!Fits(space_, problem, sample->mapping)) continue;
      if (!EvaluateSample(problem, sample->mapping)) continue;
      block.valid.back() = true;
      std::vector<double> values = ValuesOf(cost_, options_.objective);
      const std::vector<double>* best =
          block.improvements.empty() ? to_beat : &block.improvements.back().values;
      if (best != nullptr && !(values < *best)) continue;
      block.improvements.push_back({i, std::move(values), {problem, sample->mapping, cost_}});
    }
    return block;
  }

 private:
  // False if the cost does not fit into numbers.
  bool EvaluateSample(const Problem& problem, const Mapping& mapping) {
    if (model_) return model_->Evaluate(mapping, &cost_) && std::isfinite(cost_.energy_pj);
    EvaluateOptions options;
    options.semantics = options_.semantics;
    options.accounting = options_.accounting;
    auto cost = Evaluate(problem, space_.architecture, mapping, options);
    if (!cost) return false;
    cost_ = *std::move(cost);
    return true;
  }

  const Space& space_;
  const MapOptions& options_;
  const SpaceSampler& sampler_;
  std::optional<ExactModel> model_;
  Cost cost_;
};

// Timeloop's rules, and the best so far.
class Reduction {
 public:
  Reduction(const RandomOptions& rules, LayerAnswer* answer) : rules_(rules), answer_(answer) {}

  // Whether the search has ended with this block.
  bool Take(Block block) {
    auto improvement = block.improvements.begin();
    for (size_t i = 0; i < block.valid.size(); ++i) {
      ++answer_->effort.nodes;
      const bool candidate = improvement != block.improvements.end() && improvement->sample == i;
      if (!block.valid[i]) {
        ++invalid_in_a_row_;
      } else {
        invalid_in_a_row_ = 0;
        ++answer_->effort.evaluations;
        ++not_better_in_a_row_;
        if (candidate && (!answer_->best || improvement->values < values_)) {
          not_better_in_a_row_ = 0;
          values_ = std::move(improvement->values);
          answer_->best = std::move(improvement->solution);
        }
      }
      if (candidate) ++improvement;
      if (Ended()) return true;
    }
    return false;
  }

  const std::vector<double>* best_values() const { return answer_->best ? &values_ : nullptr; }

 private:
  bool Ended() const {
    const auto reached = [](int64_t count, int64_t limit) { return limit > 0 && count >= limit; };
    return reached(not_better_in_a_row_, rules_.victory_condition) ||
           reached(invalid_in_a_row_, rules_.timeout) ||
           reached(answer_->effort.evaluations, rules_.search_size);
  }

  const RandomOptions& rules_;
  LayerAnswer* answer_;
  std::vector<double> values_;
  int64_t not_better_in_a_row_ = 0, invalid_in_a_row_ = 0;
};

}  // namespace

LayerAnswer SearchRandom(const Space& space, const MapOptions& options, const Deadline& deadline,
                         const MapProgressSink& progress) {
  LayerAnswer answer;
  const auto sampler = SpaceSampler::Make(space, &deadline);
  if (!sampler) {
    answer.interrupted = deadline.Passed();
    if (!answer.interrupted) answer.unsupported = sampler.error();
    return answer;
  }
  if (Rng rng(options.seed); !SampleWithPadding(*sampler, rng)) {
    answer.infeasible.push_back({"constraints", "no tiling satisfies the constraints", ""});
    return answer;
  }
  const auto threads = static_cast<size_t>(std::max(options.threads, 1));
  std::vector<std::unique_ptr<Drawer>> drawers(threads);
  std::vector<Block> blocks(threads);
  Reduction reduction(options.random, &answer);
  uint64_t next = 0;
  for (bool ended = false; !ended;) {
    ParallelFor(threads, options.threads, [&](size_t i, size_t worker) {
      auto& drawer = drawers[worker];
      if (!drawer) drawer = std::make_unique<Drawer>(space, options, *sampler);
      blocks[i] = drawer->Draw(next + i, deadline, reduction.best_values());
    });
    next += threads;
    for (Block& block : blocks) {
      const bool cut_short = block.valid.size() < kBlockSamples;
      ended = reduction.Take(std::move(block));
      answer.interrupted = !ended && cut_short;
      if (ended = ended || cut_short; ended) break;
    }
    MapProgress state;
    if (answer.best) state.incumbent = reduction.best_values()->front();
    progress(state);
  }
  if (!answer.best && !answer.interrupted) {
    answer.unsupported.push_back(
        {"", fmt::format("none of {} mappings drawn at random fits", answer.effort.nodes),
         fmt::format("draw more ({}), loosen the constraints, or search with {}, which finds a "
                     "mapping if there is one",
                     Mention("timeout"), Mention("strategy", "exact"))});
  }
  return answer;
}

}  // namespace inlay

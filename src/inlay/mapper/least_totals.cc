#include "inlay/mapper/least_totals.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/parallel.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/cycle_price.h"
#include "inlay/mapper/least_cost.h"
#include "inlay/mapper/least_product.h"
#include "inlay/mapper/priced_best.h"

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double CyclesOf(const Solution& solution) { return static_cast<double>(solution.cost.cycles); }

// One problem at one price after the other.
class PricedLayer {
 public:
  PricedLayer(TotalsLayer layer, const LeastCost& least)
      : layer_(std::move(layer)), least_(least), known_(least.energy_pj, least.cycles) {
    known_.Add(*layer_.answer->best);
  }

  double repeat() const { return layer_.repeat; }
  const LeastCost& least() const { return least_; }
  const Solution& Best(double price_pj) const { return *known_.Best(price_pj); }
  const PricedBest& known() const { return known_; }

  // The best at a price, in no more than so many seconds.
  void Search(double price_pj, std::optional<double> seconds, const StopFlag& stop) {
    Space space = *layer_.space;
    AddCyclePrice(price_pj, &space.architecture);
    MapOptions options = OptionsFor(PricedBest::ValueOf(Best(price_pj), price_pj));
    if (seconds) {
      options.time_limit_seconds =
          std::min(*seconds, options.time_limit_seconds.value_or(*seconds));
    }
    LayerAnswer answer = MapLayer(space, options, stop);
    SearchEffort& effort = layer_.answer->effort;
    effort.seconds += answer.effort.seconds;
    effort.nodes += answer.effort.nodes;
    effort.evaluations += answer.effort.evaluations;
    if (answer.interrupted) layer_.answer->interrupted = true;
    if (answer.best) Add(*std::move(answer.best));
    const double best = PricedBest::ValueOf(Best(price_pj), price_pj);
    const bool proven = !answer.interrupted && answer.unsupported.empty();
    known_.AddBound(price_pj, proven ? best : std::min(best, answer.certificate.lower_bound));
  }

  // Takes a mapping for the answer; what is known of its own edp says the certificate.
  void Choose(const Solution& solution) const {
    Certificate& certificate = layer_.answer->certificate;
    layer_.answer->best = solution;
    certificate.objective = solution.cost.energy_pj * CyclesOf(solution);
    certificate.lower_bound = std::min(certificate.lower_bound, certificate.objective);
    const double distance = certificate.objective - certificate.lower_bound;
    certificate.gap = distance > 0 ? distance / certificate.objective : 0;
    if (distance <= 0) return;
    certificate.status = CertificateStatus::kBounded;
    certificate.proven.clear();
  }

 private:
  // Options of a search for what is below `value`.
  MapOptions OptionsFor(double value) const {
    MapOptions options = layer_.options;
    Objective objective = {Metric::kEnergy};
    for (const Metric metric : options.objective) {
      const bool later = metric == Metric::kDelay || metric == Metric::kOffchip;
      if (later) objective.push_back(metric);
    }
    options.objective = std::move(objective);
    options.cutoff = std::vector<double>(options.objective.size(), kInfinity);
    options.cutoff->front() = value;
    if (options.time_limit_seconds) {
      *options.time_limit_seconds =
          std::max(0.0, *options.time_limit_seconds - layer_.answer->effort.seconds);
    }
    return options;
  }

  // Of a mapping found at a price; what it costs without.
  void Add(Solution solution) {
    EvaluateOptions options;
    options.semantics = layer_.options.semantics;
    options.accounting = layer_.options.accounting;
    auto cost = Evaluate(solution.problem, layer_.space->architecture, solution.mapping, options);
    INLAY_CHECK(cost.has_value());
    solution.cost = *std::move(cost);
    if (layer_.space->mapspace == Mapspace::kPadded) {
      CountPadding(layer_.space->problem, solution.problem, &solution.cost);
    }
    known_.Add(std::move(solution));
  }

  TotalsLayer layer_;
  LeastCost least_;
  PricedBest known_;
};

// Several of them at one price.
class PricedLayers {
 public:
  PricedLayers(std::vector<TotalsLayer> layers, const EnergyDelay& fixed,
               const TotalsLimits& limits)
      : fixed_(fixed), limits_(limits) {
    for (TotalsLayer& layer : layers) {
      const auto least = LeastCostOf(*layer.space, layer.options, limits.deadline);
      layers_.emplace_back(std::move(layer), least.value_or(LeastCost()));
    }
  }

  EnergyDelay Floor() const {
    EnergyDelay floor = fixed_;
    for (const PricedLayer& layer : layers_) {
      floor.energy_pj += layer.repeat() * layer.least().energy_pj;
      floor.cycles += layer.repeat() * layer.least().cycles;
    }
    return floor;
  }

  // False if the time was up before the best at the price was known.
  bool Search(double price_pj) {
    std::vector<PricedLayer*> open;
    for (PricedLayer& layer : layers_) {
      if (!layer.known().IsKnown(price_pj)) open.push_back(&layer);
    }
    ParallelFor(
        open.size(), limits_.threads,
        [&](size_t i, size_t) {
          std::optional<double> left = limits_.seconds;
          if (left) *left = std::max(0.0, *left - limits_.deadline.SecondsSinceStart());
          open[i]->Search(price_pj, left, limits_.deadline.stop());
        },
        &limits_.deadline.stop());
    return std::all_of(open.begin(), open.end(),
                       [&](const PricedLayer* layer) { return layer->known().IsKnown(price_pj); });
  }

  std::vector<Solution> Best(double price_pj) const {
    std::vector<Solution> best;
    for (const PricedLayer& layer : layers_) best.push_back(layer.Best(price_pj));
    return best;
  }
  EnergyDelay SumsOf(const std::vector<Solution>& solutions) const {
    EnergyDelay sums = fixed_;
    for (size_t i = 0; i < layers_.size(); ++i) {
      sums.energy_pj += layers_[i].repeat() * solutions[i].cost.energy_pj;
      sums.cycles += layers_[i].repeat() * CyclesOf(solutions[i]);
    }
    return sums;
  }
  double LowerBound(double price_pj) const {
    double bound = fixed_.energy_pj + price_pj * fixed_.cycles;
    for (const PricedLayer& layer : layers_)
      bound += layer.repeat() * layer.known().LowerBound(price_pj);
    return bound;
  }
  void Choose(const std::vector<Solution>& solutions) {
    for (size_t i = 0; i < layers_.size(); ++i) layers_[i].Choose(solutions[i]);
  }

 private:
  EnergyDelay fixed_;  // in every sum
  const TotalsLimits& limits_;
  std::vector<PricedLayer> layers_;
};

}  // namespace

TotalsBound FindLeastTotals(std::vector<TotalsLayer> layers, const EnergyDelay& fixed,
                            const TotalsLimits& limits, const MapProgressSink& progress) {
  std::vector<Solution> best;
  for (const TotalsLayer& layer : layers) {
    if (!layer.answer->best) return {};
    best.push_back(*layer.answer->best);
  }
  PricedLayers priced(std::move(layers), fixed, limits);
  LeastProduct least(priced.Floor());
  least.Offer(priced.SumsOf(best));
  while (const auto question = least.Next()) {
    const bool known = priced.Search(question->price_pj);
    std::vector<Solution> found = priced.Best(question->price_pj);
    const EnergyDelay sums = priced.SumsOf(found);
    if (sums.product() < least.best()) best = std::move(found);
    least.Offer(sums);
    const double value = sums.energy_pj + question->price_pj * sums.cycles;
    const double bound = known ? value : std::min(value, priced.LowerBound(question->price_pj));
    least.Answer(std::min(bound, question->below));
    if (progress) progress({0, least.best(), least.lower_bound()});
    if (!known) break;
  }
  priced.Choose(best);
  return {least.lower_bound(), least.proven()};
}

}  // namespace inlay

#include "inlay/mapper/least_totals.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/parallel.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/cycle_price.h"
#include "inlay/mapper/least_cost.h"
#include "inlay/mapper/least_product.h"

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1 + 1e-12;

double CyclesOf(const Solution& solution) { return static_cast<double>(solution.cost.cycles); }

// What is known of the energy + price × cycles of one problem's mappings. At any price the least of
// it is concave in the price: between two prices it is at least what lies between their least.
class PricedLayer {
 public:
  PricedLayer(TotalsLayer layer, const Deadline& deadline) : layer_(std::move(layer)) {
    found_.push_back(*layer_.answer->best);
    if (const auto least = LeastCostOf(*layer_.space, layer_.options, deadline)) {
      least_[0] = least->energy_pj;
      least_cycles_ = least->cycles;
    } else {
      least_[0] = 0;
    }
  }

  double repeat() const { return layer_.repeat; }
  EnergyDelay least() const { return {least_.begin()->second, least_cycles_}; }

  // The best at a price, of those found so far.
  const Solution& Best(double price_pj) const {
    return *std::min_element(found_.begin(), found_.end(), [&](const auto& a, const auto& b) {
      return ValueOf(a, price_pj) < ValueOf(b, price_pj);
    });
  }
  static double ValueOf(const Solution& solution, double price_pj) {
    return solution.cost.energy_pj + price_pj * CyclesOf(solution);
  }
  double LowerBound(double price_pj) const {
    const auto right = least_.lower_bound(price_pj);
    if (right != least_.end() && right->first == price_pj) return right->second;
    const auto left = std::prev(right);
    const double more = price_pj - left->first;
    if (right == least_.end()) return left->second + more * least_cycles_;
    return left->second + more * (right->second - left->second) / (right->first - left->first);
  }
  bool IsKnown(double price_pj) const {
    return LowerBound(price_pj) * kRounding >= ValueOf(Best(price_pj), price_pj);
  }

  // The best at a price, in no more than so many seconds.
  void Search(double price_pj, std::optional<double> seconds, const StopFlag& stop) {
    Space space = *layer_.space;
    AddCyclePrice(price_pj, &space.architecture);
    MapOptions options = OptionsFor(ValueOf(Best(price_pj), price_pj));
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
    const double best = ValueOf(Best(price_pj), price_pj);
    const bool proven = !answer.interrupted && answer.unable.empty();
    const double bound = proven ? best : std::min(best, answer.certificate.lower_bound);
    least_[price_pj] = std::max(bound, LowerBound(price_pj));
  }

  // Takes a mapping for the answer; what is known of its own edp says the certificate.
  void Choose(const Solution& solution) {
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
  // To find what is better than a value.
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
    found_.push_back(std::move(solution));
  }

  TotalsLayer layer_;
  std::vector<Solution> found_;
  std::map<double, double> least_;  // by price: no mapping has less; from the price 0 on
  double least_cycles_ = 0;
};

// Several of them at one price.
class PricedLayers {
 public:
  PricedLayers(std::vector<TotalsLayer> layers, const TotalsLimits& limits) : limits_(limits) {
    for (TotalsLayer& layer : layers) layers_.emplace_back(std::move(layer), limits.deadline);
  }

  EnergyDelay Floor() const {
    EnergyDelay floor;
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
      if (!layer.IsKnown(price_pj)) open.push_back(&layer);
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
                       [&](const PricedLayer* layer) { return layer->IsKnown(price_pj); });
  }

  std::vector<Solution> Best(double price_pj) const {
    std::vector<Solution> best;
    for (const PricedLayer& layer : layers_) best.push_back(layer.Best(price_pj));
    return best;
  }
  EnergyDelay SumsOf(const std::vector<Solution>& solutions) const {
    EnergyDelay sums;
    for (size_t i = 0; i < layers_.size(); ++i) {
      sums.energy_pj += layers_[i].repeat() * solutions[i].cost.energy_pj;
      sums.cycles += layers_[i].repeat() * CyclesOf(solutions[i]);
    }
    return sums;
  }
  double LowerBound(double price_pj) const {
    double bound = 0;
    for (const PricedLayer& layer : layers_) bound += layer.repeat() * layer.LowerBound(price_pj);
    return bound;
  }
  void Choose(const std::vector<Solution>& solutions) {
    for (size_t i = 0; i < layers_.size(); ++i) layers_[i].Choose(solutions[i]);
  }

 private:
  const TotalsLimits& limits_;
  std::vector<PricedLayer> layers_;
};

}  // namespace

TotalsBound FindLeastTotals(std::vector<TotalsLayer> layers, const TotalsLimits& limits,
                            const MapProgressSink& progress) {
  std::vector<Solution> best;
  for (const TotalsLayer& layer : layers) {
    if (!layer.answer->best) return {};
    best.push_back(*layer.answer->best);
  }
  PricedLayers priced(std::move(layers), limits);
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

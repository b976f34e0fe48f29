#include "inlay/mapper/network.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/deadline.h"
#include "inlay/base/parallel.h"
#include "inlay/core/roles.h"
#include "inlay/mapper/least_totals.h"
#include "inlay/mapspace/constraint_errors.h"

namespace inlay {
namespace {

// For every layer the first one with the same problem.
std::vector<size_t> FindSame(const Network& network) {
  std::vector<Problem> problems;
  std::vector<size_t> same_as;
  for (const Layer& layer : network.layers) {
    Problem problem = layer.problem;
    problem.name.clear();
    const auto found = std::find(problems.begin(), problems.end(), problem);
    same_as.push_back(static_cast<size_t>(found - problems.begin()));
    problems.push_back(std::move(problem));
  }
  return same_as;
}

// The layers that are searched, one per problem, and their spaces: those with most operations
// first, because they tend to take longest.
struct DistinctLayers {
  std::vector<size_t> layers;
  std::vector<Space> spaces;
};

Result<DistinctLayers> MakeDistinctLayers(const NetworkTask& task,
                                          const std::vector<size_t>& same_as) {
  DistinctLayers distinct;
  for (size_t i = 0; i < same_as.size(); ++i) {
    if (same_as[i] == i) distinct.layers.push_back(i);
  }
  const std::vector<Layer>& layers = task.network.layers;
  std::stable_sort(distinct.layers.begin(), distinct.layers.end(), [&](size_t a, size_t b) {
    return Operations(layers[a].problem) > Operations(layers[b].problem);
  });
  Diagnostics errors;
  std::set<std::string> reported;
  for (const size_t i : distinct.layers) {
    const auto [architecture, constraints] = ForLayer(layers[i].problem, task.architecture,
                                                      task.constraints, task.tensor_names_resolved);
    auto space = MakeSpace(layers[i].problem, architecture, task.mapspace, constraints);
    if (space) {
      distinct.spaces.push_back(*std::move(space));
      continue;
    }
    for (const Fault& fault : space.error()) {
      if (!reported.insert(fault.message).second) continue;
      errors.push_back(ErrorAtConstraint(fault, layers[i].problem, architecture, constraints));
      errors.back().message.insert(0, "layer '" + layers[i].name + "': ");
    }
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return distinct;
}

MapOptions OptionsFor(const NetworkTask& task, const Problem& problem, size_t distinct) {
  MapOptions options = task.options;
  const auto at_once = std::min(distinct, static_cast<size_t>(std::max(options.threads, 1)));
  options.threads = std::max(1, options.threads / static_cast<int>(std::max<size_t>(at_once, 1)));
  if (options.front) {
    for (const std::string& name : task.onchip) {
      if (const auto tensor = FindTensor(problem, name)) options.front->onchip.insert(*tensor);
    }
  }
  return options;
}

// The same answer for a layer of another name.
LayerAnswer CopyFor(const Layer& layer, const LayerAnswer& answer) {
  LayerAnswer copy = answer;
  copy.effort = {};
  if (copy.best) copy.best->problem.name = layer.problem.name;
  for (FrontPoint& point : copy.front) point.solution.problem.name = layer.problem.name;
  return copy;
}

LayerAnswer NotBegun() {
  LayerAnswer answer;
  answer.interrupted = true;
  answer.begun = false;
  return answer;
}

// The time limits of layers that share what all of them may take. Each is asked for once per layer,
// when it begins, by any thread.
class SharedTime {
 public:
  SharedTime(const NetworkTask& task, const StopFlag& stop, size_t layers)
      : limit_(task.seconds),
        of_a_layer_(task.options.time_limit_seconds),
        deadline_(stop, limit_),
        at_once_(static_cast<size_t>(std::max(task.options.threads, 1))),
        waiting_(layers) {}

  bool Passed() const { return deadline_.Passed(); }
  const Deadline& deadline() const { return deadline_; }

  std::optional<double> Next() {
    if (!limit_) return of_a_layer_;
    const size_t waiting = std::max<size_t>(waiting_.fetch_sub(1), 1);
    const double left = std::max(0.0, *limit_ - deadline_.SecondsSinceStart());
    // Of the layers that wait, so many run side by side.
    const auto side_by_side = static_cast<double>(std::min(waiting, at_once_));
    const double share = left * side_by_side / static_cast<double>(waiting);
    return std::min(share, of_a_layer_.value_or(share));
  }

 private:
  std::optional<double> limit_, of_a_layer_;
  Deadline deadline_;
  size_t at_once_;
  std::atomic<size_t> waiting_;
};

// Whether the layers' own least are not the least of all: for the sums of energy, cycles or words
// they are, and for one problem with nothing besides it its products are too.
bool IsSearchedTogether(const NetworkTask& task, size_t distinct) {
  return task.options.of == MinimisedOf::kNetwork && (distinct > 1 || task.vector) &&
         task.options.objective.front() == Metric::kEdp;
}

EnergyDelay BesideOf(const NetworkTask& task) {
  if (!task.vector) return {};
  return {task.vector->energy_pj, static_cast<double>(task.vector->cycles)};
}

// Of the sums of a task, what comes besides the layers.
double BesideOf(const NetworkTask& task, Metric metric) {
  if (!task.vector) return 0;
  switch (metric) {
    case Metric::kEnergy:
      return task.vector->energy_pj;
    case Metric::kDelay:
      return static_cast<double>(task.vector->cycles);
    case Metric::kOffchip:
      return static_cast<double>(task.vector->offchip_words);
    case Metric::kEdp:
      break;
  }
  return 0;  // of a product there are no sums
}

std::vector<TotalsLayer> TogetherOf(const NetworkTask& task, const DistinctLayers& distinct,
                                    NetworkAnswer* answer) {
  std::vector<TotalsLayer> layers;
  for (size_t i = 0; i < distinct.layers.size(); ++i) {
    TotalsLayer layer{&distinct.spaces[i], &answer->layers[distinct.layers[i]], 0,
                      OptionsFor(task, distinct.spaces[i].problem, distinct.layers.size())};
    for (size_t l = 0; l < answer->same_as.size(); ++l) {
      if (answer->same_as[l] != distinct.layers[i]) continue;
      layer.repeat += static_cast<double>(task.network.layers[l].repeat);
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

// Of the totals. Without a search of them, what follows from the layers: for sums, and for the
// product of one problem's.
Certificate CertificateOf(const NetworkTask& task, const NetworkAnswer& answer,
                          const std::optional<TotalsBound>& bound) {
  const Metric metric = task.options.objective.front();
  double objective = BesideOf(task, metric), lower_bound = objective, repeats = 0;
  bool proven = true;
  for (size_t i = 0; i < answer.layers.size(); ++i) {
    const LayerAnswer& layer = answer.layers[i];
    const auto repeat = static_cast<double>(task.network.layers[i].repeat);
    repeats += repeat;
    objective += repeat * ValueOf(layer.best->cost, metric);
    lower_bound += repeat * layer.certificate.lower_bound;
    proven = proven && !layer.certificate.proven.empty();
  }
  if (metric == Metric::kEdp) objective = answer.totals->edp;
  if (bound) {
    lower_bound = bound->lower_bound;
    proven = bound->proven;
  } else if (metric == Metric::kEdp) {
    lower_bound *= repeats;
  }
  if (proven) return {CertificateStatus::kOptimal, objective, objective, 0, {metric}};
  lower_bound = std::min(lower_bound, objective);
  const double gap = objective > 0 ? (objective - lower_bound) / objective : 0;
  return {CertificateStatus::kBounded, objective, lower_bound, gap, {}};
}

}  // namespace

Result<NetworkAnswer> MapNetwork(const NetworkTask& task, const StopFlag& stop,
                                 const MapProgressSink& progress) {
  NetworkAnswer answer;
  answer.same_as = FindSame(task.network);
  auto distinct = MakeDistinctLayers(task, answer.same_as);
  if (!distinct) return Fail(std::move(distinct.error()));

  std::mutex mutex;
  const auto tell = [&](MapProgress state, size_t layer) {
    if (!progress) return;
    const std::scoped_lock lock(mutex);
    state.layer = layer;
    progress(state);
  };
  answer.layers.assign(task.network.layers.size(), NotBegun());
  const bool together = IsSearchedTogether(task, distinct->layers.size());
  SharedTime time(task, stop, distinct->layers.size());
  const auto search = [&](size_t index, size_t /*worker*/) {
    if (time.Passed()) return;
    const size_t layer = distinct->layers[index];
    const Space& space = distinct->spaces[index];
    MapOptions options = OptionsFor(task, space.problem, distinct->layers.size());
    options.time_limit_seconds = time.Next();
    // The totals need about as much again.
    if (together && options.time_limit_seconds) *options.time_limit_seconds /= 2;
    LayerAnswer found =
        MapLayer(space, options, stop, [&](const MapProgress& state) { tell(state, layer); });
    const bool certain = found.best && found.certificate.status != CertificateStatus::kHeuristic;
    MapProgress last;
    if (found.best) last.incumbent = found.certificate.objective;
    if (certain) last.bound = found.certificate.lower_bound;
    last.done = true;
    answer.layers[layer] = std::move(found);
    tell(last, layer);
  };
  ParallelFor(distinct->layers.size(), task.options.threads, search, &stop);
  std::optional<TotalsBound> bound;
  if (together) {
    bound = FindLeastTotals(TogetherOf(task, *distinct, &answer), BesideOf(task),
                            {task.options.threads, time.deadline(), task.seconds},
                            [&](const MapProgress& state) { tell(state, 0); });
  }
  for (size_t i = 0; i < answer.layers.size(); ++i) {
    const size_t first = answer.same_as[i];
    if (first != i) answer.layers[i] = CopyFor(task.network.layers[i], answer.layers[first]);
  }
  if (task.options.front) return answer;
  answer.totals = TotalsOf(task, answer.layers);
  if (answer.totals && task.options.of == MinimisedOf::kNetwork) {
    answer.totals->certificate = CertificateOf(task, answer, bound);
  }
  return answer;
}

size_t SearchCount(const Network& network) {
  const std::vector<size_t> same_as = FindSame(network);
  size_t count = 0;
  for (size_t i = 0; i < same_as.size(); ++i) count += same_as[i] == i ? 1U : 0U;
  return count;
}

std::optional<MapTotals> TotalsOf(const NetworkTask& task,
                                  const std::vector<LayerAnswer>& answers) {
  MapTotals totals;
  totals.vector = task.vector;
  if (task.vector) {
    totals.energy_pj = task.vector->energy_pj;
    totals.cycles = task.vector->cycles;
    const auto& clock = task.architecture.clock_hz;
    if (clock) totals.seconds = static_cast<double>(totals.cycles) / *clock;
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].best) return std::nullopt;
    const Cost& cost = answers[i].best->cost;
    const int64_t repeat = task.network.layers[i].repeat;
    const auto cycles = CheckedMultiply(cost.cycles, repeat);
    const auto sum = cycles ? CheckedAdd(totals.cycles, *cycles) : std::nullopt;
    if (!sum) return std::nullopt;
    totals.cycles = *sum;
    totals.energy_pj += cost.energy_pj * static_cast<double>(repeat);
    if (cost.seconds) {
      totals.seconds = totals.seconds.value_or(0) + *cost.seconds * static_cast<double>(repeat);
    }
  }
  constexpr double kJoulePerPj = 1e-12;
  if (totals.seconds) totals.watts = totals.energy_pj * kJoulePerPj / *totals.seconds;
  totals.edp = totals.energy_pj * static_cast<double>(totals.cycles);
  return totals;
}

}  // namespace inlay

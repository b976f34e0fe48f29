#include "tests/property/energy_delay.h"

#include <algorithm>
#include <limits>

#include "inlay/mapspace/enumerate.h"
#include "tests/property/thistle_case.h"

namespace inlay::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

EnergyDelayFront NotBeaten(EnergyDelayFront points) {
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return a.energy_pj != b.energy_pj ? a.energy_pj < b.energy_pj : a.cycles < b.cycles;
  });
  EnergyDelayFront front;
  for (const EnergyDelayPoint& point : points) {
    if (front.empty() || point.cycles < front.back().cycles) front.push_back(point);
  }
  return front;
}

double LeastFrom(const std::vector<EnergyDelayFront>& layers, const std::vector<double>& repeats,
                 size_t layer, double energy_pj, double cycles) {
  if (layer == layers.size()) return energy_pj * cycles;
  double least = kInfinity;
  for (const EnergyDelayPoint& point : layers[layer]) {
    least = std::min(
        least, LeastFrom(layers, repeats, layer + 1, energy_pj + repeats[layer] * point.energy_pj,
                         cycles + repeats[layer] * point.cycles));
  }
  return least;
}

}  // namespace

EnergyDelayFront ListFront(const Space& space, const EvaluateOptions& options) {
  EnergyDelayFront points;
  ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
    const auto cost = Evaluate(problem, space.architecture, mapping, options);
    const bool thistle = options.semantics == Semantics::kThistle;
    if (cost && (thistle ? FitsThistle(space, *cost) : Fits(space, problem, mapping))) {
      points.push_back({cost->energy_pj, static_cast<double>(cost->cycles)});
    }
    if (points.size() > 4096) points = NotBeaten(std::move(points));
    return true;
  });
  return NotBeaten(std::move(points));
}

EnergyDelayFront Merged(const EnergyDelayFront& a, const EnergyDelayFront& b) {
  EnergyDelayFront all = a;
  all.insert(all.end(), b.begin(), b.end());
  return NotBeaten(std::move(all));
}

double LeastProductOf(const std::vector<EnergyDelayFront>& layers,
                      const std::vector<double>& repeats) {
  return LeastFrom(layers, repeats, 0, 0, 0);
}

double ProductOfOwnLeast(const std::vector<EnergyDelayFront>& layers,
                         const std::vector<double>& repeats) {
  std::vector<EnergyDelayFront> own;
  for (const EnergyDelayFront& layer : layers) {
    const auto least =
        std::min_element(layer.begin(), layer.end(), [](const auto& a, const auto& b) {
          return a.energy_pj * a.cycles < b.energy_pj * b.cycles;
        });
    own.emplace_back();
    if (least != layer.end()) own.back().push_back(*least);
  }
  return LeastProductOf(own, repeats);
}

}  // namespace inlay::testing

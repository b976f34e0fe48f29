#include "inlay/core/objective.h"

namespace inlay {

std::string ToString(const Objective& objective) {
  std::string text;
  for (const Metric metric : objective) {
    if (!text.empty()) text += ',';
    text += Name(metric);
  }
  return text;
}

double ValueOf(const Cost& cost, Metric metric) {
  switch (metric) {
    case Metric::kEnergy:
      return cost.energy_pj;
    case Metric::kDelay:
      return static_cast<double>(cost.cycles);
    case Metric::kEdp:
      return cost.energy_pj * static_cast<double>(cost.cycles);
    case Metric::kOffchip:
      return static_cast<double>(cost.offchip_words);
  }
  return 0;
}

std::vector<double> ValuesOf(const Cost& cost, const Objective& objective) {
  std::vector<double> values;
  values.reserve(objective.size());
  for (const Metric metric : objective) values.push_back(ValueOf(cost, metric));
  return values;
}

}  // namespace inlay

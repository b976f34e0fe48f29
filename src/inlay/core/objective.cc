#include "inlay/core/objective.h"

#include "inlay/core/metric_value.h"

namespace inlay {

std::string ToString(const Objective& objective) {
  std::string text;
  for (const Metric metric : objective) {
    if (!text.empty()) text += ',';
    text += Name(metric);
  }
  return text;
}

double ValueOf(const Cost& cost, Metric metric) { return MetricValue(cost, metric); }

std::vector<double> ValuesOf(const Cost& cost, const Objective& objective) {
  std::vector<double> values;
  values.reserve(objective.size());
  for (const Metric metric : objective) values.push_back(ValueOf(cost, metric));
  return values;
}

}  // namespace inlay

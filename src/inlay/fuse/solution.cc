#include "inlay/fuse/solution.h"

#include <cmath>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/core/fused_part.h"
#include "inlay/core/metric_value.h"
#include "inlay/cost/fused/count.h"
#include "inlay/cost/fused/finish.h"

namespace inlay {
double ValueOf(const FusedCost& cost, Metric metric) { return MetricValue(cost, metric); }

std::vector<double> ValuesOf(const FusedCost& cost, const Objective& objective) {
  std::vector<double> values;
  for (const Metric metric : objective) values.push_back(ValueOf(cost, metric));
  values.push_back(static_cast<double>(cost.operations));
  return values;
}

Certificate OffchipCertificate(const FusedCost& cost, int64_t bound) {
  Certificate certificate;
  certificate.objective = static_cast<double>(cost.offchip_words);
  certificate.lower_bound = static_cast<double>(bound);
  certificate.status = CertificateStatus::kBounded;
  certificate.gap = (certificate.objective - certificate.lower_bound) / certificate.objective;
  if (bound < cost.offchip_words) return certificate;
  certificate.status = CertificateStatus::kOptimal;
  certificate.proven = {Metric::kOffchip};
  return certificate;
}

std::optional<FusedSolution> SolutionOf(const FusedProblem& problem,
                                        const Architecture& architecture, FusedTree tree) {
  const auto counts = CountFused(problem, architecture, tree);
  if (!counts) return std::nullopt;
  auto cost = FinishFused(problem, architecture, *counts);
  if (!cost) return std::nullopt;
  return FusedSolution{std::move(tree), *std::move(cost)};
}

std::vector<FusedRun> RunsOf(const FusedProblem& problem, const Architecture& architecture,
                             const FusedTree& tree) {
  std::vector<FusedRun> runs;
  for (const FusedRunTree& run : RunTreesOf(problem, tree)) {
    const FusedPart part = PartOf(problem, run.first, run.end);
    auto alone = SolutionOf(part.problem, architecture, TreeInPart(part, *run.tree));
    INLAY_CHECK(alone.has_value());  // the whole fits into 64 bits
    runs.push_back({run.first, run.end, *run.tree, std::move(alone->cost), {}});
  }
  return runs;
}

std::optional<int64_t> UsableWords(const Architecture& architecture) {
  const Level& pad = architecture.levels[LevelId(1)];
  if (!pad.capacity_words) return std::nullopt;
  return UsableWords(pad, *pad.capacity_words);
}

int64_t UsableWords(const Level& pad, int64_t capacity_words) {
  return static_cast<int64_t>(std::floor(static_cast<double>(capacity_words) / pad.buffering));
}

}  // namespace inlay

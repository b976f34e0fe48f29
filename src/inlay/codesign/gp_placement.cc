#include "inlay/codesign/gp_placement.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "inlay/base/parallel.h"
#include "inlay/codesign/gp_design.h"

namespace inlay {
namespace {

// Every row on the best of the columns from `first` on, `count` of them.
Placement PlaceRows(const CodesignTask& task, const CostTable& table, size_t first, size_t count,
                    const Deadline& deadline, const PlacementProgressSink& progress,
                    CodesignEffort* use) {
  const auto begin = table.choices().begin() + static_cast<std::ptrdiff_t>(first);
  const std::vector<ArchitectureChoice> choices(begin, begin + static_cast<std::ptrdiff_t>(count));
  Placement placement(table.rows());
  std::mutex mutex;
  ParallelFor(table.rows(), task.options.threads, [&](size_t row, size_t) {
    auto design = DesignByGp(task, table.problem(row), choices, deadline);
    const std::scoped_lock lock(mutex);
    if (progress) progress({});
    if (!design) return;
    use->programs += design->programs;
    use->searches += design->tried;
    placement[row] =
        PlacedRow{first + design->choice, std::move(design->solution), design->relaxed};
  });
  return placement;
}

}  // namespace

Placement PlaceByGp(const CodesignTask& task, const CostTable& table, const Deadline& deadline,
                    const PlacementProgressSink& progress, CodesignEffort* use) {
  Placement alone = PlaceRows(task, table, 0, table.columns(), deadline, progress, use);
  if (task.scope == Scope::kLayer) return alone;
  const bool complete = std::all_of(alone.begin(), alone.end(),
                                    [](const auto& placed) { return placed.has_value(); });
  if (!complete) return Placement(table.rows());
  const size_t dominant = DominantRow(table, alone, task.options.objective.front());
  return PlaceRows(task, table, alone[dominant]->column, 1, deadline, {}, use);
}

}  // namespace inlay

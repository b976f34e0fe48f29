#include "inlay/core/plan.h"

#include "inlay/base/check.h"

namespace inlay {
namespace {

constexpr PlanObjective kObjectives[] = {PlanObjective::kLatency, PlanObjective::kBytes,
                                         PlanObjective::kEnergy};
constexpr TransferKind kKinds[] = {TransferKind::kFetch, TransferKind::kPrefetch,
                                   TransferKind::kWriteBack, TransferKind::kMove};

}  // namespace

const char* Name(PlanObjective objective) {
  switch (objective) {
    case PlanObjective::kLatency:
      return "latency";
    case PlanObjective::kBytes:
      return "bytes";
    case PlanObjective::kEnergy:
      return "energy";
  }
  INLAY_CHECK(false);
}

std::optional<PlanObjective> PlanObjectiveFromName(std::string_view name) {
  for (PlanObjective objective : kObjectives) {
    if (name == Name(objective)) return objective;
  }
  return std::nullopt;
}

const char* Name(TransferKind kind) {
  switch (kind) {
    case TransferKind::kFetch:
      return "fetch";
    case TransferKind::kPrefetch:
      return "prefetch";
    case TransferKind::kWriteBack:
      return "write-back";
    case TransferKind::kMove:
      return "move";
  }
  INLAY_CHECK(false);
}

std::optional<TransferKind> TransferKindFromName(std::string_view name) {
  for (TransferKind kind : kKinds) {
    if (name == Name(kind)) return kind;
  }
  return std::nullopt;
}

double ValueOf(const PlanFigures& figures, PlanObjective objective) {
  switch (objective) {
    case PlanObjective::kLatency:
      return figures.latency_seconds;
    case PlanObjective::kBytes:
      return static_cast<double>(figures.offchip_bytes);
    case PlanObjective::kEnergy:
      return figures.energy_pj;
  }
  INLAY_CHECK(false);
}

}  // namespace inlay

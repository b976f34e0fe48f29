#include "inlay/core/map_result.h"

namespace inlay {

const char* Name(CertificateStatus status) {
  switch (status) {
    case CertificateStatus::kOptimal:
      return "optimal";
    case CertificateStatus::kBounded:
      return "bounded";
    case CertificateStatus::kHeuristic:
      return "heuristic";
  }
  return "";
}

std::optional<CertificateStatus> CertificateStatusFromName(std::string_view name) {
  for (const CertificateStatus status :
       {CertificateStatus::kOptimal, CertificateStatus::kBounded, CertificateStatus::kHeuristic}) {
    if (name == Name(status)) return status;
  }
  return std::nullopt;
}

LayerCost LayerCostOf(const Problem& asked_for, const Architecture& architecture,
                      const Cost& cost) {
  LayerCost result;
  result.energy_pj = cost.energy_pj;
  result.cycles = cost.cycles;
  result.edp = cost.energy_pj * static_cast<double>(cost.cycles);
  result.offchip_words = cost.offchip_words;
  result.utilization = cost.utilization;
  result.pj_per_op = cost.energy_pj / static_cast<double>(Operations(asked_for));
  result.padded_operations = cost.padded_operations;
  result.most_energy_in = architecture.compute.name;
  double most_pj = cost.compute_energy_pj;
  for (LevelId l : Ids(cost.levels)) {
    if (cost.levels[l].energy_pj <= most_pj) continue;
    most_pj = cost.levels[l].energy_pj;
    result.most_energy_in = architecture.levels[l].name;
  }
  result.most_energy_share = cost.energy_pj > 0 ? most_pj / cost.energy_pj : 0;
  return result;
}

}  // namespace inlay

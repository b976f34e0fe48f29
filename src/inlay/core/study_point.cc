#include "inlay/core/study_point.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace inlay {

std::optional<double> StudyFigures::Find(const std::string& name) const {
  for (const auto& [key, value] : values) {
    if (key == name) return value;
  }
  return std::nullopt;
}

void StudyProof::Worsen(const StudyProof& other) {
  const bool same = other.status == status;
  gap = std::max(gap, other.gap);
  // Of what is proven to the same degree, only what is proven of both.
  if (same) {
    std::erase_if(proven, [&](Metric metric) {
      return std::find(other.proven.begin(), other.proven.end(), metric) == other.proven.end();
    });
  } else if (other.status > status) {
    status = other.status;
    proven = other.proven;
  }
}

std::optional<StudyProof> ProofOf(const std::optional<StudyProof>& proof,
                                  const std::string& figure) {
  struct Row {
    std::string_view figure;
    Metric metric;
  };
  static constexpr std::array<Row, 9> kCosts = {{{"energy_pj", Metric::kEnergy},
                                                 {"pj_per_op", Metric::kEnergy},
                                                 {"cycles", Metric::kDelay},
                                                 {"ops_per_cycle", Metric::kDelay},
                                                 {"utilization", Metric::kDelay},
                                                 {"edp", Metric::kEdp},
                                                 {"offchip_words", Metric::kOffchip},
                                                 {"latency_us", Metric::kDelay},
                                                 {"offchip_bytes", Metric::kOffchip}}};
  const auto* row =
      std::find_if(kCosts.begin(), kCosts.end(), [&](const Row& r) { return r.figure == figure; });
  if (!proof || row == kCosts.end()) return std::nullopt;
  const bool sure =
      std::find(proof->proven.begin(), proof->proven.end(), row->metric) != proof->proven.end();
  return sure ? StudyProof{CertificateStatus::kOptimal, 0, proof->proven} : *proof;
}

const char* Name(PointStatus status) {
  switch (status) {
    case PointStatus::kDone:
      return "done";
    case PointStatus::kNoAnswer:
      return "no answer";
    case PointStatus::kCut:
      return "cut short";
    case PointStatus::kNotRun:
      return "not run";
  }
  return "";
}

}  // namespace inlay

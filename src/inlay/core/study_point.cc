#include "inlay/core/study_point.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "inlay/base/fields.h"

namespace inlay {

std::optional<double> StudyFigures::Find(const std::string& name) const {
  for (const auto& [key, value] : values) {
    if (key == name) return value;
  }
  return std::nullopt;
}

void StudyCertificate::Worsen(const StudyCertificate& other) {
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

std::optional<StudyCertificate> ProofOf(const std::optional<StudyCertificate>& proof,
                                        const std::string& figure) {
  struct CostFigure {
    std::string_view figure;
    Metric metric;
  };
  static constexpr std::array<CostFigure, 9> kCosts = {{{"energy_pj", Metric::kEnergy},
                                                        {"pj_per_op", Metric::kEnergy},
                                                        {"cycles", Metric::kDelay},
                                                        {"ops_per_cycle", Metric::kDelay},
                                                        {"utilization", Metric::kDelay},
                                                        {"edp", Metric::kEdp},
                                                        {"offchip_words", Metric::kOffchip},
                                                        {"latency_us", Metric::kDelay},
                                                        {"offchip_bytes", Metric::kOffchip}}};
  const auto* row = std::find_if(kCosts.begin(), kCosts.end(),
                                 [&](const CostFigure& r) { return r.figure == figure; });
  if (!proof || row == kCosts.end()) return std::nullopt;
  const bool sure =
      std::find(proof->proven.begin(), proof->proven.end(), row->metric) != proof->proven.end();
  return sure ? StudyCertificate{CertificateStatus::kOptimal, 0, proof->proven} : *proof;
}

const Structure& StructureOf(const StudyFigures*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&StudyFigures::values>("values", "figures by name",
                                 {.may_be_negative = true, .as_whole = true, .any_double = true}),
      Row<&StudyFigures::texts>("texts", "counts that no double holds, in full",
                                {.presence = Presence::kUnlessDefault}),
  });
  return Describe<StudyFigures, kFields>("StudyFigures");
}

const Structure& StructureOf(const StudyCertificate*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&StudyCertificate::status>("status", "optimal, bounded or heuristic"),
      Row<&StudyCertificate::gap>("gap", "at most so much of the objective could be saved",
                                  {.as_whole = true}),
      Row<&StudyCertificate::proven>("proven",
                                     "metrics of the objective in which no answer is better"),
  });
  return Describe<StudyCertificate, kFields>("StudyCertificate");
}

const Structure& StructureOf(const StudyLayer*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&StudyLayer::name>("name", "the layer, or the policy of a batch"),
      Row<&StudyLayer::repeat>("repeat", "how often the network has it"),
      Row<&StudyLayer::figures>("figures", "figures of one run"),
      Row<&StudyLayer::proof>("certificate", "what is proven about them"),
  });
  return Describe<StudyLayer, kFields>("JournalLayer");
}

const Structure& StructureOf(const StudyPoint*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&StudyPoint::settings>("settings", "axis and label, in the order of the grid"),
      Row<&StudyPoint::status>("status", "how the point ended"),
      Row<&StudyPoint::timed>("timed", "a time limit may have changed the answer",
                              {.presence = Presence::kUnlessDefault}),
      Row<&StudyPoint::proof>("certificate", "the worst of the layers"),
      Row<&StudyPoint::figures>("figures", "figures of the point"),
      Row<&StudyPoint::layers>("layers", "figures of every layer",
                               {.presence = Presence::kUnlessDefault}),
      Row<&StudyPoint::batch>("batch", "figures of every policy"),
      Row<&StudyPoint::reasons>("reasons", "why there is no answer",
                                {.presence = Presence::kUnlessDefault}),
      Row<&StudyPoint::seconds>("seconds", "time of the point", {.group = "measured"}),
  });
  return Describe<StudyPoint, kFields>("JournalPoint");
}

}  // namespace inlay

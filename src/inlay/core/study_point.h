#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/batch_result.h"
#include "inlay/core/map_result.h"
#include "inlay/core/study.h"

namespace inlay {

// Figures by name, in the order in which they are listed. Counts too long for a double also stand
// in `texts`, exactly.
struct StudyFigures {
  std::vector<std::pair<std::string, double>> values;
  std::vector<std::pair<std::string, std::string>> texts;
  std::optional<double> Find(const std::string& name) const;
  void Set(const std::string& name, double value) { values.emplace_back(name, value); }
  bool operator==(const StudyFigures&) const = default;
};
const Structure& StructureOf(const StudyFigures*);

// What is proven about the mapping behind figures, or the worst of several. Heuristic is worse than
// bounded, and that than optimal.
struct StudyCertificate {
  CertificateStatus status = CertificateStatus::kOptimal;
  double gap = 0;    // at most this share of the objective could be saved; 1: unknown
  Objective proven;  // metrics, as of a certificate
  void Worsen(const StudyCertificate& other);
  bool operator==(const StudyCertificate&) const = default;
};
const Structure& StructureOf(const StudyCertificate*);

// The same for one figure: proven where it is a metric that is, or follows from it, although the
// mapping as a whole is not. None for figures that are no cost, which need no proof.
std::optional<StudyCertificate> ProofOf(const std::optional<StudyCertificate>& proof,
                                        const std::string& figure);

struct StudyLayer {
  std::string name;
  int64_t repeat = 1;
  StudyFigures figures;                        // of one run of the layer
  std::optional<StudyCertificate> proof = {};  // of a search
  bool operator==(const StudyLayer&) const = default;
};
const Structure& StructureOf(const StudyLayer*);

enum class PointStatus : uint8_t {
  kDone,
  kNoAnswer,  // `reasons` say why
  kCut,       // stopped by the user or a time limit, with what was found by then
  kNotRun,    // the study was stopped, or limited, before its turn
};
template <>
inline constexpr auto kNames<PointStatus> =
    std::to_array<EnumName<PointStatus>>({{PointStatus::kDone, "done"},
                                          {PointStatus::kNoAnswer, "no answer"},
                                          {PointStatus::kCut, "cut short"},
                                          {PointStatus::kNotRun, "not run"}});

struct StudyPoint {
  StudyFilter settings;  // axis and label, in the order of the grid
  PointStatus status = PointStatus::kNotRun;
  StudyFigures figures;
  std::optional<StudyCertificate> proof;  // of searches: the worst of the layers
  std::vector<StudyLayer> layers;         // of batch: the policies
  std::optional<BatchFigures> batch;      // of batch
  std::vector<std::string> reasons;
  bool timed = false;  // a time limit may have changed the figures: nothing proves them the best
  double seconds = 0;  // measured
};
// As journals have it: all that the point consists of.
const Structure& StructureOf(const StudyPoint*);

}  // namespace inlay

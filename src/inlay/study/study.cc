#include "inlay/study/study.h"

#include <algorithm>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/study/claims.h"
#include "inlay/study/figure.h"

namespace inlay::study {
namespace {

void Append(const io::LoadRecord& from, io::LoadRecord* to) {
  for (const InputRecord& input : from.inputs) {
    if (std::find(to->inputs.begin(), to->inputs.end(), input) == to->inputs.end()) {
      to->inputs.push_back(input);
    }
  }
  to->warnings.insert(to->warnings.end(), from.warnings.begin(), from.warnings.end());
}

bool HasTimeLimit(const StudyFilter& settings) {
  return std::any_of(settings.begin(), settings.end(),
                     [](const auto& setting) { return setting.first == "time_limit"; });
}

// All points, those that the journal has as they are there.
std::vector<StudyPoint> BeginWith(const std::vector<PreparedPoint>& points,
                                  const Journal* journal) {
  std::vector<StudyPoint> begun(points.size());
  for (size_t i = 0; i < points.size(); ++i) begun[i].settings = points[i].settings;
  if (journal == nullptr) return begun;
  for (const auto& [index, point] : journal->known()) begun[index] = point;
  return begun;
}

}  // namespace

Result<std::vector<PreparedPoint>> PrepareStudy(const Study& study, io::LoadRecord* record) {
  Loader loader;
  auto prepared = Prepare(study, &loader);
  if (prepared) Append(loader.record, record);
  return prepared;
}

StudyPoint RunOne(const PreparedPoint& point, const RunLimits& limits, const StopFlag& stop) {
  StudyPoint answer;
  answer.settings = point.settings;
  point.run(limits, stop, &answer);
  const bool proven = answer.proof && answer.proof->status == CertificateStatus::kOptimal;
  answer.timed = !proven && (limits.seconds || HasTimeLimit(point.settings));
  return answer;
}

size_t DueOf(size_t points, const std::optional<size_t>& limit) {
  return std::min(points, limit.value_or(points));
}

Result<StudyResult> RunPoints(const Study& study, const std::vector<PreparedPoint>& points,
                              const StudyOptions& options, const StopFlag& stop, Journal* journal,
                              const StudyProgressSink& progress) {
  std::vector<StudyPoint> answers = BeginWith(points, journal);
  std::vector<size_t> due;
  StudyProgress state;
  for (size_t i = 0; i < DueOf(points.size(), options.limit); ++i) {
    if (!options.shard.Holds(i)) continue;
    ++state.points;
    if (answers[i].status == PointStatus::kNotRun) due.push_back(i);
  }
  state.done = state.earlier = state.points - due.size();
  const Deadline deadline(stop, options.time_limit_seconds);
  for (size_t k = 0; k < due.size() && !deadline.Passed(); ++k, ++state.done) {
    const PreparedPoint& point = points[due[k]];
    state.now = Describe(point.settings);
    if (progress) progress(state);
    RunLimits limits{options.threads, std::nullopt};
    if (options.time_limit_seconds) {
      const double left = *options.time_limit_seconds - deadline.SecondsSinceStart();
      limits.seconds = std::max(0.0, left) / static_cast<double>(due.size() - k);
    }
    answers[due[k]] = RunOne(point, limits, stop);
    if (journal == nullptr || stop.Requested()) continue;
    if (auto added = journal->Add(due[k], answers[due[k]]); !added) {
      return Fail(std::move(added.error()));
    }
  }
  StudyResult result = Conclude(study, std::move(answers));
  result.interrupted = stop.Requested();
  return result;
}

StudyResult Conclude(const Study& study, std::vector<StudyPoint> points) {
  StudyResult result;
  result.study = study.name;
  result.points = std::move(points);
  if (study.figure) result.drawing = Draw(*study.figure, result.points);
  for (const StudyClaim& claim : study.claims) result.claims.push_back(Judge(claim, result.points));
  return result;
}

Result<StudyResult> RunStudy(const Study& study, const StudyOptions& options, const StopFlag& stop,
                             io::LoadRecord* record, const StudyProgressSink& progress) {
  const auto points = PrepareStudy(study, record);
  if (!points) return Fail(points.error());
  return RunPoints(study, *points, options, stop, nullptr, progress);
}

}  // namespace inlay::study

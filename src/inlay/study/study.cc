#include "inlay/study/study.h"

#include <algorithm>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/base/mention.h"
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
  Append(from.warnings, &to->warnings);
}

bool HasTimeLimit(const StudyFilter& settings) {
  return std::any_of(settings.begin(), settings.end(),
                     [](const auto& setting) { return setting.first == "time_limit"; });
}

}  // namespace

Result<PreparedStudy> PrepareStudy(const Study& study, const Deadline& deadline,
                                   io::LoadRecord* record) {
  auto prepared = PreparedStudy::Make(study, deadline);
  if (prepared) Append(prepared->record(), record);
  return prepared;
}

StudyPoint RunOne(const PreparedPoint& point, const RunLimits& limits, const StopFlag& stop) {
  StudyPoint answer;
  answer.settings = point.settings;
  point.run(limits, stop, &answer);
  for (std::string& reason : answer.reasons) reason = Spell(reason, kSettingSpelling);
  const bool proven = answer.proof && answer.proof->status == CertificateStatus::kOptimal;
  answer.timed = !proven && (limits.seconds || HasTimeLimit(point.settings));
  return answer;
}

double ShareOf(double left, double share) {
  constexpr double kLeast = 0.01;
  left = std::max(left, 0.0);
  return std::max(left * std::min(1.0, share), std::min(left, kLeast));
}

size_t DueOf(size_t points, const std::optional<size_t>& limit) {
  return std::min(points, limit.value_or(points));
}

DuePoints::DuePoints(const StudyPoints& points, const StudyOptions& options)
    : known_(points),
      step_(options.shard.count),
      next_(options.shard.index),
      end_(DueOf(points.size(), options.limit)),
      all_(options.shard.CountOf(end_)) {
  left_ = all_;
  points.ForEachNumber([&](size_t index) {
    if (index < end_ && options.shard.Holds(index)) --left_;
    return index < end_;
  });
}

std::optional<size_t> DuePoints::Next() {
  if (left_ == 0) return std::nullopt;
  while (known_.HasRun(next_)) next_ += step_;
  --left_;
  return std::exchange(next_, next_ + step_);
}

Result<StudyResult> RunPoints(const Study& study, const PreparedStudy& points,
                              const StudyOptions& options, const StopFlag& stop, Journal* journal,
                              const StudyProgressSink& progress) {
  const Deadline deadline(stop, options.time_limit_seconds);
  StudyPoints answers = journal != nullptr ? journal->TakePoints() : StudyPoints(OutlineOf(study));
  DuePoints due(answers, options);
  StudyProgress state;
  state.points = due.all();
  state.done = state.earlier = due.all() - due.left();
  for (; due.left() > 0 && !deadline.Passed(); ++state.done) {
    RunLimits limits{options.threads, std::nullopt};
    if (options.time_limit_seconds) {
      const double left = *options.time_limit_seconds - deadline.SecondsSinceStart();
      limits.seconds = ShareOf(left, 1.0 / static_cast<double>(due.left()));
    }
    const size_t index = *due.Next();
    const PreparedPoint point = points.At(index);
    state.now = Describe(point.settings);
    if (progress) progress(state);
    StudyPoint answer = RunOne(point, limits, stop);
    if (journal == nullptr || stop.Requested()) {
      answers.Put(index, std::move(answer));
      continue;
    }
    auto added = journal->Add(index, answer, &answers);
    if (!added) return Fail(std::move(added.error()));
  }
  StudyResult result = Conclude(study, std::move(answers));
  result.interrupted = stop.Requested();
  return result;
}

namespace {

void Count(const StudyPoint& point, StudyCounts* counts) {
  const bool answered = point.status == PointStatus::kCut && !point.figures.values.empty();
  if (point.status == PointStatus::kDone || answered) {
    ++counts->answered;
    counts->cut += answered ? 1 : 0;
    return;
  }
  ++counts->unanswered;
  if (counts->first_unanswered.size() == StudyCounts::kFirst) return;
  StudyPoint& kept = counts->first_unanswered.emplace_back();
  kept.settings = point.settings;
  kept.status = point.status;
  kept.reasons = point.reasons;
}

}  // namespace

StudyResult Conclude(const Study& study, StudyPoints points) {
  StudyResult result;
  result.study = study.name;
  result.points = std::move(points);
  std::optional<FigureBuilder> builder;
  if (study.figure) builder.emplace(*study.figure, study);
  std::vector<ClaimEvaluator> evaluators;
  for (const StudyClaim& claim : study.claims) evaluators.emplace_back(claim, result.points);
  result.points.ForEachRun([&](size_t /*index*/, const StudyPoint& point) {
    Count(point, &result.counts);
    result.seconds += point.seconds;
    if (builder) builder->Add(point);
    for (ClaimEvaluator& evaluator : evaluators) evaluator.Add(point);
  });
  if (builder) result.drawing = builder->Finish();
  for (const ClaimEvaluator& evaluator : evaluators) result.claims.push_back(evaluator.Finish());
  return result;
}

Result<StudyResult> RunStudy(const Study& study, const StudyOptions& options, const StopFlag& stop,
                             io::LoadRecord* record, const StudyProgressSink& progress) {
  const auto points = PrepareStudy(study, Deadline(stop, options.time_limit_seconds), record);
  if (!points) return Fail(points.error());
  return RunPoints(study, *points, options, stop, nullptr, progress);
}

}  // namespace inlay::study

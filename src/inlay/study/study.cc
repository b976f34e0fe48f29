#include "inlay/study/study.h"

#include <algorithm>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/study/claims.h"
#include "inlay/study/figure.h"
#include "inlay/study/prepare.h"

namespace inlay::study {
namespace {

std::string Describe(const StudyFilter& settings) {
  std::string text;
  for (const auto& [axis, label] : settings) text += (text.empty() ? "" : ", ") + label;
  return text;
}

void Append(const io::LoadRecord& from, io::LoadRecord* to) {
  for (const InputRecord& input : from.inputs) {
    if (std::find(to->inputs.begin(), to->inputs.end(), input) == to->inputs.end()) {
      to->inputs.push_back(input);
    }
  }
  to->warnings.insert(to->warnings.end(), from.warnings.begin(), from.warnings.end());
}

}  // namespace

Result<StudyResult> RunStudy(const Study& study, const StudyOptions& options, const StopFlag& stop,
                             io::LoadRecord* record, const StudyProgressSink& progress) {
  Loader loader;
  auto prepared = Prepare(study, &loader);
  if (!prepared) return Fail(std::move(prepared.error()));
  Append(loader.record, record);
  StudyResult result;
  result.study = study.name;
  const Deadline deadline(stop, options.time_limit_seconds);
  const size_t most = std::min(prepared->size(), options.limit.value_or(prepared->size()));
  for (size_t i = 0; i < prepared->size(); ++i) {
    StudyPoint point;
    point.settings = (*prepared)[i].settings;
    if (i < most && !deadline.Passed()) {
      if (progress) progress({i, most, Describe(point.settings)});
      RunLimits limits{options.threads, std::nullopt};
      if (options.time_limit_seconds) {
        const double left = *options.time_limit_seconds - deadline.SecondsSinceStart();
        limits.seconds = std::max(0.0, left) / static_cast<double>(most - i);
      }
      (*prepared)[i].run(limits, stop, &point);
    }
    result.points.push_back(std::move(point));
  }
  result.interrupted = stop.Requested();
  if (study.figure) result.drawing = Draw(*study.figure, result.points);
  for (const StudyClaim& claim : study.claims) result.claims.push_back(Judge(claim, result.points));
  return result;
}

}  // namespace inlay::study

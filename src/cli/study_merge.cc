#include "cli/study_merge.h"

#include <fmt/format.h>

#include <utility>

#include "cli/deliver_result.h"
#include "cli/session.h"
#include "inlay/io/json/study_journal.h"
#include "inlay/io/json/study_result.h"
#include "inlay/report/study.h"
#include "inlay/study/journal.h"
#include "inlay/study/merge.h"

namespace inlay::cli {
namespace {

Diagnostics CheckInvocation(const Invocation& invocation) {
  Diagnostics errors;
  if (invocation.arguments.size() < 2) {
    errors.push_back(MakeError({}, "inlay study merge needs DIR: the folders of the parts",
                               "'inlay study --help' shows what it takes"));
  }
  if (!invocation.options.Has("output")) {
    errors.push_back(MakeError({}, "inlay study merge needs -o DIR, the folder to write"));
  }
  for (const char* name : {"shard", "limit", "resume", "time-limit"}) {
    if (!invocation.options.WasSet(name)) continue;
    errors.push_back(MakeError({}, fmt::format("inlay study merge takes no --{}", name),
                               "what was run is in the folders"));
  }
  return errors;
}

// "5 (resnet50, eyeriss)", "9 (…)", a few of them.
std::string TextOfPoints(const study::StudyMerge& merge) {
  std::string text;
  for (const size_t point : merge.first_missing) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", point + 1,
                        Describe(merge.journal.points.SettingsOf(point)));
  }
  const size_t more = merge.missing - merge.first_missing.size();
  return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

Diagnostic AboutMissing(const study::StudyMerge& merge) {
  const size_t count = merge.missing;
  std::string hint = "run or resume the parts that they belong to";
  if (!merge.missing_shards.empty()) {
    hint = "they belong to the shards ";
    if (merge.missing_shards.size() == 1) hint = "run or resume the shard ";
    for (size_t i = 0; i < merge.missing_shards.size(); ++i) {
      hint += (i > 0 ? ", " : "") + TextOf(merge.missing_shards[i]);
    }
    if (merge.missing_shards.size() == study::StudyMerge::kMostShards) hint += " and maybe more";
  }
  return MakeError({},
                   fmt::format("{} point{} of study {} {} missing: {}", count,
                               count == 1 ? "" : "s", merge.journal.identity.outline.name,
                               count == 1 ? "is" : "are", TextOfPoints(merge)),
                   hint);
}

}  // namespace

std::vector<std::string> FilesOfAStudy(bool resume) {
  if (!resume) return {};
  return {io::kStudyJournalName, "result.json", "summary.txt"};
}

ExitCode MergeStudies(const Invocation& invocation, Session* session) {
  Diagnostics errors = CheckInvocation(invocation);
  std::vector<study::NamedJournal> journals;
  for (size_t i = 1; i < invocation.arguments.size(); ++i) {
    const std::string path = invocation.arguments[i] + "/" + io::kStudyJournalName;
    auto journal = study::ReadJournal(path);
    if (!journal) {
      Append(journal.error(), &errors);
      continue;
    }
    journals.push_back({path, *std::move(journal)});
  }
  if (!errors.empty()) {
    session->Report(errors);
    return kWrongInput;
  }
  const auto merge = study::Merge(journals);
  if (!merge) {
    session->Report(merge.error());
    return kWrongInput;
  }
  if (merge->missing > 0) {
    session->Report({AboutMissing(*merge)});
    return kNoAnswer;
  }
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  const StudyResult result = study::ResultOf(merge->journal);
  const auto summary = [&](const TextStyle& style) { return report::StudySummary(result, style); };
  return Deliver({io::WriteStudyResult(result),
                  summary,
                  {{io::kStudyJournalName, io::WriteStudyJournal(merge->journal)}},
                  true},
                 &*folder, session);
}

}  // namespace inlay::cli

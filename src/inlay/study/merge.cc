#include "inlay/study/merge.h"

#include <algorithm>
#include <set>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/study/study.h"

namespace inlay::study {
namespace {

std::string LimitText(const std::optional<size_t>& limit) {
  return limit ? "--limit " + std::to_string(*limit) : "no --limit";
}

void CheckBelongs(const NamedJournal& first, const NamedJournal& other, Diagnostics* errors) {
  const auto complain = [&](const std::string& what) {
    errors->push_back(MakeError({other.name, 0, 0},
                                "this does not belong to " + first.name + ": " + what,
                                "merge the parts of one study, run the same way"));
  };
  for (const std::string& difference :
       DifferencesOf(first.journal.identity, other.journal.identity)) {
    complain(difference);
  }
  if (first.journal.part.limit != other.journal.part.limit) {
    complain("it had " + LimitText(other.journal.part.limit) + ", the other " +
             LimitText(first.journal.part.limit));
  }
}

// `owner` is the name of the journal of each point.
void AddPoints(const NamedJournal& from, StudyJournal* to, std::map<size_t, std::string>* owner,
               Diagnostics* errors) {
  for (const auto& [index, point] : from.journal.points) {
    const auto [known, added] = to->points.try_emplace(index, point);
    if (added) {
      owner->emplace(index, from.name);
    } else if (!KeepOne(point, &known->second)) {
      errors->push_back(MakeError({from.name, 0, 0},
                                  "point " + std::to_string(index + 1) + " (" +
                                      Describe(point.settings) + ") contradicts that of " +
                                      owner->at(index),
                                  "run both again with the same program"));
    }
  }
}

}  // namespace

Result<StudyMerge> Merge(std::vector<NamedJournal> journals) {
  INLAY_CHECK(!journals.empty());
  const NamedJournal& first = journals.front();
  Diagnostics errors;
  for (size_t i = 1; i < journals.size(); ++i) CheckBelongs(first, journals[i], &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  StudyMerge merge;
  merge.journal.identity = first.journal.identity;
  merge.journal.part.limit = first.journal.part.limit;
  std::map<size_t, std::string> owner;
  for (const NamedJournal& journal : journals) {
    AddPoints(journal, &merge.journal, &owner, &errors);
  }
  if (!errors.empty()) return Fail(std::move(errors));
  const size_t due =
      DueOf(SettingsOf(merge.journal.identity.outline).size(), merge.journal.part.limit);
  for (size_t i = 0; i < due; ++i) {
    if (!merge.journal.points.contains(i)) merge.missing.push_back(i);
  }
  const size_t count = first.journal.part.shard.count;
  const bool one_division = std::all_of(
      journals.begin(), journals.end(),
      [count](const NamedJournal& journal) { return journal.journal.part.shard.count == count; });
  std::set<size_t> shards;
  for (const size_t point : merge.missing) shards.insert(point % count);
  for (const size_t shard : shards) {
    if (one_division && count > 1) merge.missing_shards.push_back({shard, count});
  }
  return merge;
}

StudyResult ResultOf(const StudyJournal& journal) {
  std::vector<StudyPoint> points;
  double seconds = 0;
  for (StudyFilter& settings : SettingsOf(journal.identity.outline)) {
    const auto known = journal.points.find(points.size());
    StudyPoint& point = points.emplace_back();
    if (known == journal.points.end()) {
      point.settings = std::move(settings);
      continue;
    }
    point = known->second;
    seconds += point.seconds;
  }
  StudyResult result = Conclude(journal.identity.outline, std::move(points));
  result.header = journal.identity.header;
  if (journal.part.limit) {
    result.header.options.emplace(result.header.options.begin(), "limit",
                                  static_cast<int64_t>(*journal.part.limit));
  }
  result.seconds = seconds;
  return result;
}

}  // namespace inlay::study

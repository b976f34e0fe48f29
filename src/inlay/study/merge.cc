#include "inlay/study/merge.h"

#include <algorithm>
#include <map>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/mention.h"
#include "inlay/study/study.h"

namespace inlay::study {
namespace {

std::string LimitText(const std::optional<size_t>& limit) {
  return limit ? Mention("limit", std::to_string(*limit)) : "no " + Mention("limit");
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

// The first of the journals before `end` that has a point.
const NamedJournal& OwnerOf(size_t index, const std::vector<NamedJournal>& journals, size_t end) {
  size_t i = 0;
  while (i < end && !journals[i].journal.points.HasRun(index)) ++i;
  return journals[i];
}

void AddPoints(const std::vector<NamedJournal>& journals, size_t number, StudyPoints* points,
               Diagnostics* errors) {
  const NamedJournal& from = journals[number];
  from.journal.points.ForEachNumber([&](size_t index) {
    if (!points->HasRun(index)) {
      points->PutFrom(from.journal.points, index);
      return true;
    }
    const StudyPoint point = from.journal.points[index];
    StudyPoint known = (*points)[index];
    const bool gives_way = known.timed && !point.timed;
    if (!KeepOne(point, &known)) {
      errors->push_back(MakeError({from.name, 0, 0},
                                  "point " + std::to_string(index + 1) + " (" +
                                      Describe(point.settings) + ") contradicts that of " +
                                      OwnerOf(index, journals, number).name,
                                  "run both again with the same program"));
    }
    if (gives_way) points->PutFrom(from.journal.points, index);
    return true;
  });
}

// The points below `due` that have not run: how many, and the first.
void FindMissing(size_t due, StudyMerge* merge) {
  constexpr size_t kFirst = 5;
  size_t there = 0, next = 0;
  const auto miss_to = [&](size_t end) {
    for (; next < end && merge->first_missing.size() < kFirst; ++next) {
      merge->first_missing.push_back(next);
    }
  };
  merge->journal.points.ForEachNumber([&](size_t index) {
    if (index >= due) return false;
    ++there;
    miss_to(index);
    next = index + 1;
    return true;
  });
  miss_to(due);
  merge->missing = due - there;
}

// The shards of a division that have not run all that they hold of the first `due` points.
void FindMissingShards(size_t due, size_t count, StudyMerge* merge) {
  std::map<size_t, size_t> there;  // by shard
  merge->journal.points.ForEachNumber([&](size_t index) {
    if (index < due) ++there[index % count];
    return index < due;
  });
  for (size_t i = 0; i < count && merge->missing_shards.size() < StudyMerge::kMostShards; ++i) {
    const StudyShard shard{i, count};
    const auto known = there.find(i);
    if (shard.CountOf(due) == 0) break;
    if (shard.CountOf(due) > (known == there.end() ? 0 : known->second)) {
      merge->missing_shards.push_back(shard);
    }
  }
}

}  // namespace

Result<StudyMerge> Merge(const std::vector<NamedJournal>& journals) {
  INLAY_CHECK(!journals.empty());
  const NamedJournal& first = journals.front();
  Diagnostics errors;
  for (size_t i = 1; i < journals.size(); ++i) CheckBelongs(first, journals[i], &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  StudyMerge merge;
  merge.journal.identity = first.journal.identity;
  merge.journal.part.limit = first.journal.part.limit;
  merge.journal.points = StudyPoints(first.journal.identity.outline);
  for (size_t i = 0; i < journals.size(); ++i) {
    AddPoints(journals, i, &merge.journal.points, &errors);
  }
  if (!errors.empty()) return Fail(std::move(errors));
  const size_t due = DueOf(merge.journal.points.size(), merge.journal.part.limit);
  FindMissing(due, &merge);
  const size_t count = first.journal.part.shard.count;
  const bool one_division = std::all_of(
      journals.begin(), journals.end(),
      [count](const NamedJournal& journal) { return journal.journal.part.shard.count == count; });
  if (one_division && count > 1 && merge.missing > 0) FindMissingShards(due, count, &merge);
  return merge;
}

StudyResult ResultOf(const StudyJournal& journal) {
  StudyResult result = Conclude(journal.identity.outline, journal.points);
  result.header = journal.identity.header;
  if (journal.part.limit) {
    result.header.options.emplace(result.header.options.begin(), "limit",
                                  static_cast<int64_t>(*journal.part.limit));
  }
  return result;
}

}  // namespace inlay::study

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/core/study_result.h"

namespace inlay {

// Every count-th point, from `index` on: points are dealt out like cards, so that neighbours, which
// often take about as long, end up with different workers. A user writes it from 1: "2/4" is {1,
// 4}.
struct StudyShard {
  size_t index = 0;
  size_t count = 1;
  bool Holds(size_t point) const { return point % count == index; }
  // How many of the first `points` it holds.
  size_t CountOf(size_t points) const {
    return points > index ? (points - index - 1) / count + 1 : 0;
  }
  bool operator==(const StudyShard&) const = default;
};
std::string TextOf(const StudyShard& shard);                          // "2/4"
std::optional<StudyShard> StudyShardFromText(std::string_view text);  // none: not 1 <= I <= N

// Which points a run was asked for. It changes no point.
struct StudyPart {
  StudyShard shard;
  std::optional<size_t> limit;  // only the first so many points of the study, of all shards
  bool operator==(const StudyPart&) const = default;
};

// What the points of a study depend on, and all that is needed to draw and judge them: runs whose
// identities agree find the same points, but for what a time limit cuts short.
struct StudyIdentity {
  ResultHeader header;  // without the options that say which part was run
  Study outline;        // settings are their labels alone
};
Study OutlineOf(const Study& study);

// What differs, a sentence each; empty: runs of the same. Names of files may differ, their contents
// may not.
std::vector<std::string> DifferencesOf(const StudyIdentity& before, const StudyIdentity& now);

// What a run leaves behind as it goes.
struct StudyJournal {
  StudyIdentity identity;
  StudyPart part;      // of the last run that went on with it
  StudyPoints points;  // of the outline; those that are finished have run
};

// "resnet50, eyeriss, ruby-s".
std::string Describe(const StudyFilter& settings);

// Whether two runs of a point came to the same, whatever they measured.
bool SameAnswer(const StudyPoint& a, const StudyPoint& b);
// Of two runs of a point the one that counts is kept: what a time limit cut short gives way to what
// was not, else the first stays. False if both should have come to the same, and did not.
bool KeepOne(const StudyPoint& other, StudyPoint* known);

}  // namespace inlay

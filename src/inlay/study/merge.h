#pragma once

#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/study_journal.h"

namespace inlay::study {

struct NamedJournal {
  std::string name;  // in messages
  StudyJournal journal;
};

struct StudyMerge {
  StudyJournal journal;               // of all; points stay where they are
  size_t missing = 0;                 // how many points are due and no journal has
  std::vector<size_t> first_missing;  // a few of them, the first
  // The shards that they belong to, where all journals are of one division: so many at most.
  static constexpr size_t kMostShards = 100;
  std::vector<StudyShard> missing_shards;
};

// Puts the journals of the shards of one study together, or of any runs of parts of it. Refuses
// what does not belong together and points that contradict each other; of those that a time limit
// may have changed, the first journal's counts. There is at least one.
Result<StudyMerge> Merge(const std::vector<NamedJournal>& journals);

// What a run of the whole would have delivered. Seconds are those of the points.
StudyResult ResultOf(const StudyJournal& journal);

}  // namespace inlay::study

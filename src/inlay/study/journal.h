#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "inlay/base/result.h"
#include "inlay/core/study_journal.h"
#include "inlay/io/append_file.h"

namespace inlay::study {

// The journal of a run that goes on. The caller sees to it that no other run writes it.
class Journal {
 public:
  // Begins one, or goes on with the one that is there, cutting off a line that somebody was killed
  // in. Refuses the journal of another study, and says what differs.
  static Result<Journal> Open(const std::string& path, const StudyIdentity& identity,
                              const StudyPart& part);

  // As in the journal: of those that agree, the first run's.
  const StudyIdentity& identity() const { return identity_; }
  // Finished before this run.
  const std::map<size_t, StudyPoint>& known() const { return known_; }

  // A point that is finished. Once it has returned nothing can undo it.
  Result<void> Add(size_t index, const StudyPoint& point);
  // All that was added is on the disk.
  Result<void> Sync() { return file_.Sync(); }

 private:
  Journal(StudyIdentity identity, std::map<size_t, StudyPoint> known, io::AppendFile file)
      : identity_(std::move(identity)), known_(std::move(known)), file_(std::move(file)) {}

  StudyIdentity identity_;
  std::map<size_t, StudyPoint> known_;
  io::AppendFile file_;
};

// Reads a journal as far as it is whole, without changing it.
Result<StudyJournal> ReadJournal(const std::string& path);

}  // namespace inlay::study

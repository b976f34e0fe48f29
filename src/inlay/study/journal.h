#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "inlay/base/result.h"
#include "inlay/core/study_journal.h"
#include "inlay/io/append_file.h"

namespace inlay::study {

// The journal of a run that goes on. The caller sees to it that no other run writes it.
class Journal {
 public:
  // Begins one, or goes on with the one that is there, cutting off an incomplete last line, which a
  // killed run leaves. Refuses the journal of another study, and says what differs.
  static Result<Journal> Open(const std::string& path, const StudyIdentity& identity,
                              const StudyPart& part);

  // As in the journal: of those that agree, the first run's.
  const StudyIdentity& identity() const { return identity_; }
  // Those that earlier runs have finished, once. They stay in the file.
  StudyPoints TakePoints() { return std::exchange(points_, StudyPoints()); }

  // A point that is finished. Once it has returned nothing can undo it, and `points` has it, from
  // the file.
  Result<void> Add(size_t index, const StudyPoint& point, StudyPoints* points);
  // All that was added is on the disk.
  Result<void> Sync() { return file_.Sync(); }

 private:
  Journal(StudyIdentity identity, StudyPoints points, io::AppendFile file,
          std::shared_ptr<const StudyPointFile> reader)
      : identity_(std::move(identity)),
        points_(std::move(points)),
        file_(std::move(file)),
        reader_(std::move(reader)) {}

  StudyIdentity identity_;
  StudyPoints points_;
  io::AppendFile file_;
  std::shared_ptr<const StudyPointFile> reader_;  // of the same file
};

// Reads a journal as far as it is whole, without changing it. Its points stay in the file.
Result<StudyJournal> ReadJournal(const std::string& path);

}  // namespace inlay::study

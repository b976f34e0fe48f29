#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "inlay/base/long_text.h"
#include "inlay/base/result.h"
#include "inlay/core/study_journal.h"
#include "inlay/io/file.h"

namespace inlay::io {

// A journal is a text of lines, each a JSON object that begins with the checksum of what follows in
// it: first the identity of the study, then parts (one at the begin of every run) and points as
// they were finished. It only ever grows; a process that is killed while writing leaves half a line
// at its end. docs/reference/studies.md describes it.
inline constexpr const char* kStudyJournalName = "journal.jsonl";

// With the end of the line.
std::string WriteJournalLine(const StudyIdentity& identity);
std::string WriteJournalLine(const StudyPart& part);
std::string WriteJournalLine(size_t index, const StudyPoint& point);
// All of it, made as it is written: the journal outlives it.
LongText WriteStudyJournal(const StudyJournal& journal);
// No line is longer, in bytes: what is, no run of ours wrote.
inline constexpr size_t kLongestJournalLine = size_t{64} << 20;

struct JournalText {
  std::optional<StudyJournal> journal;  // none: not even the identity is there
  size_t whole = 0;                     // bytes up to the end of the last whole line
};
// What is whole of a journal. An error with its line where a line is not what was written, or
// points contradict the study or each other.
Result<JournalText> ReadStudyJournal(const Source& source);
// The same of a file, line by line: its points stay there, and are read when they are asked for.
Result<JournalText> ReadStudyJournalFile(const std::string& path);

// The points of a journal that is being written: of each, where its line begins and how long it is
// without its end.
Result<std::shared_ptr<const StudyPointFile>> OpenJournalPoints(const std::string& path);

// One line of a point, as WriteJournalLine makes it.
Result<std::pair<size_t, StudyPoint>> ReadJournalPoint(const Source& line);

}  // namespace inlay::io

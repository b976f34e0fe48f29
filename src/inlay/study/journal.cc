#include "inlay/study/journal.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "inlay/io/json/study_journal.h"

namespace inlay::study {
namespace {

Diagnostics Refuse(const std::string& path, const StudyIdentity& before, const StudyIdentity& now) {
  Diagnostics errors;
  for (const std::string& difference : DifferencesOf(before, now)) {
    errors.push_back(MakeError({path, 0, 0}, "this is the journal of another study: " + difference,
                               "choose another folder, or go on as it was begun"));
  }
  return errors;
}

}  // namespace

Result<Journal> Journal::Open(const std::string& path, const StudyIdentity& identity,
                              const StudyPart& part) {
  io::JournalText text;
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    auto read = io::ReadStudyJournalFile(path);
    if (!read) return Fail(std::move(read.error()));
    text = *std::move(read);
  }
  if (text.journal) {
    Diagnostics errors = Refuse(path, text.journal->identity, identity);
    if (!errors.empty()) return Fail(std::move(errors));
  }
  const std::string part_line = io::WriteJournalLine(part);
  // One write, so that no reader sees an identity without a part.
  const std::string lines = (text.journal ? "" : io::WriteJournalLine(identity)) + part_line;
  if (lines.size() > io::kLongestJournalLine) {
    return Fail(MakeError({path, 0, 0}, "the settings of the study are too long for a journal",
                          "cut it into several studies, or write ranges"));
  }
  // All lines begin alike, up to the checksum.
  auto file = io::AppendFile::Open(path, text.whole, part_line.substr(0, part_line.find(':') + 2));
  if (!file) return Fail(std::move(file.error()));
  if (auto begun = file->Append(lines); !begun) {
    if (text.whole == 0) std::filesystem::remove(path, error);  // an empty one helps no reader
    return Fail(std::move(begun.error()));
  }
  auto reader = io::OpenJournalPoints(path);
  if (!reader) return Fail(std::move(reader.error()));
  if (!text.journal) text.journal = {identity, part, StudyPoints(identity.outline)};
  return Journal(std::move(text.journal->identity), std::move(text.journal->points),
                 *std::move(file), *std::move(reader));
}

Result<void> Journal::Add(size_t index, const StudyPoint& point, StudyPoints* points) {
  const std::string line = io::WriteJournalLine(index, point);
  const size_t begin = file_.size();
  auto added = file_.Append(line);
  if (added) points->Put(index, reader_, begin, line.size() - 1);
  return added;
}

Result<StudyJournal> ReadJournal(const std::string& path) {
  auto text = io::ReadStudyJournalFile(path);
  if (!text) return Fail(std::move(text.error()));
  if (text->journal) return *std::move(text->journal);
  return Fail(MakeError({path, 0, 0}, "this journal was not even begun",
                        "'inlay study STUDY -o DIR --resume' begins again"));
}

}  // namespace inlay::study

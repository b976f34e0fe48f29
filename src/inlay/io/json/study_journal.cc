#include "inlay/io/json/study_journal.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "inlay/io/json/fields.h"
#include "inlay/io/json/study_outline.h"
#include "inlay/io/random_access_file.h"

namespace inlay::io {
namespace {

constexpr const char* kFormat = "inlay/study-journal/1";
constexpr std::string_view kBefore = R"({"checksum":")";  // the checksum, kAfter, then the rest
constexpr std::string_view kAfter = "\",";
constexpr size_t kChecksumDigits = 16;

std::string LineOf(const Json& json) {
  const std::string rest = DumpLine(json).substr(1);
  return std::string(kBefore) + ContentHash(rest) + std::string(kAfter) + rest + "\n";
}

// Whether a line, without its end, is as it was written.
bool IsIntact(std::string_view line) {
  const size_t begin = kBefore.size() + kChecksumDigits + kAfter.size();
  if (line.size() < begin || !line.starts_with(kBefore)) return false;
  return line.substr(kBefore.size(), kChecksumDigits) == ContentHash(line.substr(begin));
}

Json PointToJson(size_t index, const StudyPoint& point) {
  Json json = {{"point", index + 1}};
  json.update(ToJson(point));
  return json;
}

std::pair<size_t, StudyPoint> ReadPoint(const Json& json, JsonReader* reader) {
  const int64_t number = reader->Int(json, "", "point");
  if (number < 1) reader->Fault("point", "points count from 1");
  auto point = FromJson<StudyPoint>(json, "", reader);
  if (point.status == PointStatus::kNotRun && reader->errors().empty()) {
    reader->Fault("status", "a point in a journal has run");
  }
  return {static_cast<size_t>(std::max<int64_t>(number, 1)) - 1, std::move(point)};
}

StudyPart ReadPart(const Json& json, JsonReader* reader) {
  StudyPart part;
  const auto shard = StudyShardFromText(reader->Text(json, "part", "shard"));
  if (shard) part.shard = *shard;
  if (!shard) reader->Fault("part.shard", "expected I/N");
  if (!json.contains("limit")) return part;
  const int64_t limit = reader->Int(json, "part", "limit");
  if (limit < 1) reader->Fault("part.limit", "expected 1 or more");
  part.limit = static_cast<size_t>(std::max<int64_t>(limit, 1));
  return part;
}

constexpr size_t kChunk = size_t{1} << 16;  // bytes that are read at a time

// The points of a journal, read back when they are asked for.
class PointFile final : public StudyPointFile {
 public:
  explicit PointFile(RandomAccessFile file) : file_(std::move(file)) {}

  const RandomAccessFile& file() const { return file_; }

  StudyPoint Read(uint64_t offset, size_t size) const override {
    Source line{file_.path(), std::string(size, '\0')};
    const auto got = file_.ReadAt(offset, line.text.data(), size);
    if (got && *got == size && IsIntact(line.text)) {
      if (auto point = ReadJournalPoint(line)) return std::move(point->second);
    }
    StudyPoint lost;
    lost.status = PointStatus::kNoAnswer;
    lost.reasons = {"its line of " + file_.path() + " cannot be read back"};
    return lost;
  }

 private:
  RandomAccessFile file_;
};

Result<std::shared_ptr<const PointFile>> OpenPoints(const std::string& path) {
  auto file = RandomAccessFile::Open(path);
  if (!file) return Fail(std::move(file.error()));
  return std::make_shared<const PointFile>(*std::move(file));
}

// The lines of a journal, one after the other. Where it is a file its points stay there.
class JournalReader {
 public:
  JournalReader(std::string name, std::shared_ptr<const StudyPointFile> file)
      : name_(std::move(name)), file_(std::move(file)) {}

  // Reads one complete line, given without its end. False: stop reading.
  bool Read(std::string_view line) {
    ++line_;
    ReadLine(line);
    text_.whole += line.size() + 1;
    return errors_.empty();
  }

  // Of the line after the last that was read.
  Result<JournalText> TooLong() {
    ++line_;
    Complain("this line is longer than any of a journal: over " +
             std::to_string(kLongestJournalLine) + " bytes");
    return End();
  }

  Result<JournalText> End() {
    if (!errors_.empty()) return Fail(std::move(errors_));
    return std::move(text_);
  }

 private:
  void Complain(const std::string& message, const std::string& hint = "") {
    errors_.push_back(MakeError({name_, line_, 0}, message, hint));
  }

  void ReadLine(std::string_view line) {
    if (!IsIntact(line)) {
      return Complain("this line of the journal is not as it was written: its checksum is wrong",
                      "what stands above it can be kept: cut the file here");
    }
    const Source source{name_, std::string(line)};
    const auto json = ParseJson(source);
    if (!json) return Complain("this line of the journal is not valid JSON");
    JsonReader reader(source);
    Take(*json, line.size(), &reader);
    for (Diagnostic error : reader.errors()) {
      error.location.line = line_;
      errors_.push_back(std::move(error));
    }
  }

  void Take(const Json& json, size_t size, JsonReader* reader) {
    if (!text_.journal) return TakeIdentity(json, reader);
    if (json.contains("part")) {
      text_.journal->part = ReadPart(reader->Object(json, "", "part"), reader);
      return;
    }
    auto [index, point] = ReadPoint(json, reader);
    if (!reader->errors().empty()) return;
    StudyPoints& points = text_.journal->points;
    if (index >= points.size() || points.SettingsOf(index) != point.settings) {
      return Complain("the study has no point " + std::to_string(index + 1) + " of " +
                      Describe(point.settings));
    }
    if (points.HasRun(index)) {
      StudyPoint known = points[index];
      const bool gives_way = known.timed && !point.timed;
      if (!KeepOne(point, &known)) {
        Complain("point " + std::to_string(index + 1) +
                 " is there twice, and the two contradict each other");
      }
      if (!gives_way) return;
    }
    if (file_ != nullptr) {
      points.Put(index, file_, text_.whole, size);
    } else {
      points.Put(index, std::move(point));
    }
  }

  void TakeIdentity(const Json& json, JsonReader* reader) {
    const std::string format = reader->Text(json, "", "format");
    if (format != kFormat && !format.empty()) {
      return Complain("'" + format + "' is not " + kFormat,
                      "the journal was written by another version of inlay");
    }
    StudyJournal journal;
    journal.identity.header =
        FromJson<ResultHeader>(reader->Object(json, "", "header"), "header", reader);
    journal.identity.outline = ReadOutline(reader->Object(json, "", "study"), reader);
    if (!reader->errors().empty()) return;
    journal.points = StudyPoints(journal.identity.outline);
    text_.journal = std::move(journal);
  }

  std::string name_;
  std::shared_ptr<const StudyPointFile> file_;
  int line_ = 0;
  JournalText text_;
  Diagnostics errors_;
};

}  // namespace

std::string WriteJournalLine(const StudyIdentity& identity) {
  return LineOf({{"format", kFormat},
                 {"header", ToJson(identity.header)},
                 {"study", OutlineToJson(identity.outline)}});
}

std::string WriteJournalLine(const StudyPart& part) {
  Json json = {{"shard", TextOf(part.shard)}};
  if (part.limit) json["limit"] = *part.limit;
  return LineOf({{"part", std::move(json)}});
}

std::string WriteJournalLine(size_t index, const StudyPoint& point) {
  return LineOf(PointToJson(index, point));
}

LongText WriteStudyJournal(const StudyJournal& journal) {
  return LongText([&journal](const TextSink& put) {
    put(WriteJournalLine(journal.identity) + WriteJournalLine(journal.part));
    journal.points.ForEachRun(
        [&](size_t index, const StudyPoint& point) { put(WriteJournalLine(index, point)); });
  });
}

Result<JournalText> ReadStudyJournal(const Source& source) {
  JournalReader reader(source.name, nullptr);
  std::string_view rest = source.text;
  for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    if (!reader.Read(rest.substr(0, end))) break;
    rest.remove_prefix(end + 1);
  }
  return reader.End();
}

Result<std::shared_ptr<const StudyPointFile>> OpenJournalPoints(const std::string& path) {
  auto file = OpenPoints(path);
  if (!file) return Fail(std::move(file.error()));
  return std::shared_ptr<const StudyPointFile>(*std::move(file));
}

Result<JournalText> ReadStudyJournalFile(const std::string& path) {
  auto file = OpenPoints(path);
  if (!file) return Fail(std::move(file.error()));
  JournalReader reader(path, *file);
  std::string text(kChunk, '\0');
  std::string line;
  for (uint64_t offset = 0;;) {
    const auto got = (*file)->file().ReadAt(offset, text.data(), text.size());
    if (!got) return Fail(got.error());
    if (*got == 0) break;
    offset += *got;
    std::string_view rest(text.data(), *got);
    for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      line += rest.substr(0, end);
      if (!reader.Read(line)) return reader.End();
      line.clear();
      rest.remove_prefix(end + 1);
    }
    line += rest;
    if (line.size() > kLongestJournalLine) return reader.TooLong();
  }
  return reader.End();
}

Result<std::pair<size_t, StudyPoint>> ReadJournalPoint(const Source& line) {
  const auto json = ParseJson(line);
  if (!json) return Fail(json.error());
  JsonReader reader(line);
  auto point = ReadPoint(*json, &reader);
  if (!reader.errors().empty()) return Fail(reader.errors());
  return point;
}

}  // namespace inlay::io

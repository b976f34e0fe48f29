#include "inlay/io/json/study_journal.h"

#include <algorithm>
#include <string_view>

#include "inlay/io/json/study_outline.h"

namespace inlay::io {
namespace {

constexpr const char* kFormat = "inlay/study-journal/1";
constexpr std::string_view kBefore = R"({"checksum":")";  // the checksum, kAfter, then the rest
constexpr std::string_view kAfter = "\",";
constexpr size_t kChecksumDigits = 16;

std::string LineOf(const Json& json) {
  const std::string rest = json.dump().substr(1);
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
  json.update(WholePointToJson(point));
  return json;
}

std::pair<size_t, StudyPoint> ReadPoint(const Json& json, JsonReader* reader) {
  const int64_t number = reader->Int(json, "", "point");
  if (number < 1) reader->Fault("point", "points count from 1");
  return {static_cast<size_t>(std::max<int64_t>(number, 1)) - 1, ReadWholePoint(json, reader)};
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

class JournalReader {
 public:
  explicit JournalReader(const Source& source) : source_(source) {}

  Result<JournalText> Read() {
    std::string_view rest = source_.text;
    for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      ++line_;
      ReadLine(rest.substr(0, end));
      if (!errors_.empty()) return Fail(std::move(errors_));  // what follows is no better
      rest.remove_prefix(end + 1);
      text_.whole += end + 1;
    }
    return std::move(text_);
  }

 private:
  void Complain(const std::string& message, const std::string& hint = "") {
    errors_.push_back(MakeError({source_.name, line_, 0}, message, hint));
  }

  void ReadLine(std::string_view line) {
    if (!IsIntact(line)) {
      return Complain("this line of the journal is not as it was written: its checksum is wrong",
                      "what stands above it can be kept: cut the file here");
    }
    const Source source{source_.name, std::string(line)};
    const auto json = ParseJson(source);
    if (!json) return Complain("this line of the journal is not valid JSON");
    JsonReader reader(source);
    Take(*json, &reader);
    for (Diagnostic error : reader.errors()) {
      error.location.line = line_;
      errors_.push_back(std::move(error));
    }
  }

  void Take(const Json& json, JsonReader* reader) {
    if (!text_.journal) return TakeIdentity(json, reader);
    if (json.contains("part")) {
      text_.journal->part = ReadPart(reader->Object(json, "", "part"), reader);
      return;
    }
    auto [index, point] = ReadPoint(json, reader);
    if (!reader->errors().empty()) return;
    if (index >= settings_.size() || settings_[index] != point.settings) {
      return Complain("the study has no point " + std::to_string(index + 1) + " of " +
                      Describe(point.settings));
    }
    const auto [known, added] = text_.journal->points.try_emplace(index, point);
    if (!added && !KeepOne(point, &known->second)) {
      Complain("point " + std::to_string(index + 1) +
               " is there twice, and the two contradict each other");
    }
  }

  void TakeIdentity(const Json& json, JsonReader* reader) {
    const std::string format = reader->Text(json, "", "format");
    if (format != kFormat && !format.empty()) {
      return Complain("'" + format + "' is not " + kFormat,
                      "the journal was written by another version of inlay");
    }
    StudyJournal journal;
    journal.identity.header = reader->Header(reader->Object(json, "", "header"), "header");
    journal.identity.outline = ReadOutline(reader->Object(json, "", "study"), reader);
    if (!reader->errors().empty()) return;
    settings_ = SettingsOf(journal.identity.outline);
    text_.journal = std::move(journal);
  }

  const Source& source_;
  int line_ = 0;
  std::vector<StudyFilter> settings_;  // of all points
  JournalText text_;
  Diagnostics errors_;
};

}  // namespace

std::string WriteJournalLine(const StudyIdentity& identity) {
  return LineOf({{"format", kFormat},
                 {"header", HeaderToJson(identity.header)},
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

std::string WriteStudyJournal(const StudyJournal& journal) {
  std::string text = WriteJournalLine(journal.identity) + WriteJournalLine(journal.part);
  for (const auto& [index, point] : journal.points) text += WriteJournalLine(index, point);
  return text;
}

Result<JournalText> ReadStudyJournal(const Source& source) { return JournalReader(source).Read(); }

Result<std::pair<size_t, StudyPoint>> ReadJournalPoint(const Source& line) {
  const auto json = ParseJson(line);
  if (!json) return Fail(json.error());
  JsonReader reader(line);
  auto point = ReadPoint(*json, &reader);
  if (!reader.errors().empty()) return Fail(reader.errors());
  return point;
}

}  // namespace inlay::io

#include "inlay/io/json/any_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/base/version.h"
#include "inlay/core/result.h"
#include "inlay/io/json/fields.h"
#include "inlay/io/json/json.h"
#include "inlay/io/json/json_place.h"
#include "inlay/io/json/plan.h"
#include "inlay/io/json/result_kinds.h"

namespace inlay::io {
namespace {

constexpr std::string_view kAnyResultFormat = "inlay/result/";
constexpr const char* kWhatToGive =
    "give a result.json that a command wrote with -o, or the folder that holds it";

// Levels of one answer keep the same tensors: the page shows them as one table.
void CheckLevels(const Json& answer, const std::string& path, JsonReader* reader) {
  const auto keys = [](const Json& level) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : level.at("tensors").items()) names.push_back(name);
    return names;
  };
  if (!answer.contains("levels")) return;
  const Json& levels = answer.at("levels");
  for (size_t l = 1; l < levels.size(); ++l) {
    if (keys(levels[l]) == keys(levels[0])) continue;
    reader->Fault(JoinPath(path, "levels") + "[" + std::to_string(l) + "].tensors",
                  "not the tensors of the first level");
  }
}

// What tables cannot say, of a document that keeps to its table.
void CheckMeaning(const Json& json, JsonReader* reader) {
  const auto each = [&](const Json& answers, const std::string& path) {
    for (size_t i = 0; i < answers.size(); ++i) {
      CheckLevels(answers[i], path + "[" + std::to_string(i) + "]", reader);
    }
  };
  if (json.is_array()) return each(json, "");
  CheckLevels(json, "", reader);
  if (json.contains("layers")) each(json.at("layers"), "layers");
  if (json.contains("accelerator")) {
    const auto bits = json.at("accelerator").at("bits").get<int64_t>();
    if (bits < 0 || bits > 4096) reader->Fault("accelerator.bits", "expected 1 to 4096");
  }
}

// Which of a command's results it is.
const ResultKind* KindOf(const Json& json, std::string_view command) {
  const ResultKind* usual = nullptr;
  for (const ResultKind& kind : ResultKinds()) {
    if (std::find(kind.commands.begin(), kind.commands.end(), command) == kind.commands.end()) {
      continue;
    }
    if (!kind.mark.empty() && json.is_object() && json.contains(kind.mark)) return &kind;
    if (kind.mark.empty()) usual = &kind;
  }
  return usual;
}

// Everything wrong with a document of one command; its syntax is valid, so that only
// keys and values are checked.
Diagnostics CheckResult(const Source& source, const Json& json, std::string_view command) {
  if (command == "plan") {
    if (const auto plan = ReadPlan(source); !plan) return plan.error();
  }
  JsonReader reader(source);
  const ResultKind* kind = KindOf(json, command);
  if (kind == nullptr) return {};
  if (!kind->has_page) {
    reader.Fault("command", fmt::format("results of '{} {}' cannot be shown", command, kind->flag));
    return reader.errors();
  }
  const ValueType& type = json.is_array() && kind->list != nullptr ? *kind->list : *kind->type;
  CheckJson(type, json, &reader);
  if (reader.errors().empty()) CheckMeaning(json, &reader);
  return reader.errors();
}

// The commands whose results can be shown.
std::vector<std::string> KnownCommands() {
  std::vector<std::string> known;
  for (const ResultKind& kind : ResultKinds()) {
    if (kind.has_page && kind.mark.empty()) {
      known.insert(known.end(), kind.commands.begin(), kind.commands.end());
    }
  }
  return known;
}

std::string TextOf(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key) || !json[key].is_string()) return "";
  return json[key].get<std::string>();
}

// `path` leads to the result in the document.
Diagnostics CheckFormat(const Source& source, const Json& json, const std::string& path) {
  const std::string format = TextOf(json, "format");
  if (format == kResultFormat) return {};
  if (format.empty()) {
    return {MakeErrorAt(PlaceOfPath(source, path), "this is no result of inlay: it has no 'format'",
                        kWhatToGive)};
  }
  const SourcePlace place = PlaceOfPath(source, JoinPath(path, "format"));
  if (format.starts_with(kAnyResultFormat)) {
    return {MakeErrorAt(place,
                        "this result has the format '" + format + "', and inlay " +
                            std::string(kVersion) + " reads '" + std::string(kResultFormat) + "'",
                        "make the report with the version of inlay that wrote the result")};
  }
  return {MakeErrorAt(place, "'" + format + "' is not the format of a result", kWhatToGive)};
}

Diagnostics CheckKind(const Source& source, const Json& json, const std::string& path) {
  const std::string command = TextOf(json, "command");
  const std::vector<std::string> known = KnownCommands();
  if (std::find(known.begin(), known.end(), command) != known.end()) return {};
  return {MakeErrorAt(PlaceOfPath(source, JoinPath(path, "command")),
                      command.empty() ? "this result does not say which command wrote it"
                                      : "results of a command '" + command + "' cannot be shown",
                      command.empty() ? kWhatToGive : SuggestionHint(command, known))};
}

// JSON inside <script>: '<' is only found within texts, where it may be written as an escape.
std::string WithoutTags(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

// The texts that are the names of inputs and absolute paths, wherever they stand.
void ReplaceTexts(const std::map<std::string, std::string>& by, Json* json) {
  if (json->is_string()) {
    const auto found = by.find(json->get_ref<const std::string&>());
    if (found != by.end()) *json = found->second;
  } else if (json->is_structured()) {
    for (Json& item : *json) ReplaceTexts(by, &item);
  }
}

void NamePathsOnPage(const std::string& folder, Json* document) {
  if (document->is_array()) {
    for (Json& one : *document) NamePathsOnPage(folder, &one);
    return;
  }
  std::map<std::string, std::string> shown;
  for (const Json& files : document->at("inputs")) {
    for (const Json& file : files) {
      const std::string name = file.at("name").get<std::string>();
      if (std::string path = PathOnPage(name, folder); path != name) shown[name] = std::move(path);
    }
  }
  if (!shown.empty()) ReplaceTexts(shown, document);
}

}  // namespace

std::string PathOnPage(const std::string& path, const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path file = fs::path(path).lexically_normal();
  if (!file.is_absolute()) return path;
  const fs::path base =
      (fs::absolute(folder.empty() ? "." : folder) / "").lexically_normal().parent_path();
  const fs::path from_there = file.lexically_relative(base);
  const auto ups = std::count(from_there.begin(), from_there.end(), "..");
  const fs::path below_root = base.relative_path();
  const auto depth = std::distance(below_root.begin(), below_root.end());
  if (ups == 0 || ups < depth) return from_there.string();
  const fs::path parent = file.parent_path().filename();
  return "…/" + (parent.empty() ? file.filename() : parent / file.filename()).string();
}

Result<AnyResult> ReadAnyResult(const Source& source, const std::string& folder) {
  Result<Json> document = ParseJson(source);
  if (!document) return Fail(document.error());
  const bool several = document->is_array() && !document->empty();  // eval's, side by side
  const Json& first = several ? document->front() : *document;
  const std::string path = several ? "[0]" : "";
  Diagnostics errors = CheckFormat(source, first, path);
  if (errors.empty()) errors = CheckKind(source, first, path);
  if (!errors.empty()) return Fail(std::move(errors));
  AnyResult result{source.name, TextOf(first, "command"), TextOf(first, "version"), "", ""};
  errors = CheckResult(source, *document, result.command);
  if (!errors.empty()) return Fail(std::move(errors));
  NamePathsOnPage(folder, &*document);
  result.json = document->dump();
  return result;
}

Result<std::string> ReadTrace(const Source& source) {
  const Result<Json> document = ParseJson(source);
  if (!document) return Fail(document.error());
  if (!document->is_object() || !document->contains("traceEvents")) {
    return Fail(MakeErrorAt(PlaceOfPath(source, "traceEvents"),
                            "this is no trace: it has no 'traceEvents'"));
  }
  return document->dump();
}

std::string WriteReportData(const std::vector<AnyResult>& results) {
  std::string text = "{\"version\":" + Json(kVersion).dump() + ",\"results\":[";
  for (size_t i = 0; i < results.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n");
    text += "{\"name\":" + DumpLine(results[i].name) + ",\"result\":" + results[i].json;
    if (!results[i].trace.empty()) text += ",\"trace\":" + results[i].trace;
    text += "}";
  }
  return WithoutTags(text + "\n]}");
}

}  // namespace inlay::io

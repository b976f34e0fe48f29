#include "inlay/io/json/any_result.h"

#include <algorithm>
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

// Everything wrong with a document of one command; it has been parsed once, so that only what is
// meant can be at fault.
Diagnostics CheckResult(const Source& source, const Json& json, std::string_view command) {
  if (command == "plan") {
    if (const auto plan = ReadPlan(source); !plan) return plan.error();
  }
  JsonReader reader(source);
  for (const ResultKind& kind : ResultKinds()) {
    if (std::find(kind.commands.begin(), kind.commands.end(), command) == kind.commands.end()) {
      continue;
    }
    const ValueType& type = json.is_array() && kind.list != nullptr ? *kind.list : *kind.type;
    CheckJson(type, json, &reader);
    if (reader.errors().empty()) CheckMeaning(json, &reader);
  }
  return reader.errors();
}

// The commands whose results can be shown.
std::vector<std::string> KnownCommands() {
  std::vector<std::string> known;
  for (const ResultKind& kind : ResultKinds()) {
    if (kind.has_page) known.insert(known.end(), kind.commands.begin(), kind.commands.end());
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

}  // namespace

Result<AnyResult> ReadAnyResult(const Source& source) {
  const Result<Json> document = ParseJson(source);
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
    // A path may hold anything.
    const std::string name =
        Json(results[i].name).dump(-1, ' ', false, Json::error_handler_t::replace);
    text += "{\"name\":" + name + ",\"result\":" + results[i].json;
    if (!results[i].trace.empty()) text += ",\"trace\":" + results[i].trace;
    text += "}";
  }
  return WithoutTags(text + "\n]}");
}

}  // namespace inlay::io

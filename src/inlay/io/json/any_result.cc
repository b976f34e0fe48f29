#include "inlay/io/json/any_result.h"

#include <array>
#include <string_view>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/base/version.h"
#include "inlay/io/json/batch.h"
#include "inlay/io/json/eval.h"
#include "inlay/io/json/json.h"
#include "inlay/io/json/json_place.h"
#include "inlay/io/json/map.h"
#include "inlay/io/json/plan.h"

namespace inlay::io {
namespace {

constexpr std::string_view kAnyResultFormat = "inlay/result/";
constexpr const char* kWhatToGive =
    "give a result.json that a command wrote with -o, or the folder that holds it";

// Everything wrong with a document of one command, as far as its own reader knows; the document has
// been parsed once, so that only what is meant can be at fault.
using Check = Diagnostics (*)(const Source& source, const Json& json);

template <typename Value>
Diagnostics ErrorsOf(const Result<Value>& result) {
  return result ? Diagnostics() : result.error();
}

Diagnostics CheckEval(const Source& source, const Json& /*json*/) {
  return ErrorsOf(ReadEvalResults(source));
}
Diagnostics CheckMap(const Source& source, const Json& /*json*/) {
  return ErrorsOf(ReadMapResult(source));
}

Diagnostics CheckPlan(const Source& source, const Json& json) {
  JsonReader reader(source);
  reader.Header(json, "");
  for (const char* key : {"latency_us", "offchip_bytes", "energy_pj"}) {
    reader.Double(json, "", key);
    reader.Double(reader.Object(json, "", "baseline"), "baseline", key);
  }
  reader.Array(json, "", "memories");
  Diagnostics errors = reader.errors();
  const Diagnostics others = ErrorsOf(ReadPlan(source));
  errors.insert(errors.end(), others.begin(), others.end());
  return errors;
}

void CheckTotals(const Json& json, const std::string& place, JsonReader* reader) {
  for (const char* key : {"energy_pj", "cycles", "edp"}) reader->Double(json, place, key);
}

Diagnostics CheckCodesign(const Source& source, const Json& json) {
  JsonReader reader(source);
  reader.Header(json, "");
  reader.Text(json, "", "workload");
  reader.Text(json, "", "scope");
  size_t count = 0;
  for (const Json& architecture : reader.Array(json, "", "architectures")) {
    const std::string place = "architectures[" + std::to_string(count++) + "]";
    reader.Text(architecture, place, "name");
    reader.Object(architecture, place, "attributes");
    reader.Array(architecture, place, "layers");
    CheckTotals(reader.Object(architecture, place, "total"), place + ".total", &reader);
  }
  return reader.errors();
}

Diagnostics CheckStudy(const Source& source, const Json& json) {
  JsonReader reader(source);
  reader.Header(json, "");
  reader.Text(json, "", "study");
  size_t count = 0;
  for (const Json& point : reader.Array(json, "", "points")) {
    const std::string place = "points[" + std::to_string(count++) + "]";
    reader.Object(point, place, "settings");
    reader.Text(point, place, "status");
  }
  reader.Member(json, "", "figure");
  return reader.errors();
}

Diagnostics CheckBatch(const Source& source, const Json& /*json*/) {
  return ErrorsOf(ReadBatchResult(source));
}

Diagnostics CheckAlloc(const Source& source, const Json& json) {
  JsonReader reader(source);
  reader.Header(json, "");
  reader.Text(json, "", "status");
  reader.Int(json, "", "lower_bound");
  reader.Object(json, "", "offsets");
  return reader.errors();
}

// Of systolic and mapspace, whose figures are shown as they are.
Diagnostics CheckLayers(const Source& source, const Json& json) {
  JsonReader reader(source);
  reader.Header(json, "");
  reader.Array(json, "", "layers");
  return reader.errors();
}

struct Kind {
  std::string_view command;
  Check check;
};
constexpr std::array<Kind, 10> kKinds = {{{"map", CheckMap},
                                          {"eval", CheckEval},
                                          {"walk", CheckEval},
                                          {"codesign", CheckCodesign},
                                          {"plan", CheckPlan},
                                          {"alloc", CheckAlloc},
                                          {"batch", CheckBatch},
                                          {"study", CheckStudy},
                                          {"systolic", CheckLayers},
                                          {"mapspace", CheckLayers}}};

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
  std::vector<std::string> known;
  for (const Kind& kind : kKinds) {
    if (kind.command == command) return {};
    known.emplace_back(kind.command);
  }
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
  for (const Kind& kind : kKinds) {
    if (kind.command == result.command) errors = kind.check(source, *document);
  }
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

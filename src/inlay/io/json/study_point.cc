#include <cmath>
#include <limits>
#include <utility>

#include "inlay/io/json/fields.h"
#include "inlay/io/json/study_json.h"

namespace inlay::io {
namespace {

// JSON has no word for these.
constexpr const char* kInfinity = "inf";
constexpr const char* kMinusInfinity = "-inf";
constexpr const char* kNotANumber = "nan";

Json NumberToJson(double value) {
  if (std::isfinite(value)) return Compact(value);
  if (std::isnan(value)) return kNotANumber;
  return value > 0 ? kInfinity : kMinusInfinity;
}

Json WholeFiguresToJson(const StudyFigures& figures) {
  Json json = {{"values", Json::object()}};
  for (const auto& [name, value] : figures.values) json["values"][name] = NumberToJson(value);
  for (const auto& [name, text] : figures.texts) json["texts"][name] = text;
  return json;
}

class PointReader {
 public:
  explicit PointReader(JsonReader* reader) : reader_(*reader) {}

  StudyPoint Read(const Json& json) {
    StudyPoint point;
    for (const auto& [axis, label] : reader_.Object(json, "", "settings").items()) {
      if (!label.is_string()) reader_.Fault("settings." + axis, "expected a text");
      point.settings.emplace_back(axis, label.is_string() ? label.get<std::string>() : "");
    }
    point.status = ReadStatus(json);
    if (Has(json, "timed")) point.timed = reader_.Bool(json, "", "timed");
    point.proof = ReadProof(json, "");
    point.figures = ReadFigures(json, "");
    if (Has(json, "layers")) {
      for (const Json& layer : reader_.Array(json, "", "layers")) {
        const std::string place = "layers[" + std::to_string(point.layers.size()) + "]";
        point.layers.push_back({reader_.Text(layer, place, "name"),
                                reader_.Int(layer, place, "repeat"), ReadFigures(layer, place),
                                ReadProof(layer, place)});
      }
    }
    if (Has(json, "batch")) {
      point.batch = FromJson<BatchFigures>(reader_.Object(json, "", "batch"), "batch", &reader_);
    }
    if (Has(json, "reasons")) {
      for (const Json& reason : reader_.Array(json, "", "reasons")) {
        if (!reason.is_string()) reader_.Fault("reasons", "expected texts");
        point.reasons.push_back(reason.is_string() ? reason.get<std::string>() : "");
      }
    }
    point.seconds = reader_.Double(reader_.Object(json, "", "measured"), "measured", "seconds");
    return point;
  }

 private:
  static bool Has(const Json& object, const char* key) {
    return object.is_object() && object.contains(key);
  }

  PointStatus ReadStatus(const Json& json) {
    const std::string name = reader_.Text(json, "", "status");
    for (const PointStatus status :
         {PointStatus::kDone, PointStatus::kNoAnswer, PointStatus::kCut}) {
      if (name == Name(status)) return status;
    }
    if (!name.empty()) reader_.Fault("status", "'" + name + "' is no state of a finished point");
    return PointStatus::kNotRun;
  }

  std::optional<StudyProof> ReadProof(const Json& object, const std::string& path) {
    if (!Has(object, "certificate")) return std::nullopt;
    const std::string place = JoinPath(path, "certificate");
    const Json& json = reader_.Object(object, path, "certificate");
    const std::string name = reader_.Text(json, place, "status");
    const auto status = FromName<CertificateStatus>(name);
    if (!status && !name.empty()) reader_.Fault(place, "'" + name + "' is no status");
    StudyProof proof{
        status.value_or(CertificateStatus::kHeuristic), reader_.Double(json, place, "gap"), {}};
    for (const Json& item : reader_.Array(json, place, "proven")) {
      const auto metric = FromName<Metric>(item.is_string() ? item.get<std::string>() : "");
      if (!metric) reader_.Fault(place + ".proven", "expected metrics");
      if (metric) proof.proven.push_back(*metric);
    }
    return proof;
  }

  double Number(const Json& json, const std::string& place) {
    if (json.is_number()) return json.get<double>();
    constexpr double kMost = std::numeric_limits<double>::infinity();
    if (json == kInfinity) return kMost;
    if (json == kMinusInfinity) return -kMost;
    if (json != kNotANumber) reader_.Fault(place, "expected a number");
    return std::numeric_limits<double>::quiet_NaN();
  }

  StudyFigures ReadFigures(const Json& object, const std::string& path) {
    StudyFigures figures;
    const std::string place = JoinPath(path, "figures");
    const Json& json = reader_.Object(object, path, "figures");
    for (const auto& [name, value] : reader_.Object(json, place, "values").items()) {
      figures.Set(name, Number(value, JoinPath(place + ".values", name.c_str())));
    }
    if (!Has(json, "texts")) return figures;
    for (const auto& [name, text] : reader_.Object(json, place, "texts").items()) {
      if (!text.is_string()) {
        reader_.Fault(JoinPath(place + ".texts", name.c_str()), "expected a text");
      }
      figures.texts.emplace_back(name, text.is_string() ? text.get<std::string>() : "");
    }
    return figures;
  }

  JsonReader& reader_;
};

}  // namespace

Json WholePointToJson(const StudyPoint& point) {
  Json json = {{"settings", SettingsToJson(point.settings)}, {"status", Name(point.status)}};
  if (point.timed) json["timed"] = true;
  AddProof(point.proof, &json);
  json["figures"] = WholeFiguresToJson(point.figures);
  for (const StudyLayer& layer : point.layers) {
    Json& entry = json["layers"].emplace_back(Json{{"name", layer.name},
                                                   {"repeat", layer.repeat},
                                                   {"figures", WholeFiguresToJson(layer.figures)}});
    AddProof(layer.proof, &entry);
  }
  if (point.batch) json["batch"] = ToJson(*point.batch);
  if (!point.reasons.empty()) json["reasons"] = point.reasons;
  json["measured"] = {{"seconds", point.seconds}};
  return json;
}

StudyPoint ReadWholePoint(const Json& json, JsonReader* reader) {
  return PointReader(reader).Read(json);
}

}  // namespace inlay::io

#include "inlay/io/json/study.h"

#include <algorithm>

#include "inlay/io/json/fields.h"
#include "inlay/io/json/study_json.h"

namespace inlay::io {

Json SettingsToJson(const StudyFilter& settings) {
  Json json = Json::object();
  for (const auto& [axis, label] : settings) json[axis] = label;
  return json;
}

void AddProof(const std::optional<StudyProof>& proof, Json* json) {
  if (!proof) return;
  Json proven = Json::array();
  for (const Metric metric : proof->proven) proven.push_back(Name(metric));
  (*json)["certificate"] = {
      {"status", Name(proof->status)}, {"gap", Compact(proof->gap)}, {"proven", std::move(proven)}};
}

namespace {

// Counts that a double cannot hold are decimal strings.
Json FiguresToJson(const StudyFigures& figures) {
  Json json = Json::object();
  for (const auto& [name, value] : figures.values) json[name] = Compact(value);
  for (const auto& [name, text] : figures.texts) json[name] = text;
  return json;
}

Json PointToJson(const StudyPoint& point) {
  Json json = {{"settings", SettingsToJson(point.settings)}, {"status", Name(point.status)}};
  if (point.timed) json["timed"] = true;
  AddProof(point.proof, &json);
  if (point.batch) {
    json.update(ToJson(*point.batch));  // all other figures follow from these
    return json;
  }
  if (!point.figures.values.empty()) json["figures"] = FiguresToJson(point.figures);
  for (const StudyLayer& layer : point.layers) {
    Json& entry = json["layers"].emplace_back(Json{
        {"name", layer.name}, {"repeat", layer.repeat}, {"figures", FiguresToJson(layer.figures)}});
    AddProof(layer.proof, &entry);
  }
  if (!point.reasons.empty()) json["reasons"] = point.reasons;
  return json;
}

Json DrawingToJson(const StudyDrawing& drawing) {
  Json json = {{"x", drawing.figure.x}, {"y", drawing.figure.y}, {"series", drawing.series}};
  if (drawing.left_out) json["left_out"] = true;
  json["rows"] = Json::array();
  for (const StudyFigureRow& row : drawing.rows) {
    Json line = {{"x", row.x_value ? Compact(*row.x_value) : Json(row.x)}, {"y", Json::array()}};
    for (const auto& y : row.y) line["y"].push_back(y ? Compact(*y) : Json(nullptr));
    if (drawing.figure.pareto) line["on_front"] = row.on_front;
    const bool searched = std::any_of(row.proof.begin(), row.proof.end(),
                                      [](const auto& proof) { return proof.has_value(); });
    for (size_t s = 0; searched && s < row.proof.size(); ++s) {
      line["status"].push_back(row.proof[s] ? Json(Name(row.proof[s]->status)) : Json(nullptr));
    }
    json["rows"].push_back(std::move(line));
  }
  return json;
}

Json ClaimToJson(const StudyClaimResult& result) {
  const StudyClaim& claim = result.claim;
  Json json = {
      {"what", claim.what},          {"paper", claim.paper},
      {"metric", claim.metric},      {"show", Name(claim.show)},
      {"take", Name(claim.take)},    {"over", Name(claim.over)},
      {"compared", result.compared}, {"ours", result.ours ? Compact(*result.ours) : Json(nullptr)}};
  if (claim.reach) {
    json["reach"] = *claim.reach;
    json["along"] = claim.along;
  }
  AddProof(result.proof, &json);
  if (!claim.note.empty()) json["note"] = claim.note;
  return json;
}

void Write(const StudyResult& result, const TextSink& put_text) {
  Json json = ToJson(result.header);
  json["study"] = result.study;
  json["interrupted"] = result.interrupted;
  json["points"] = Json::array();
  const bool all = result.points.size() <= kMostListed;
  if (!all) json["not_run"] = result.points.size() - result.points.run();
  json["figure"] = result.drawing ? DrawingToJson(*result.drawing) : Json(nullptr);
  json["claims"] = Json::array();
  Json measured = {{"seconds", result.seconds}};
  for (const StudyClaimResult& claim : result.claims) {
    (claim.measured ? measured["claims"] : json["claims"]).push_back(ClaimToJson(claim));
  }
  json["measured"] = std::move(measured);
  const auto items = [&](const ItemSink& put) {
    if (all) {
      for (const StudyPoint& point : result.points) put(PointToJson(point));
    } else {
      result.points.ForEachRun(
          [&put](size_t /*index*/, const StudyPoint& point) { put(PointToJson(point)); });
    }
  };
  DumpWithList(json, "points", items, put_text);
}

}  // namespace

LongText WriteStudyResult(const StudyResult& result) {
  return LongText([&result](const TextSink& put) { Write(result, put); });
}

}  // namespace inlay::io

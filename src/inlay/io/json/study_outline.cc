#include "inlay/io/json/study_outline.h"

#include <string>
#include <utility>

namespace inlay::io {
namespace {

Json EntryToJson(const StudyEntry& entry) {
  Json choices = Json::array();
  for (const StudyEntry::Choice& choice : entry.choices) {
    Json values = Json::array();
    for (const StudyValues::Part& part : choice.values.parts()) {
      values.push_back(part.is_range ? Json{{"first", part.first}, {"last", part.last}}
                                     : Json(part.text));
    }
    choices.push_back({{"key", choice.key}, {"values", std::move(values)}});
  }
  return {{"label", entry.label}, {"choices", std::move(choices)}};
}

class OutlineReader {
 public:
  explicit OutlineReader(JsonReader* reader) : reader_(*reader) {}

  Study Read(const Json& json) {
    Study study;
    study.name = reader_.Text(json, kRoot, "name");
    for (const Json& grid : reader_.Array(json, kRoot, "grids")) {
      study.grids.push_back(ReadGrid(grid));
    }
    if (PointsOf(study) > static_cast<size_t>(kMostStudyPoints)) {
      reader_.Fault("study.grids", "the grids have too many points");
    }
    if (json.contains("figure")) {
      study.figure = FromJson<StudyFigure>(json["figure"], JoinPath(kRoot, "figure"), &reader_);
    }
    study.claims = FromJson<std::vector<StudyClaim>>(reader_.Array(json, kRoot, "claims"),
                                                     JoinPath(kRoot, "claims"), &reader_);
    return study;
  }

 private:
  static constexpr const char* kRoot = "study";

  StudyGrid ReadGrid(const Json& json) {
    const char* place = "study.grids";
    StudyGrid grid;
    grid.run = reader_.Text(json, place, "run");
    grid.deal = reader_.Text(json, place, "deal");
    for (const Json& item : reader_.Array(json, place, "axes")) {
      StudyAxis axis(reader_.Text(item, place, "name"));
      for (const Json& label : reader_.Array(item, place, "labels")) axis.Add(ReadEntry(label));
      if (axis.size() == 0) reader_.Fault(place, "an axis has no setting");
      grid.axes.push_back(std::move(axis));
    }
    return grid;
  }

  StudyEntry ReadEntry(const Json& json) {
    const char* place = "study.grids.axes.labels";
    if (json.is_string()) return StudyEntry::Text(json.get<std::string>());
    if (!json.is_object()) reader_.Fault(place, "expected texts");
    StudyEntry entry;
    entry.label = reader_.Text(json, place, "label");
    for (const Json& item : reader_.Array(json, place, "choices")) {
      StudyEntry::Choice& choice = entry.choices.emplace_back();
      choice.key = reader_.Text(item, place, "key");
      for (const Json& value : reader_.Array(item, place, "values")) {
        ReadValue(value, place, &choice.values);
      }
    }
    return entry;
  }

  void ReadValue(const Json& json, const char* place, StudyValues* values) {
    if (json.is_string()) return values->Add(json.get<std::string>());
    const int64_t first = reader_.Int(json, place, "first"),
                  last = reader_.Int(json, place, "last");
    const uint64_t beyond = static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
    if (last >= first && beyond < static_cast<uint64_t>(kMostStudyPoints)) {
      values->AddRange(first, last);
    } else {
      reader_.Fault(place, "expected first <= last");
    }
  }

  JsonReader& reader_;
};

}  // namespace

Json LabelsToJson(const StudyAxis& axis) {
  Json labels = Json::array();
  if (axis.size() > kMostListed) {
    for (const StudyEntry& entry : axis.entries()) labels.push_back(EntryToJson(entry));
  } else {
    for (size_t i = 0; i < axis.size(); ++i) labels.push_back(axis.LabelAt(i));
  }
  return labels;
}

Json OutlineToJson(const Study& outline) {
  Json json = {{"name", outline.name}, {"grids", Json::array()}};
  for (const StudyGrid& grid : outline.grids) {
    Json axes = Json::array();
    for (const StudyAxis& axis : grid.axes) {
      axes.push_back({{"name", axis.name}, {"labels", LabelsToJson(axis)}});
    }
    json["grids"].push_back({{"run", grid.run}, {"deal", grid.deal}, {"axes", std::move(axes)}});
  }
  if (outline.figure) json["figure"] = ToJson(*outline.figure);
  json["claims"] = ToJson(outline.claims);
  return json;
}

Study ReadOutline(const Json& json, JsonReader* reader) { return OutlineReader(reader).Read(json); }

}  // namespace inlay::io

#include "inlay/io/json/explanation.h"

#include "inlay/io/json/fields.h"
#include "inlay/io/json/json.h"

namespace inlay::io {
namespace {

Json ClassToJson(const Explanation& explanation, const ExplainedClass& explained) {
  Json json = {{"order", explained.order}, {"copies", Json::object()}};
  if (explained.as_good != 0) json["never_better_than"] = explained.as_good;
  for (size_t t = 0; t < explanation.tensors.size(); ++t) {
    Json rows = Json::array();
    for (const ExplainedClass::Row& row : explained.rows) {
      if (!row.copies[t].empty()) rows.push_back({{"loop", row.loop}, {"words", row.copies[t]}});
    }
    json["copies"][explanation.tensors[t]] = rows;
  }
  return json;
}

Json ExplanationToJson(const Explanation& explanation) {
  Json json = {{"layer", explanation.layer}, {"tiles", Json::object()}, {"levels", Json::array()}};
  for (const auto& [level, words] : explanation.tiles) {
    for (size_t t = 0; t < words.size(); ++t) {
      if (!words[t].empty()) json["tiles"][level][explanation.tensors[t]] = words[t];
    }
  }
  for (const ExplainedLevel& level : explanation.levels) {
    Json classes = Json::array();
    for (const ExplainedClass& explained : level.classes) {
      classes.push_back(ClassToJson(explanation, explained));
    }
    json["levels"].push_back({{"from", level.level},
                              {"to", level.inner},
                              {"orders", level.orders},
                              {"by_the_papers_rule", level.hoisted},
                              {"classes", classes}});
  }
  return json;
}

}  // namespace

std::string WriteExplanations(const ResultHeader& header,
                              const std::vector<Explanation>& explanations) {
  Json json = ToJson(header);
  json["explanations"] = Json::array();
  for (const Explanation& explanation : explanations) {
    json["explanations"].push_back(ExplanationToJson(explanation));
  }
  return Dump(json);
}

}  // namespace inlay::io

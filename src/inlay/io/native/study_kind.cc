#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "inlay/io/native/keys.h"
#include "inlay/io/native/study_settings.h"
#include "inlay/io/schema/check.h"

namespace inlay::io {
namespace {

// Whatever a variant may hold, three levels deep; the reader of what it is a variant of checks it.
constinit const Type kTexts = {.form = Form::kList, .what = "a list", .element = &kFreeText};
constinit const Type kTextMap = {.form = Form::kMap, .what = "a mapping", .element = &kFreeText};
constexpr std::array<const Type*, 3> kTree1Options = {&kFreeText, &kTexts, &kTextMap};
constinit const Type kTree1 = {
    .form = Form::kEither, .what = "a value, a list or a mapping", .options = kTree1Options};
constinit const Type kTree1List = {.form = Form::kList, .what = "a list", .element = &kTree1};
constinit const Type kTree1Map = {.form = Form::kMap, .what = "a mapping", .element = &kTree1};
constexpr std::array<const Type*, 3> kTree2Options = {&kFreeText, &kTree1List, &kTree1Map};
constinit const Type kTree2 = {
    .form = Form::kEither, .what = "a value, a list or a mapping", .options = kTree2Options};
constinit const Type kTree2List = {.form = Form::kList, .what = "a list", .element = &kTree2};
constinit const Type kTree2Map = {.form = Form::kMap, .what = "a mapping", .element = &kTree2};
constexpr std::array<const Type*, 3> kTree3Options = {&kFreeText, &kTree2List, &kTree2Map};
constinit const Type kTree3 = {
    .form = Form::kEither, .what = "a value, a list or a mapping", .options = kTree3Options};

constinit const Type kVariant = {.form = Form::kMap,
                                 .what = "a variant such as '{like: eyeriss, array: {x: [7, 14]}}'",
                                 .element = &kTree3};
constexpr std::array<const Type*, 2> kSettingOptions = {&kFreeText, &kVariant};
constinit const Type kSetting = {.form = Form::kEither,
                                 .what = "a value such as 'resnet50' or '1..256', or a variant",
                                 .options = kSettingOptions};
constinit const Type kSettings = {
    .form = Form::kList, .what = "a list of settings", .element = &kSetting};
constexpr std::array<const Type*, 3> kAxisOptions = {&kFreeText, &kSettings, &kVariant};
constinit const Type kAxis = {
    .form = Form::kEither, .what = "a setting or a list of settings", .options = kAxisOptions};
constinit const Type kGrid = {
    .form = Form::kMap, .what = "a grid: a mapping from axes to settings", .element = &kAxis};
constinit const Type kGridList = {
    .form = Form::kList, .what = "a list of grids", .element = &kGrid};
constexpr std::array<const Type*, 2> kGridsOptions = {&kGridList, &kGrid};
constinit const Type kGrids = {
    .form = Form::kEither, .what = "a grid or a list of grids", .options = kGridsOptions};

constexpr std::array<const Type*, 2> kNamesOptions = {&kFreeText, &kTexts};
constinit const Type kNames = {
    .form = Form::kEither, .what = "a name or a list of names", .options = kNamesOptions};
const Type& RunType() {
  static const std::string what = JoinOr(kStudyRuns);
  static const Type run = {.form = Form::kWord, .what = what, .words = kStudyRuns};
  return run;
}
const Type& StudyType() {
  static const Type claims = {
      .form = Form::kList, .what = "a list of claims", .element = &TypeOf<StudyClaim>()};
  static const std::array keys = {
      Key{"name", "what the study is called in results", &kTitle, true},
      Key{"run", "the command that each point is a call of; a grid may name its own", &RunType(),
          true},
      Key{"grid",
          "all combinations of the settings of all axes are run, or those of the axis that 'deal' "
          "names dealt out over those of the others; a list: one after the other",
          &kGrids, true},
      Key{"figure", "what is drawn", &TypeOf<StudyFigure>({{"series", &kNames}})},
      Key{"claims", "what a paper says, beside our figure", &claims}};
  static const Type study = {.form = Form::kObject, .what = "a study", .keys = keys};
  return study;
}

StudyFigure ReadFigure(const Node& node, Reading* reading) {
  StudyFigure figure;
  ReadKeys(node, {}, &figure, &reading->diagnostics);
  if (const Node* series = node.Find("series")) {
    if (series->IsScalar()) figure.series = {series->text};
    if (series->IsSequence()) figure.series = ScalarTexts(*series);
  }
  return figure;
}

// The keys of a mapping as "where.KEY".
void SetPlaces(const std::string& where, const Node& node, Places* places) {
  places->Set(where, node);
  places->SetEntries(where + ".", node);
}

StudyGrid ReadGrid(const Node& node, const std::string& run, Places* places, Reading* reading) {
  StudyGrid grid;
  grid.run = run;
  grid.place = node.Place();
  for (const auto& [key, value] : node.entries) {
    if (key.text == "run") {
      grid.run = value.text;
      const bool known =
          std::find(kStudyRuns.begin(), kStudyRuns.end(), value.text) != kStudyRuns.end();
      if (value.IsScalar() && !known) {
        reading->Add(
            value.Error(fmt::format("expected {}, found '{}'", RunType().what, value.text)));
      }
      continue;
    }
    if (key.text == "deal") {
      grid.deal = value.text;
      places->Set("grid.deal", value);
      continue;
    }
    places->Set("grid." + key.text, key);
    StudyAxis axis(key.text, key.Place());
    for (const Node& entry : value.IsSequence() ? value.items : std::vector<Node>{value}) {
      if (auto settings = ReadSettings(axis.name, entry, reading)) {
        settings->place = entry.Place();
        axis.Add(*std::move(settings));
      }
    }
    grid.axes.push_back(std::move(axis));
  }
  return grid;
}

void ReadStudy(const Node& node, Reading* reading) {
  const Node* grid = node.Find("grid");
  if (grid == nullptr) return;
  const size_t before = reading->diagnostics.size();
  Places places(node);
  places.Set("grid", *grid);
  Study study;
  study.name = TextOr(node, "name");
  const std::string run = TextOr(node, "run");
  // The nodes themselves, not copies: `places` points to them.
  if (!grid->IsSequence()) study.grids.push_back(ReadGrid(*grid, run, &places, reading));
  for (const Node& one : grid->items) {
    study.grids.push_back(ReadGrid(one, run, &places, reading));
  }
  if (const Node* figure = node.Find("figure")) {
    SetPlaces("figure", *figure, &places);
    study.figure = ReadFigure(*figure, reading);
  }
  if (const Node* claims = node.Find("claims")) {
    for (size_t i = 0; i < claims->items.size(); ++i) {
      SetPlaces(fmt::format("claims[{}]", i), claims->items[i], &places);
      ReadKeys(claims->items[i], {}, &study.claims.emplace_back(), &reading->diagnostics);
    }
  }
  // With a setting missing, what refers to it cannot be judged.
  if (reading->diagnostics.size() == before) {
    places.Report(Validate(study), &reading->diagnostics);
  }
  reading->inputs.study = std::move(study);
}

}  // namespace

Kind StudyKind() { return {"study", "a grid of runs", &StudyType(), ReadStudy}; }

}  // namespace inlay::io

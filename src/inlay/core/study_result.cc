#include "inlay/core/study_result.h"

#include <algorithm>

#include "inlay/base/fields.h"

namespace inlay {
namespace {

// Counts that a double cannot hold are texts.
StudyDocument::Figures ListedFigures(const StudyFigures& figures) {
  StudyDocument::Figures listed(figures.values.begin(), figures.values.end());
  for (const auto& [name, text] : figures.texts) {
    const auto same = std::find_if(listed.begin(), listed.end(),
                                   [&key = name](const auto& entry) { return entry.first == key; });
    if (same == listed.end()) {
      listed.emplace_back(name, text);
    } else {
      same->second = text;
    }
  }
  return listed;
}

StudyDocument::Row ListedRow(const StudyFigureRow& row, bool pareto) {
  StudyDocument::Row listed;
  if (row.x_value) {
    listed.x = *row.x_value;
  } else {
    listed.x = row.x;
  }
  listed.y = row.y;
  if (pareto) listed.on_front.assign(row.on_front.begin(), row.on_front.end());
  const bool searched = std::any_of(row.proof.begin(), row.proof.end(),
                                    [](const auto& proof) { return proof.has_value(); });
  for (size_t s = 0; searched && s < row.proof.size(); ++s) {
    listed.status.emplace_back();
    if (row.proof[s]) listed.status.back() = row.proof[s]->status;
  }
  return listed;
}

}  // namespace

const Structure& StructureOf(const StudyClaimResult*) {
  static constexpr auto kReaches = [](const void* result) {
    return static_cast<const StudyClaimResult*>(result)->claim.reach.has_value();
  };
  static constexpr auto kFields = std::to_array<Field>({
      RowIn<&StudyClaimResult::claim, &StudyClaim::what>("what", "what the paper claims"),
      RowIn<&StudyClaimResult::claim, &StudyClaim::paper>("paper", "its figure, as printed"),
      RowIn<&StudyClaimResult::claim, &StudyClaim::metric>("metric", "the figure that is compared"),
      RowIn<&StudyClaimResult::claim, &StudyClaim::show>("show", "how the figure is shown"),
      RowIn<&StudyClaimResult::claim, &StudyClaim::take>(
          "take", "how the figures of several points become one"),
      RowIn<&StudyClaimResult::claim, &StudyClaim::over>(
          "over", "whether points or their layers are taken"),
      Row<&StudyClaimResult::compared>("compared", "points or layers, or pairs of them"),
      Row<&StudyClaimResult::ours>(
          "ours", "our figure; null: the points it needs are not there",
          {.presence = Presence::kNull, .may_be_negative = true, .as_whole = true}),
      RowIn<&StudyClaimResult::claim, &StudyClaim::reach>(
          "reach", "the figure that is to be reached", {.may_be_negative = true}),
      RowIn<&StudyClaimResult::claim, &StudyClaim::along>(
          "along", "the axis along which it is looked for", {.applies = kReaches}),
      Row<&StudyClaimResult::proof>("certificate", "the worst of both sides"),
      RowIn<&StudyClaimResult::claim, &StudyClaim::note>("note", "where and why the two differ",
                                                         {.presence = Presence::kUnlessDefault}),
  });
  return Describe<StudyClaimResult, kFields>("StudyClaim");
}

const Structure& StructureOf(const StudyDocument::Layer*) {
  using Listed = StudyDocument::Layer;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Listed::name>("name", "the layer"),
      Row<&Listed::repeat>("repeat", "how often the network has it"),
      Row<&Listed::figures>("figures", "figures of one run", {.as_whole = true}),
      Row<&Listed::proof>("certificate", "what is proven about them"),
  });
  return Describe<Listed, kFields>("StudyLayer");
}

const Structure& StructureOf(const StudyDocument::Point*) {
  using Point = StudyDocument::Point;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Point::settings>("settings", "axis and label, in the order of the grid"),
      Row<&Point::status>("status", "how the point ended"),
      Row<&Point::timed>("timed", "a time limit may have changed the answer",
                         {.presence = Presence::kUnlessDefault}),
      Row<&Point::proof>("certificate", "the worst of the layers"),
      Row<&Point::batch>("", "", {.inlined = true}),
      Row<&Point::figures>("figures", "figures of the point; counts that no double holds as texts",
                           {.presence = Presence::kUnlessDefault, .as_whole = true}),
      Row<&Point::layers>("layers", "figures of every layer",
                          {.presence = Presence::kUnlessDefault}),
      Row<&Point::reasons>("reasons", "why there is no answer",
                           {.presence = Presence::kUnlessDefault}),
  });
  return Describe<Point, kFields>("StudyPoint");
}

const Structure& StructureOf(const StudyDocument::Row*) {
  using Line = StudyDocument::Row;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Line::x>("x", "a figure or a setting", {.as_whole = true}),
      Row<&Line::y>("y", "one figure per series; null: no point",
                    {.may_be_negative = true, .as_whole = true}),
      Row<&Line::on_front>("on_front", "no other point is better in both",
                           {.presence = Presence::kUnlessDefault}),
      Row<&Line::status>("status", "what is proven of each; null: it is no answer of a search",
                         {.presence = Presence::kUnlessDefault}),
  });
  return Describe<Line, kFields>("StudyRow");
}

const Structure& StructureOf(const StudyDocument::Drawing*) {
  using Drawing = StudyDocument::Drawing;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Drawing::x>("x", "what goes along"),
      Row<&Drawing::y>("y", "what goes up"),
      Row<&Drawing::series>("series", "one line each"),
      Row<&Drawing::left_out>("left_out", "it has too many cells to be drawn",
                              {.presence = Presence::kUnlessDefault}),
      Row<&Drawing::rows>("rows", "the points of all series at one x"),
  });
  return Describe<Drawing, kFields>("StudyFigure");
}

const Structure& StructureOf(const StudyDocument*) {
  using Document = StudyDocument;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Document::header>("", "", {.inlined = true}),
      Row<&Document::study>("study", "the study"),
      Row<&Document::interrupted>("interrupted", "stopped by the user"),
      Row<&Document::points>("points", "what every point came to"),
      Row<&Document::not_run>("not_run", "points that are not listed, because they did not run"),
      Row<&Document::figure>("figure", "what the study draws", {.presence = Presence::kNull}),
      Row<&Document::claims>("claims", "what papers say, and what we find"),
      Row<&Document::seconds>("seconds", "time of all", {.group = "measured"}),
      Row<&Document::measured_claims>("claims", "claims about time on this machine",
                                      {.presence = Presence::kUnlessDefault, .group = "measured"}),
  });
  return Describe<Document, kFields>("StudyResult");
}

StudyDocument::Point ListedPoint(const StudyPoint& point) {
  StudyDocument::Point listed{point.settings, point.status, point.timed, point.proof,
                              point.batch,    {},           {},          {}};
  if (point.batch) return listed;
  if (!point.figures.values.empty()) listed.figures = ListedFigures(point.figures);
  for (const StudyLayer& layer : point.layers) {
    listed.layers.push_back({layer.name, layer.repeat, ListedFigures(layer.figures), layer.proof});
  }
  listed.reasons = point.reasons;
  return listed;
}

StudyDocument DocumentOf(const StudyResult& result) {
  StudyDocument document;
  document.header = result.header;
  document.study = result.study;
  document.interrupted = result.interrupted;
  if (result.drawing) {
    const StudyDrawing& drawing = *result.drawing;
    document.figure = StudyDocument::Drawing{
        drawing.figure.x, drawing.figure.y, drawing.series, drawing.left_out, {}};
    for (const StudyFigureRow& row : drawing.rows) {
      document.figure->rows.push_back(ListedRow(row, drawing.figure.pareto));
    }
  }
  for (const StudyClaimResult& claim : result.claims) {
    (claim.measured ? document.measured_claims : document.claims).push_back(claim);
  }
  document.seconds = result.seconds;
  return document;
}

}  // namespace inlay

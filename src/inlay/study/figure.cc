#include "inlay/study/figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace inlay::study {

FigureBuilder::FigureBuilder(const StudyFigure& figure, const Study& study) : figure_(figure) {
  drawing_.figure = figure;
  // An axis "policy" says which policies a point runs; as x it is each of them.
  x_is_axis_ = figure.x != "policy" &&
               std::any_of(study.grids.begin(), study.grids.end(), [&](const StudyGrid& grid) {
                 return std::any_of(grid.axes.begin(), grid.axes.end(),
                                    [&](const StudyAxis& axis) { return axis.name == figure.x; });
               });
}

void FigureBuilder::Add(const StudyPoint& point) {
  if (drawing_.left_out) return;
  if (DrawsParts(figure_)) {
    for (const StudyLayer& layer : point.layers) {
      part_ = layer.name;
      Add(point, x_is_axis_ ? RowOf(point) : part_, 0, layer.figures, layer.proof);
    }
  } else if (x_is_axis_) {
    Add(point, RowOf(point), 0, point.figures, point.proof);
  } else if (const auto x = point.figures.Find(figure_.x)) {
    Add(point, "", *x, point.figures, point.proof);
  }
}

StudyDrawing FigureBuilder::Finish() {
  Fill();
  if (!x_is_axis_ && !DrawsParts(figure_)) SortByX();
  if (figure_.pareto) MarkFront();
  return std::move(drawing_);
}

std::string FigureBuilder::SeriesOf(const StudyPoint& point) const {
  std::string series;
  for (const std::string& axis : figure_.series) {
    const std::string label = axis == "policy" ? part_ : LabelAt(point, axis);
    if (!label.empty()) series += (series.empty() ? "" : " ") + label;
  }
  return series;
}

// Points of a grid without the axis x stand in rows of their own, by what no column says of them.
std::string FigureBuilder::RowOf(const StudyPoint& point) const {
  std::string row = LabelAt(point, figure_.x);
  if (!row.empty()) return row;
  for (const auto& [axis, label] : point.settings) {
    const bool in_series =
        std::find(figure_.series.begin(), figure_.series.end(), axis) != figure_.series.end();
    if (!in_series) row += (row.empty() ? "" : " ") + label;
  }
  return row;
}

size_t FigureBuilder::RowIndex(const RowKey& key) {
  if (!std::isnan(key.second)) {  // which is no row but its own
    const auto [known, added] = row_index_.try_emplace(key, rows_.size());
    if (!added) return known->second;
  }
  rows_.push_back(key);
  return rows_.size() - 1;
}

size_t FigureBuilder::SeriesIndex(const std::string& name) {
  const auto [known, added] = series_index_.try_emplace(name, drawing_.series.size());
  if (added) drawing_.series.push_back(name);
  return known->second;
}

void FigureBuilder::Add(const StudyPoint& point, const std::string& label, double x,
                        const StudyFigures& figures, const std::optional<StudyCertificate>& proof) {
  const auto y = figures.Find(figure_.y);
  if (!y || drawing_.left_out) return;
  const size_t row = RowIndex({label, x});
  const size_t series = SeriesIndex(SeriesOf(point));
  if (rows_.size() * drawing_.series.size() > kMostDrawn) return LeaveOut();
  Cell& cell = cells_[{row, series}];
  cell.sum += *y;
  ++cell.count;
  if (const auto of_y = ProofOf(proof, figure_.y)) {
    if (!cell.proof) cell.proof = of_y;
    cell.proof->Worsen(*of_y);
  }
}

void FigureBuilder::LeaveOut() {
  drawing_.left_out = true;
  drawing_.series.clear();
  rows_.clear();
  row_index_.clear();
  series_index_.clear();
  cells_.clear();
}

void FigureBuilder::Fill() {
  for (size_t r = 0; r < rows_.size(); ++r) {
    StudyFigureRow row;
    row.x = rows_[r].first;
    if (row.x.empty() && !x_is_axis_) row.x_value = rows_[r].second;
    row.y.resize(drawing_.series.size());
    row.proof.resize(drawing_.series.size());
    row.on_front.resize(drawing_.series.size());
    for (size_t s = 0; s < drawing_.series.size(); ++s) {
      const auto cell = cells_.find({r, s});
      if (cell == cells_.end()) continue;
      row.y[s] = cell->second.sum / static_cast<double>(cell->second.count);
      row.proof[s] = cell->second.proof;
    }
    drawing_.rows.push_back(std::move(row));
  }
}

void FigureBuilder::SortByX() {
  std::stable_sort(
      drawing_.rows.begin(), drawing_.rows.end(),
      [](const StudyFigureRow& a, const StudyFigureRow& b) { return a.x_value < b.x_value; });
}

// Rows are sorted by x; less is better in both.
void FigureBuilder::MarkFront() {
  std::optional<double> best;
  for (StudyFigureRow& row : drawing_.rows) {
    std::optional<double> least;
    for (const auto& y : row.y) {
      if (y && (!least || *y < *least)) least = y;
    }
    if (!least || (best && *least >= *best)) continue;
    best = least;
    for (size_t s = 0; s < row.y.size(); ++s) row.on_front[s] = row.y[s] == least;
  }
}

std::string LabelAt(const StudyPoint& point, const std::string& axis) {
  for (const auto& [name, label] : point.settings) {
    if (name == axis) return label;
  }
  return "";
}

}  // namespace inlay::study

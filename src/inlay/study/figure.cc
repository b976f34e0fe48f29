#include "inlay/study/figure.h"

#include <algorithm>
#include <map>
#include <utility>

namespace inlay::study {
namespace {

// Sum and number of what falls into one cell.
struct Cell {
  double sum = 0;
  int64_t count = 0;
  std::optional<StudyProof> proof;
};

class Drawer {
 public:
  Drawer(const StudyFigure& figure, const std::vector<StudyPoint>& points)
      : figure_(figure), points_(points) {
    drawing_.figure = figure;
    // An axis "policy" says which policies a point runs; as x it is each of them.
    x_is_axis_ =
        figure.x != "policy" &&
        std::any_of(points.begin(), points.end(), [&](const StudyPoint& point) {
          return std::any_of(point.settings.begin(), point.settings.end(),
                             [&](const auto& setting) { return setting.first == figure.x; });
        });
  }

  StudyDrawing Run() {
    for (const StudyPoint& point : points_) {
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
    Fill();
    if (!x_is_axis_ && !DrawsParts(figure_)) SortByX();
    if (figure_.pareto) MarkFront();
    return std::move(drawing_);
  }

 private:
  std::string SeriesOf(const StudyPoint& point) const {
    std::string series;
    for (const std::string& axis : figure_.series) {
      const std::string label = axis == "policy" ? part_ : LabelAt(point, axis);
      if (!label.empty()) series += (series.empty() ? "" : " ") + label;
    }
    return series;
  }

  // Points of a grid without the axis x stand in rows of their own, by what no column says of them.
  std::string RowOf(const StudyPoint& point) const {
    std::string row = LabelAt(point, figure_.x);
    if (!row.empty()) return row;
    for (const auto& [axis, label] : point.settings) {
      const bool told =
          std::find(figure_.series.begin(), figure_.series.end(), axis) != figure_.series.end();
      if (!told) row += (row.empty() ? "" : " ") + label;
    }
    return row;
  }

  static size_t IndexOf(const std::string& name, std::vector<std::string>* names) {
    const auto found = std::find(names->begin(), names->end(), name);
    const auto index = static_cast<size_t>(found - names->begin());
    if (found == names->end()) names->push_back(name);
    return index;
  }

  void Add(const StudyPoint& point, const std::string& label, double x, const StudyFigures& figures,
           const std::optional<StudyProof>& proof) {
    const auto y = figures.Find(figure_.y);
    if (!y) return;
    const std::pair key(label, x);
    auto row = std::find(rows_.begin(), rows_.end(), key);
    const auto row_index = static_cast<size_t>(row - rows_.begin());
    if (row == rows_.end()) rows_.push_back(key);
    Cell& cell = cells_[{row_index, IndexOf(SeriesOf(point), &drawing_.series)}];
    cell.sum += *y;
    ++cell.count;
    if (const auto of_y = ProofOf(proof, figure_.y)) {
      if (!cell.proof) cell.proof = of_y;
      cell.proof->Worsen(*of_y);
    }
  }

  void Fill() {
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

  void SortByX() {
    std::stable_sort(
        drawing_.rows.begin(), drawing_.rows.end(),
        [](const StudyFigureRow& a, const StudyFigureRow& b) { return a.x_value < b.x_value; });
  }

  // Rows are sorted by x; less is better in both.
  void MarkFront() {
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

  const StudyFigure& figure_;
  const std::vector<StudyPoint>& points_;
  bool x_is_axis_ = false;
  std::string part_;                                  // the layer or policy that is being added
  std::vector<std::pair<std::string, double>> rows_;  // label, or x as a figure
  std::map<std::pair<size_t, size_t>, Cell> cells_;   // row, series
  StudyDrawing drawing_;
};

}  // namespace

std::string LabelAt(const StudyPoint& point, const std::string& axis) {
  for (const auto& [name, label] : point.settings) {
    if (name == axis) return label;
  }
  return "";
}

StudyDrawing Draw(const StudyFigure& figure, const std::vector<StudyPoint>& points) {
  return Drawer(figure, points).Run();
}

}  // namespace inlay::study

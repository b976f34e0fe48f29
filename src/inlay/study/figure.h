#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/study_result.h"

namespace inlay::study {

// The label of an axis at a point; "" where its grid has no such axis.
std::string LabelAt(const StudyPoint& point, const std::string& axis);

// Makes the table that a figure asks for of points, one at a time in the order of the study. Keeps
// its cells, not the points, and none once they are more than kMostDrawn. Points without an answer
// leave their cells empty.
class FigureBuilder {
 public:
  FigureBuilder(const StudyFigure& figure, const Study& study);
  void Add(const StudyPoint& point);
  StudyDrawing Finish();

 private:
  // Sum and number of what falls into one cell.
  struct Cell {
    double sum = 0;
    int64_t count = 0;
    std::optional<StudyCertificate> proof;
  };
  using RowKey = std::pair<std::string, double>;  // label, or x as a figure

  std::string SeriesOf(const StudyPoint& point) const;
  std::string RowOf(const StudyPoint& point) const;
  size_t RowIndex(const RowKey& key);
  size_t SeriesIndex(const std::string& name);
  void Add(const StudyPoint& point, const std::string& label, double x, const StudyFigures& figures,
           const std::optional<StudyCertificate>& proof);
  void LeaveOut();
  void Fill();
  void SortByX();
  void MarkFront();

  StudyFigure figure_;
  bool x_is_axis_ = false;
  std::string part_;  // the layer or policy that is being added
  std::vector<RowKey> rows_;
  std::map<RowKey, size_t> row_index_;
  std::map<std::string, size_t> series_index_;
  std::map<std::pair<size_t, size_t>, Cell> cells_;  // row, series
  StudyDrawing drawing_;
};

}  // namespace inlay::study

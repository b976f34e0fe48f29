#include "inlay/core/study_points.h"

#include <utility>

#include "inlay/base/check.h"

namespace inlay {

StudyPoints::StudyPoints(Study outline)
    : outline_(std::make_shared<const Study>(std::move(outline))), size_(PointsOf(*outline_)) {}

StudyPoint StudyPoints::PointAt(const Place& place) {
  return place.held ? *place.held : place.file->Read(place.offset, place.size);
}

StudyPoint StudyPoints::operator[](size_t index) const {
  if (const auto found = places_.find(index); found != places_.end()) return PointAt(found->second);
  StudyPoint point;
  point.settings = SettingsOf(*outline_, index);
  return point;
}

void StudyPoints::Put(size_t index, StudyPoint point) {
  INLAY_CHECK(index < size_);
  places_[index] = {std::make_shared<const StudyPoint>(std::move(point)), nullptr, 0, 0};
}

void StudyPoints::Put(size_t index, std::shared_ptr<const StudyPointFile> file, uint64_t offset,
                      size_t size) {
  INLAY_CHECK(index < size_);
  places_[index] = {nullptr, std::move(file), offset, size};
}

void StudyPoints::PutFrom(const StudyPoints& other, size_t index) {
  INLAY_CHECK(index < size_);
  places_[index] = other.places_.at(index);
}

void StudyPoints::ForEachRun(
    const std::function<void(size_t index, const StudyPoint& point)>& visit) const {
  for (const auto& [index, place] : places_) {
    if (place.held) {
      visit(index, *place.held);
    } else {
      visit(index, PointAt(place));
    }
  }
}

void StudyPoints::ForEachNumber(const std::function<void(size_t index)>& visit) const {
  for (const auto& [index, place] : places_) visit(index);
}

}  // namespace inlay
